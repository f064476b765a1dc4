//! The ACKs of a connection's first window, which left at once.

use crate::flow::WAKE_UP;
use crate::units::{Nanos, mul_div, time_for};

/// ACKs of the first window behind its first one, and how many of them, for as many segments, have a middle.
const FIRST_WINDOW: usize = 9;
const FEWEST_PACES: usize = 3;
/// An ACK that came in less than this part of its share of the time had waited for a host that slept.
const CAUGHT_UP: u64 = 2;
/// A host that has slept handles the packets that wait for it in a few microseconds each: what is farther apart did not wait for it.
pub(super) const HANDLED: Nanos = Nanos::from_micros(20);
/// ACKs that are spaced alike differ by less than this part of it.
const ALIKE: u32 = 10;

/// Time for a segment through the narrowest link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pace {
    pub(super) segment: Nanos,
    /// It is no more than that: hosts that wake up late would have let the segments come as they did.
    pub(super) is_most: bool,
}

impl Pace {
    /// As the ACKs came apart.
    fn told(segment: Nanos) -> Self {
        Self { segment, is_most: false }
    }
}

/// What the ACKs of the first window say.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Train {
    /// Times from ACK to ACK, for a segment each, in nanoseconds, and how many segments each ACK is for.
    paces: [u32; FIRST_WINDOW],
    each: [u8; FIRST_WINDOW],
    acks: usize,
    segments: u64,
    time: Nanos,
    /// Round trip of the first of them.
    rtt: Nanos,
    is_over: bool,
}

impl Train {
    /// The first ACK, by its round trip.
    pub(super) fn begin(&mut self, rtt: Nanos) {
        self.rtt = rtt;
    }

    /// What comes now does not belong to it.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The next ACK, for so many bytes, came after so much time.
    pub(super) fn add(&mut self, bytes: u64, time: Nanos, mss: u64) {
        // The last segment of a write is short.
        let each = mul_div(time.0.max(0).unsigned_abs(), mss, bytes.max(1));
        let segments = bytes / mss.max(1);
        self.paces[self.acks] = u32::try_from(each).unwrap_or(u32::MAX);
        self.each[self.acks] = u8::try_from(segments).unwrap_or(u8::MAX);
        self.acks += 1;
        self.segments += segments;
        self.time += time;
        self.is_over = self.acks == FIRST_WINDOW;
    }

    /// How late the first of them was on a path whose shortest round trip is `floor`.
    fn late(&self, floor: Nanos) -> Nanos {
        Nanos((self.rtt - floor).0.max(0))
    }

    /// The pace on a path whose shortest round trip is `floor`. One ACK that is late, and those that have caught up with it, do
    /// not move the median; where all or most came at once, the host had slept, and how late it woke up is all that is known. Where they
    /// came evenly, it had not.
    pub(super) fn pace(&self, floor: Nanos) -> Option<Pace> {
        if self.acks < FEWEST_PACES || self.segments < FEWEST_PACES as u64 {
            return None;
        }
        let mut paces = self.paces;
        let paces = &mut paces[..self.acks];
        paces.sort_unstable();
        let segments = i64::try_from(self.segments).unwrap_or(i64::MAX);
        let [shortest, middle] = [paces[0], paces[self.acks / 2]].map(i64::from);
        if shortest >= HANDLED.0.max(middle / 2) {
            return Some(Pace::told(Nanos(middle)));
        }
        let late = self.late(floor);
        if let Some(behind) = self.behind().filter(|_| late >= WAKE_UP) {
            return Some(Pace::told(behind));
        }
        let together = self.time < WAKE_UP || middle < HANDLED.0;
        let middle = self.caught_up().unwrap_or(middle);
        let least = if together { self.time + late } else { Nanos::ZERO };
        let (all, least) = (Nanos(middle.saturating_mul(segments)), least.max(WAKE_UP));
        Some(Pace { segment: Nanos(all.max(least).0 / segments), is_most: all <= least })
    }

    /// Time for a segment, where more than half of a whole window's ACKs are spaced alike: neither end's host was late for those, and no other
    /// window says it better.
    pub(super) fn evenly(&self) -> Option<Nanos> {
        let mut paces = self.paces;
        paces.sort_unstable();
        let middle = paces[FIRST_WINDOW / 2];
        let alike = |pace: &&u32| pace.abs_diff(middle) <= middle / ALIKE;
        let even = paces.iter().filter(alike).count();
        let told = self.acks == FIRST_WINDOW && even * 2 > FIRST_WINDOW;
        (told && i64::from(middle) >= HANDLED.0).then(|| Nanos(i64::from(middle)))
    }

    /// Time for a segment by the last ACKs, where they came evenly: what had waited for the host came before.
    fn behind(&self) -> Option<Nanos> {
        let paces = &self.paces[..self.acks];
        let last = *paces.last()?;
        let even = |pace: &&u32| **pace >= last / 2 && last >= **pace / 2;
        let evenly = paces.iter().rev().take_while(even).count();
        let mut behind = self.paces;
        let behind = &mut behind[self.acks - evenly..self.acks];
        behind.sort_unstable();
        let told = evenly >= FEWEST_PACES && i64::from(behind[0]) >= HANDLED.0;
        told.then(|| Nanos(i64::from(behind[evenly / 2])))
    }

