//! Uploads: to disk as they come, under a hidden name, until they are complete and are captures.

use super::app::App;
use super::folder::{Entry, Folder};
use super::name;
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
use tcpwhy_core::advice::quantity;
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
        return Refusal::Busy.into_response();
    };
    let length = headers.get(CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|bytes| bytes > app.max_upload) {
        return Refusal::Large(app.max_upload).into_response();
    }
    let wanted = name::safe(query.get("name").map_or("", String::as_str));
    match receive(&app, wanted, body).await {
        Ok(entry) => {
            let text = json!({ "id": entry.id, "name": entry.name }).to_string();
            (StatusCode::CREATED, [(CONTENT_TYPE, "application/json")], text).into_response()
        }
        Err(refusal) => refusal.into_response(),
    }
}

/// Why an upload was not kept.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("too many uploads at once: try again when one has ended")]
    Busy,
    #[error("larger than an upload may be ({}): choose another limit with --max-upload", quantity::data(*.0))]
    Large(u64),
    #[error("{0}")]
    NotCapture(String),
    #[error("the upload broke off")]
    BrokeOff,
    #[error("the upload was too slow: less than 4 kB a second")]
    Slow,
    #[error("cannot be stored: {0}")]
    Store(#[from] io::Error),
    #[error(transparent)]
    Random(Error),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Large(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotCapture(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BrokeOff => StatusCode::BAD_REQUEST,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::Store(_) | Self::Random(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, format!("{self}\n")).into_response()
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
        getrandom::fill(&mut random).map_err(|e| Refusal::Random(Error::Random(e)))?;
        let name = format!(".tcpwhy-{}.part", hex(&random));
        let file = folder.create(&name)?;
        Ok((file, Self { folder, name }))
    }

    /// Gives it its name, if it is a capture with a packet in it.
    fn keep(self, mut file: std::fs::File, wanted: &str) -> Result<Entry, Refusal> {
        io::Seek::rewind(&mut file)?;
        let capture = Capture::from_reader(wanted, file);
        let mut capture = capture.map_err(|e| Refusal::NotCapture(e.to_string()))?;
        if !matches!(capture.next_frame(), Ok(Some(_))) {
            return Err(Refusal::NotCapture(format!("{wanted}: holds no packets")));
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
