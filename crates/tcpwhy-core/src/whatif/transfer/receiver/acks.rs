//! When an ACK leaves and what it says (`__tcp_ack_snd_check`, `tcp_event_data_recv`, `tcp_cleanup_rbuf`).

use super::super::path::Packet;
use crate::kernel::Version;
use crate::units::Nanos;

/// `TCP_DELACK_MIN`.
const DELAYED: Nanos = Nanos::from_millis(40);
/// Segments that are acknowledged at once at the start (`TCP_MAX_QUICKACKS`).
const QUICK: u64 = 16;
/// Selective acknowledgements that leave at once; later ones wait for each other (`TCP_FASTRETRANS_THRESH`), this long
/// (`tcp_comp_sack_delay_ns`, a twentieth of the round trip) and this many (`tcp_comp_sack_nr`) at most.
const AT_ONCE: u32 = 3;
const COMPRESSED: Nanos = Nanos::from_millis(1);
const MOST_COMPRESSED: u32 = 44;
/// Blocks that fit beside the timestamps (RFC 2018).
const BLOCKS: usize = 3;

/// From 6.6 on a full segment with PSH is acknowledged once everything is read.
const HEEDS_PUSH: Version = Version::new(6, 6);

/// What an ACK says.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Told {
    /// When it left.
    pub(in super::super) left: Nanos,
    /// When the segment had left that it answers (TSecr).
    pub(in super::super) echo: Nanos,
    pub(in super::super) ack: u64,
    /// The window's right edge.
    pub(in super::super) edge: u64,
    /// Something arrived twice (RFC 2883).
    pub(in super::super) duplicate: bool,
    blocks: [(u64, u64); BLOCKS],
}

impl Told {
    /// What arrived out of order since the last ACK. A real one names the whole blocks; no ACK is lost here, so this says the same.
    pub(in super::super) fn sacks(&self) -> impl Iterator<Item = (u64, u64)> {
        self.blocks.into_iter().filter(|(from, to)| from < to)
    }
}

#[derive(Debug, Default)]
pub(super) struct Acks {
    /// When the delayed ACK is due, or the one for several selective acknowledgements.
    pub(super) at: Option<Nanos>,
    /// `icsk_ack.quick`, after the first segment.
    quick: u64,
    begun: bool,
    /// Whether a pushed segment counts as a small one does (commit 059217c18be6, "tcp: fix delayed ACKs for MSS boundary condition").
    heeds_push: bool,
    /// `rcv_wup`: what the last ACK acknowledged.
    told: u64,
    /// `ICSK_ACK_PUSHED`: a small or a pushed segment came.
    pushed: bool,
    /// `ts_recent`.
    echo: Nanos,
    duplicate: bool,
    blocks: [(u64, u64); BLOCKS],
    /// `dup_ack_counter` and `compressed_ack`.
    at_once: u32,
    compressed: u32,
}

impl Acks {
    pub(super) fn new(version: Version) -> Self {
        Self { heeds_push: version >= HEEDS_PUSH, ..Self::default() }
    }

    /// `tcp_replace_ts_recent`: the segment that the next ACK answers.
    pub(super) fn note(&mut self, packet: &Packet) {
        if packet.seq <= self.told {
            self.echo = packet.sent;
        }
    }

    pub(super) fn duplicate(&mut self) {
        self.duplicate = true;
    }

    /// A segment after a hole; whether an ACK leaves now.
    pub(super) fn early(&mut self, now: Nanos, block: (u64, u64), rtt: Nanos, grew: bool) -> bool {
        let full = !self.add(block);
        self.quick |= u64::from(grew);
        if self.quick > 0 {
            return true;
        }
        if self.at_once < AT_ONCE || full || self.compressed >= MOST_COMPRESSED {
            self.at_once += u32::from(self.at_once < AT_ONCE);
            return true;
        }
        if self.compressed == 0 {
            self.at = Some(now + COMPRESSED.min(rtt.scale(1, 20)));
        }
        self.compressed += 1;
        false
    }

    /// Whether there is room for another block after this one.
    fn add(&mut self, (from, to): (u64, u64)) -> bool {
        for (number, block) in self.blocks.iter_mut().enumerate() {
            if block.0 == block.1 {
                *block = (from, to);
                return number + 1 < BLOCKS;
            }
            if block.1 == from {
                block.1 = to;
                return true;
            }
        }
        false
    }

    /// The next segment in order.
    pub(super) fn in_order(
        &mut self,
        now: Nanos,
        packet: &Packet,
        largest: u64,
        window: u64,
        grew: bool,
    ) {
        self.at_once = 0;
        if !self.begun {
            self.begun = true;
            self.quick = (window / (2 * largest.max(1))).clamp(2, QUICK);
        }
        // A window that grows is told at once (`tcp_grow_window`).
        self.quick |= u64::from(grew);
        self.pushed |= (packet.push && self.heeds_push) || packet.len < largest;
        if self.at.is_none() {
            self.at = Some(now + DELAYED);
        }
    }

    /// The connection is to be told quickly, or of more than a segment, and the window `opens` (since what was told last).
    pub(super) fn is_due(&self, next: u64, largest: u64, opens: impl FnOnce(u64) -> bool) -> bool {
        self.quick > 0 || (next - self.told > largest && opens(self.told))
    }

    /// After a read: more than a segment, or everything was read and a small or pushed segment came.
    pub(super) fn is_due_after_read(&self, next: u64, largest: u64, drained: bool) -> bool {
        next > self.told && (next - self.told > largest || (self.pushed && drained))
    }

    pub(super) fn send(&mut self, now: Nanos, ack: u64, edge: u64) -> Told {
        self.at = None;
        self.quick = self.quick.saturating_sub(1);
        self.pushed = false;
        self.compressed = 0;
        self.told = ack;
        Told {
            left: now,
            echo: self.echo,
            ack,
            edge,
            duplicate: std::mem::take(&mut self.duplicate),
            blocks: std::mem::take(&mut self.blocks),
        }
    }
}
