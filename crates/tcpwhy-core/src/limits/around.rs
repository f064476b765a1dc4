//! Sums over the rounds around a stretch, and what they say: one round alone may be cut in two, or hold an odd ACK.

mod waits;

use crate::flow::spread::Spread;
use crate::units::{Nanos, bytes_per_second};
pub(super) use waits::EVEN;

/// Part of the time (percent) that a sender pauses whose flight does not fill the path.
pub(super) const PAUSES: i64 = 20;
/// Percent of segments with PSH up to which it tells something.
const TELLING: u32 = 34;
/// Flights that show at what level they are refilled.
const LEVELS: u32 = 4;

/// Sums over neighbouring rounds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Around {
    pub(crate) rounds: u32,
    /// Rounds in which the flight reached the window's edge, or waited there.
    pub(crate) filled: u32,
    pub(crate) stalls: u32,
    pub(crate) dry_stalls: u32,
    pub(crate) pauses: u32,
    pub(crate) dry_pauses: u32,
    pub(crate) short_pauses: u32,
    pub(crate) segments: u32,
    pub(crate) pushes: u32,
    pub(crate) short_segments: u32,
    pub(crate) whole_segments: u32,
    pub(crate) resent: u32,
    /// The highest mean RTT of a round, without the queues that ACKs came through; zero where none was measured.
    pub(crate) rtt_high: Nanos,
    pub(crate) flight_max: u64,
    /// Highest flight of all rounds but that one.
    pub(crate) flight_next: u64,
    /// Mean flight of the earlier and of the later half.
    pub(crate) flight_early: u64,
    pub(crate) flight_late: u64,
    /// Highest flight of the earlier and of the later half.
    pub(crate) highest_early: u64,
    pub(crate) highest_late: u64,
    /// ACKs that told of bytes newly arrived.
    pub(crate) acks: u32,
    pub(crate) waits: u32,
    pub(crate) prompt: u32,
    /// Lengths of the waits.
    pub(crate) lengths: Spread,
    pub(crate) short_stalls: u32,
    pub(crate) woken: u32,
    pub(crate) woken_after: Nanos,
    /// Bytes that were acknowledged in the stalls that ended just after an ACK which was not the first.
    pub(crate) passed_over: Spread,
    pub(crate) unprompted: u32,
    pub(crate) answered: u32,
    pub(crate) answers: Spread,
    /// Intervals between bursts that repeat.
    pub(crate) repeated: Spread,
    pub(crate) spoken: u32,
    pub(crate) forgone: u32,
    pub(crate) late: Spread,
    /// What was in flight at the start of stalls in which most of it drained, and what was left at their end.
    pub(crate) top: Spread,
    pub(crate) left: Spread,
    /// Times between ends of writes.
    pub(crate) ends: Spread,
    /// Rounds in which the flight ended two segments before the window's edge at most.
    pub(crate) near: u32,
    /// As `near`, an eighth of the window before it.
    pub(crate) close: u32,
    pub(crate) breaks: u32,
    pub(crate) breaks_woken: u32,
    /// Smallest and largest window.
    pub(crate) window_min: u64,
    pub(crate) window_max: u64,
    /// Payload bytes that arrived.
    pub(crate) arrived: u64,
    pub(crate) stalled: Nanos,
    pub(crate) time: Nanos,
}

impl Around {
    /// Stalls that followed an emptied queue, in percent; `None` without stalls.
    pub(crate) fn dryness(&self) -> Option<u32> {
        (self.stalls > 0).then(|| self.dry_stalls * 100 / self.stalls)
    }

    /// The sender's queue ran dry before nearly every wait that no ACK ended: a segment shorter than
    /// the MSS says so, or PSH where few segments carry it (where every second one does, it marks
    /// pairs, not ends).
    pub(crate) fn runs_dry(&self) -> bool {
        let most = |n: u32| self.pauses > 0 && n * 4 >= self.pauses * 3;
        most(self.short_pauses) || (self.push_tells() && most(self.dry_pauses))
    }

    /// Nearly every stall follows the end of what was written: a segment that is not full.
    pub(crate) fn ends_before_stalls(&self) -> bool {
        self.most_stalls(self.short_stalls)
    }

    /// So many are nearly all of the stalls.
    pub(crate) fn most_stalls(&self, n: u32) -> bool {
        self.stalls > 0 && n * 4 >= self.stalls * 3
    }

    /// A segment in every second round or more is shorter than the MSS: the queue was empty then, for in one that anything holds back it is
    /// filled up by what is written next (`tcp_sendmsg_locked`).
    pub(crate) fn shows_ends(&self) -> bool {
        self.shows_ends_besides(0)
    }

    /// As `shows_ends`, by others than so many, which are short in any case.
    pub(crate) fn shows_ends_besides(&self, known: u32) -> bool {
        self.short_segments.saturating_sub(known) * 2 >= self.rounds
    }

    /// Hardly a segment is shorter than the MSS.
    pub(crate) fn is_of_full_segments(&self) -> bool {
        self.short_segments * 8 <= self.segments
    }

    /// PSH is rare enough to mean something.
    pub(crate) fn push_tells(&self) -> bool {
        self.push_rate() <= TELLING
    }

    /// As `dryness`, of the waits that no ACK ended.
    pub(crate) fn dry_pauses(&self) -> Option<u32> {
        (self.pauses > 0).then(|| self.dry_pauses * 100 / self.pauses)
    }

