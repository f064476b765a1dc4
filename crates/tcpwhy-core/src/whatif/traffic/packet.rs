//! One segment on its way, in 64-bit sequence space: 0 is the SYN, 1 the first byte.

use crate::model::Side;
use crate::units::Nanos;

/// Ethernet, IPv4 and TCP headers with timestamps: what a segment takes on the wire beside its payload.
pub(super) const HEADERS: u64 = 66;

/// A segment as its sender made it, and what became of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Packet {
    pub(super) from_server: bool,
    pub(super) seq: u64,
    pub(super) len: u32,
    pub(super) ack: u64,
    pub(super) flags: u16,
    /// As in the header, unscaled.
    pub(super) window: u16,
    pub(super) ts_val: u32,
    pub(super) ts_ecr: u32,
    pub(super) sack: [(u64, u64); 3],
    pub(super) sack_count: u8,
    pub(super) sent: Nanos,
    /// `None`: lost.
    pub(super) arrived: Option<Nanos>,
    /// Where it was lost (or queued): 0 at its own sender, 1 at its receiver.
    pub(super) drop_at: f64,
}

impl Packet {
    pub(super) fn has(&self, mask: u16) -> bool {
        self.flags & mask == mask
    }

    pub(super) fn sack_blocks(&self) -> &[(u64, u64)] {
        &self.sack[..usize::from(self.sack_count).min(3)]
    }

    pub(super) fn from(&self) -> Side {
        if self.from_server { Side::Server } else { Side::Client }
    }
}
