//! Data is sent again: what that says of the loss before it.

use super::Sender;
use crate::flow::gap::{Release, State};
use crate::flow::in_vain::InVain;
use crate::flow::packet::Packet;
use crate::flow::scoreboard::Sending;
use crate::flow::stretch::Loss;
use crate::kernel::RTO_MIN;
use crate::units::Nanos;

/// Segments that may all have been lost once, as far as is known; and of more one in so many: a link on which more are lost carries nothing.
const SEEN_AS_LOST: u64 = 2;
const LOST_PART: u64 = 8;

impl Sender {
    /// What is noted of a retransmission beside its gap.
    #[cold]
    pub(super) fn sent_again(&mut self, sending: Sending, packet: &Packet, time: Nanos) {
        let start = self.space.locate(packet.seq);
        if let (Sending::Again { .. } | Sending::Needless, Some(start)) = (sending, start) {
            self.answers.asked_again(packet, start, self.data_end);
            if start == self.data_start && self.board.una == start {
                self.tally.unheard.add(packet.frame);
            }
        }
        if let (Sending::Needless, Some(start)) = (sending, start) {
            let (segment, since) = ((start, self.data_end), self.gap.start());
            self.in_vain = Some(InVain::next(self.in_vain, segment, packet.time, since));
        }
        let Sending::Again { times, level, left, recanted, .. } = sending else { return };
        self.record.open().arrived -= recanted as i64;
        if times == 0 {
            self.bursts.lost(level);
            if self.duplicate_acks > 0 && self.recover.is_none() {
                self.overflow.confirms();
            }
        }
        if let Some(start) = start {
            self.note_dropped(start, packet.len.into(), times, [left, time]);
        }
    }

    /// What was sent at the first of these `times` is sent again at the second one, after it had been so often before.
    #[cold]
    fn note_dropped(&mut self, start: u64, len: u64, times: u16, [left, again]: [Nanos; 2]) {
        let Some(offset) = start.checked_sub(self.data_start) else { return };
        let drops = self.drops.get_or_insert_default();
        match times {
            0 => drops.sent_again(offset, len, left, again),
            _ => drops.sent_once_more(offset, len, left, again),
        }
    }

    /// What released something sent again, or during a repair.
    #[inline(never)]
    pub(super) fn release_of_repair(&self, sending: Sending) -> Release {
        match sending {
            Sending::Again { .. } if self.window.is_closed() => Release::Ack,
            Sending::Again { .. } | Sending::Needless => Release::Repair,
            Sending::Reordered | Sending::Doubled if self.recover.is_none() => Release::Ack,
            _ => Release::Repair,
        }
    }

    /// Three duplicate ACKs or SACK blocks reveal a loss (RFC 5681 section 3.2, RFC 8985); with fewer of them the sender waits for its
    /// timer, and without any only a timer can tell. That starts anew with what is acknowledged, and takes a round trip and more (RFC 6298
    /// sections 2 and 5.3): what comes sooner answers to duplicate ACKs that the capture has not, or has later.
    pub(super) fn by_timer(&mut self, time: Nanos) -> bool {
        let waited = time - self.gap.start() >= RTO_MIN.max(self.round().scale(2, 1));
        let unheard = self.duplicate_acks == 0;
        let expired = self.duplicate_acks < 3 && waited;
        let rested = time - self.released >= self.rtt.floor_or_zero();
        self.timed_out = expired
            || match self.recover {
                None => unheard && rested,
                Some(_) => self.timed_out,
            };
        self.timed_out && unheard || expired
    }

    /// What a retransmission says of the loss that it repairs.
    #[inline(always)]
    pub(super) fn loss_in(
        &mut self,
        sending: Sending,
        release: Release,
        flight: u64,
        time: Nanos,
    ) -> Option<Loss> {
        match sending {
            Sending::Again { times, tail, .. } => Some(Loss {
                timeout: self.by_timer(time),
                tail,
                double: times > 0,
                few: flight < 4 * self.size.mss(),
                needless: false,
            }),
            Sending::Needless => {
                // What was lost besides, after it had arrived, makes it no mistake.
                let needless = !self.missing;
                Some(Loss { timeout: self.by_timer(time), needless, ..Loss::default() })
            }
            Sending::New if release == Release::Repair && self.recover.is_none() => {
                Some(Loss { timeout: true, tail: true, ..Loss::default() })
            }
            _ => None,
        }
    }

    /// Data of `len` bytes was sent again. A timer sends the `tail` again by itself, and it is not also the first that is outstanding.
    #[cold]
    pub(super) fn repairs(&mut self, tail: bool, len: u64) {
        let first = self.recover.is_none() && self.duplicate_acks == 0;
        self.probed_tail = first && tail && self.board.flight() > len;
        // After a timeout all that was sent is sent again, as far as it is not acknowledged (RFC 6582 section 4).
        if self.timed_out {
            self.recover = Some(self.board.nxt);
        }
        self.recover.get_or_insert(self.board.nxt);
    }

    /// Seen from afar, a lost tail looks like a pause: the segment that was lost is not in the
    /// capture, its retransmission seems new. But a queue that was not dry cannot pause with
    /// everything acknowledged and room in the window, and where identifications count the packets
    /// a gap shows the one that is missing. The probe comes after two round trips (RFC 8985 section 7.2), the
    /// timeout later; and it begins where the data that was seen ends. Behind a hole comes what the capture missed. What no identification
    /// shows is no loss where it happens to every other segment: a link before the capture is as slow.
    #[inline(never)]
    pub(super) fn lost_on_the_way(&mut self, packet: &Packet, time: Nanos) -> bool {
        let waited = time - self.gap.start();
        let lost = self.pace.far
            && self.board.nxt == self.data_end + u64::from(packet.len)
            && self.gap.state() == State::Idle
            && (self.missing || !self.dry && !self.identification.counts())
            && self.tally.data_segments > 0
            && waited >= self.rtt.smoothed().scale(7, 4);
        if lost && !self.missing {
            self.supposed_lost += 1;
            let few = self.supposed_lost <= SEEN_AS_LOST;
            return few || self.supposed_lost * LOST_PART <= self.tally.data_segments;
        }
        lost
    }
}