    /// Time for a segment where a host slept in the midst of the train: an ACK that is late and those that have caught up with it, coming
    /// in far less than their share of the time, took their time together. What has caught up with the first ACK says nothing; `None`
    /// where that is most.
    fn caught_up(&self) -> Option<i64> {
        let share = self.time.0.unsigned_abs() / self.segments.max(1) / CAUGHT_UP;
        let mut groups = [(0_u64, 0_u64); FIRST_WINDOW];
        let mut known = 0;
        for (&pace, &segments) in self.paces.iter().zip(&self.each).take(self.acks) {
            let (pace, segments) = (u64::from(pace), u64::from(segments));
            if pace >= share {
                known += 1;
            }
            if let Some((time, all)) = groups[..known].last_mut() {
                *time += pace * segments;
                *all += segments;
            }
        }
        let groups = &mut groups[..known];
        groups.sort_unstable_by_key(|(time, segments)| time / segments.max(&1));
        let mut left = groups.iter().map(|(_, segments)| segments).sum::<u64>();
        let most = left * 2 > self.segments;
        let half = left / 2;
        let middle = groups.iter().find(|(_, segments)| {
            left -= segments;
            left <= half
        });
        let (time, segments) = middle.filter(|_| most)?;
        i64::try_from(time / segments.max(&1)).ok()
    }

    /// Whether its segments would have taken another time at `other` than at `rate`, by more than hosts are late: as the first ACK was, but
    /// not all of it, for the median forgets those that have caught up with it.
    pub(super) fn tells(&self, rate: u64, other: u64, mss: u64, floor: Nanos) -> bool {
        let time = |rate| time_for(self.segments.saturating_mul(mss), rate);
        (time(other) - time(rate)).0.abs() > self.late(floor).0.clamp(WAKE_UP.0 / 4, WAKE_UP.0 / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Capacity;
    use crate::units::Nanos;

    /// The rate of ten segments over a path without a length, the first ACK this late and the others after these microseconds.
    fn first_window(late: i64, after: [i64; 9]) -> u64 {
        let mut capacity = Capacity::default();
        let mut time = Nanos::from_micros(late);
        capacity.begins(time);
        capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
        for wait in after {
            time += Nanos::from_micros(wait);
            capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
        }
        capacity.of_first_window(1448, Nanos::ZERO).unwrap()
    }

    #[test]
    fn a_late_first_ack_does_not_make_the_link_faster() {
        assert_eq!(first_window(0, [100; 9]), 14_480_000);
        // Three or six have caught up with it, the others come as the link spaces them.
        assert_eq!(first_window(300, [5, 5, 5, 85, 100, 100, 100, 100, 100]), 14_480_000);
        assert_eq!(first_window(1_000, [5, 5, 5, 5, 5, 5, 100, 100, 100]), 14_480_000);
        // All have caught up with it: the link may have been as slow as this.
        let slowest = first_window(2_000, [5; 9]);
        assert!((6_000_000..7_000_000).contains(&slowest), "{slowest}");
    }

    #[test]
    fn a_first_window_that_came_at_once_but_for_one_ack_shows_how_late_the_host_was() {
        // A segment in 115 us; the host slept for most of them, and the last one came by itself.
        let rate = first_window(930, [53, 9, 9, 10, 8, 8, 9, 4, 105]);
        assert!((11_000_000..13_000_000).contains(&rate), "{rate}");
    }

    #[test]
    fn a_host_that_sleeps_in_the_midst_of_the_first_window_does_not_make_the_link_faster() {
        // A segment in 600 us, as a link of 20 Mbit/s lets it through: the host sleeps for 3.4 ms behind the first half.
        let rate = first_window(0, [52, 572, 590, 593, 3_400, 24, 12, 21, 21]);
        assert!((2_000_000..2_500_000).contains(&rate), "{rate}");
    }

    #[test]
    fn what_has_waited_for_a_host_comes_in_its_time_together_with_the_ack_that_it_waited_for() {
        // A segment in 40 us: the first ACK was late, and the host slept once more behind the sixth.
        let rate = first_window(66, [24, 4, 36, 40, 42, 135, 15, 5, 5]);
        assert!((33_000_000..38_000_000).contains(&rate), "{rate}");
    }

    #[test]
    fn a_few_acks_that_come_evenly_are_spaced_by_the_link() {
        let mut capacity = Capacity::default();
        // 1,448 bytes in 40 us, four times: less than a host may sleep, but none of them waited for another.
        for time in [0, 29, 69, 118, 158] {
            let time = Nanos::from_micros(time);
            capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
        }
        assert_eq!(capacity.of_first_window(1448, Nanos::ZERO), Some(36_200_000));
    }

    #[test]
    fn a_write_that_ends_with_a_short_segment_shows_the_link_too() {
        let mut capacity = Capacity::default();
        // Writes of a segment and two thirds, 20 ms apart, over a link that takes 600 us for a segment.
        for (bytes, us) in
            [(1448, 0), (965, 400), (1448, 20_000), (965, 20_400), (1448, 40_000), (1448, 40_600)]
        {
            capacity.acknowledged(bytes, Nanos::from_micros(us), 1448, Nanos::from_millis(75));
        }
        let rate = capacity.of_first_window(1448, Nanos::ZERO).unwrap();
        assert!((2_400_000..2_430_000).contains(&rate), "{rate}");
    }

    #[test]
    fn a_first_window_of_two_segments_tells_nothing() {
        let mut capacity = Capacity::default();
        for time in [0, 100, 20_000, 20_010, 20_020, 20_030, 20_040, 20_050] {
            let time = Nanos::from_micros(time);
            capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
        }
        assert_eq!(capacity.of_first_window(1448, Nanos::ZERO), None);
    }
}
