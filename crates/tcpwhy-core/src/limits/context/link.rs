//! What the path shows of its narrowest link: queues, rates, and whether it was ever full.

use super::Context;
use super::still::CALM_ROUNDS;
use crate::flow::BUSY_HOST;
use crate::flow::sender_clock::TICK;
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::limits::around::{Around, nearly};
use crate::limits::between::{one_rate, parts};
use crate::units::{Nanos, bytes_in, bytes_per_second, mul_div};

/// Below this many segments in flight, a delayed ACK (one for every second segment, RFC 1122
/// section 4.2.3.2) cannot be told from a queue.
const FEW_SEGMENTS: u64 = 4;
/// The ACK of two segments and more is not delayed for longer (Linux: `TCP_DELACK_MAX`, others as long).
const DELAYED_AT_MOST: Nanos = Nanos::from_millis(200);
/// The ACK of what is less than two segments is delayed for less than that (RFC 9293 section 3.8.6.3); timers of 200 ms go off later than that.
const EVER_DELAYED: Nanos = Nanos::from_millis(500);
/// Timers of captures and schedulers of hosts: a queue shorter than this is not seen.
pub(crate) const NOISE: Nanos = Nanos::from_millis(1);
/// Variation of a round trip that hosts cause.
const FLAT: Nanos = Nanos::from_micros(100);
/// ACKs come in bunches, which tell no rate in less.
const TELLS_RATE: Nanos = Nanos::from_millis(10);
/// Some bunches make no difference in this time.
const LONG: Nanos = Nanos(2 * TELLS_RATE.0);

