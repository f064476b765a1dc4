//! What flows carried together, over time.

use crate::model::Progress;
use crate::units::Nanos;

/// Bytes that have gone one way, over time, and the flows that they were of.
#[derive(Debug)]
pub(super) struct Curve {
    /// From when on, what had gone by then, and how fast it goes on (bytes per nanosecond); in order.
    pieces: Vec<(Nanos, f64, f64)>,
    /// When each flow began and ended, each list in order.
    begun: Vec<Nanos>,
    ended: Vec<Nanos>,
}

impl Curve {
    pub(super) fn of(flows: &[&Progress]) -> Self {
        let changes = |(from, to, bytes): (Nanos, Nanos, u64)| {
            let rate = bytes as f64 / (to - from).0.max(1) as f64;
            [(from, rate), (to, -rate)]
        };
        let parts = flows.iter().flat_map(|flow| flow.parts());
        let mut changes: Vec<_> = parts.flat_map(changes).collect();
        // By the rates, too: the sum shall not depend on the order in which connections end.
        changes.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut pieces: Vec<(Nanos, f64, f64)> = Vec::with_capacity(changes.len());
        for (at, change) in changes {
            let (from, gone, rate) = pieces.last().copied().unwrap_or((at, 0.0, 0.0));
            pieces.push((at, gone + rate * (at - from).0 as f64, rate + change));
        }
        let (mut begun, mut ended): (Vec<_>, Vec<_>) = flows.iter().map(|flow| flow.span()).unzip();
        begun.sort_unstable();
        ended.sort_unstable();
        Self { pieces, begun, ended }
    }

    fn until(&self, time: Nanos) -> f64 {
        let after = self.pieces.partition_point(|&(from, ..)| from <= time);
        let piece = after.checked_sub(1).and_then(|last| self.pieces.get(last));
        piece.map_or(0.0, |&(from, gone, rate)| gone + rate * (time - from).0 as f64)
    }

    /// Bytes.
    pub(super) fn within(&self, (from, to): (Nanos, Nanos)) -> f64 {
        self.until(to) - self.until(from)
    }

    /// Flows that `span` has a part of.
    pub(super) fn flows_in(&self, (from, to): (Nanos, Nanos)) -> u64 {
        let begun = self.begun.partition_point(|&at| at < to);
        let ended = self.ended.partition_point(|&at| at <= from);
        begun.saturating_sub(ended) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(steps: &[(i64, i64, u64)]) -> Progress {
        let steps = steps.iter().map(|&(from, to, bytes)| (span(from, to), bytes));
        Progress::of(steps.map(|((from, to), bytes)| (from, to, bytes))).unwrap()
    }

    fn span(from: i64, to: i64) -> (Nanos, Nanos) {
        (Nanos::from_millis(from), Nanos::from_millis(to))
    }

    #[test]
    fn what_flows_carry_adds_up_whatever_their_order() {
        let flows = [
            flow(&[(0, 1_000, 10_000)]),
            flow(&[(500, 1_500, 20_000)]),
            flow(&[(100, 200, 800), (300, 400, 800)]),
        ];
        let curve = Curve::of(&flows.each_ref());
        let mirrored = Curve::of(&[&flows[2], &flows[1], &flows[0]]);
        for (within, bytes) in [
            (span(-9, 0), 0.0),
            (span(0, 100), 1_000.0),
            (span(0, 500), 6_600.0),
            (span(150, 200), 900.0),
            (span(500, 1_000), 15_000.0),
            (span(1_200, 9_000), 6_000.0),
            (span(2_000, 9_000), 0.0),
        ] {
            assert!((curve.within(within) - bytes).abs() < 1.0, "{within:?}");
            assert_eq!(curve.within(within), mirrored.within(within));
        }
        assert_eq!(curve.flows_in(span(0, 90)), 1);
        assert_eq!(curve.flows_in(span(250, 280)), 2);
        assert_eq!(curve.flows_in(span(600, 700)), 2);
        assert_eq!(curve.flows_in(span(1_500, 1_600)), 0);
    }
}
