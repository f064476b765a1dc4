//! When to sample: as often as the processor time that the agent may use allows.

use std::time::Duration;

/// Between two samples at least: shorter than most round trips over a distance.
const STEP: Duration = Duration::from_millis(20);
/// Part of what may be used that further samples within a round are planned for; the rest is for what varies.
const PLANNED: f64 = 0.7;
/// Weight of the newest cost in the running mean.
const NEWEST: f64 = 0.3;

/// Keeps account of what samples cost.
#[derive(Debug, Clone)]
pub(super) struct Pace {
    interval: Duration,
    /// Part of one core.
    part: f64,
    /// Seconds of processor time for one sample, and for a round with its last sample; means.
    sample: f64,
    round: f64,
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
        Self { interval, part, sample: 0.0, round: 0.0 }
    }

    /// What a sample cost.
    pub(super) fn sampled(&mut self, cost: Duration) {
        mean(&mut self.sample, cost);
    }

    /// What the last sample of a round cost, and all that was made of the round.
    pub(super) fn ended(&mut self, cost: Duration) {
        mean(&mut self.round, cost);
    }

    /// The next round. Its last sample comes first; what is left of the time is for more, which tell shorter limits.
    pub(super) fn plan(&self) -> Plan {
        let interval = self.interval.as_secs_f64();
        let intervals = (self.round / (self.part * interval)).ceil().clamp(1.0, 3600.0);
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

    fn plan(sample_ms: f64, round_ms: f64) -> Plan {
        let mut pace = Pace::new(Duration::from_secs(1), 0.03);
        pace.sampled(Duration::from_secs_f64(sample_ms / 1e3));
        pace.ended(Duration::from_secs_f64(round_ms / 1e3));
        pace.plan()
    }

    #[test]
    fn few_sockets_are_sampled_every_20_ms_and_many_once() {
        assert_eq!(plan(0.1, 0.2), Plan { intervals: 1, step: Duration::from_millis(20) });
        assert_eq!(plan(10.0, 20.0), Plan { intervals: 1, step: Duration::from_secs(1) });
        let some = plan(1.0, 2.0);
        assert!(some.step > STEP && some.step < Duration::from_millis(100), "{some:?}");
    }

    #[test]
    fn what_costs_too_much_is_done_less_often() {
        let Plan { intervals, step } = plan(150.0, 250.0);
        assert_eq!(intervals, 9);
        assert_eq!(step, Duration::from_secs(9));
    }

    #[test]
    fn the_first_round_is_one_interval() {
        let plan = Pace::new(Duration::from_secs(1), 0.03).plan();
        assert_eq!(plan, Plan { intervals: 1, step: Duration::from_secs(1) });
    }
}
