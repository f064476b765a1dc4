//! What several connections between the same two hosts carried at the same time: the link that each of them finds full is one.

mod curve;
mod one_rate;

use super::verdict;
use crate::limits::nearly;
use crate::model::{
    Cause, Connection, Direction, Finding, FindingKind, Interval, Limit, Progress, Side, Verdict,
    time_of,
};
use crate::units::{Nanos, bits_per_second};
use crate::whatif::predict_simply;
use curve::Curve;
use one_rate::OneRate;
use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// What the others carry has to be this part of what one carries: less is within what its own rate varies.
const WORTH_SAYING: f64 = 0.25;

/// Busy flows whose time is compared, of those between two hosts: of more it takes long.
const MOST_COMPARED: usize = 256;

/// Percent: what one connection has of a full link looks like its own losses.
const SURE: u8 = 75;

/// From whom to whom.
type Way = [IpAddr; 2];

/// Collects the data of all connections of a capture, by the two hosts that it went between. Memory grows with the connections that carry much.
#[derive(Debug, Default)]
pub struct Sharing {
    ways: HashMap<Way, Flows>,
}

/// What one connection sends.
#[derive(Debug)]
struct Flow {
    progress: Arc<Progress>,
    /// It went on without a rest, held by the path.
    busy: bool,
}

/// What goes one way.
#[derive(Debug, Default)]
struct Flows {
    list: Vec<Flow>,
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
                flows.list.push(Flow { progress: Arc::clone(progress), busy: is_busy(direction) });
                flows.fastest_bps = flows.fastest_bps.max(direction.facts.path_bps);
                flows.filled |= direction.verdict.limit == Limit::PathBandwidth;
            }
        }
    }

    /// There are no more.
    pub fn add_up(self) -> Shared {
        let several = self.ways.into_iter().filter(|(_, flows)| flows.list.len() > 1);
        Shared { ways: several.map(|(way, flows)| (way, Together::of(flows))).collect() }
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
    /// Times in which they had one rate between them.
    one_rate: Vec<OneRate>,
    /// See [`Flows::fastest_bps`].
    fastest_bps: u64,
}

/// What flows have their parts of.
enum Whole {
    Link,
    /// In bit/s.
    Policer(u64),
}

impl Together {
    fn of(mut flows: Flows) -> Self {
        // Connections end in any order.
        flows.list.sort_unstable_by_key(|flow| flow.progress.times);
        let progress: Vec<&Progress> = flows.list.iter().map(|flow| &*flow.progress).collect();
        let curve = Curve::of(&progress);
        let busy = flows.list.iter().filter(|flow| flow.busy).take(MOST_COMPARED);
        let one_rate = busy.filter_map(|own| OneRate::of(&curve, &progress, &own.progress));
        let one_rate = one_rate.collect();
        Self { curve, full: flows.fill_the_link(), one_rate, fastest_bps: flows.fastest_bps }
    }

    /// In the time of `interval` the link was full of what `own` carried and of what others did, or they had one rate between them: a policer's, where most
    /// of the link is unused.
    fn whole(&self, own: &Curve, interval: &Interval) -> Option<Whole> {
        let span = (interval.from, interval.to);
        let (mine, all) = (own.within(span), self.curve.within(span));
        if all - mine < mine * WORTH_SAYING {
            return None;
        }
        let rate = bits_per_second(all as u64, interval.duration());
        if self.full.as_ref().is_some_and(|full| full.contains(&rate)) {
            return Some(Whole::Link);
        }
        let OneRate { rate_bps, .. } = self.one_rate.iter().find(|one| one.holds(span))?;
        let policed = *rate_bps <= self.fastest_bps / 2;
        Some(if policed { Whole::Policer(*rate_bps) } else { Whole::Link })
    }