    /// PSH on ordinary segments, in percent: where most carry it, it says nothing at a stall.
    pub(crate) fn push_rate(&self) -> u32 {
        self.pushes * 100 / self.segments.max(1)
    }

    /// Most segments hold several whole MSS: they were cut from more data than they took, whatever their PSH says.
    pub(crate) fn is_cut_from_more(&self) -> bool {
        self.whole_segments * 2 > self.segments
    }

    /// The flight's growth between the two halves, in bytes per round.
    pub(crate) fn growth(&self) -> i64 {
        let rounds = i64::from(self.rounds / 2).max(1);
        (self.flight_late as i64 - self.flight_early as i64) / rounds
    }

    /// The flight grows by a quarter of a segment a round, as any congestion window does that is the limit, and by more than it varies:
    /// not only its mean, which a few short rounds pull down, but also where it ends. What goes up step by step has left its earlier
    /// heights behind, however little that is of a large window: its halves are farther apart than each is high.
    pub(crate) fn grows(&self, mss: u64) -> bool {
        let more = self.flight_late.saturating_sub(self.flight_early);
        let further = self.highest_late.saturating_sub(self.highest_early);
        let early = self.highest_early.saturating_sub(self.flight_early);
        let late = self.highest_late.saturating_sub(self.flight_late);
        let climbs = more >= early.max(late) / 2 * 3;
        self.growth() >= (mss / 4) as i64
            && (more >= self.flight_early / 32 || climbs)
            && further >= more / 2
    }

    /// The advertised window changed by so many bytes at most: by what waited for its reader now and then.
    pub(crate) fn window_keeps_within(&self, bytes: u64) -> bool {
        self.window_max.saturating_sub(self.window_min) <= bytes
    }

    /// The advertised window was the same all along.
    pub(crate) fn window_stands(&self) -> bool {
        self.window_min == self.window_max
    }

    /// The advertised window changed.
    pub(crate) fn window_moves(&self) -> bool {
        self.window_min < self.window_max
    }

    /// Most flights reach the window's edge, or stop two segments short of one that stands still: the height at which they stand is the
    /// window's.
    pub(crate) fn is_at_the_edge(&self) -> bool {
        let stands = self.window_stands();
        2 * self.filled > self.rounds || stands && 2 * self.near > self.rounds
    }

    /// In half of the stalls or more there was room long before it was used.
    pub(crate) fn forgoes_room(&self) -> bool {
        self.stalls > 0 && self.forgone * 2 >= self.stalls
    }

    /// Nearly every stall ended with an ACK, seen from `far` away at least half of them, and when as much was left of a flight that had drained.
    pub(crate) fn is_woken_at_a_level(&self, mss: u64, far: bool) -> bool {
        let (left, varies) = (self.left.mean(), self.left.deviation());
        let level = left >= (2 * mss) as f64 && varies <= left / 3.0;
        let woken = self.most_stalls(self.woken) || far && self.woken * 2 >= self.stalls;
        level && self.left.count() >= LEVELS && woken
    }

    /// In nearly every round most of the flight drained before more was sent, just as an ACK came.
    pub(crate) fn is_woken_as_it_drains(&self) -> bool {
        let drains = self.left.count() >= LEVELS && self.left.count() * 4 >= self.rounds * 3;
        drains && self.follows_acks()
    }

    /// Flights of different heights drained to one level before more was sent.
    pub(crate) fn is_refilled_at_a_level(&self, mss: u64) -> bool {
        let (top, left) = (self.top.deviation(), self.left.deviation());
        let mean = self.left.mean();
        // A low level varies by what one ACK acknowledges; then nothing else but the level may end the stalls, whatever the heights.
        let low = || left <= mean / 2.0 && left <= top / 16.0 && self.most_stalls(self.woken);
        self.left.count() >= LEVELS
            && top >= self.top.mean() / 16.0
            && left <= top / 4.0
            && (left <= mean / 4.0 || low())
            && mean >= (2 * mss) as f64
    }

    /// Mean flight.
    pub(crate) fn flight(&self) -> u64 {
        (self.flight_early + self.flight_late) / 2
    }

    /// Delivery rate, in bytes per second.
    pub(crate) fn rate(&self) -> u64 {
        bytes_per_second(self.arrived, self.time)
    }

    /// Delivery rate without the stalls: a sender paces as fast as that while it sends.
    pub(crate) fn sending_rate(&self) -> u64 {
        bytes_per_second(self.arrived, (self.time - self.stalled).max(Nanos(1)))
    }

    /// Bytes that leave at once, between one wait and the next.
    pub(crate) fn burst(&self) -> u64 {
        self.arrived / u64::from(self.waits.max(1))
    }

    /// As `burst`, between one stall and the next.
    pub(crate) fn between_stalls(&self) -> u64 {
        self.arrived / u64::from(self.stalls.max(1))
    }

    /// Bytes that an ACK acknowledges.
    pub(crate) fn per_ack(&self) -> u64 {
        self.arrived / u64::from(self.acks.max(1))
    }

    /// Part of the time without sending, in percent.
    pub(crate) fn stalled_percent(&self) -> i64 {
        self.stalled.scale(100, self.time.0.max(1)).0
    }
}

/// The rate from which a link that carries so much is busy: headers, delayed ACKs and bunches of them take a tenth.
pub(crate) fn nearly(carries: u64) -> u64 {
    carries - carries / 10
}

#[cfg(test)]
mod tests;
