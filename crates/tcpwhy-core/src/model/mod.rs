//! The answer: what an analysis says. Plain numbers; the words are made by `advice` and the reports.

mod direction;
mod finding;
mod interval;
mod limit;
#[cfg(test)]
pub(crate) mod made;
mod progress;
mod traits;

pub use direction::Direction;
pub use finding::{Finding, FindingKind};
pub(crate) use interval::acked_in;
pub use interval::{Evidence, Interval, Source, time_of};
pub use limit::{Cause, Limit};
pub use progress::Progress;
pub use traits::Traits;

use crate::observe::Endpoint;
use crate::units::Nanos;

/// One end's role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Sent the SYN; without a handshake, the end with the higher port.
    Client,
    /// The other end.
    Server,
}

impl Side {
    /// The published name, as in the JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }

    /// The other end.
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// Time under one limit and cause, summed over a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The limit.
    pub limit: Limit,
    /// Its cause.
    pub cause: Cause,
    /// Total time.
    pub duration: Nanos,
}

/// The answer for one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// What held it most.
    pub limit: Limit,
    /// Why.
    pub cause: Cause,
    /// Its part of the direction's time, 0 to 1.
    pub share: f64,
    /// How sure, 0 to 1.
    pub confidence: f64,
}

/// The predicted transfer time with one limit lifted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WhatIf {
    /// The limit that is lifted.
    pub lift: Limit,
    /// Predicted transfer time.
    pub transfer: Nanos,
    /// What would hold it next.
    pub next: Limit,
    /// It takes so much at most: the path would hold it next, and may carry more than it was seen to; or turns are kept that a protocol's own
    /// window may have made.
    pub at_most: bool,
}

/// Transfers of a direction that are kept one by one, so that a connection of any length has an end; the last of them has what came after it.
pub const MAX_TRANSFERS: usize = 4_096;

/// One run of data in one direction, until the other side speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// First byte sent.
    pub from: Nanos,
    /// Last byte acknowledged (or last seen, when nothing was acknowledged).
    pub to: Nanos,
    /// Payload bytes.
    pub bytes: u64,
    /// Payload bytes sent again.
    pub retransmitted: u64,
    /// First frame.
    pub first_frame: u64,
    /// Last frame.
    pub last_frame: u64,
}

/// What is known of the window scale of the receiver of a direction (RFC 7323).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowScale {
    /// Both SYNs were seen and carried the option.
    Known(u8),
    /// Both SYNs were seen and at least one lacked the option: no scaling.
    Absent,
    /// No handshake: between `min` and `max` by what the data shows; `min` is used.
    Inferred {
        /// Smallest shift that keeps all data inside the window.
        min: u8,
        /// Largest shift that is possible.
        max: u8,
    },
}

/// Facts of one direction that hold for all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Largest payload a single wire segment carries, in bytes.
    pub mss: u32,
    /// RTT floor at the sender.
    pub rtt_floor: Nanos,
    /// Highest delivery rate sustained for a round trip, in bit/s.
    pub peak_bps: u64,
    /// What the narrowest link carries, in bit/s of payload; 0 where the packets do not show it.
    pub path_bps: u64,
    /// Largest bytes in flight: less than 2^31 bytes are (RFC 9293 section 3.4).
    pub max_flight: u32,
    /// Bytes in flight in the first round trip of a connection that was seen from its handshake on; 0 elsewhere.
    pub first_flight: u32,
    /// Largest advertised window, scaled: less than 2^30 bytes (RFC 7323 section 2.3).
    pub max_window: u32,
    /// Smallest advertised window, scaled.
    pub min_window: u32,
    /// The receiver's window scale.
    pub scale: WindowScale,
    /// From the last byte sent to its acknowledgment, where the timeline ends with that: nothing was left to send, and nobody had to send it.
    pub tail: Nanos,
    /// Whether any of its data was sent again, before and after the period that is asked for as well.
    pub resent: bool,
}

/// Where the capture was taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vantage {
    /// 0 at the client, 1 at the server.
    pub position: f64,
    /// 0 to 1.
    pub confidence: f64,
}

/// RTT of a connection, over all samples of both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RttSummary {
    /// Smallest.
    pub min: Nanos,
    /// Half of the samples are below.
    pub median: Nanos,
    /// 95 % of the samples are below.
    pub p95: Nanos,
    /// What waits in queues on its way to the capture is not in it: far from a sender without timestamps nobody sees when it left.
    pub hides_queues: bool,
}

/// One connection, finished.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// From 0, in the order of first appearance, as Wireshark numbers TCP streams.
    pub id: u64,
    /// Who opened it.
    pub client: Endpoint,
    /// The other end.
    pub server: Endpoint,
    /// First packet.
    pub opened: Nanos,
    /// As `opened`, or where the time begins that was asked about.
    pub start: Nanos,
    /// From there to the last packet, or to where that time ends.
    pub duration: Nanos,
    /// Packets of this connection.
    pub packets: u64,
    /// Where the capture was taken.
    pub vantage: Vantage,
    /// Round-trip times at the sender.
    pub rtt: RttSummary,
    /// Client to server, server to client.
    pub directions: [Direction; 2],
    /// What else was noticed.
    pub findings: Box<[Finding]>,
}

impl Connection {
    /// Whether the capture holds its beginning.
    pub fn is_whole(&self) -> bool {
        self.findings.iter().all(|f| f.kind != FindingKind::Midstream)
    }

    /// Whether its SYN was answered by an RST.
    pub fn is_refused(&self) -> bool {
        self.findings.iter().any(|f| f.kind == FindingKind::Refused)
    }

    /// Whether only one end's packets were captured.
    pub fn is_one_way(&self) -> bool {
        self.findings.iter().any(|f| f.kind == FindingKind::OneWay)
    }

    /// The end of that side.
    pub fn endpoint(&self, side: Side) -> Endpoint {
        match side {
            Side::Client => self.client,
            Side::Server => self.server,
        }
    }
}
