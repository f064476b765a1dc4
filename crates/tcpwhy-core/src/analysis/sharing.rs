//! What several connections between the same two hosts carried at the same time: the link that each of them finds full is one.

use super::verdict;
use crate::limits::nearly;
use crate::model::{
    Cause, Connection, Direction, Finding, FindingKind, Interval, Limit, Progress, Side, Verdict,
};
use crate::units::{Nanos, bits_per_second};
use crate::whatif::predict_again;
use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::RangeInclusive;

/// What the others carry has to be this part of what one carries: less is within what its own rate varies.
const WORTH_SAYING: f64 = 0.25;

/// Percent: what one connection has of a full link looks like its own losses.
const SURE: u8 = 75;

/// From whom to whom.
type Way = [IpAddr; 2];

/// Collects the data of all connections of a capture, by the two hosts that it went between. Memory grows with the connections that carry much.
#[derive(Debug, Default)]
pub struct Sharing {
    ways: HashMap<Way, Flows>,
}

/// What goes one way.
#[derive(Debug, Default)]
struct Flows {
    progress: Vec<Progress>,
    /// The fastest that any of them has seen the narrowest link, in bit/s.
    fastest_bps: u64,
    /// One of them has seen the link full most of the time.
    filled: bool,
}

impl Flows {
    /// Rates at which the link is full of all of them, in bit/s; `None` where nobody has seen how fast it is. Beside others none sees its own packets
    /// follow each other: where one has found the link full, it may carry more than any has seen.
    fn fill_the_link(&self) -> Option<RangeInclusive<u64>> {
        let seen = self.fastest_bps;
        let most = if self.filled { u64::MAX } else { seen.saturating_add(seen / 10) };
        (seen > 0).then_some(nearly(seen)..=most)
    }
}

impl Sharing {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more connection.
    pub fn add(&mut self, connection: &Connection) {
        for direction in &connection.directions {
            if let Some(progress) = &direction.progress {
                let flows = self.ways.entry(way(connection, direction)).or_default();
                flows.progress.push(**progress);
                flows.fastest_bps = flows.fastest_bps.max(direction.facts.path_bps);
                flows.filled |= direction.verdict.limit == Limit::PathBandwidth;
            }
        }
    }

    /// There are no more.
    pub fn add_up(self) -> Shared {
        let several = self.ways.into_iter().filter(|(_, flows)| flows.progress.len() > 1);
        let all = several.map(|(way, flows)| {
            let full = flows.fill_the_link();
            (way, Together { curve: Curve::of(&flows.progress), full })
        });
        Shared { ways: all.collect() }
    }
}

/// What went between hosts that had several connections, over time.
#[derive(Debug, Default)]
pub struct Shared {
    ways: HashMap<Way, Together>,
}

/// What connections carried together.
#[derive(Debug)]
struct Together {
    curve: Curve,
    /// See [`Flows::fill_the_link`].
    full: Option<RangeInclusive<u64>>,
}

impl Together {
    /// In the time of `interval` the link was full of what `own` carried and of what others did.
    fn fills(&self, own: &Curve, interval: &Interval) -> bool {
        let span = (interval.from, interval.to);
        let (mine, all) = (own.within(span), self.curve.within(span));
        let rate = bits_per_second(all as u64, interval.to - interval.from);
        all - mine >= mine * WORTH_SAYING
            && self.full.as_ref().is_some_and(|full| full.contains(&rate))
    }
}

impl Shared {
    /// Tells `connection`, one of those that were added, of the others: a congestion window and losses by which it has its part of a link that is
    /// full of all their data are the path's, and what they carried while its verdict held is noticed ([`FindingKind::SharedPath`]), where that verdict
    /// is one that their data may have made. To be told before its predictions are refined.
    pub fn tell(&self, connection: &mut Connection) {
        for side in [Side::Client, Side::Server] {
            self.judge_again(connection, side);
        }
        let found = |direction: &Direction| self.found(connection, direction);
        let more: Vec<Finding> = connection.directions.iter().filter_map(found).collect();
        if !more.is_empty() {
            let mut findings = std::mem::take(&mut connection.findings).into_vec();
            findings.extend(more);
            connection.findings = findings.into();
        }
    }

    fn judge_again(&self, connection: &mut Connection, side: Side) {
        let direction = &connection.directions[side as usize];
        let together = self.ways.get(&way(connection, direction));
        let (Some(together), Some(progress)) = (together, &direction.progress) else { return };
        let own = Curve::of(&[**progress]);
        let floor = direction.facts.rtt_floor;
        let direction = &mut connection.directions[side as usize];
        let mut changed = false;
        for interval in &mut direction.timeline {
            if is_a_part(interval) && together.fills(&own, interval) {
                let queue = interval.evidence.rtt_mean - floor;
                let queued = floor > Nanos::ZERO && queue >= floor.scale(1, 4);
                interval.limit = Limit::PathBandwidth;
                interval.cause = if queued { Cause::StandingQueue } else { Cause::SteadyRate };
                interval.confidence = SURE;
                changed = true;
            }
        }
        if changed {
            direction.verdict =
                verdict::of(side, &direction.timeline, &direction.transfers, &direction.facts);
            predict_again(direction);
        }
    }

