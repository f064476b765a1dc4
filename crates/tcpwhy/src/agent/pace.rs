//! When to sample: as often as the processor time that the agent may use allows.

use std::time::Duration;

/// Between two samples at least: shorter than most round trips over a distance.
const STEP: Duration = Duration::from_millis(20);
/// Part of what may be used that further samples within a round are planned for; the rest is for what varies.
const PLANNED: f64 = 0.7;
/// Weight of the newest cost in the running mean.
const NEWEST: f64 = 0.3;
/// Intervals over which what was used evens out: a single round may cost more than its share, if those before it cost less.
const EVEN: f64 = 10.0;

/// Keeps account of what samples cost.
#[derive(Debug, Clone)]
pub(super) struct Pace {
    interval: Duration,
    /// Part of one core.
    part: f64,
    /// Seconds of processor time for one sample, and for a round with its last sample; means.
    sample: f64,
    round: f64,
    /// Length of the round, in intervals.
    length: f64,
    /// The first round is over.
    began: bool,
    /// Seconds of processor time that were allowed and not used, in debt below 0.
    saved: f64,
}

/// How the next round is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    /// Its length, in intervals: more than one where a round costs too much.
    pub intervals: u32,
    /// Between its samples.
    pub step: Duration,
}

impl Pace {
    /// Rounds of an `interval`, at `part` of one core at most.
    pub(super) fn new(interval: Duration, part: f64) -> Self {
        Self { interval, part, sample: 0.0, round: 0.0, length: 1.0, began: false, saved: 0.0 }
    }

    /// What a sample cost.
    pub(super) fn sampled(&mut self, cost: Duration) {
        mean(&mut self.sample, cost);
    }

    /// What the last sample of a round cost with all that was made of the round, and what was `used` since the round began.
    pub(super) fn ended(&mut self, cost: Duration, used: Duration) {
        // The first one finds out whose sockets they are, and tells nothing of the others.
        if !std::mem::replace(&mut self.began, true) {
            return;
        }
        mean(&mut self.round, cost);
        let share = self.part * self.interval.as_secs_f64();
        self.saved += share * self.length - used.as_secs_f64();
        self.saved = self.saved.clamp(-EVEN * share, EVEN * share);
    }

    /// The next round. Its last sample comes first; what is left of the time is for more, which tell shorter limits.
    pub(super) fn plan(&mut self) -> Plan {
        let share = self.part * self.interval.as_secs_f64();
        let intervals = ((self.round - self.saved) / share).ceil().clamp(1.0, 3600.0);
        self.length = intervals;
        let length = self.interval.mul_f64(intervals);
        let spare = self.part * PLANNED * length.as_secs_f64() - self.round;
        let most = length.as_secs_f64() / STEP.as_secs_f64() - 1.0;
        // Before the first sample nothing is known of its cost.
        let more =
            if self.sample > 0.0 { (spare / self.sample).clamp(0.0, most.max(0.0)) } else { 0.0 };
        Plan { intervals: intervals as u32, step: length.div_f64(more.floor() + 1.0) }
    }
}

fn mean(of: &mut f64, newest: Duration) {
    let newest = newest.as_secs_f64();
    *of = if *of > 0.0 { *of * (1.0 - NEWEST) + newest * NEWEST } else { newest };
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn ms(ms: f64) -> Duration {
        Duration::from_secs_f64(ms / 1e3)
    }

    /// After the first round, and one with these costs.
    fn pace(sample_ms: f64, round_ms: f64) -> Pace {
        let mut pace = Pace::new(SECOND, 0.03);
        pace.ended(ms(1e4), ms(1e4));
        pace.sampled(ms(sample_ms));
        pace.ended(ms(round_ms), ms(round_ms));
        pace
    }

    /// Intervals of the next rounds, where each costs this.
    fn intervals(pace: &mut Pace, costs_ms: &[f64]) -> Vec<u32> {
        let round = |cost: &f64| {
            let plan = pace.plan();
            pace.ended(ms(*cost), ms(*cost));
            plan.intervals
        };
        costs_ms.iter().map(round).collect()
    }

    #[test]
    fn few_sockets_are_sampled_every_20_ms_and_many_once() {
        let plan = |sample, round| pace(sample, round).plan();
        assert_eq!(plan(0.1, 0.2), Plan { intervals: 1, step: STEP });
        assert_eq!(plan(10.0, 20.0), Plan { intervals: 1, step: SECOND });
        let some = plan(1.0, 2.0);
        assert!(some.step > STEP && some.step < Duration::from_millis(100), "{some:?}");
    }

    #[test]
    fn what_costs_too_much_is_done_less_often_and_in_all_as_much_as_allowed() {
        let mut pace = pace(150.0, 250.0);
        let rounds = intervals(&mut pace, &[250.0; 60]);
        assert_eq!(pace.plan().step, SECOND * pace.plan().intervals);
        let seconds: u32 = rounds.iter().sum();
        let used = 60.0 * 0.25 / f64::from(seconds);
        assert!((0.028..0.0305).contains(&used), "{used}: {rounds:?}");
        assert!(rounds.iter().skip(5).all(|n| (8..=9).contains(n)), "{rounds:?}");
    }

    #[test]
    fn a_dear_round_is_paid_from_what_cheap_ones_left_or_later() {
        let mut pace = pace(10.0, 20.0);
        assert_eq!(intervals(&mut pace, &[20.0; 20]), [1; 20]);
        assert_eq!(intervals(&mut pace, &[100.0, 20.0, 20.0, 20.0, 20.0]), [1; 5]);
        let after = intervals(&mut pace, &[500.0, 20.0, 20.0, 20.0, 20.0, 20.0]);
        assert!(after[1] > 10 && after[2..].iter().all(|n| *n <= 3), "{after:?}");
    }

    #[test]
    fn the_first_rounds_are_one_interval() {
        let mut pace = Pace::new(SECOND, 0.03);
        assert_eq!(pace.plan(), Plan { intervals: 1, step: SECOND });
        pace.ended(ms(1e4), ms(1e4));
        assert_eq!(pace.plan(), Plan { intervals: 1, step: SECOND });
    }
}
