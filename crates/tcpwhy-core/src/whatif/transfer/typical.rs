//! Where chance decides (losses; bursts that fit into a queue or just not), one run says little: several, and what lies between them.

use super::follow::{MOST_SEGMENTS, follow};
use super::{Prediction, Transfer};
use crate::units::Nanos;

/// Runs that tell whether chance matters, where nothing is lost at random.
const FIRST: u64 = 3;
/// Times that differ by less than this part of the shortest are the same.
const SAME: i64 = 100;

/// What the model says with several seeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typical {
    /// The run whose time is the median.
    pub prediction: Prediction,
    /// Runs.
    pub runs: u64,
    /// A tenth of the runs take no longer than this. A run that does not end takes longest.
    pub p10: Nanos,
    /// Nine tenths of the runs take no longer than this.
    pub p90: Nanos,
}

impl Typical {
    /// Whether the runs differ so much that their range must be told.
    #[must_use]
    pub fn varies(&self) -> bool {
        differ(self.p10, self.p90)
    }
}

/// Runs the transfer with the seeds from its own on, `most` times at most: less often where that would take more than `segments`, and
/// where the first runs agree and nothing is lost at random.
#[must_use]
pub fn typical(t: &Transfer, most: u64, segments: u64) -> Typical {
    let each = (t.size / t.mss.max(1)).clamp(1, MOST_SEGMENTS);
    // An odd number has a middle.
    let most = ((segments / each).clamp(1, most.max(1)) - 1) | 1;
    let run = |n: u64| follow(&Transfer { seed: t.seed.wrapping_add(n), ..t.clone() });
    let first = if t.loss > 0.0 { most } else { FIRST.min(most) };
    let mut runs: Vec<Prediction> = (0..first).map(run).collect();
    runs.sort_by_key(length);
    if let [shortest, .., longest] = &runs[..]
        && differ(length(shortest), length(longest))
    {
        runs.extend((first..most).map(run));
        runs.sort_by_key(length);
    }
    let last = runs.len() - 1;
    // The nearest rank.
    let at = |tenths: usize| length(&runs[(last * tenths + 5) / 10]);
    let (p10, p90) = (at(1), at(9));
    Typical { p10, p90, runs: runs.len() as u64, prediction: runs.swap_remove(last / 2) }
}

/// What runs are ordered by.
fn length(p: &Prediction) -> Nanos {
    if p.complete { p.time } else { Nanos::MAX }
}

fn differ(short: Nanos, long: Nanos) -> bool {
    long - short > short.scale(1, SAME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::buffers::Asked;

    #[test]
    fn losses_give_a_range_and_its_middle_and_nothing_else_does() {
        let t = Transfer { size: 2_000_000, loss: 0.01, ..Transfer::default() };
        let lossy = typical(&t, 15, 1_000_000);
        assert_eq!(lossy.runs, 15);
        assert!(lossy.p10 < lossy.prediction.time && lossy.prediction.time < lossy.p90);
        assert!(lossy.varies());
        let times: Vec<_> = (0..15)
            .map(|n| super::super::predict(&Transfer { seed: t.seed + n, ..t.clone() }).time)
            .collect();
        let below = times.iter().filter(|time| **time < lossy.prediction.time).count();
        assert_eq!(below, 7, "the median of {times:?}");
        assert_eq!(typical(&t, 15, 4_500).runs, 3, "of 1,381 segments each");
        let clean = typical(&Transfer { loss: 0.0, ..t }, 15, 1_000_000);
        assert_eq!((clean.runs, clean.varies()), (FIRST, false));
    }

    #[test]
    fn bursts_that_just_fit_are_chance_without_any_loss_asked_for() {
        // Case A's large writes into a buffer of 16K: what a woken writer pours out overflows the queue or does not.
        let of = |(ms, queue)| {
            let rtt = Nanos::from_millis(ms);
            let sndbuf = Asked::Set(16_384);
            typical(
                &Transfer { size: 3_000_000, rtt, queue, sndbuf, ..Transfer::default() },
                9,
                1_000_000,
            )
        };
        let answers = [(20, 250_000), (40, 500_000), (100, 1_000_000), (100, 1_250_000)].map(of);
        let by_chance = answers.iter().filter(|answer| answer.varies()).count();
        assert!(
            by_chance > 0 && answers.iter().all(|a| a.varies() <= (a.runs == 9)),
            "{answers:?}"
        );
    }

    #[test]
    fn one_run_is_its_own_range_and_endless_ones_take_longest() {
        let t = Transfer { size: 20_000, loss: 1.0, ..Transfer::default() };
        let never = typical(&t, 1, 1_000_000);
        assert!(!never.prediction.complete && never.p10 == Nanos::MAX && !never.varies());
        let one = typical(&Transfer { loss: 0.0, ..t }, 15, 0);
        assert_eq!((one.runs, one.p10, one.p90), (1, one.prediction.time, one.prediction.time));
    }
}
