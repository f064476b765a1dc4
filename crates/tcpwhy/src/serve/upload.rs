//! Uploads: to disk as they come, under a hidden name, until they are complete and are captures.

use super::app::App;
use super::folder::{Entry, Folder};
use super::name;
use super::refusal::Refusal;
use super::token::hex;
use crate::error::Error;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use serde_json::json;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tcpwhy_capture::Capture;
use tokio::io::AsyncWriteExt;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Longest silence in the middle of an upload.
const SILENCE: Duration = Duration::from_secs(60);
/// Bytes a second that an upload must bring on average once it is older than that: a few bytes a minute would hold a place for ever.
const SLOWEST: u64 = 4096;

/// Takes one: its name is `?name=`, its bytes are the body.
pub(super) async fn upload(
    State(app): State<Arc<App>>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Ok(_place) = app.uploads.try_acquire() else {
        return Refusal::Uploads.answer(&headers);
    };
    let length = headers.get(CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|bytes| bytes > app.max_upload) {
        return Refusal::Large(app.max_upload).answer(&headers);
    }
    let wanted = name::safe(query.get("name").map_or("", String::as_str));
    match receive(&app, wanted, body).await {
        Ok(entry) => {
            let text = json!({ "id": entry.id, "name": entry.name }).to_string();
            (StatusCode::CREATED, [(CONTENT_TYPE, "application/json")], text).into_response()
        }
        Err(refusal) => refusal.answer(&headers),
    }
}

async fn receive(app: &App, wanted: String, mut body: Body) -> Result<Entry, Refusal> {
    let folder = Arc::clone(&app.folder);
    let (file, part) = spawn_blocking(move || Part::create(folder)).await.map_err(gone)??;
    let mut file = tokio::fs::File::from_std(file);
    let (begun, mut bytes) = (Instant::now(), 0_u64);
    while let Some(frame) = timeout(SILENCE, body.frame()).await.map_err(|_| Refusal::Slow)? {
        let Ok(data) = frame.map_err(|_| Refusal::BrokeOff)?.into_data() else { continue };
        bytes = bytes.saturating_add(data.len() as u64);
        if bytes > app.max_upload {
            return Err(Refusal::Large(app.max_upload));
        }
        if is_slow(bytes, begun.elapsed()) {
            return Err(Refusal::Slow);
        }
        file.write_all(&data).await?;
    }
    file.flush().await?;
    let file = file.into_std().await;
    spawn_blocking(move || part.keep(file, &wanted)).await.map_err(gone)?
}

/// Whether so many bytes in such a time are too few.
fn is_slow(bytes: u64, age: Duration) -> bool {
    age > SILENCE && bytes < SLOWEST.saturating_mul((age - SILENCE).as_secs())
}

/// The thread of a step is gone: we are being stopped.
fn gone<E>(_: E) -> Refusal {
    Refusal::BrokeOff
}

/// An upload that is not complete. It goes when this goes: on errors, when the visitor leaves, when the server stops.
struct Part {
    folder: Arc<Folder>,
    name: String,
}

impl Part {
    fn create(folder: Arc<Folder>) -> Result<(std::fs::File, Self), Refusal> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|e| Refusal::Failed(Error::Random(e)))?;
        let name = format!(".tcpwhy-{}.part", hex(&random));
        let file = folder.create(&name)?;
        Ok((file, Self { folder, name }))
    }

    /// Gives it its name, if it is a capture with a packet in it.
    fn keep(self, mut file: std::fs::File, wanted: &str) -> Result<Entry, Refusal> {
        io::Seek::rewind(&mut file)?;
        let capture = Capture::from_reader(wanted, file);
        let mut capture = capture.map_err(Refusal::NotCapture)?;
        if capture.next_frame().is_none() {
            let damage = capture.notes().into_iter().find(|note| note.kind.is_damage());
            return Err(
                damage.map_or_else(|| Refusal::NoPackets(wanted.to_owned()), Refusal::Damaged)
            );
        }
        // Closed: Windows renames no open file.
        drop(capture);
        Ok(self.folder.keep(&self.name, wanted)?)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.folder.remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_has_a_minute_and_then_a_least_rate() {
        let second = Duration::from_secs(1);
        assert!(!is_slow(0, SILENCE));
        assert!(!is_slow(SLOWEST, SILENCE + second));
        assert!(is_slow(SLOWEST - 1, SILENCE + second));
        assert!(!is_slow(3600 * SLOWEST, 3600 * second));
    }
}
