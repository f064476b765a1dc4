//! The connections that lost most time, as events: the one place where addresses are told.

use super::connections::Seen;
use super::totals::{Held, now_ns};
use crate::error::Error;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tcpwhy_core::units::Nanos;
use tcpwhy_report::json::foreign;

/// The schema's name and version.
const SCHEMA: &str = "tcpwhy.agent.connection/1";

/// Where events go.
#[derive(Debug)]
pub(super) enum Events {
    Stdout,
    File(File),
}

/// What one connection lost since the last events.
#[derive(Debug, Clone)]
pub(super) struct Lost {
    service: Arc<str>,
    held: BTreeMap<Held, Nanos>,
    sent: u64,
    received: u64,
    resent: u64,
    /// Set when it first lost time.
    pub ends: Option<Ends>,
    /// It is gone.
    pub closed: bool,
}

/// Whose connection it is.
#[derive(Debug, Clone)]
pub(super) struct Ends {
    local: SocketAddr,
    remote: SocketAddr,
    pid: Option<u32>,
    command: Option<Arc<str>>,
    congestion: String,
    rtt_us: Option<u32>,
    holder: Option<String>,
}

impl Events {
    /// `-` is standard output; a file is added to.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        if path.as_os_str() == "-" {
            return Ok(Self::Stdout);
        }
        let file = OpenOptions::new().append(true).create(true).open(path);
        file.map(Self::File).map_err(|e| {
            Error::Live(format!(
                "cannot write events to {}: {e}; choose another --events",
                path.display()
            ))
        })
    }

    /// Writes one line for each connection, all at once; they were collected over `span`.
    pub(super) fn write(&mut self, lost: &[Lost], span: Duration) -> io::Result<()> {
        let mut lines = Vec::new();
        for lost in lost {
            // Names are whatever somebody called a process: they steer no terminal that shows the log.
            foreign::write(&mut lines, &lost.event(span))?;
            lines.push(b'\n');
        }
        match self {
            Self::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(&lines)?;
                out.flush()
            }
            Self::File(file) => file.write_all(&lines),
        }
    }
}

impl Lost {
    /// Of a connection of this service.
    pub(super) fn new(service: Arc<str>) -> Self {
        let (held, ends) = (BTreeMap::new(), None);
        Self { service, held, sent: 0, received: 0, resent: 0, ends, closed: false }
    }

    /// Adds time that was lost.
    pub(super) fn add(&mut self, held: Held, time: Nanos) {
        *self.held.entry(held).or_default() += time;
    }

    /// Adds what was transferred after time was lost first.
    pub(super) fn count(&mut self, sent: u64, received: u64, resent: u64) {
        self.sent += sent;
        self.received += received;
        self.resent += resent;
    }

    /// All time that was lost.
    pub(super) fn total(&self) -> Nanos {
        self.held.values().fold(Nanos::ZERO, |sum, time| sum + *time)
    }

    fn event(&self, span: Duration) -> Value {
        let ends = self.ends.as_ref();
        let most = self.held.iter().max_by_key(|(_, time)| **time).map(|(held, _)| held);
        let mut by_limit: BTreeMap<&str, i64> = BTreeMap::new();
        for (held, time) in &self.held {
            *by_limit.entry(held.limit.name()).or_default() += time.0;
        }
        let by_limit: Map<_, _> =
            by_limit.into_iter().map(|(limit, ns)| (limit.to_owned(), json!(ns))).collect();
        json!({
            "schema": SCHEMA, "time_ns": now_ns(), "span_ns": u64::try_from(span.as_nanos()).unwrap_or(u64::MAX),
            "service": &*self.service, "closed": self.closed,
            "local": ends.map(|e| e.local), "remote": ends.map(|e| e.remote),
            "pid": ends.and_then(|e| e.pid), "command": ends.and_then(|e| e.command.as_deref()),
            "limit": most.map(|h| h.limit.name()), "cause": most.map(|h| h.cause),
            "direction": most.map(|h| h.direction.name()), "holder": ends.and_then(|e| e.holder.as_deref()),
            "lost_ns": self.total().0, "lost_ns_by_limit": by_limit,
            "sent_bytes": self.sent, "received_bytes": self.received, "resent_packets": self.resent,
            "rtt_us": ends.and_then(|e| e.rtt_us), "congestion_control": ends.map(|e| e.congestion.as_str()),
        })
    }
}

impl Ends {
    /// Of a row.
    pub(super) fn of(row: &Seen<'_>) -> Self {
        let sample = &row.seen.sample;
        let owner = row.seen.owner.as_ref();
        Self {
            local: sample.local,
            remote: sample.remote,
            pid: owner.map(|o| o.pid),
            command: owner.map(|o| Arc::clone(&o.command)),
            congestion: sample.congestion.clone(),
            rtt_us: row.info().rtt_us(),
            holder: row.holder(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_s_name_steers_no_terminal_and_a_program_reads_the_same() {
        let end = SocketAddr::from(([10, 0, 0, 1], 80));
        let evil = "ev\u{9b}31m\u{7f}\u{202e}il";
        let mut lost = Lost::new("web".into());
        lost.ends = Some(Ends {
            local: end,
            remote: end,
            pid: None,
            command: Some(evil.into()),
            congestion: String::new(),
            rtt_us: None,
            holder: None,
        });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        Events::open(&path).unwrap().write(&[lost], Duration::ZERO).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert!(!text.contains(['\u{9b}', '\u{7f}', '\u{202e}']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["command"], evil);
    }
}
