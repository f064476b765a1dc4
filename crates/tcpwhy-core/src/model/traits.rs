//! What the packets show of a path beside what the answer says.

use super::Facts;
use crate::units::Nanos;
use std::num::{NonZeroU32, NonZeroU64};

/// What the model of a transfer needs to know of a direction's path and ends, and no other part of the answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits {
    /// Rate of the narrowest link, in bytes per second, as far as is known.
    pub capacity: u64,
    /// The link may carry more than that: what held the sender may have set it.
    pub is_least: bool,
    /// What the receiving application reads, in bytes per second, where it is slower than the path.
    pub reader: Option<NonZeroU64>,
    /// Bytes in flight at which a buffer stops the sender behind a link that is full, where it shows: no more than a window can be.
    pub ceiling: Option<NonZeroU32>,
    /// For how long the path was busy with what the other end said meanwhile, as far as its rate is known.
    pub answers: Nanos,
    /// Segments leave by a timer, as BBR's do.
    pub paced: bool,
    /// What was lost was lost by chance, whatever the path carries.
    pub chance: bool,
    /// The connection was seen from its handshake on: windows and buffers began as those of every new one.
    pub opened: bool,
}

impl Traits {
    /// Where no packet tells more: the path carries what it has carried.
    pub(crate) fn least(facts: &Facts) -> Self {
        let seen = facts.path_bps.max(facts.peak_bps) / 8;
        Self { capacity: seen.max(1), is_least: facts.path_bps == 0, ..Self::default() }
    }
}
