//! What is answered over HTTP: metrics, and whether the agent works.

use super::sampler::{Shared, lock};
use super::{metrics, openmetrics};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::time::Duration;

/// Where a sample is late by this much, and ten intervals more, the agent does not work.
const SILENCE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone)]
struct App {
    shared: Shared,
    /// How late a sample may be.
    silence: Duration,
}

/// All addresses.
pub(super) fn router(shared: Shared, interval: Duration) -> Router {
    Router::new()
        .route("/metrics", get(scrape))
        .route("/healthz", get(health))
        .fallback((StatusCode::NOT_FOUND, "The metrics are at /metrics.\n"))
        .with_state(App { shared, silence: SILENCE + interval * 10 })
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
    // By the plan, not by the last sample: to spare the processor a round may be made as long as many intervals.
    let due = lock(&app.shared).own.due;
    if due.elapsed() < app.silence {
        (StatusCode::OK, "ok\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "there was no sample for long\n")
    }
}

#[cfg(test)]
mod tests {
    use super::super::totals::Totals;
    use super::*;
    use std::sync::{Arc, Mutex};
    use std::time::Instant;

    /// Where a sample is due then, and may be a second late.
    fn status(due: Instant) -> StatusCode {
        let mut totals = Totals::new(1);
        totals.own.due = due;
        let silence = Duration::from_secs(1);
        let app = App { shared: Arc::new(Mutex::new(totals)), silence };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(health(State(app))).0
    }

    #[test]
    fn an_agent_that_planned_a_long_round_is_well_and_one_whose_sample_is_late_is_not() {
        let now = Instant::now();
        assert_eq!(status(now + Duration::from_secs(3600)), StatusCode::OK);
        assert_eq!(status(now - Duration::from_secs(2)), StatusCode::SERVICE_UNAVAILABLE);
    }
}
