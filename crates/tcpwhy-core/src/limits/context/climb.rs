//! A flight that goes up step by step.

use super::Context;
use super::run::AROUND;
use super::still::CALM_ROUNDS;

/// Rounds looked at on each side for a flight that climbs: a window of a few segments over a long way takes many for each one more.
const CLIMB: usize = 4 * AROUND;
/// Steps that are no chance.
const STEPS: u64 = 3;

/// Flights one after the other.
#[derive(Debug, Default)]
struct Climb {
    first: u64,
    highest: u64,
    rounds: u32,
    steps: u64,
    falls: u32,
    /// Rounds since the last step, and the most of them.
    still: u32,
    longest: u32,
}

impl Climb {
    fn add(&mut self, flight: u64, mss: u64) {
        self.rounds += 1;
        self.falls += u32::from(flight + mss / 2 < self.highest);
        let goes_up = flight >= self.highest + mss / 2;
        self.steps += u64::from(goes_up);
        self.still = if goes_up { 0 } else { self.still + 1 };
        self.longest = self.longest.max(self.still);
        self.highest = self.highest.max(flight);
    }

    fn is_steady(&self, mss: u64) -> bool {
        // What goes up faster shows in fewer rounds, and may be what ACKs that drift against the rounds make of a height. What never falls need
        // not have come far.
        let far = if self.falls == 0 { 0 } else { self.first / 8 };
        self.rounds >= CALM_ROUNDS
            && self.steps >= STEPS
            && self.steps * 2 <= u64::from(self.rounds)
            && self.falls * 8 <= self.rounds
            && self.longest * 2 <= self.rounds
            && self.highest >= self.first + far.max(STEPS * mss)
    }
}

impl Context<'_> {
    /// In the rounds around `i` the flight goes up a segment or two at a time and hardly ever down, however many rounds a step takes: a congestion
    /// window that is full grows so (by less than half a segment a round where ACKs are delayed, RFC 5681 section 3.1; for long by less than
    /// that after a loss, RFC 9438 section 4.2). A buffer keeps its height, and what is written comes and goes.
    pub(crate) fn climbs(&self, i: usize) -> bool {
        match self.climb.get() {
            Some((at, climbs)) if at == i => climbs,
            _ => {
                let climbs = self.is_climbing(i);
                self.climb.set(Some((i, climbs)));
                climbs
            }
        }
    }

    fn is_climbing(&self, i: usize) -> bool {
        let runs = |k: &usize| self.flows(*k) && self.stretches[*k].resent == 0;
        let from = (0..i).rev().take(CLIMB).take_while(runs).last().unwrap_or(i);
        let to = (i..self.stretches.len()).take(CLIMB).take_while(runs).last().unwrap_or(i);
        let mut climb = Climb::default();
        for (k, s) in self.stretches.iter().enumerate().take(to + 1).skip(from) {
            // Slow start, or a window that was cut: before that is another part.
            let leaps = s.flight > climb.highest + 2 * self.mss;
            if leaps || s.flight < climb.highest / 4 * 3 {
                if k > i {
                    break;
                }
                climb = Climb { first: s.flight, highest: s.flight, ..Climb::default() };
            }
            climb.add(s.flight, self.mss);
        }
        climb.is_steady(self.mss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::made::{MSS, rounds};
    use crate::units::Nanos;

    const ROUND: Nanos = Nanos::from_millis(30);

    /// Whether the flight climbs around the middle of forty rounds.
    fn climbs(flight: impl Fn(u64) -> u64) -> bool {
        let list = rounds(40, ROUND, |k, s| s.flight = flight(k as u64) * MSS);
        Context::new(&list, ROUND, MSS).climbs(20)
    }

    #[test]
    fn a_flight_that_takes_one_step_after_the_other_and_never_falls_climbs() {
        assert!(climbs(|k| 5 + k / 7));
        assert!(climbs(|k| 100 + k / 8), "however small a part a step is");
        assert!(climbs(|k| if k < 10 { 30 } else { 5 + k / 7 }), "after a cut");
        assert!(!climbs(|_| 9));
        assert!(!climbs(|k| 5 + k.min(4)), "it stands still then");
        assert!(!climbs(|k| 5 + k / 7 + k % 2), "it comes and goes");
        assert!(!climbs(|k| 32 + 2 * (k % 8).min(5)), "ACKs that drift against the rounds");
    }
}
