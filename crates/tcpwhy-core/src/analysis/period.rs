//! A part of a capture's time, of which the answer is wanted.
//!
//! What happened before and after it is analysed all the same: windows, round trips and what a wait turned out to be are known from there.

use crate::flow::distribution::Distribution;
use crate::flow::stretch::Stretch;
use crate::model::{Interval, RttSummary, Transfer};
use crate::units::{Nanos, mul_div};

/// From a moment to another one, on the capture's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Its first moment.
    pub from: Nanos,
    /// The first one after it.
    pub to: Nanos,
}

impl Default for Period {
    fn default() -> Self {
        Self { from: Nanos(i64::MIN), to: Nanos::MAX }
    }
}

impl Period {
    /// Whether all of the time from one moment to another is in it.
    pub(crate) fn holds(&self, from: Nanos, to: Nanos) -> bool {
        self.from <= from && to <= self.to
    }

    /// Whether anything that lasted from one moment to another was in it.
    pub(crate) fn meets(&self, from: Nanos, to: Nanos) -> bool {
        from < self.to && self.from <= to
    }

    /// What lies in it of the time between two moments, if that is more than none.
    pub(crate) fn cut(&self, from: Nanos, to: Nanos) -> Option<(Nanos, Nanos)> {
        let (from, to) = (from.max(self.from), to.min(self.to));
        (from < to).then_some((from, to))
    }

    /// What lies in it of a stretch; of a round trip at its edge, data counts in proportion.
    pub(crate) fn part(&self, s: &Stretch) -> Option<Stretch> {
        let (from, to) = self.cut(s.from, s.to)?;
        let (part, whole) = ((to - from).0.unsigned_abs(), s.duration().0.unsigned_abs().max(1));
        let arrived = mul_div(s.arrived.unsigned_abs(), part, whole);
        let arrived = i64::try_from(arrived).unwrap_or(i64::MAX) * s.arrived.signum();
        Some(Stretch { from, to, acked: mul_div(s.acked, part, whole), arrived, ..*s })
    }

    /// The round trips in it, of a connection that has these `stretches`, each with its mean, and as a `whole` these round trips. The shortest
    /// is the path's, whenever it was measured.
    pub(crate) fn rtt<'a>(
        &self,
        whole: RttSummary,
        stretches: impl Iterator<Item = &'a Stretch>,
    ) -> RttSummary {
        let mut within = Distribution::default();
        for stretch in stretches.filter(|s| self.meets(s.from, s.to)) {
            if let Some(mean) = stretch.rtt_mean() {
                within.add_weighted(mean, stretch.rtt_count);
            }
        }
        if within.is_empty() {
            return whole;
        }
        let part = |percent| within.quantile(percent).max(whole.min);
        RttSummary { median: part(50), p95: part(95), ..whole }
    }

    /// What lies in it of some transfers, whose direction has this timeline in it.
    pub(crate) fn of_transfers(&self, all: &[Transfer], timeline: &[Interval]) -> Vec<Transfer> {
        let part = |whole: &Transfer| {
            if self.holds(whole.from, whole.to) {
                return Some(*whole);
            }
            let (from, to) = self.cut(whole.from, whole.to)?;
            let bytes = timeline.iter().map(|i| acked_within(i, from, to)).sum();
            let long = (whole.to - whole.from).0.unsigned_abs().max(1);
            let retransmitted = mul_div(whole.retransmitted, (to - from).0.unsigned_abs(), long);
            Some(Transfer { from, to, bytes, retransmitted, ..*whole })
        };
        all.iter().filter_map(part).collect()
    }
}

/// Data that was acknowledged in an interval between two moments, by its mean rate.
fn acked_within(i: &Interval, from: Nanos, to: Nanos) -> u64 {
    let both = (to.min(i.to) - from.max(i.from)).0.max(0).unsigned_abs();
    mul_div(i.evidence.acked, both, i.duration().0.unsigned_abs().max(1))
}
