//! `truth.json`.

use serde::{Deserialize, Serialize};

/// The schema's name and version.
pub const SCHEMA: &str = "tcpwhy.truth/1";

/// The whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// [`SCHEMA`].
    pub schema: String,
    /// `kernel events` or `samples and schedule`.
    pub source: String,
    /// Each direction that carried data.
    pub directions: Vec<Direction>,
}

/// One direction of one connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Direction {
    /// The end that connected.
    pub client: End,
    /// The end that listened.
    pub server: End,
    /// `client` or `server`: who sent the data.
    pub from: String,
    /// Without gap or overlap.
    pub timeline: Vec<Interval>,
    /// What the scenario's schedule says, beside it.
    pub scheduled: Vec<Interval>,
    /// The kernel's own account at the end: recorded, never used.
    pub stopwatch: Stopwatch,
}

/// One end of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// IP address.
    pub addr: String,
    /// TCP port.
    pub port: u16,
}

/// A time with one limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Nanoseconds since the Unix epoch.
    pub from_ns: u64,
    /// The same; the next interval begins here.
    pub to_ns: u64,
    /// Name of a `tcpwhy_core::model::Limit`.
    pub limit: String,
    /// Name of a `tcpwhy_core::model::Cause`, where it is known.
    pub cause: Option<String>,
}

/// `tcp_info`'s busy, rwnd_limited and sndbuf_limited, microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopwatch {
    /// Data outstanding.
    pub busy_us: u64,
    /// Of it, limited by the receive window.
    pub rwnd_limited_us: u64,
    /// Of it, limited by the send buffer.
    pub sndbuf_limited_us: u64,
}
