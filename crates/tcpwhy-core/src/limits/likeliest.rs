//! The likeliest sequence of limits behind a sequence of judgements.
//!
//! A limit that is inferred from many rounds (a full buffer, a congestion window, an application's pace, a busy link) does not come and go
//! within a few of them, but the judgements do: one odd round is looked at by all rounds near it. So they are taken as observations of
//! limits that change seldom, and the sequence of limits that explains them best is found (Viterbi, IEEE Trans. Inf. Theory 13(2), 1967).

use super::Judgement;
use super::context::AROUND;
use super::joined::{Joined, join};
use crate::model::{Cause, Limit};
use crate::units::Nanos;

/// The limits that are inferred.
const LIMITS: [Limit; 4] =
    [Limit::SendBuffer, Limit::CongestionWindow, Limit::PathBandwidth, Limit::Application];
/// Rounds that are one observation: each looks at as many on its sides.
pub(super) const ONE_OBSERVATION: f64 = AROUND as f64;
/// What a change costs, in nats: such a limit holds for some hundred rounds.
const CHANGE: f64 = 5.0;

/// Fewer intervals hold nothing between two of one limit.
const FEWEST_TO_SETTLE: usize = 3;
/// Rounds in which one odd round can leave things open: those that look at it, before and after.
const SPOILED: f64 = (2 * AROUND + 1) as f64;
/// Confidence in a limit that only the rounds before and after show, in percent.
const OVERRULED: u8 = 60;

/// What is inferred from many rounds, in the likeliest sequence. What shows directly (a closed window, a repair, a rest) stays, and so do
/// the beginning and the end of what lies between.
pub(super) fn settle(mut list: Vec<Joined>, floor: Nanos) -> Vec<Joined> {
    let (mut from, mut changed) = (0, false);
    while let Some(rest) = list.get_mut(from..).filter(|rest| !rest.is_empty()) {
        let run = rest.iter().take_while(|joined| joined.is_inferred()).count();
        if run >= FEWEST_TO_SETTLE && floor.0 > 0 {
            changed |= settle_run(&mut rest[..run], floor);
        }
        from += run + 1;
    }
    if changed { join(list, |last, next| last.same_as(next.judgement)) } else { list }
}

/// Whether anything was changed.
fn settle_run(run: &mut [Joined], floor: Nanos) -> bool {
    let mut changed = false;
    let observe = |joined: &Joined| Observed {
        limit: joined.judgement.limit,
        confidence: joined.confidence() as f64,
        rounds: joined.rounds(floor),
    };
    let limits = likeliest(&run.iter().map(observe).collect::<Vec<_>>());
    for at in 0..run.len() {
        let Some(&limit) = limits.get(at) else { continue };
        let is_unknown = run[at].judgement.limit == Limit::Unknown;
        let between = at > 0 && limits[at - 1] == limit && limits.get(at + 1) == Some(&limit);
        if run[at].judgement.limit == limit
            || is_unknown && !(between && run[at].rounds(floor) <= SPOILED)
        {
            continue;
        }
        let says = |joined: &&Joined| joined.judgement.limit == limit;
        let before = run[..at].iter().rev().find(says);
        if let Some(other) = before.or_else(|| run[at..].iter().find(says)) {
            let cause = other.judgement.cause;
            if cause == Cause::StandingQueue && run[at].queues_less(other, floor) {
                continue;
            }
            run[at].overrule(Judgement::new(limit, cause, OVERRULED));
            changed = true;
        }
    }
    changed
}

/// Judgements of one limit in a row.
#[derive(Debug, Clone, Copy)]
struct Observed {
    /// `Unknown` says nothing.
    limit: Limit,
    /// Percent.
    confidence: f64,
    /// How many round trips.
    rounds: f64,
}

impl Observed {
    /// How much less likely this would be seen under another limit than under the one that it says, in nats.
    fn against(&self, limit: Limit) -> f64 {
        if self.limit == limit || self.limit == Limit::Unknown {
            return 0.0;
        }
        let others = LIMITS.len() as f64;
        let odds = self.confidence * others / (100.0 - self.confidence).max(1.0);
        self.rounds.max(1.0) / ONE_OBSERVATION * odds.max(1.0).ln()
    }
}

