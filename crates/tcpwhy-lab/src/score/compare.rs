//! One analysed timeline against the truth.

use super::boundary;
use super::calibration::Calibration;
use super::confusion::Confusion;
use super::timeline::{Timeline, pieces};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::units::Nanos;

/// How well a timeline tells the truth.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Comparison {
    /// Time in nanoseconds by true and said limit.
    pub confusion: Confusion,
    /// Where the limit is right and its true cause known: time by true cause, all of it and with the cause right.
    pub causes: BTreeMap<String, CauseTime>,
    /// For each true boundary its distance to the analysed one in round trips; `None`: it was not found.
    pub boundaries: Vec<Option<f64>>,
    /// How sure the analysis was, and how often it was right then.
    pub calibration: Calibration,
    /// Time in nanoseconds in which the truth itself is not known; not scored.
    pub untold: u64,
}

/// Nanoseconds under a true cause whose limit was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CauseTime {
    /// All.
    pub all: u64,
    /// With the cause named too.
    pub right: u64,
}

/// Compares within `window`, on the sender's clock. Time about which the analysis says nothing counts as `unknown`;
/// time about which the truth says nothing does not count.
pub fn compare(
    truth: &Timeline,
    said: &Timeline,
    window: (Nanos, Nanos),
    rtt: Nanos,
) -> Comparison {
    let mut all = Comparison::default();
    pieces([truth, said], window, |length, [truth, said]| {
        let time = u64::try_from(length.0).unwrap_or(0);
        let Some(truth) = truth.filter(|t| t.limit != Limit::Unknown) else {
            all.untold += time;
            return;
        };
        let (limit, cause, confidence) =
            said.map_or((Limit::Unknown, Cause::None, 0), |s| (s.limit, s.cause, s.confidence));
        all.confusion.add(truth.limit, limit, time);
        if limit != Limit::Unknown {
            all.calibration.add(confidence, limit == truth.limit, time);
        }
        if let (true, Some(name)) = (limit == truth.limit, truth.cause.name()) {
            let sum = all.causes.entry(name.to_owned()).or_default();
            sum.all += time;
            sum.right += if cause == truth.cause { time } else { 0 };
        }
    });
    let (from, to) = window;
    all.boundaries = boundary::errors(&truth.clip(from, to), &said.clip(from, to), rtt);
    all
}

impl Comparison {
    /// Adds another run's, so that each run counts the same.
    pub fn add_run(&mut self, run: &Self) {
        /// What a whole run counts: parts in a milliard.
        const RUN: u64 = 1_000_000_000;
        self.confusion.add_weighed(&run.confusion, RUN);
        for (name, time) in &run.causes {
            let sum = self.causes.entry(name.clone()).or_default();
            sum.all += time.all;
            sum.right += time.right;
        }
        self.boundaries.extend(&run.boundaries);
        self.calibration.add_all(&run.calibration);
        self.untold += run.untold;
    }
}

#[cfg(test)]
mod tests {
    use super::super::timeline::{Span, tests::line};
    use super::*;
    use proptest::prelude::*;

    const RTT: Nanos = Nanos::from_millis(20);

    fn window() -> (Nanos, Nanos) {
        (Nanos::ZERO, Nanos::from_millis(1000))
    }

    fn any_line() -> impl Strategy<Value = Timeline> {
        let limit = (0..Limit::ALL.len()).prop_map(|i| Limit::ALL[i]);
        prop::collection::vec((1_i64..200, limit, 0_u8..=100), 1..12).prop_map(|parts| {
            let mut at = Nanos::ZERO;
            let span = |(length, limit, confidence): (i64, Limit, u8)| {
                let from = at;
                at += Nanos::from_millis(length);
                Span { from, to: at, limit, cause: Cause::None, confidence }
            };
            Timeline::new(parts.into_iter().map(span).collect())
        })
    }

    fn fixed() -> ProptestConfig {
        ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) }
    }

    proptest! {
        #![proptest_config(fixed())]

        #[test]
        fn the_truth_itself_is_right_everywhere(truth in any_line()) {
            let c = compare(&truth, &truth, window(), RTT);
            prop_assert!(c.confusion.total() == 0 || c.confusion.accuracy() == Some(1.0));
            for limit in c.confusion.present(0.0) {
                prop_assert_eq!(c.confusion.f1(limit), Some(1.0));
            }
            prop_assert!(c.boundaries.iter().all(|b| *b == Some(0.0)));
        }

        #[test]
        fn every_moment_of_the_window_counts_once(truth in any_line(), said in any_line()) {
            let c = compare(&truth, &said, window(), RTT);
            prop_assert_eq!(c.confusion.total() + c.untold, 1_000_000_000);
            let rows: u64 = Limit::ALL.into_iter().map(|l| c.confusion.truth(l)).sum();
            let columns: u64 = Limit::ALL.into_iter().map(|l| c.confusion.said(l)).sum();
            prop_assert_eq!((rows, columns), (c.confusion.total(), c.confusion.total()));
        }

        #[test]
        fn truth_and_answer_change_places(a in any_line(), b in any_line()) {
            let span = a.bounds().zip(b.bounds()).map(|(a, b)| (a.0.max(b.0), a.1.min(b.1)));
            let Some(window) = span.filter(|(from, to)| from < to) else { return Ok(()) };
            let (there, back) = (compare(&a, &b, window, RTT), compare(&b, &a, window, RTT));
            for t in Limit::ALL.into_iter().filter(|l| *l != Limit::Unknown) {
                for s in Limit::ALL.into_iter().filter(|l| *l != Limit::Unknown) {
                    prop_assert_eq!(there.confusion.time(t, s), back.confusion.time(s, t));
                }
            }
        }

        #[test]
        fn cutting_a_span_in_two_changes_nothing(truth in any_line(), said in any_line(), at in 1_i64..999) {
            let cut = Nanos::from_millis(at);
            let halves = |line: &Timeline| {
                let (from, to) = (Nanos(i64::MIN), Nanos::MAX);
                let both = [line.clip(from, cut), line.clip(cut, to)];
                Timeline::new(both.iter().flat_map(|l| l.spans().to_vec()).collect())
            };
            let whole = compare(&truth, &said, window(), RTT);
            prop_assert_eq!(whole, compare(&halves(&truth), &halves(&said), window(), RTT));
        }
    }

    #[test]
    fn silence_is_unknown_and_an_untold_truth_does_not_count() {
        let truth = line(&[(0, Limit::SendBuffer), (500, Limit::Unknown)], 1000);
        let said = line(&[(0, Limit::SendBuffer)], 250);
        let c = compare(&truth, &said, window(), RTT);
        assert_eq!(c.confusion.total(), 500_000_000);
        assert_eq!(c.untold, 500_000_000);
        assert_eq!(c.confusion.unknown(), Some(0.5));
    }
}
