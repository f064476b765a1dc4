//! Whether a link that was full carried much more, or much less, from some moment on: another cell, a shaper whose bucket is empty, a neighbour.

use crate::model::{Direction, Limit};
use crate::units::{Nanos, bits_per_second};

/// Parts of the data on each side of it, and the part of the time that they take: how fast a queue fills or drains in the end is no link's rate.
const FEWEST: usize = 4;
const LEAST_TIME: i64 = 8;
/// Round trips that they take: ACKs that come together make a rate of their own for some of them.
const LEAST_ROUNDS: i64 = 8;
/// Of so many parts one may be as on the other side: where the rate changes, and where a loss is repaired.
const ODD_PART: usize = 8;
/// A rate changes by this factor at least: what ACKs tell of a link that varies differs by less from part to part.
const FACTOR: u64 = 2;

/// A rate that gave way to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RateChange {
    /// Time since the timeline began.
    pub(crate) at: Nanos,
    /// Bits of payload per second until then, and after that.
    pub(crate) before: u64,
    pub(crate) after: u64,
}

/// Of equal parts of the data.
#[derive(Debug, Clone, Copy)]
struct Part {
    from: Nanos,
    took: Nanos,
    bps: u64,
}

impl RateChange {
    /// Of a direction's data, as far as the path held it.
    pub(crate) fn of(direction: &Direction) -> Option<Self> {
        let timeline = &direction.timeline;
        let is_full = |from: Nanos, to: Nanos| {
            let middle = from + (to - from).scale(1, 2);
            let within = timeline.get(timeline.partition_point(|i| i.to <= middle));
            within.is_some_and(|i| i.limit == Limit::PathBandwidth)
        };
        let part = |(from, to, bytes)| Part {
            from,
            took: to - from,
            bps: bits_per_second(bytes, to - from),
        };
        let full = direction.progress.as_ref()?.parts().filter(|&(from, to, _)| is_full(from, to));
        let parts: Vec<Part> = full.map(part).collect();
        let least = direction.facts.rtt_floor.scale(LEAST_ROUNDS, 1);
        if time_of(&parts) < least.scale(2, 1) {
            return None;
        }
        let splits = FEWEST..(parts.len() + 1).saturating_sub(FEWEST);
        // Where the fewest parts are on the wrong side of it.
        let (_, k, (before, after)) = splits.filter_map(|k| split(&parts, k, least)).min()?;
        Some(Self { at: parts.get(k)?.from - timeline.first()?.from, before, after })
    }
}

/// The rates of the first `k` parts and of the others, where they are far apart and each takes this `least` time, behind how many parts are as fast
/// as those of the other side.
fn split(parts: &[Part], k: usize, least: Nanos) -> Option<(usize, usize, (u64, u64))> {
    let (first, second) = parts.split_at_checked(k)?;
    let (before, after) = (typical(first), typical(second));
    let middle = before.midpoint(after);
    let odd = |side: &[Part], low: bool| side.iter().filter(|p| (p.bps < middle) != low).count();
    let falls = after < before;
    let (early, late) = (odd(first, !falls), odd(second, falls));
    let apart = before.max(after) >= before.min(after).saturating_mul(FACTOR);
    let few = early * ODD_PART <= first.len() && late * ODD_PART <= second.len();
    let [early_time, late_time] = [first, second].map(time_of);
    let shorter = early_time.min(late_time);
    let long = shorter >= least && shorter.scale(LEAST_TIME, 1) >= early_time + late_time;
    (apart && few && long).then_some((early + late, k, (before, after)))
}

fn time_of(parts: &[Part]) -> Nanos {
    parts.iter().fold(Nanos::ZERO, |time, part| time + part.took)
}

/// Bits per second of most of them.
fn typical(parts: &[Part]) -> u64 {
    let mut rates: Vec<u64> = parts.iter().map(|part| part.bps).collect();
    rates.sort_unstable();
    rates.get(rates.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::made::{facts, interval};
    use crate::model::{Cause, Progress, Side, Verdict};
    use std::sync::Arc;

    /// A path that is full from 100 ms on, with so many bytes in each tenth of a second.
    fn change(tenths: &[u64]) -> Option<RateChange> {
        let at = |k: usize| Nanos::from_millis(100 * k as i64);
        let end = at(tenths.len());
        let timeline = [
            interval(Limit::CongestionWindow, (at(0), at(1)), 1),
            interval(Limit::PathBandwidth, (at(1), end), 1),
        ];
        let (limit, cause) = (Limit::PathBandwidth, Cause::StandingQueue);
        let verdict = Verdict { limit, cause, share: 1.0, confidence: 0.9 };
        let mut direction =
            Direction::without_data(Side::Server, timeline.into(), verdict, facts());
        let steps = tenths.iter().enumerate().map(|(k, bytes)| (at(k), at(k + 1), *bytes));
        direction.progress = Progress::of(steps).map(Arc::new);
        RateChange::of(&direction)
    }

    #[test]
    fn a_link_that_became_slower_is_told_by_both_rates() {
        let told = change(&[vec![1_000_000; 20], vec![100_000; 120]].concat()).unwrap();
        assert_eq!((told.before, told.after), (80_000_000, 8_000_000));
        assert!((1_900.0..=2_300.0).contains(&told.at.millis()), "{told:?}");
        let told = change(&[vec![100_000; 120], vec![1_000_000; 20]].concat()).unwrap();
        assert_eq!((told.before, told.after), (8_000_000, 80_000_000));
    }

    #[test]
    fn a_rate_that_varies_or_stays_has_not_changed() {
        assert_eq!(change(&[1_000_000; 100]), None);
        let varies: Vec<u64> =
            (0..100).map(|k| if k % 10 < 5 { 1_000_000 } else { 200_000 }).collect();
        assert_eq!(change(&varies), None);
        let drains = [vec![100_000; 70], vec![1_000_000; 1]].concat();
        assert_eq!(change(&drains), None, "for a moment");
        let halves = [vec![1_000_000; 50], vec![600_000; 50]].concat();
        assert_eq!(change(&halves), None, "not by half");
    }
}