/// The cheapest way to each limit.
type Ways = [Way; LIMITS.len()];

/// The cheapest way to a limit: what it costs, and the limit before, by its place in [`LIMITS`].
#[derive(Debug, Clone, Copy, Default)]
struct Way {
    cost: f64,
    before: usize,
}

/// The limit behind each observation.
fn likeliest(observed: &[Observed]) -> Vec<Limit> {
    let mut steps: Vec<Ways> = Vec::with_capacity(observed.len());
    for observation in observed {
        let step = next(steps.last(), observation);
        steps.push(step);
    }
    let mut at = steps.last().map_or(0, cheapest);
    let mut limits: Vec<Limit> = Vec::with_capacity(observed.len());
    for step in steps.iter().rev() {
        limits.push(LIMITS[at]);
        at = step[at].before;
    }
    limits.reverse();
    limits
}

/// One observation further.
fn next(ways: Option<&Ways>, observation: &Observed) -> Ways {
    let start: Ways = std::array::from_fn(|at| Way { cost: 0.0, before: at });
    let least = ways.map_or(0, cheapest);
    let mut next = start;
    for (at, way) in next.iter_mut().enumerate() {
        if let Some(ways) = ways {
            let changed = ways[least].cost + CHANGE;
            *way = if ways[at].cost <= changed {
                Way { cost: ways[at].cost, before: at }
            } else {
                Way { cost: changed, before: least }
            };
        }
        way.cost += observation.against(LIMITS[at]);
    }
    next
}

fn cheapest(ways: &Ways) -> usize {
    let all = ways.iter().enumerate();
    all.min_by(|(_, one), (_, other)| one.cost.total_cmp(&other.cost)).map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::super::made::{MSS, joined, rounds};
    use super::*;

    fn of(list: &[(Limit, f64, f64)]) -> Vec<Limit> {
        let observed = |&(limit, confidence, rounds): &_| Observed { limit, confidence, rounds };
        likeliest(&list.iter().map(observed).collect::<Vec<_>>())
    }

    #[test]
    fn what_one_odd_round_did_to_its_neighbours_is_no_change_of_the_limit() {
        use Limit::{CongestionWindow, SendBuffer, Unknown};
        let list = [
            (SendBuffer, 75.0, 40.0),
            (CongestionWindow, 60.0, 8.0),
            (SendBuffer, 75.0, 3.0),
            (Unknown, 50.0, 4.0),
            (SendBuffer, 75.0, 40.0),
        ];
        assert_eq!(of(&list), [SendBuffer; 5]);
    }

    #[test]
    fn a_limit_that_holds_for_long_is_another_one() {
        use Limit::{Application, PathBandwidth};
        let list =
            [(PathBandwidth, 80.0, 40.0), (Application, 85.0, 100.0), (PathBandwidth, 80.0, 40.0)];
        assert_eq!(of(&list), [PathBandwidth, Application, PathBandwidth]);
    }

    #[test]
    fn a_writer_that_leaves_a_full_link_to_rest_for_a_while_is_no_odd_round() {
        let floor = Nanos::from_millis(60);
        let of = |segments: i64, queue: i64| {
            let said = |limit, cause, times, segments: i64, queue| {
                let list = rounds(times, floor, |_, s| {
                    s.arrived = segments * MSS as i64;
                    s.sampled(floor + Nanos::from_millis(queue), Nanos::ZERO);
                });
                joined(&list, Judgement::new(limit, cause, 70))
            };
            let full = || said(Limit::PathBandwidth, Cause::StandingQueue, 60, 250, 100);
            let writes = said(Limit::Application, Cause::SenderApplication, 25, segments, queue);
            let told = settle(vec![full(), writes, full()], floor);
            told.iter().any(|joined| joined.judgement.limit == Limit::Application)
        };
        assert!(of(100, 1));
        assert!(!of(100, 20), "a queue stood there, too");
        assert!(!of(240, 1), "as much came");
    }

    #[test]
    fn nothing_observed_is_nothing() {
        assert!(of(&[]).is_empty());
    }
}