    fn found(&self, connection: &Connection, direction: &Direction) -> Option<Finding> {
        let Verdict { limit, cause, .. } = direction.verdict;
        let progress = direction.progress.as_ref().filter(|_| is_of_the_path(limit, cause))?;
        let Together { curve, .. } = self.ways.get(&way(connection, direction))?;
        let held = || direction.timeline.iter().filter(|i| (i.limit, i.cause) == (limit, cause));
        let (first, last) = (held().next()?, held().next_back()?);
        let own = Curve::of(&[**progress]);
        let (mut mine, mut all, mut time) = (0.0, 0.0, Nanos::ZERO);
        for interval in held() {
            let span = (interval.from, interval.to);
            mine += own.within(span);
            all += curve.within(span);
            time += interval.to - interval.from;
        }
        let others = curve.flows_in((first.from, last.to)).saturating_sub(1);
        (others > 0 && all - mine >= mine * WORTH_SAYING).then(|| Finding {
            kind: FindingKind::SharedPath,
            side: direction.from,
            count: others,
            value: bits_per_second(all as u64, time),
            frame: first.first_frame,
        })
    }
}

/// Bytes that have gone one way, over time, and the flows that they were of.
#[derive(Debug)]
struct Curve {
    /// From when on, what had gone by then, and how fast it goes on (bytes per nanosecond); in order.
    pieces: Vec<(Nanos, f64, f64)>,
    /// When each flow began and ended, each list in order.
    begun: Vec<Nanos>,
    ended: Vec<Nanos>,
}

impl Curve {
    fn of(flows: &[Progress]) -> Self {
        let changes = |(from, to, bytes): (Nanos, Nanos, u64)| {
            let rate = bytes as f64 / (to - from).0.max(1) as f64;
            [(from, rate), (to, -rate)]
        };
        let parts = flows.iter().flat_map(Progress::parts);
        let mut changes: Vec<_> = parts.flat_map(changes).collect();
        // By the rates, too: the sum shall not depend on the order in which connections end.
        changes.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut pieces: Vec<(Nanos, f64, f64)> = Vec::with_capacity(changes.len());
        for (at, change) in changes {
            let (from, gone, rate) = pieces.last().copied().unwrap_or((at, 0.0, 0.0));
            pieces.push((at, gone + rate * (at - from).0 as f64, rate + change));
        }
        let mut begun: Vec<_> = flows.iter().map(|flow| flow.times[0]).collect();
        let mut ended: Vec<_> = flows.iter().map(|flow| flow.times[flow.times.len() - 1]).collect();
        begun.sort_unstable();
        ended.sort_unstable();
        Self { pieces, begun, ended }
    }

    fn until(&self, time: Nanos) -> f64 {
        let after = self.pieces.partition_point(|&(from, ..)| from <= time);
        let piece = after.checked_sub(1).and_then(|last| self.pieces.get(last));
        piece.map_or(0.0, |&(from, gone, rate)| gone + rate * (time - from).0 as f64)
    }

    fn within(&self, (from, to): (Nanos, Nanos)) -> f64 {
        self.until(to) - self.until(from)
    }

    /// Flows that `span` has a part of.
    fn flows_in(&self, (from, to): (Nanos, Nanos)) -> u64 {
        let begun = self.begun.partition_point(|&at| at < to);
        let ended = self.ended.partition_point(|&at| at <= from);
        begun.saturating_sub(ended) as u64
    }
}

fn way(connection: &Connection, direction: &Direction) -> Way {
    [direction.from, direction.from.other()].map(|side| connection.endpoint(side).addr())
}

/// Whether a connection that shares a full link has its part of it so: its window grows until something is lost.
fn is_a_part(interval: &Interval) -> bool {
    matches!(interval.cause, Cause::CongestionAvoidance | Cause::FastRetransmit)
}

/// Whether what others send changes how long this limit holds: they take room on the link, in its queue, and from the congestion window.
fn is_of_the_path(limit: Limit, cause: Cause) -> bool {
    match limit {
        Limit::PathBandwidth => true,
        Limit::CongestionWindow => cause != Cause::SlowStart && cause != Cause::IdleRestart,
        Limit::LossRecovery => cause != Cause::Spurious,
        _ => false,
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
        let curve = Curve::of(&flows);
        let mirrored = Curve::of(&[flows[2], flows[1], flows[0]]);
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
