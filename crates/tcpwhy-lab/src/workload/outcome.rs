//! What came of a workload. A connection that failed or was given up is an outcome too: some scenarios are about that.

use super::options::Effective;
use crate::spec::Role;
use serde::Serialize;
use std::net::SocketAddr;
use tcpwhy_core::units::Nanos;

/// Everything that ran.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Outcome {
    /// Every connection, in the order of the workload's flows.
    pub flows: Vec<FlowOutcome>,
    /// Every program, in order.
    pub programs: Vec<ProgramOutcome>,
}

/// One connection between a client and a server of ours (through the relay, if there is one).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowOutcome {
    /// Number of its flow in the workload.
    pub flow: usize,
    /// Carries load, not the transfer that is judged.
    pub cross_traffic: bool,
    /// The client's end.
    pub client: EndOutcome,
    /// The server's end; behind a relay, its first backend's.
    pub server: Option<EndOutcome>,
    /// The relay's ends: towards the client, then towards each backend.
    pub relay: Vec<EndOutcome>,
    /// What was sent, in the order of the flow's phases.
    pub sendings: Vec<SendingOutcome>,
    /// From the client's call of connect to its end, seconds.
    pub seconds: f64,
    /// How it ended, as the client saw it.
    pub ended: Ended,
}

/// How an end of a connection finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "how", content = "why")]
pub enum Ended {
    /// Everything was written and read.
    Complete,
    /// The flow's time was over, or the run was stopped.
    GaveUp,
    /// The kernel's word, or what was missing.
    Failed(String),
}

/// One end of a connection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EndOutcome {
    /// Its own address.
    pub local: Option<SocketAddr>,
    /// The peer's address.
    pub remote: Option<SocketAddr>,
    /// Options as read back when everything was set.
    pub effective: Option<Effective>,
    /// Options as read back at the end (autotuning moves the buffers).
    pub at_end: Option<Effective>,
    /// The kernel's `struct tcp_info` at the end, in hex.
    pub tcp_info: Option<String>,
    /// When a relay read here first and last, nanoseconds since the Unix epoch: of what others sent by way of it, it alone knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_ns: Option<[i64; 2]>,
    /// How it finished.
    pub ended: Ended,
}

/// One sending: the writer's side and the reader's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SendingOutcome {
    /// Who wrote: `client` or `server`.
    pub from: &'static str,
    /// Bytes asked, over all rounds.
    pub asked: u64,
    /// Bytes that the writer's kernel took.
    pub written: u64,
    /// Bytes that the reader got.
    pub read: u64,
    /// The first write began, nanoseconds since the Unix epoch.
    pub start_ns: Option<i64>,
    /// The first read returned.
    pub first_byte_ns: Option<i64>,
    /// The last read returned.
    pub end_ns: Option<i64>,
    /// Bytes read over the time from the first write to the last read, in bits per second.
    pub goodput_bps: Option<u64>,
    /// Time that the writer spent inside blocking writes, or between EAGAIN and EPOLLOUT.
    pub write_wait_ns: i64,
}

impl SendingOutcome {
    pub(super) fn new(from: Role, asked: u64) -> Self {
        Self {
            from: super::role_name(from),
            asked,
            written: 0,
            read: 0,
            start_ns: None,
            first_byte_ns: None,
            end_ns: None,
            goodput_bps: None,
            write_wait_ns: 0,
        }
    }

    /// With what the other end knows; behind a relay that are several, each with its share.
    pub(super) fn joined_with<'a>(mut self, others: impl Iterator<Item = &'a Self>) -> Self {
        for other in others {
            self.written += other.written;
            self.start_ns = match (self.start_ns, other.start_ns) {
                (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
                (ours, theirs) => ours.or(theirs),
            };
            self.read = self.read.max(other.read);
            self.first_byte_ns = self.first_byte_ns.or(other.first_byte_ns);
            self.end_ns = self.end_ns.max(other.end_ns);
            self.write_wait_ns += other.write_wait_ns;
        }
        self.with_goodput()
    }

    fn with_goodput(mut self) -> Self {
        self.goodput_bps = self.start_ns.zip(self.end_ns).and_then(|(start, end)| {
            let span = u128::try_from(end - start).ok().filter(|span| *span > 0)?;
            u64::try_from(u128::from(self.read) * 8 * 1_000_000_000 / span).ok()
        });
        self
    }
}

/// One program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramOutcome {
    /// The command as it ran.
    pub command: Vec<String>,
    /// A step of preparation.
    pub prepare: bool,
    /// When it was started, nanoseconds since the Unix epoch.
    pub start_ns: i64,
    /// When it ended.
    pub end_ns: i64,
    /// Its exit code; `None`: ended by a signal.
    pub exit_code: Option<i32>,
    /// Ended by us: it served and was no longer needed, or its time was over.
    pub stopped: bool,
    /// Bytes that it wrote to standard output (kept up to a bound).
    pub output_bytes: u64,
    /// Where its output is.
    pub output: std::path::PathBuf,
}

impl ProgramOutcome {
    /// How long it ran.
    pub fn took(&self) -> Nanos {
        Nanos(self.end_ns.saturating_sub(self.start_ns))
    }
}
