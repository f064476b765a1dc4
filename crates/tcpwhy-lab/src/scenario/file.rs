//! The scenario file, key by key. `docs/scenario.md` tells it to people; unknown keys are refused.

use super::quantity::{Bytes, Rate, Share, Span};
use crate::spec::Role;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A whole file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) title: String,
    pub(super) case: Option<String>,
    pub(super) published: Option<String>,
    #[serde(default)]
    pub(super) link: Link,
    #[serde(default)]
    pub(super) client: Host,
    #[serde(default)]
    pub(super) server: Host,
    #[serde(default)]
    pub(super) flow: Flow,
    #[serde(default)]
    pub(super) phase: Vec<Phase>,
    pub(super) relay: Option<Relay>,
    #[serde(default)]
    pub(super) cross: Vec<Cross>,
    #[serde(default)]
    pub(super) program: Vec<Program>,
    pub(super) mariadb: Option<Mariadb>,
    #[serde(default)]
    pub(super) expect: Vec<Expect>,
    /// Assignments of `--full`; taken out before.
    #[serde(default, rename = "full")]
    pub(super) _full: BTreeMap<String, toml::Value>,
}

/// Both ways, and what differs on one of them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    pub(super) rtt: Option<Span>,
    pub(super) rate: Option<Rate>,
    pub(super) queue: Option<Bytes>,
    pub(super) jitter: Option<Span>,
    pub(super) loss: Option<Share>,
    pub(super) mtu: Option<u32>,
    pub(super) seed: Option<u64>,
    #[serde(default)]
    pub(super) up: Way,
    #[serde(default)]
    pub(super) down: Way,
    pub(super) backend: Option<Backend>,
    pub(super) offload: Option<Offload>,
    pub(super) tap: Option<Share>,
    #[serde(default)]
    pub(super) middlebox: Vec<Middlebox>,
}

/// One direction of the link.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Way {
    pub(super) delay: Option<Span>,
    pub(super) rate: Option<Rate>,
    /// Milliseconds at which 1,504 bytes may leave.
    pub(super) trace: Option<Vec<u32>>,
    pub(super) queue: Option<Bytes>,
    pub(super) queue_packets: Option<u64>,
    pub(super) aqm: Option<Aqm>,
    pub(super) jitter: Option<Span>,
    pub(super) loss: Option<Share>,
    pub(super) burst_loss: Option<BurstLoss>,
    #[serde(default)]
    pub(super) lose: Vec<u64>,
    pub(super) reorder: Option<Share>,
    pub(super) duplicate: Option<Share>,
    pub(super) police: Option<Police>,
    #[serde(default)]
    pub(super) outage: Vec<Outage>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub(super) enum Aqm {
    Codel { target: Option<Span>, interval: Option<Span>, ecn: Option<bool> },
    Ecn { mark: Bytes },
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BurstLoss {
    pub(super) enter: Share,
    pub(super) leave: Share,
    pub(super) loss: Share,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Police {
    pub(super) rate: Rate,
    pub(super) burst: Bytes,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Outage {
    pub(super) from: Span,
    pub(super) to: Span,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Backend {
    Auto,
    Tun,
    Packet,
    Netem,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Offload {
    None,
    Pass,
    Segment,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub(super) enum Middlebox {
    StripWindowScale,
    ClampMss { mss: u16 },
    DropLarger { bytes: u32 },
    DropProbes { from: Side, after: Span },
    DropAcks { from: Side, after: Span },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Side {
    Client,
    Server,
}

impl From<Side> for Role {
    fn from(side: Side) -> Self {
        match side {
            Side::Client => Self::Client,
            Side::Server => Self::Server,
        }
    }
}

/// A host and its socket.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Host {
    #[serde(default)]
    pub(super) sysctl: BTreeMap<String, String>,
    pub(super) congestion: Option<String>,
    pub(super) initcwnd: Option<u32>,
    pub(super) initrwnd: Option<u32>,
    pub(super) mtu: Option<u32>,
    pub(super) gso_max_segs: Option<u32>,
    pub(super) sndbuf: Option<Bytes>,
    pub(super) rcvbuf: Option<Bytes>,
    pub(super) window_clamp: Option<Bytes>,
    pub(super) set: Option<When>,
    #[serde(default)]
    pub(super) nodelay: bool,
    pub(super) notsent_lowat: Option<Bytes>,
    pub(super) maxseg: Option<Bytes>,
    pub(super) pacing: Option<Rate>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum When {
    Before,
    After,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Flow {
    pub(super) port: Option<u16>,
    pub(super) count: Option<u32>,
    pub(super) start: Option<Span>,
    #[serde(default)]
    pub(super) ipv6: bool,
    pub(super) give_up: Option<Span>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Phase {
    pub(super) from: Side,
    pub(super) bytes: Bytes,
    pub(super) write: Option<Bytes>,
    pub(super) think: Option<Span>,
    pub(super) before: Option<Span>,
    #[serde(default)]
    pub(super) epoll: bool,
    pub(super) read_rate: Option<Rate>,
    pub(super) read_chunk: Option<Bytes>,
    #[serde(default)]
    pub(super) stop: Vec<Stop>,
    pub(super) rounds: Option<u32>,
    #[serde(default)]
    pub(super) together: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stop {
    pub(super) at: Span,
    pub(super) resume: Option<Span>,
}

/// Options of one socket of a relay.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Socket {
    pub(super) sndbuf: Option<Bytes>,
    pub(super) rcvbuf: Option<Bytes>,
    #[serde(default)]
    pub(super) nodelay: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Relay {
    pub(super) on: Side,
    #[serde(default)]
    pub(super) front: Socket,
    #[serde(default)]
    pub(super) back: Socket,
    pub(super) shards: Option<u32>,
}

/// Load beside the transfer.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cross {
    pub(super) from: Side,
    pub(super) bytes: Bytes,
    pub(super) start: Option<Span>,
    pub(super) count: Option<u32>,
    pub(super) port: u16,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    pub(super) on: Side,
    pub(super) command: Vec<String>,
    pub(super) serves: Option<u16>,
    #[serde(default)]
    pub(super) prepare: bool,
    pub(super) stdin: Option<String>,
    pub(super) give_up: Option<Span>,
    pub(super) front: Option<Front>,
}

/// A real MariaDB behind a relay: a large result, or a large statement.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mariadb {
    /// Bytes of the result of one query.
    pub(super) query: Option<Bytes>,
    /// Rows of one INSERT.
    pub(super) insert_rows: Option<u32>,
    /// Bytes of that statement.
    pub(super) insert: Option<Bytes>,
    #[serde(default)]
    pub(super) front: Socket,
    #[serde(default)]
    pub(super) back: Socket,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Front {
    pub(super) port: u16,
    #[serde(default)]
    pub(super) front: Socket,
    #[serde(default)]
    pub(super) back: Socket,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    pub(super) from: Side,
    pub(super) port: Option<u16>,
    pub(super) limit: OneOrMore,
    pub(super) cause: Option<OneOrMore>,
    pub(super) rate: Option<(Rate, Rate)>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMore {
    One(String),
    More(Vec<String>),
}
