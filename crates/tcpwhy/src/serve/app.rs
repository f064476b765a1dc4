//! What is asked, and what is answered.

use super::folder::Folder;
use super::guard::guard;
use super::jobs::{Jobs, State as Job, Stretch};
use super::refusal::{Refusal, language};
use super::token::Token;
use super::{csp, upload};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};
use std::sync::Arc;
use tcpwhy_report::page;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// The page of the list and of progress; `web/serve.html` is its source.
const PAGE: &str = include_str!("serve.html");
/// Uploads at a time.
const UPLOADS: usize = 4;

/// What all answers are made from.
#[derive(Debug)]
pub(super) struct App {
    /// What is served.
    pub folder: Arc<Folder>,
    /// Its name, for people.
    pub directory: String,
    /// Bytes of the largest upload.
    pub max_upload: u64,
    /// What visitors must know.
    pub token: Option<Token>,
    /// Name of the cookie that holds it: cookies are shared by all ports of a host.
    pub cookie: String,
    /// Places for uploads.
    pub uploads: Semaphore,
    jobs: Arc<Jobs>,
    page_policy: String,
    report_policy: String,
}

impl App {
    /// For one directory.
    pub(super) fn new(
        folder: Folder,
        directory: String,
        max_upload: u64,
        token: Option<Token>,
        port: u16,
    ) -> Self {
        Self {
            folder: Arc::new(folder),
            directory,
            max_upload,
            token,
            cookie: format!("tcpwhy-{port}"),
            uploads: Semaphore::new(UPLOADS),
            jobs: Arc::new(Jobs::new()),
            page_policy: csp::of(PAGE),
            report_policy: csp::of(page::template()),
        }
    }

    /// All addresses. There is none for files: no path that a visitor writes is ever opened.
    pub(super) fn router(self) -> Router {
        let app = Arc::new(self);
        Router::new()
            .route("/", get(index))
            .route("/c/{id}", get(report))
            .route("/api/captures", get(list).post(upload::upload))
            .route("/api/progress/{id}", get(progress))
            .route("/api/packets/{id}", get(packets))
            .route("/favicon.ico", get(StatusCode::NO_CONTENT))
            .fallback(nowhere)
            .layer(from_fn_with_state(Arc::clone(&app), guard))
            .with_state(app)
    }
}

async fn nowhere(headers: HeaderMap) -> Response {
    Refusal::Nowhere.answer(&headers)
}

async fn index(State(app): State<Arc<App>>) -> Response {
    html(StatusCode::OK, Bytes::from_static(PAGE.as_bytes()), &app.page_policy)
}

/// The report, or the page that shows how far it is.
async fn report(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let folder = Arc::clone(&app.folder);
    let found = spawn_blocking(move || folder.find(&id)).await.ok().flatten();
    let waiting = |status| html(status, Bytes::from_static(PAGE.as_bytes()), &app.page_policy);
    let Some(entry) = found else { return waiting(StatusCode::NOT_FOUND) };
    match app.jobs.start(&app.folder, entry) {
        Some(Job::Finished(page, _)) => html(StatusCode::OK, page.html, &app.report_policy),
        Some(_) => waiting(StatusCode::OK),
        None => Refusal::Analyses.answer(&headers),
    }
}

async fn list(State(app): State<Arc<App>>) -> Response {
    let folder = Arc::clone(&app.folder);
    let listing = spawn_blocking(move || folder.list()).await.unwrap_or_default();
    let answers = app.jobs.answers(&listing.captures);
    let capture = |(entry, answer): (&super::folder::Entry, &Option<super::jobs::Answer>)| {
        let answer = answer
            .map(|a| json!({ "limit": a.limit, "share": a.share, "connections": a.connections }));
        json!({
            "id": entry.id, "name": entry.name, "size": entry.size,
            "modified_ms": entry.modified_ms, "answer": answer,
        })
    };
    let captures: Vec<_> = listing.captures.iter().zip(&answers).map(capture).collect();
    data(&json!({
        "directory": app.directory, "max_upload": app.max_upload, "more": listing.more, "captures": captures,
    }))
}

async fn progress(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    data(&match app.jobs.state(&id) {
        None => json!({ "state": "unknown" }),
        Some((name, Job::Working(part))) => {
            json!({ "state": "working", "name": name, "part": part })
        }
        Some((name, Job::Finished(..))) => json!({ "state": "finished", "name": name }),
        Some((name, Job::Failed(why))) => {
            json!({ "state": "failed", "name": name, "why": why.text(language(&headers)) })
        }
    })
}

/// Each packet of a stretch of a long connection, for the page that shows the connection as a whole.
async fn packets(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(stretch): Query<Stretch>,
    headers: HeaderMap,
) -> Response {
    let folder = Arc::clone(&app.folder);
    let found = spawn_blocking(move || folder.find(&id)).await.ok().flatten();
    let read = match found {
        Some(entry) => app.jobs.stretch(Arc::clone(&app.folder), entry, stretch).await,
        None => Err(Refusal::Changed),
    };
    match read {
        Ok(bytes) => ([(CONTENT_TYPE, "application/octet-stream")], bytes).into_response(),
        Err(refusal) => refusal.answer(&headers),
    }
}

fn data(value: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

fn html(status: StatusCode, page: Bytes, policy: &str) -> Response {
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, policy)];
    (status, headers, Body::from(page)).into_response()
}
