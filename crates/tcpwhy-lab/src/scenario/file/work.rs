//! What runs: flows and their phases, relays, cross traffic, programs.

use super::super::quantity::{Bytes, Rate, Span};
use super::Side;
use serde::Deserialize;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Flow {
    pub(in crate::scenario) port: Option<u16>,
    pub(in crate::scenario) count: Option<u32>,
    pub(in crate::scenario) start: Option<Span>,
    #[serde(default)]
    pub(in crate::scenario) ipv6: bool,
    pub(in crate::scenario) give_up: Option<Span>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Phase {
    pub(in crate::scenario) from: Side,
    pub(in crate::scenario) bytes: Bytes,
    pub(in crate::scenario) write: Option<Bytes>,
    pub(in crate::scenario) think: Option<Span>,
    pub(in crate::scenario) before: Option<Span>,
    #[serde(default)]
    pub(in crate::scenario) epoll: bool,
    pub(in crate::scenario) read_rate: Option<Rate>,
    pub(in crate::scenario) read_chunk: Option<Bytes>,
    #[serde(default)]
    pub(in crate::scenario) stop: Vec<Stop>,
    pub(in crate::scenario) rounds: Option<u32>,
    #[serde(default)]
    pub(in crate::scenario) together: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Stop {
    pub(in crate::scenario) at: Span,
    pub(in crate::scenario) resume: Option<Span>,
}

/// Options of one socket of a relay.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Socket {
    pub(in crate::scenario) sndbuf: Option<Bytes>,
    pub(in crate::scenario) rcvbuf: Option<Bytes>,
    #[serde(default)]
    pub(in crate::scenario) nodelay: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Relay {
    pub(in crate::scenario) on: Side,
    #[serde(default)]
    pub(in crate::scenario) front: Socket,
    #[serde(default)]
    pub(in crate::scenario) back: Socket,
    pub(in crate::scenario) shards: Option<u32>,
}

/// Load beside the transfer.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Cross {
    pub(in crate::scenario) from: Side,
    pub(in crate::scenario) bytes: Bytes,
    pub(in crate::scenario) start: Option<Span>,
    pub(in crate::scenario) count: Option<u32>,
    pub(in crate::scenario) port: u16,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Program {
    pub(in crate::scenario) on: Side,
    pub(in crate::scenario) command: Vec<String>,
    pub(in crate::scenario) serves: Option<u16>,
    #[serde(default)]
    pub(in crate::scenario) prepare: bool,
    pub(in crate::scenario) stdin: Option<String>,
    pub(in crate::scenario) give_up: Option<Span>,
    pub(in crate::scenario) front: Option<Front>,
}

/// A real MariaDB behind a relay: a large result, or a large statement.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Mariadb {
    /// Bytes of the result of one query.
    pub(in crate::scenario) query: Option<Bytes>,
    /// Rows of one INSERT.
    pub(in crate::scenario) insert_rows: Option<u32>,
    /// Bytes of that statement.
    pub(in crate::scenario) insert: Option<Bytes>,
    #[serde(default)]
    pub(in crate::scenario) front: Socket,
    #[serde(default)]
    pub(in crate::scenario) back: Socket,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Front {
    pub(in crate::scenario) port: u16,
    #[serde(default)]
    pub(in crate::scenario) front: Socket,
    #[serde(default)]
    pub(in crate::scenario) back: Socket,
}
