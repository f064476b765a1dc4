//! The clock of a sender far from the capture point: its own timestamps say when a packet left.
//!
//! A queue between the two spaces what left at once, and hides which ACK released it. Linux stamps a segment when it is sent
//! (`tcp_transmit_skb`) with a clock of 1 ms (`TCP_TS_HZ`; RFC 7323 section 5.4 allows 1 ms to 1 s): what passes later after its
//! stamp than others did has queued for the difference.

use super::lows::Lows;
use crate::units::Nanos;

/// The clock of Linux, Windows and the BSDs. Of a faster one every packet seems to be the fastest, and nothing follows; a slower one
/// contradicts itself soon.
pub(crate) const TICK: Nanos = Nanos::from_millis(1);
/// Two clocks that are kept to real time drift apart by no more than one part in so many.
pub(super) const DRIFT: i64 = 10_000;
/// A packet that by its stamp left before what released it could, and how many more of these than others, lately, show a clock that ticks slowly.
/// Where a path jitters a few do so until the shortest way is known.
const CONTRADICTS: u8 = 4;
const SLOW: u8 = 16 * CONTRADICTS;
/// A clock that ticks slowly goes on by many ticks at a time, or by few in all: this often by one it does not. Such a clock that seems too early shows
/// that its packets, and those that released them, were never both as fast as each has been at times.
const FINE: u8 = 32;
/// Ticks that tell the clock's rate.
const ENOUGH: i64 = 10;

/// What the stamps of one end say.
#[derive(Debug, Clone, Default)]
pub(crate) struct SenderClock {
    /// The newest stamp, and the ticks since the first.
    newest: Option<(u32, i64)>,
    /// When the first packet passed, and when the newest stamp's tick would have by that.
    start: Nanos,
    ticked: Nanos,
    seen: Nanos,
    /// Least time between a stamp and its passing, counted from the first packet's.
    least: Nanos,
    lows: Lows,
    /// How much speaks for that it ticks more slowly than it should.
    slow: u8,
    /// How often it went on by one tick.
    single: u8,
}

impl SenderClock {
    /// A packet of this end, stamped `tsval`, passes at `time`. Whether that is so soon after its stamp that [`SenderClock::unqueued`] would
    /// say the same time.
    #[inline(always)]
    pub(crate) fn see(&mut self, tsval: u32, time: Nanos) -> bool {
        let Some((newest, ticks)) = self.newest else {
            self.newest = Some((tsval, 0));
            (self.start, self.ticked, self.seen) = (time, time, time);
            self.lows.note(time, Nanos::ZERO);
            return true;
        };
        let ahead = i64::from(tsval.wrapping_sub(newest) as i32);
        // 32 bits of ticks fit.
        let late = time - self.ticked - Nanos(ahead * TICK.0);
        if ahead > 0 {
            self.single = self.single.saturating_add(u8::from(ahead == 1));
            self.newest = Some((tsval, ticks + ahead));
            self.ticked = self.start + ticks_long(ticks + ahead);
        }
        let drifted = self.least + Nanos((time - self.seen).0 / DRIFT);
        self.least = late.min(drifted);
        self.lows.note(time, self.least);
        self.seen = time;
        late <= self.least + TICK
    }

    /// The newest stamp and its ticks, unless it ticks slowly.
    #[inline(always)]
    fn usable(&self) -> Option<(u32, i64)> {
        self.newest.filter(|_| self.slow < SLOW || self.is_fine())
    }

    /// Whether it ticks as time passes: what is not late by it has not queued.
    pub(crate) fn tells(&self) -> bool {
        self.usable().is_some_and(|(_, ticks)| self.keeps_time(ticks))
    }

    /// For how much longer packets that passed until `time` had queued than was known then.
    pub(crate) fn late_by(&self, time: Nanos) -> Nanos {
        if self.tells() { self.lows.fell_after(time) } else { Nanos::ZERO }
    }

    /// Whether so many `ticks` are as long as it was seen for.
    fn keeps_time(&self, ticks: i64) -> bool {
        let passed = self.seen - self.start;
        ticks >= ENOUGH && (ticks_long(ticks) - passed).0.abs() <= passed.0 / 8
    }

    /// Whether it has shown that it keeps time and goes on by single ticks.
    fn is_fine(&self) -> bool {
        self.single >= FINE && self.newest.is_some_and(|(_, ticks)| self.keeps_time(ticks))
    }

