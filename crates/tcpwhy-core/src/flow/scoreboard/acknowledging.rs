//! What has arrived: acknowledged, or reported by a SACK block.

use super::Scoreboard;
use crate::units::Nanos;

/// What an acknowledgment did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Acked {
    /// Bytes newly acknowledged.
    pub(crate) bytes: u64,
    /// Of them, those that had not been reported as arrived before.
    pub(crate) arrived: u64,
    /// RTT of the newest byte acknowledged; `None` by Karn's rule (RFC 6298 section 3).
    pub(crate) sent_at: Option<Nanos>,
    /// Bytes acknowledged that the capture never saw.
    pub(crate) unseen: u64,
    /// Of them, those that it should have seen: the others were sent before it began.
    pub(crate) missed: u64,
    /// Of those, what arrived in a time of which the capture shows nothing.
    pub(crate) hidden: u64,
    /// The largest segment that was acknowledged whole.
    pub(crate) largest: u64,
}

impl Scoreboard {
    /// What of these bytes the capture has missed, if it has seen none of them.
    fn missed_of(&self, start: u64, end: u64) -> u64 {
        end.saturating_sub(start.max(self.since))
    }

    /// A SACK block that ends at `end` was sent for what arrived last: when that segment was sent, had it been sent once and not been
    /// reported before, how many bytes have arrived since the last report, and how long it is. What lies between two reports has arrived,
    /// too, unless it is sent again.
    pub(crate) fn reported(&mut self, end: u64) -> (Option<Nanos>, u64, u64) {
        let at = self.outstanding.partition_point(|s| s.end < end);
        let Some(sent) = self.outstanding.get(at).filter(|s| s.start < end) else {
            return (None, 0, 0);
        };
        let len = sent.end - sent.start;
        let fresh = end > self.reported;
        let sample = sent.sample().filter(|_| fresh && sent.resent == 0);
        let from =
            if fresh { self.outstanding.partition_point(|s| s.end <= self.reported) } else { at };
        self.reported = self.reported.max(end);
        let mut arrived = 0;
        for sent in self
            .outstanding
            .get_mut(from..=at)
            .unwrap_or_default()
            .iter_mut()
            .filter(|s| !s.arrived && !s.hole)
        {
            sent.arrived = true;
            arrived += sent.end - sent.start;
        }
        (sample, arrived, len)
    }

    /// An acknowledgment of everything before `ack` reached the sender. Tells the burst level of each segment that is `delivered`, as
    /// far as it was sent once.
    #[inline]
    pub(crate) fn acknowledge(&mut self, ack: u64, mut delivered: impl FnMut(u8)) -> Acked {
        let bytes = ack.saturating_sub(self.una);
        if bytes == 0 {
            return Acked::default();
        }
        // Nearly always all: what is whole and plain says no more than this.
        let (mut whole, mut largest, mut sent_at) = (0, 0, None);
        for sent in self.outstanding.iter() {
            if sent.end > ack || !sent.is_plain() {
                break;
            }
            delivered(sent.level);
            largest = largest.max(sent.end - sent.start);
            sent_at = Some(sent.time);
            whole += 1;
        }
        self.outstanding.drop_front(whole);
        let mut acked = Acked { bytes, arrived: bytes, sent_at, largest, ..Acked::default() };
        let rest = self.outstanding.front().is_some_and(|front| front.start < ack);
        if rest || ack > self.nxt {
            self.acknowledge_rest(ack, &mut acked, delivered);
        }
        self.una = ack;
        acked
    }

    /// As `acknowledge`, from the first that is not whole or not plain.
    #[inline(never)]
    fn acknowledge_rest(&mut self, ack: u64, acked: &mut Acked, mut delivered: impl FnMut(u8)) {
        let mut clean = true;
        while let Some(front) = self.outstanding.front() {
            if front.start >= ack {
                break;
            }
            let sent = *front;
            clean &= sent.resent == 0;
            // What had arrived before says nothing of when this ACK was sent.
            if !sent.arrived {
                acked.sent_at = sent.sample();
            }
            if sent.hole {
                let (start, end) = (sent.start.max(self.una), sent.end.min(ack));
                acked.unseen += end - start;
                acked.missed += self.missed_of(start, end);
            }
            if sent.end > ack {
                break;
            }
            let before = if sent.arrived { sent.end - sent.start } else { 0 };
            acked.arrived = acked.arrived.saturating_sub(before);
            if sent.resent == 0 && !sent.hole {
                delivered(sent.level);
            }
            acked.largest = acked.largest.max(sent.end - sent.start);
            self.outstanding.pop_front();
        }
        if !clean {
            acked.sent_at = None;
        }
        if ack > self.nxt {
            acked.unseen += ack - self.nxt;
            acked.missed += self.missed_of(self.nxt, ack);
            acked.sent_at = None;
            self.nxt = ack;
        }
        self.missed += acked.missed;
    }
}
