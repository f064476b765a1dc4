//! A path whose delay varies by itself: a radio link, or a host that is late.

use super::Context;
use crate::flow::stretch::Stretch;
use crate::units::{Nanos, bytes_per_second};

/// Round trips that tell how much they vary within a stretch.
const SAMPLES: u32 = 4;
/// Segments in flight of which two, that one ACK stands for, make no more than such a part of a queue.
const MANY: u64 = 16;
/// Stretches that show it.
const FEWEST: usize = 8;
/// Part by which round trips in a stretch lie above the smallest of it: a queue that grows by a quarter in a round trip has them so, and does
/// that for a few in a row.
const APART: i64 = 8;
/// What squares of differences from one to the next are, of those from the mean, where one says nothing of the next: twice as much (von Neumann,
/// 1941); of a walk, next to nothing.
const BY_CHANCE: f64 = 0.5;
/// Part by which more must be in flight for what arrives to tell anything.
const FULLER: f64 = 0.1;

impl Context<'_> {
    /// Whether what seems to be a queue in stretch `i` is a delay that varies by itself. The packets of one round trip wait about as long in a
    /// queue, for it grows and shrinks by what comes in and goes out; chance treats each in its own way.
    pub(super) fn jitters(&self, i: usize) -> bool {
        let full = || *self.carries_no_more.get_or_init(|| carries_no_more(self.stretches));
        self.jitters.is_in(i, self.stretches, |part| self.varies(part)) && !full()
    }

    /// Whether in most of these that are late as a whole the round trips are far apart, and one stretch is late by as much as the next by chance.
    fn varies(&self, stretches: &[Stretch]) -> bool {
        let measured = || stretches.iter().filter(|s| s.rtt_min < Nanos::MAX);
        let late = |s: &&Stretch| {
            let many = s.rtt_count >= SAMPLES && s.flight >= MANY * self.mss;
            many && self.stands_out(s.rtt_min - self.floor)
        };
        let above = |s: &Stretch, least: Nanos| s.rtt_mean().unwrap_or(least) - least;
        let apart = |s: &Stretch| above(s, s.rtt_min).scale(APART, 1) >= above(s, self.floor);
        let (some, all) = measured()
            .filter(late)
            .fold((0, 0), |(some, all), s| (some + usize::from(apart(s)), all + 1));
        let waits: Vec<f64> = measured().map(|s| above(s, self.floor).0 as f64).collect();
        all >= FEWEST && some * 4 >= all * 3 && by_chance(&waits) && !carries_no_more(stretches)
    }
}

/// Whether data arrives no faster where more of it is in flight: the link is full, and the rest waits before it. Over a path that only varies what
/// arrives in a round trip is what is in flight (Little's law).
fn carries_no_more(stretches: &[Stretch]) -> bool {
    let mut by_flight: Vec<&Stretch> =
        stretches.iter().filter(|s| s.rtt_count > 0 && s.resent == 0).collect();
    by_flight.sort_unstable_by_key(|s| s.flight);
    let third = by_flight.len() / 3;
    if third < FEWEST {
        return false;
    }
    let sums = |part: &[&Stretch]| {
        part.iter().fold((0, 0, Nanos::ZERO), |(flight, arrived, time), s| {
            (flight + s.flight, arrived + s.arrived(), time + s.duration())
        })
    };
    let (low, high) = (sums(&by_flight[..third]), sums(&by_flight[by_flight.len() - third..]));
    let more = |high: u64, low: u64| high as f64 / low.max(1) as f64 - 1.0;
    let in_flight = more(high.0, low.0);
    let arrives = more(bytes_per_second(high.1, high.2), bytes_per_second(low.1, low.2));
    in_flight >= FULLER && arrives <= in_flight / 4.0
}

/// Whether one of these says next to nothing of the next.
fn by_chance(values: &[f64]) -> bool {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let from_mean: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let steps: f64 = values.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum();
    steps > from_mean * BY_CHANCE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::made::{MSS, rounds};

    #[test]
    fn the_packets_of_a_round_trip_wait_as_long_in_a_queue_and_by_chance_each_in_its_own_way() {
        let floor = Nanos::from_millis(40);
        let jitters = |samples: fn(i64) -> [i64; 4]| {
            let list = rounds(100, floor, |k, s| {
                s.flight = MANY * MSS;
                let ms = samples(k as i64);
                ms.iter().for_each(|ms| s.sampled(floor + Nanos::from_millis(*ms), Nanos::ZERO));
            });
            Context::new(&list, floor, MSS).jitters(50)
        };
        assert!(jitters(|k| [13, 30, 18, 24 + 40 * (7 * k % 5)]));
        assert!(!jitters(|k| [13, 30, 18, 24 + 40 * (k / 8 % 5)]), "as it was a round ago");
        assert!(!jitters(|_| [20, 21, 22, 23]), "a queue");
        assert!(!jitters(|k| [
            20 + 5 * (k % 4),
            21 + 5 * (k % 4),
            23 + 5 * (k % 4),
            25 + 5 * (k % 4)
        ]));
        assert!(!jitters(|k| if k % 4 == 0 { [13, 30, 18, 24] } else { [20, 21, 22, 23] }));
        assert!(!jitters(|_| [2, 20, 9, 25]), "nothing stands");
    }

    #[test]
    fn what_arrives_no_faster_when_more_is_in_flight_waits_for_a_link_however_it_jitters() {
        let floor = Nanos::from_millis(40);
        // Flights rise by a half, and what arrives by so many percent.
        let jitters = |faster: u64| {
            let list = rounds(100, floor, |k, s| {
                let risen = k as u64 % 50;
                s.flight = (MANY + 4 + risen * MANY / 100) * MSS;
                s.arrived = ((MANY * MSS) * (100 + faster * risen / 50) / 100) as i64;
                let ms = [13, 30, 18, 24 + 40 * (7 * k as i64 % 5)];
                ms.iter().for_each(|ms| s.sampled(floor + Nanos::from_millis(*ms), Nanos::ZERO));
            });
            Context::new(&list, floor, MSS).jitters(50)
        };
        assert!(jitters(40));
        assert!(!jitters(0));
    }
}
