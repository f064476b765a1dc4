//! `[link]`.

use super::super::quantity::{Bytes, Rate, Share, Span};
use super::Side;
use serde::Deserialize;

/// Both ways, and what differs on one of them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Link {
    pub(in crate::scenario) rtt: Option<Span>,
    pub(in crate::scenario) rate: Option<Rate>,
    pub(in crate::scenario) queue: Option<Bytes>,
    pub(in crate::scenario) jitter: Option<Span>,
    pub(in crate::scenario) loss: Option<Share>,
    pub(in crate::scenario) mtu: Option<u32>,
    pub(in crate::scenario) seed: Option<u64>,
    #[serde(default)]
    pub(in crate::scenario) up: Way,
    #[serde(default)]
    pub(in crate::scenario) down: Way,
    pub(in crate::scenario) backend: Option<Backend>,
    pub(in crate::scenario) offload: Option<Offload>,
    pub(in crate::scenario) tap: Option<Share>,
    #[serde(default)]
    pub(in crate::scenario) middlebox: Vec<Middlebox>,
}

/// One direction of the link.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Way {
    pub(in crate::scenario) delay: Option<Span>,
    pub(in crate::scenario) rate: Option<Rate>,
    /// Milliseconds at which 1,504 bytes may leave.
    pub(in crate::scenario) trace: Option<Vec<u32>>,
    pub(in crate::scenario) queue: Option<Bytes>,
    pub(in crate::scenario) queue_packets: Option<u64>,
    pub(in crate::scenario) aqm: Option<Aqm>,
    pub(in crate::scenario) jitter: Option<Span>,
    pub(in crate::scenario) loss: Option<Share>,
    pub(in crate::scenario) burst_loss: Option<BurstLoss>,
    #[serde(default)]
    pub(in crate::scenario) lose: Vec<u64>,
    pub(in crate::scenario) reorder: Option<Share>,
    pub(in crate::scenario) duplicate: Option<Share>,
    pub(in crate::scenario) police: Option<Police>,
    #[serde(default)]
    pub(in crate::scenario) outage: Vec<Outage>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub(in crate::scenario) enum Aqm {
    Codel { target: Option<Span>, interval: Option<Span>, ecn: Option<bool> },
    Ecn { mark: Bytes },
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct BurstLoss {
    pub(in crate::scenario) enter: Share,
    pub(in crate::scenario) leave: Share,
    pub(in crate::scenario) loss: Share,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Police {
    pub(in crate::scenario) rate: Rate,
    pub(in crate::scenario) burst: Bytes,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Outage {
    pub(in crate::scenario) from: Span,
    pub(in crate::scenario) to: Span,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum Backend {
    Auto,
    Tun,
    Packet,
    Netem,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum Offload {
    None,
    Pass,
    Segment,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub(in crate::scenario) enum Middlebox {
    StripWindowScale,
    ClampMss { mss: u16 },
    DropLarger { bytes: u32 },
    DropProbes(Swallowed),
    DropAcks(Swallowed),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Swallowed {
    pub(in crate::scenario) from: Side,
    pub(in crate::scenario) flow: Option<u32>,
    pub(in crate::scenario) after: Span,
    pub(in crate::scenario) until: Option<Span>,
}
