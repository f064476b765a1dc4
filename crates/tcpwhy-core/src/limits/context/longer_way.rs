//! A path that has become longer than it was when its floor was measured: another route, a phone that moves.

use super::Context;
use crate::flow::stretch::Stretch;
use crate::units::Nanos;

/// Of the stretches looked at together ([`super::parts`]), measured ones that show it.
const FEWEST: usize = 24;
/// Part by which a queue varies less than what is in flight: nobody's queue stands as still.
const STILL: i64 = 32;

impl Context<'_> {
    /// Whether what seems to be a queue in stretch `i` is the way: a queue grows and shrinks with what is in flight, and this stays as long as
    /// it is while that varies by a fifth and more.
    pub(super) fn is_longer_way(&self, i: usize) -> bool {
        self.longer_ways.is_in(i, self.stretches, |part| is_still(part, self.floor))
    }
}

/// Whether round trips far above the floor stand still in these, while flights do not.
fn is_still(stretches: &[Stretch], floor: Nanos) -> bool {
    let measured = stretches.iter().filter(|s| s.rtt_count > 0 && s.forth_min < Nanos::MAX);
    let (mut queues, mut flights): (Vec<i64>, Vec<u64>) =
        measured.map(|s| ((s.forth_min - floor).0, s.flight)).unzip();
    if queues.len() < FEWEST {
        return false;
    }
    queues.sort_unstable();
    flights.sort_unstable();
    // Hosts are late now and then.
    let (low, high) = (queues.len() / 10, queues.len() * 9 / 10);
    queues[high] - queues[low] <= queues[low] / STILL && flights[high] / 6 * 5 > flights[low]
}

#[cfg(test)]
mod tests {
    use super::super::super::made::{MSS, rounds};
    use super::*;

    #[test]
    fn a_queue_moves_with_what_is_in_flight_and_a_way_does_not() {
        let floor = Nanos::from_millis(12);
        let longer = |rtt: fn(i64) -> i64, flight: fn(u64) -> u64| {
            let list = rounds(200, floor, |k, s| {
                s.flight = flight(k as u64) * MSS;
                s.sampled(Nanos::from_micros(rtt(k as i64)), Nanos::ZERO);
            });
            Context::new(&list, floor, MSS).is_longer_way(100)
        };
        assert!(longer(|k| 80_000 + 37 * k % 500, |k| 30 + k / 2));
        assert!(!longer(|k| 60_000 + 100 * k, |k| 30 + k / 2), "a queue that grows");
        assert!(!longer(|k| 80_000 + 37 * k % 500, |_| 30), "a queue that stands");
        assert!(!longer(|k| 12_000 + 37 * k % 500, |k| 30 + k / 2), "none");
    }
}
