//! How low something has been, by time. What seems the least at first may have waited in a queue that stood from the beginning on: that shows
//! only when it no longer does.

use super::sender_clock::{DRIFT, TICK};
use crate::units::Nanos;

/// Of more than so many every other one is forgotten.
const MOST: usize = 32;

/// Times at which it was lower than ever before by two ticks of a clock and more, and how low: when in its tick the first packet was stamped is not
/// known.
#[derive(Debug, Clone)]
pub(crate) struct Lows {
    last: Nanos,
    /// What tells two of them apart: twice as much each time that some were forgotten.
    step: Nanos,
    all: Vec<(Nanos, Nanos)>,
}

impl Default for Lows {
    fn default() -> Self {
        Self { last: Nanos::MAX, step: TICK + TICK, all: Vec::new() }
    }
}

impl Lows {
    /// It is that low at `time`.
    #[inline(always)]
    pub(super) fn note(&mut self, time: Nanos, low: Nanos) {
        if low <= self.last - self.step {
            self.add(time, low);
        }
    }

    #[cold]
    fn add(&mut self, time: Nanos, low: Nanos) {
        if self.all.len() == MOST {
            // The first of all stays.
            let mut at = 0..;
            self.all.retain(|_| at.next().is_some_and(|at| at % 2 == 0));
            self.step = self.step + self.step;
        }
        self.all.push((time, low));
        self.last = low;
    }

    /// By how much at least it was lower later than it had been until `time`, clocks that drift apart not counted.
    pub(super) fn fell_after(&self, time: Nanos) -> Nanos {
        let next = self.all.partition_point(|(at, _)| *at <= time).max(1);
        let Some(later) = self.all.get(next..) else { return Nanos::ZERO };
        let (_, then) = self.all[next - 1];
        let known = self.step - TICK;
        let fell = |(at, low): &(Nanos, Nanos)| then - *low - known - Nanos((*at - time).0 / DRIFT);
        later.iter().map(fell).max().unwrap_or_default().max(Nanos::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: i64) -> Nanos {
        Nanos::from_millis(n)
    }

    #[test]
    fn what_comes_lower_later_tells_of_the_time_before() {
        let mut lows = Lows::default();
        assert_eq!(lows.fell_after(ms(5)), ms(0));
        for (time, low) in [(0, 30), (100, 29), (200, 40), (300, 10), (400, 12), (500, 8)] {
            lows.note(ms(time), ms(low));
        }
        let fell = [-9, 50, 250, 450, 600].map(|time| lows.fell_after(ms(time)));
        let drift = |ms: i64| Nanos(ms * 1_000_000 / DRIFT);
        assert_eq!(fell[..3], [509, 450, 250].map(|apart| ms(21) - drift(apart)));
        assert_eq!(fell[3..], [ms(1) - drift(50), ms(0)]);
    }

    #[test]
    fn a_long_queue_that_drains_bit_by_bit_is_known_to_its_end() {
        let mut lows = Lows::default();
        for k in 0..500 {
            lows.note(ms(k), ms(1_000 - 2 * k));
        }
        let fell = lows.fell_after(ms(5));
        assert!((ms(900)..ms(990)).contains(&fell), "{fell:?}");
        assert!(lows.all.len() <= MOST);
    }

    #[test]
    fn two_clocks_that_drift_apart_tell_of_no_queue() {
        let mut lows = Lows::default();
        for s in 0..100 {
            lows.note(Nanos::from_secs(10 * s), Nanos::ZERO - ms(s));
        }
        assert_eq!(lows.fell_after(ms(5)), ms(0));
    }
}