impl Context<'_> {
    /// How much the smallest RTT of stretch `i` lies above the floor, but for what ACKs waited in: a queue that stood for all of
    /// it. `None` where it cannot be told.
    pub(crate) fn standing_queue(&self, i: usize) -> Option<Nanos> {
        let s = &self.stretches[i];
        let queue = (s.rtt_min != Nanos::MAX).then(|| s.forth_min - self.floor)?;
        let told = match s.flight / self.mss {
            0..2 => queue > EVER_DELAYED,
            2..FEW_SEGMENTS => queue > DELAYED_AT_MOST,
            _ => true,
        };
        told.then_some(queue)
    }

    /// ACKs come later than the path takes by what a standing queue would be, wherever they have waited.
    pub(crate) fn acks_are_late(&self, i: usize) -> bool {
        self.counts(i, self.standing_queue(i))
    }

    /// A queue counts when it adds a quarter to the round trip and is no noise.
    pub(crate) fn queue_stands(&self, i: usize) -> bool {
        let s = &self.stretches[i];
        // Packets that queue up come out evenly: a pause of most of a round trip is no queue's.
        let even = s.rtt_mean().is_some_and(|rtt| s.longest_stall.0 <= rtt.0 / 4 * 3);
        even && self.acks_are_late(i) && !self.is_longer_way(i)
    }

    /// The last stretch up to `i` in which data was sent.
    pub(crate) fn last_sent(&self, i: usize) -> Option<usize> {
        (0..=i).rev().find(|&k| self.stretches[k].segments > 0)
    }

    /// As `queue_stands`, of the packets that were sent last, up to stretch `i`: the pause behind them says nothing, but for no longer than
    /// twice what they took. All has arrived at `empty`.
    pub(crate) fn queue_drains(&self, i: usize, empty: Nanos) -> bool {
        self.last_sent(i).is_some_and(|k| {
            let s = &self.stretches[k];
            let pause = empty - if k < i { s.to } else { s.from };
            let on_its_way = s.rtt_mean().is_some_and(|rtt| pause <= rtt.scale(2, 1));
            // What a burst makes is empty when its first packet comes. A sender that goes on by itself may have thought meanwhile; a peer that
            // waits for all of it has not.
            let awaited = self.wait(i) == Wait::IdlePeer;
            let built = || {
                let queue = s.forth_mean().map(|rtt| rtt - self.floor);
                self.is_overfull(s.flight) && queue.is_some_and(|queue| self.stands_out(queue))
            };
            let queued = self.exact && self.counts(k, self.standing_queue(k));
            on_its_way && (queued || awaited && built())
        })
    }

    /// Whether what seems to be a `queue` in stretch `i` is one.
    fn counts(&self, i: usize, queue: Option<Nanos>) -> bool {
        // Less in flight than fills the path makes no queue: a busy host is as late.
        let flight = self.stretches[i].flight;
        let busy = |q: Nanos| q < BUSY_HOST.scale(2, 1) && self.is_underfull(flight);
        // Nor does what fills less than half of it, for its rate may vary, or stands at a window's edge, make one no longer than the path: that jitters.
        let held =
            || self.is_underfull(flight.saturating_mul(2)) || self.around(i).is_at_the_edge();
        let jitters = |q: Nanos| q < self.floor && held() && self.jitters(i);
        queue.is_some_and(|q| self.stands_out(q) && !busy(q) && !jitters(q))
    }

    /// A queue that long adds a quarter to the round trip, and is no noise.
    pub(super) fn stands_out(&self, queue: Nanos) -> bool {
        queue >= NOISE && queue.0 >= self.floor.0 / 4
    }

    /// More is in flight than the narrowest link carries in a round trip, as far as that is known.
    fn is_overfull(&self, flight: u64) -> bool {
        self.link().is_some() && !self.is_underfull(flight)
    }

    /// Less is in flight than the narrowest link carries in a round trip; nobody knows without a capacity.
    fn is_underfull(&self, flight: u64) -> bool {
        self.link().is_some_and(|rate| flight < nearly(bytes_in(rate, self.floor)))
    }

    /// What the narrowest link has carried at any time, by the spacing of ACKs: that of a sender which paces is its own. Over a round trip
    /// that a busy host sleeps through, the first window alone shows nothing.
    pub(crate) fn link(&self) -> Option<u64> {
        let Some(spaced) = self.capacity else { return self.first_window };
        // Ten segments are spaced as all the rest, give or take an eighth.
        let faster = |first: &u64| self.floor >= BUSY_HOST && *first > spaced + spaced / 8;
        Some(self.first_window.filter(faster).unwrap_or(spaced))
    }

    /// Data comes out of the path as fast as the narrowest link carries it, give or take a tenth: what goes faster for rounds was not held
    /// by that link. One ACK for a whole round says nothing of the link.
    pub(crate) fn busy(&self, around: &Around) -> bool {
        let carries = self.capacity.unwrap_or(self.peak);
        let at_its_rate = (nearly(carries)..=carries + carries / 10).contains(&around.rate());
        around.acks >= 4 * around.rounds && at_its_rate
    }

    /// The highest rate at which data arrived for longer than ACKs bunch, in bytes per second.
    pub(crate) fn carried(&self) -> u64 {
        let (mut from, mut bytes, mut most) = (0, 0, 0);
        for s in self.stretches {
            bytes += s.arrived;
            // The shortest time up to here that is long enough.
            while self.stretches.get(from + 1).is_some_and(|next| s.to - next.from >= LONG) {
                bytes -= self.stretches[from].arrived;
                from += 1;
            }
            let time = s.to - self.stretches[from].from;
            if time >= LONG {
                most = most.max(bytes_per_second(u64::try_from(bytes).unwrap_or(0), time));
            }
        }
        most
    }

    /// In the rounds around stretch `i` ever more is in flight, and round trips are hardly longer: by Little's law more comes through, which a full
    /// link does not do.
    pub(crate) fn carries_more(&self, i: usize) -> bool {
        let (around, run) = (self.around(i), self.known_run(i));
        let (early, late) = self.stretches[run.clone()].split_at(run.len() / 2);
        let (Some(short), Some(long)) = (forth_mean(early), forth_mean(late)) else { return false };
        let more = around.flight_late.saturating_sub(around.flight_early);
        let longer = u64::try_from((long - short).0).unwrap_or(0);
        let in_step = mul_div(around.flight_early, longer, short.0.unsigned_abs().max(1));
        around.rounds >= CALM_ROUNDS && more >= 2 * self.mss && in_step * 2 < more
    }

    /// As `busy`, in one stretch; nobody knows without a capacity.
    pub(crate) fn fills(&self, s: &Stretch) -> bool {
        self.capacity
            .is_some_and(|carries| bytes_per_second(s.arrived(), s.duration()) >= nearly(carries))
    }

    /// Bytes that the narrowest link lets through in `time`; nobody knows without a capacity.
    pub(crate) fn carries_in(&self, time: Nanos) -> Option<u64> {
        self.capacity.map(|carries| bytes_in(carries, time))
    }

    /// Around stretch `i`, for as long as tells a rate, data arrived as fast as the narrowest link carries it.
    pub(crate) fn carried_all(&self, i: usize) -> bool {
        self.capacity.is_some_and(|carries| self.arrived_at(i, carries))
    }

    /// As `carried_all`, by a link or a policer that lets so many bytes per second through.
    pub(crate) fn arrived_at(&self, i: usize, carries: u64) -> bool {
        let middle = &self.stretches[i];
        let lacking = Nanos((TELLS_RATE - middle.duration()).0.max(0) / 2);
        let near = |s: &&Stretch| s.to > middle.from - lacking && s.from < middle.to + lacking;
        let before = self.stretches[..i].iter().rev().take_while(near);
        let (bytes, time) = before
            .chain(self.stretches[i..].iter().take_while(near))
            .fold((0, Nanos::ZERO), |(b, t), s| (b + s.arrived, t + s.duration()));
        bytes_per_second(u64::try_from(bytes).unwrap_or(0), time) >= nearly(carries)
    }

    /// Bytes per second, where queues do not show, but data arrived at one rate from slow start to the end, in one part of the time as in the
    /// other: a window that grows, or that losses cut, lets come more and less, by a segment a round at least (RFC 5681 section 3.1).
    pub(crate) fn even_rate(&self) -> Option<u64> {
        let told = || one_rate(&parts(self.stretches, self.floor), self.mss);
        *self.even.get_or_init(|| if self.sees_queues { None } else { told() })
    }

    /// In no round around was the RTT above the floor: nothing queues, not even now and then.
    pub(crate) fn flat(&self, around: &Around) -> bool {
        self.varies_by_less(around, FLAT)
    }

    /// As `flat`, but for what timers and schedulers do: on a short path that is more than a sixteenth.
    pub(crate) fn queues_nothing(&self, around: &Around) -> bool {
        self.varies_by_less(around, NOISE)
    }

    /// Round trips are known, and in no round around above the floor by so much, or by a sixteenth of it.
    fn varies_by_less(&self, around: &Around, least: Nanos) -> bool {
        let queue = around.rtt_high - self.floor;
        self.sees_queues
            && around.rtt_high > Nanos::ZERO
            && queue < least.max(Nanos(self.floor.0 / 16))
    }

    /// Nothing was ever lost, and in most rounds no queue stood: neither a link nor a policer had too much to do.
    pub(crate) fn is_never_full(&self) -> bool {
        // From afar stamps tell when a packet left.
        let untold = if self.far { TICK } else { Nanos::ZERO };
        let least = untold + NOISE.max(Nanos(self.floor.0 / 32));
        let measured = self.stretches.iter().filter(|s| s.rtt_count > 0);
        let (queued, all) = measured.fold((0, 0), |(queued, all), s| {
            (queued + u32::from(s.forth_min - self.floor >= least), all + 1)
        });
        self.first_cut.is_none() && queued * 2 < all
    }
}