    /// When a packet stamped `tsval` that passes at `time` would have passed without a queue; never before `earliest`, when it could be
    /// released first. Within a tick nothing is known: the packet's own time.
    #[inline(always)]
    pub(crate) fn unqueued(
        &mut self,
        tsval: u32,
        time: Nanos,
        earliest: impl FnOnce() -> Nanos,
    ) -> Nanos {
        let Some((newest, ticks)) = self.usable() else { return time };
        let ahead = i64::from(tsval.wrapping_sub(newest) as i32);
        let latest = self.ticked + ticks_long(ahead) + self.least + TICK;
        if latest >= time {
            return time;
        }
        let ticks = ticks + ahead;
        // Later than by its stamp, as a packet in a queue is; but so are all of a clock that ticks slowly.
        let plausible = ticks >= ENOUGH && ticks_long(ticks).0 >= (time - self.start).0 / 2;
        if !plausible {
            return time;
        }
        let earliest = earliest();
        if latest + TICK + TICK < earliest && !self.is_fine() {
            self.slow += CONTRADICTS;
        } else {
            self.slow = self.slow.saturating_sub(1);
        }
        latest.max(earliest).min(time)
    }
}

/// So many ticks of the clock.
fn ticks_long(ticks: i64) -> Nanos {
    Nanos(ticks.saturating_mul(TICK.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: i64) -> Nanos {
        Nanos::from_millis(n)
    }

    /// Bursts of ten packets each 20 ms, stamped at once by a clock of `tick`, that a link spaces by 1 ms.
    fn spaced(tick: i64, earliest: impl Fn(i64) -> Nanos) -> Vec<i64> {
        let mut clock = SenderClock::default();
        let mut left = Vec::new();
        for burst in 0..10 {
            for k in 0..10 {
                let (tsval, time) = ((20 * burst / tick) as u32, ms(20 * burst + k));
                let prompt = clock.see(tsval, time);
                let unqueued = clock.unqueued(tsval, time, || earliest(20 * burst));
                assert!(!prompt || unqueued == time, "{unqueued:?} {time:?}");
                left.push(unqueued.0 / 1_000_000);
            }
        }
        left
    }

    #[test]
    fn what_left_at_once_and_was_spaced_by_a_link_left_at_once() {
        let left = spaced(1, |_| Nanos::ZERO);
        assert_eq!(left[90..], [180, 181, 181, 181, 181, 181, 181, 181, 181, 181]);
    }

    #[test]
    fn a_packet_is_not_sent_before_the_ack_that_it_echoes() {
        let left = spaced(1, |burst| ms(burst + 3));
        assert_eq!(left[90..95], [180, 181, 182, 183, 183]);
    }

    #[test]
    fn packets_that_seem_too_early_until_the_shortest_way_is_known_do_not_spoil_a_clock() {
        let early = |burst: i64| if burst < 20 { ms(burst + 5) } else { Nanos::ZERO };
        assert_eq!(spaced(1, early)[90..94], [180, 181, 181, 181]);
    }

    #[test]
    fn a_clock_that_ticks_slowly_is_not_used() {
        let left = spaced(10, ms);
        assert_eq!(left[90..95], [180, 181, 182, 183, 184]);
    }

    #[test]
    fn a_clock_that_goes_on_tick_by_tick_is_right_though_packets_seem_too_early() {
        // One packet each ms, of which every tenth waits for 9 ms more, and those behind it less; what released them seems to have come late.
        let early = |span: i64| {
            let mut clock = SenderClock::default();
            let left = (0..400).map(|k| {
                let (tsval, time) = ((k / span * span) as u32, ms(k + 9 - k % 10));
                clock.see(tsval, time);
                (time - clock.unqueued(tsval, time, || ms(k + 4))).0 / 1_000_000
            });
            left.skip(300).collect::<Vec<_>>()
        };
        assert_eq!(
            early(1)[..10],
            [5, 4, 3, 2, 1, 0, 0, 0, 0, 0],
            "from when it could be released on"
        );
        assert_eq!(early(10)[..10], [0; 10], "steps of ten ticks");
    }

    #[test]
    fn only_a_clock_that_ticks_with_time_tells_when_a_packet_left() {
        let tells = |ticks: i64, of: i64, packets: i64| {
            let mut clock = SenderClock::default();
            for k in 0..packets {
                clock.see((k * ticks / of) as u32, ms(k));
            }
            clock.tells()
        };
        assert!(tells(1, 1, 20));
        assert!(!tells(1, 1, 10), "too short");
        assert!(!tells(1, 4, 100), "250 Hz");
        assert!(!tells(1000, 1, 100), "1 MHz");
    }
}