    /// Judges again what a `direction`, which carried its `own`, had as its part of them all. Returns what there is to say of a policer that they share.
    fn judge_again(&self, direction: &mut Direction, own: &Curve) -> Option<Finding> {
        let (side, floor) = (direction.from, direction.facts.rtt_floor);
        let (mut changed, mut policed) = (false, None);
        for interval in direction.timeline.iter_mut().filter(|i| is_a_part(i)) {
            let Some(whole) = self.whole(own, interval) else { continue };
            let queue = interval.evidence.rtt_mean - floor;
            let queued = floor > Nanos::ZERO && queue >= floor.scale(1, 4);
            interval.limit = Limit::PathBandwidth;
            interval.cause = match whole {
                _ if queued => Cause::StandingQueue,
                Whole::Link => Cause::SteadyRate,
                Whole::Policer(rate_bps) => {
                    policed = Some(rate_bps);
                    Cause::Policer
                }
            };
            interval.confidence = SURE;
            changed = true;
        }
        if changed {
            direction.verdict =
                verdict::of(side, &direction.timeline, &direction.transfers, &direction.facts);
            predict_simply(direction);
        }
        let value = policed.filter(|_| direction.verdict.cause == Cause::Policer)?;
        Some(Finding { kind: FindingKind::Policer, side, count: 0, value, frame: 0 })
    }

    /// What others carried while the verdict of a `direction`, which carried its `own`, held.
    fn found(&self, direction: &Direction, own: &Curve) -> Option<Finding> {
        let Verdict { limit, cause, .. } = direction.verdict;
        if !is_of_the_path(limit, cause) {
            return None;
        }
        let held = || direction.timeline.iter().filter(|i| (i.limit, i.cause) == (limit, cause));
        let (first, last) = (held().next()?, held().next_back()?);
        let (mut mine, mut all, mut time) = (0.0, 0.0, Nanos::ZERO);
        for interval in held() {
            let span = (interval.from, interval.to);
            mine += own.within(span);
            all += self.curve.within(span);
            time += interval.duration();
        }
        let others = self.curve.flows_in((first.from, last.to)).saturating_sub(1);
        (others > 0 && all - mine >= mine * WORTH_SAYING).then(|| Finding {
            kind: FindingKind::SharedPath,
            side: direction.from,
            count: others,
            value: bits_per_second(all as u64, time),
            frame: first.first_frame,
        })
    }
}

impl Shared {
    /// Tells `connection`, one of those that were added, of the others: a congestion window and losses by which it has its part of a link that is
    /// full of all their data are the path's, and what they carried while its verdict held is noticed ([`FindingKind::SharedPath`]), where that verdict
    /// is one that their data may have made. To be told before its predictions are refined.
    pub fn tell(&self, connection: &mut Connection) {
        let mut more = Vec::new();
        for side in [Side::Client, Side::Server] {
            let direction = &connection.directions[side as usize];
            let together = self.ways.get(&way(connection, direction));
            let Some((together, progress)) = together.zip(direction.progress.as_ref()) else {
                continue;
            };
            let own = Curve::of(&[progress]);
            let direction = &mut connection.directions[side as usize];
            more.extend(together.judge_again(direction, &own));
            more.extend(together.found(direction, &own));
        }
        if !more.is_empty() {
            let mut findings = std::mem::take(&mut connection.findings).into_vec();
            // What a policer takes of several flows seems to be chance to each.
            let policed =
                |side| more.iter().any(|f| f.kind == FindingKind::Policer && f.side == side);
            findings.retain(|f| f.kind != FindingKind::RandomLoss || !policed(f.side));
            findings.extend(more);
            connection.findings = findings.into();
        }
    }
}

fn way(connection: &Connection, direction: &Direction) -> Way {
    [direction.from, direction.from.other()].map(|side| connection.endpoint(side).addr())
}

/// The path held it, or its own losses did, for most of its time.
fn is_busy(direction: &Direction) -> bool {
    let time = time_of(&direction.timeline, |i| is_of_the_path(i.limit, i.cause));
    time >= direction.transfer.scale(3, 4)
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
