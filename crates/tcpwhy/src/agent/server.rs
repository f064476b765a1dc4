//! What is answered over HTTP: metrics, and whether the agent works.

use super::sampler::{Shared, lock};
use super::totals::now_ns;
use super::{metrics, openmetrics};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::time::Duration;

/// Without a sample for this long, and ten intervals more, the agent does not work.
const SILENCE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone)]
struct App {
    shared: Shared,
    /// Nanoseconds after a sample in which there must be another one.
    silence_ns: u64,
}

/// All addresses.
pub(super) fn router(shared: Shared, interval: Duration) -> Router {
    let silence_ns = u64::try_from((SILENCE + interval * 10).as_nanos()).unwrap_or(u64::MAX);
    Router::new()
        .route("/metrics", get(scrape))
        .route("/healthz", get(health))
        .fallback((StatusCode::NOT_FOUND, "The metrics are at /metrics.\n"))
        .with_state(App { shared, silence_ns })
}

async fn scrape(State(app): State<App>) -> Response {
    let metrics = metrics::all(&lock(&app.shared));
    match openmetrics::text(metrics) {
        Ok(text) => {
            let headers =
                [(CONTENT_TYPE, openmetrics::CONTENT_TYPE), (X_CONTENT_TYPE_OPTIONS, "nosniff")];
            (headers, text).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn health(State(app): State<App>) -> (StatusCode, &'static str) {
    let last = lock(&app.shared).own.last_sample_ns;
    if now_ns().saturating_sub(last) < app.silence_ns {
        (StatusCode::OK, "ok\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "there was no sample for long\n")
    }
}