/// As [`Stretch::forth_mean`], of all these.
fn forth_mean(stretches: &[Stretch]) -> Option<Nanos> {
    let sum = |(forth, samples), s: &Stretch| {
        (forth + s.rtt_sum - s.queued_back, samples + i64::from(s.rtt_count))
    };
    let (forth, samples) = stretches.iter().fold((Nanos::ZERO, 0), sum);
    forth.0.checked_div(samples).map(Nanos)
}

#[cfg(test)]
mod tests {
    use super::super::super::made::{MSS, rounds};
    use super::*;

    const ROUND: Nanos = Nanos::from_millis(100);

    /// Rounds of which these have a queue of so many ms, and these lose something.
    fn is_never_full(queued: std::ops::Range<usize>, queue: i64, lost: Option<usize>) -> bool {
        let list = rounds(20, ROUND, |k, s| {
            s.sampled(
                ROUND + if queued.contains(&k) { Nanos::from_millis(queue) } else { Nanos::ZERO },
                Nanos::ZERO,
            );
            s.resent = u32::from(lost == Some(k));
        });
        Context::new(&list, ROUND, MSS).is_never_full()
    }

    #[test]
    fn a_path_that_queues_in_most_rounds_or_loses_anything_was_full() {
        assert!(is_never_full(0..0, 0, None));
        assert!(is_never_full(0..9, 10, None));
        assert!(!is_never_full(0..10, 10, None), "half of the rounds");
        assert!(!is_never_full(0..0, 0, Some(19)));
        // A thirty-second of a round trip of 100 ms: hosts vary by as much.
        assert!(is_never_full(0..20, 3, None));
        assert!(!is_never_full(0..20, 4, None));
    }

    #[test]
    fn a_path_on_which_nothing_was_measured_is_not_known_to_be_never_full() {
        let list = rounds(20, ROUND, |_, _| ());
        assert!(!Context::new(&list, ROUND, MSS).is_never_full());
    }

    #[test]
    fn a_flight_that_grows_without_longer_round_trips_has_not_filled_the_link() {
        let carries_more = |flight: fn(u64) -> u64, rtt_us: fn(i64) -> i64| {
            let list = rounds(40, ROUND, |k, s| {
                s.flight = flight(k as u64) * MSS;
                s.sampled(Nanos::from_micros(rtt_us(k as i64)), Nanos::ZERO);
            });
            Context::new(&list, ROUND, MSS).carries_more(20)
        };
        assert!(carries_more(|k| 60 + k / 2, |k| 104_000 + 900 * (k % 3)));
        assert!(!carries_more(|k| 60 + k / 2, |k| 104_000 + 800 * k), "in step");
        assert!(!carries_more(|_| 60, |k| 104_000 + 900 * (k % 3)));
    }

    #[test]
    fn what_only_acks_wait_in_fills_no_path() {
        let late = Nanos::from_millis(30);
        let never_full = |queue: Nanos| {
            let list = rounds(20, ROUND, |_, s| s.sampled(ROUND + late, queue));
            Context::new(&list, ROUND, MSS).is_never_full()
        };
        assert!(never_full(late));
        assert!(!never_full(Nanos::ZERO));
    }
}
