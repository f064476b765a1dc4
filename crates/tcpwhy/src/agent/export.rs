//! The thread that sends the metrics to an OpenTelemetry receiver.

use super::sampler::{Shared, lock};
use super::totals::now_ns;
use super::{metrics, otlp, warn};
use crate::error::Error;
use axum::http::{HeaderName, HeaderValue, Uri};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// The usual path, for an address without one.
const PATH: &str = "/v1/metrics";
/// `NAME=VALUE,NAME=VALUE` for every request (OpenTelemetry's environment variables): tokens, tenants.
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
/// How long a receiver may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends until it is told to stop.
#[derive(Debug)]
pub(super) struct Exporter {
    agent: ureq::Agent,
    url: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    interval: Duration,
    host: String,
    shared: Shared,
    failing: bool,
}

impl Exporter {
    /// To `url`, every `interval`.
    ///
    /// # Errors
    /// The address is none that can be sent to, or the headers of the environment cannot be read.
    pub(super) fn new(url: &str, interval: Duration, shared: Shared) -> Result<Self, Error> {
        let config = ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).max_redirects(0);
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Ok(Self {
            agent: config.build().into(),
            url: address(url)?,
            headers: headers(&std::env::var(HEADERS).unwrap_or_default())?,
            interval,
            host: host.trim_end().to_owned(),
            shared,
            failing: false,
        })
    }

    /// Sends every interval, and a last time when the other end of `stop` is dropped.
    pub(super) fn run(mut self, stop: &Receiver<()>) {
        loop {
            let stopped = stop.recv_timeout(self.interval) != Err(RecvTimeoutError::Timeout);
            self.export();
            if stopped {
                return;
            }
        }
    }

    fn export(&mut self) {
        let metrics = metrics::all(&lock(&self.shared));
        let body = otlp::request(&metrics, now_ns(), &self.host).to_string();
        let mut request = self.agent.post(&self.url).header("Content-Type", "application/json");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let result = request.send(body.as_bytes());
        let own = &mut lock(&self.shared).own;
        match result {
            Ok(_) => {
                own.exports += 1;
                self.failing = false;
            }
            Err(e) => {
                own.exports_failed += 1;
                if !std::mem::replace(&mut self.failing, true) {
                    warn(&format!(
                        "cannot export to {}: {e}; trying again every {} s",
                        self.url,
                        self.interval.as_secs_f64()
                    ));
                }
            }
        }
    }
}

fn address(url: &str) -> Result<String, Error> {
    let refuse = |why: &str| {
        Error::Usage(format!("cannot export to {url}: {why} (--otlp http://HOST:4318)"))
    };
    let uri: Uri = url.parse().map_err(|_| refuse("it is no address"))?;
    match (uri.scheme_str(), uri.authority()) {
        (Some("http"), Some(_)) => {}
        (Some("https"), _) => {
            return Err(refuse(
                "the agent speaks plain HTTP; send to a collector on this host or in this cluster",
            ));
        }
        _ => return Err(refuse("it is no http address")),
    }
    let bare = uri.path() == "/" && uri.query().is_none();
    Ok(if bare { format!("{}{PATH}", url.trim_end_matches('/')) } else { url.to_owned() })
}

fn headers(text: &str) -> Result<Vec<(HeaderName, HeaderValue)>, Error> {
    let one = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        Some((name.trim().parse().ok()?, value.trim().parse().ok()?))
    };
    let pairs = text.split(',').filter(|pair| !pair.trim().is_empty());
    // A value may be a secret: it is not repeated.
    let refuse = || Error::Usage(format!("{HEADERS} is not NAME=VALUE,NAME=VALUE"));
    pairs.map(|pair| one(pair).ok_or_else(refuse)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_path_gets_the_usual_one() {
        assert_eq!(address("http://[::1]:4318").unwrap(), "http://[::1]:4318/v1/metrics");
        assert_eq!(address("http://c:4318/").unwrap(), "http://c:4318/v1/metrics");
        assert_eq!(address("http://c/otlp/v1/metrics").unwrap(), "http://c/otlp/v1/metrics");
        for wrong in ["c:4318", "https://c", "ftp://c", "", "http://"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn headers_of_the_environment_are_read_and_a_wrong_one_is_not_repeated() {
        let found = headers("X-Scope-OrgID=a, authorization=Basic eA==,").unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].1, "Basic eA==");
        let error = headers("secret").unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}
