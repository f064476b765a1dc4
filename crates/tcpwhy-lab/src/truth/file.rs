//! `truth.json`.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

/// The schema's name and version.
pub const SCHEMA: &str = "tcpwhy.truth/1";

/// The whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// [`SCHEMA`].
    pub schema: String,
    /// The name of a [`Source`].
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
    #[serde(default)]
    pub stopwatch: Option<Stopwatch>,
    /// What the kernel's events tell of the sender beside the timeline; without them, nothing.
    #[serde(default)]
    pub watched: Option<Watched>,
}

/// One end of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// IP address.
    pub addr: String,
    /// TCP port.
    pub port: u16,
}

impl End {
    pub(super) fn new(end: SocketAddr) -> Self {
        Self { addr: end.ip().to_string(), port: end.port() }
    }

    fn socket(&self) -> Option<SocketAddr> {
        Some(SocketAddr::new(self.addr.parse().ok()?, self.port))
    }
}

impl Direction {
    /// The sender's end, and the receiver's.
    pub(super) fn ends(&self) -> Option<[SocketAddr; 2]> {
        let (client, server) = (self.client.socket()?, self.server.socket()?);
        Some(if self.from == "client" { [client, server] } else { [server, client] })
    }
}

/// What the truth rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The kernel's state at every event, and samples between them.
    KernelEvents,
    /// Samples every 2 ms, and the application's account.
    Samples,
}

impl Source {
    /// As in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::KernelEvents => "kernel events",
            Self::Samples => "samples and schedule",
        }
    }
}

/// A limit that a scenario schedules for one direction of one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheduled {
    /// The sender's end, and the receiver's.
    pub ends: [SocketAddr; 2],
    /// When, and what.
    pub interval: Interval,
}

/// What happened to a sender's socket, by the kernel's events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watched {
    /// The application set SO_SNDBUF, and autotuning is off.
    pub sndbuf_locked: bool,
    /// The same of SO_RCVBUF.
    pub rcvbuf_locked: bool,
    /// Send buffer at the end, bytes as the kernel counts them.
    pub sndbuf: u32,
    /// How long a task slept in a write because the send buffer was full, microseconds.
    pub writer_asleep_us: u64,
    /// How long a task slept in a read, microseconds.
    pub reader_asleep_us: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Times that memory was refused to the socket.
    pub memory_refused: u64,
    /// Times that autotuning raised the receive buffer.
    pub rcvbuf_steps: u64,
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
