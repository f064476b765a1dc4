//! A connection and one of its directions -> the numbers that words may need.

use super::{Figures, Place};
use crate::advice::opening::Opening;
use crate::advice::quantity::SHORTEST_ROUND_TRIP;
use crate::advice::rate_change::RateChange;
use crate::kernel::start::INITIAL_WINDOW;
use crate::model::{
    Cause, Connection, Direction, Finding, FindingKind, Interval, Limit, Side, Vantage, Verdict,
    WhatIf, WindowScale, acked_in, time_of,
};
use crate::units::{Nanos, bits_per_second};
use crate::whatif::turns;

/// A capture point so near to an end, as a part of the way, is at that end.
const AT_AN_END: f64 = 0.05;
/// How sure that must be.
const SURELY: f64 = 0.9;

fn is_at(side: Side, vantage: Vantage) -> bool {
    let away = match side {
        Side::Client => vantage.position,
        Side::Server => 1.0 - vantage.position,
    };
    away <= AT_AN_END && vantage.confidence >= SURELY
}

impl Figures {
    /// Gathers the numbers of `direction`, which is one of `connection`'s.
    pub(crate) fn of(connection: &Connection, direction: &Direction) -> Self {
        Self::by(connection, direction, direction.verdict)
    }

    /// As if another limit, with what caused it for longest, were the verdict.
    pub(crate) fn under(connection: &Connection, direction: &Direction, limit: Limit) -> Self {
        let of_limit = direction.limits().into_iter().find(|share| share.limit == limit);
        let cause = of_limit.map_or(Cause::None, |share| share.cause);
        Self::by(connection, direction, Verdict { limit, cause, ..direction.verdict })
    }

    fn by(connection: &Connection, direction: &Direction, verdict: Verdict) -> Self {
        let held = || intervals(direction, &verdict);
        let longest = held().max_by_key(|i| i.duration());
        let evidence = longest.map(|i| i.evidence).unwrap_or_default();
        let place = |side| Place { side, end: connection.endpoint(side) };
        let facts = direction.facts;
        let window = u64::from(evidence.window);
        let largest = u64::from(facts.max_window);
        // Where no whole segment had room more, all of it was filled; of a window of a few segments that room may be a good part.
        let room = u64::from(facts.mss).min(largest / 8);
        let full = evidence.flight + room > largest;
        let best = if full { largest } else { evidence.flight };
        Self {
            verdict,
            sender: place(direction.from),
            receiver: place(direction.from.other()),
            bytes: direction.bytes,
            one_way: connection.is_one_way(),
            at_sender: is_at(direction.from, connection.vantage),
            is_whole: connection.is_whole(),
            opening: Opening::of(connection),
            retransmitted: direction.retransmitted,
            resent: facts.resent || direction.retransmitted > 0,
            had_arrived: found(connection, direction, FindingKind::SpuriousRetransmissions)
                .zip(longest)
                .is_some_and(|(f, i)| (i.first_frame..=i.last_frame).contains(&f.frame)),
            owed: owed_mostly(direction),
            span: direction.span(),
            share: part_of(direction, |i| (i.limit, i.cause) == (verdict.limit, verdict.cause)),
            outdone_by: outdone(direction),
            flight: evidence.flight,
            window,
            filled_window: if window > 0 { window.max(best) } else { 0 },
            largest_window: largest,
            rtt_floor: measured(facts.rtt_floor),
            rtt_mean: evidence.rtt_mean,
            rtt_high: connection.rtt.p95,
            hides_queues: connection.rtt.hides_queues,
            stalls: held().map(|i| u64::from(i.evidence.stalls)).sum(),
            acked: held().map(|i| i.evidence.acked).sum(),
            busiest_flight: held()
                .max_by_key(|i| i.evidence.acked)
                .map_or(0, |i| i.evidence.flight),
            most_in_flight: held().map(|i| i.evidence.flight).max().unwrap_or(0),
            answers_held_by: held_for_long(&connection.directions[direction.from.other() as usize]),
            delayed_ack: part_of(direction, |i| i.limit == Limit::DelayedAck),
            carried: turns::carried(
                direction,
                &connection.directions[direction.from.other() as usize],
            ),
            longest_stall: held().map(|i| i.evidence.longest_stall).max().unwrap_or_default(),
            frames: longest.map_or((0, 0), |i| (i.first_frame, i.last_frame)),
            policed_bps: found(connection, direction, FindingKind::Policer).map_or(0, |f| f.value),
            shared: found(connection, direction, FindingKind::SharedPath)
                .map(|f| (f.count, f.value)),
            corked: found(connection, direction, FindingKind::Corked).map_or(0, |f| f.count),
            chance_losses: found(connection, direction, FindingKind::RandomLoss)
                .map_or(0, |f| f.count),
            marked: found(connection, direction, FindingKind::EcnMarks).is_some()
                || direction.timeline.iter().any(|i| i.cause == Cause::EcnMarked),
            unscaled: connection
                .findings
                .iter()
                .find(|f| f.kind == FindingKind::WindowScaleStripped)
                .map(|f| f.side),
            first_window: u64::from(facts.first_flight / facts.mss.max(1)).max(INITIAL_WINDOW),
            not_accepted: connection.findings.iter().any(|f| f.kind == FindingKind::NotAccepted),
            path_bps: facts.path_bps,
            transfer: direction.transfer,
            tail: facts.tail,
            besides: besides(direction, &verdict),
            thought: direction.thought(),
            lifted: direction.what_if.iter().find(|w| w.lift == verdict.limit).copied(),
            mss: facts.mss,
            peak_bps: facts.peak_bps,
            mean_bps: mean_rate(direction, &verdict),
            rate_change: Some(direction)
                .filter(|_| verdict.limit == Limit::PathBandwidth)
                .and_then(RateChange::of),
            scale: facts.scale,
            scale_matters: scale_matters(connection, direction),
            transfers: direction.turns(),
        }
    }
}

/// What the direction owed at its end, where that is more than half of the time under its verdict.
fn owed_mostly(direction: &Direction) -> Option<Nanos> {
    let Verdict { limit, cause, .. } = direction.verdict;
    let held = time_of(&direction.timeline, |i| (i.limit, i.cause) == (limit, cause));
    direction.owed().filter(|owed| owed.scale(2, 1) > held)
}

/// What held a direction for most of its time, if not its application.
fn held_for_long(direction: &Direction) -> Option<Limit> {
    let Verdict { limit, share, .. } = direction.verdict;
    let is_known = !matches!(limit, Limit::Application | Limit::Handshake | Limit::Unknown);
    (is_known && share >= 0.5).then_some(limit)
}

/// A round trip, or zero where the capture's clock was too coarse to measure it.
fn measured(rtt: Nanos) -> Nanos {
    if rtt < SHORTEST_ROUND_TRIP { Nanos::ZERO } else { rtt }
}

/// The intervals that the verdict rests on.
fn intervals<'a>(
    direction: &'a Direction,
    verdict: &Verdict,
) -> impl Iterator<Item = &'a Interval> + use<'a> {
    let (limit, cause) = (verdict.limit, verdict.cause);
    direction.timeline.iter().filter(move |i| i.limit == limit && i.cause == cause)
}

/// Bits acknowledged in a second of the time under the verdict, or what the link carries: as much leaves its queue while what SACKs report is
/// not yet acknowledged, and where no packets were seen; but no link has been busy with more than was sent, nor carries less than it did all along.
fn mean_rate(direction: &Direction, verdict: &Verdict) -> u64 {
    let facts = &direction.facts;
    let held = intervals(direction, verdict);
    let (bytes, time) = acked_in(held);
    let mean = bits_per_second(bytes, time);
    let reported = verdict.cause == Cause::StandingQueue && direction.retransmitted > 0;
    let sent = bits_per_second(direction.bytes.saturating_add(direction.retransmitted), time);
    match facts.path_bps {
        0 if bytes == 0 => facts.peak_bps,
        shown if bytes == 0 => shown,
        shown if reported && (mean..=mean.saturating_mul(2)).contains(&shown) => {
            shown.min(sent).max(mean)
        }
        _ if verdict.limit == Limit::PathBandwidth => mean.max(direction.goodput_bps()),
        _ => mean,
    }
}

/// The limit with the most time, if it is not the verdict's, and its part of all time.
fn outdone(direction: &Direction) -> Option<(Limit, f64)> {
    let of = |limit| (limit, part_of(direction, |i| i.limit == limit));
    let most = Limit::ALL.into_iter().map(of).max_by(|a, b| a.1.total_cmp(&b.1))?;
    (most.1 > direction.verdict.share && most.0 != direction.verdict.limit).then_some(most)
}

/// The limit besides the verdict's without which a tenth of the time and more would be saved, and more than without the verdict's, or a quarter; but
/// no setting lifts a path's, whatever would be saved. What is unknown hides what else held, and where nothing moved, nothing else did.
fn besides(direction: &Direction, verdict: &Verdict) -> Option<WhatIf> {
    if matches!(verdict.limit, Limit::Unknown | Limit::Handshake | Limit::SilentPath) {
        return None;
    }
    let what_if = &direction.what_if;
    let most = what_if.iter().filter(|w| w.lift != verdict.limit).min_by_key(|w| w.transfer)?;
    let verdicts = what_if.iter().find(|w| w.lift == verdict.limit);
    let by_path = verdict.limit == Limit::PathBandwidth;
    let more = by_path || verdicts.is_none_or(|w| most.transfer < w.transfer);
    let tenth = most.transfer.scale(10, 9) <= direction.transfer;
    let quarter = most.transfer.scale(4, 3) <= direction.transfer;
    (tenth && more || quarter && most.lift != Limit::PathBandwidth).then_some(*most)
}

/// The part of all time that the intervals take that are meant.
fn part_of(direction: &Direction, is_meant: impl Fn(&Interval) -> bool) -> f64 {
    let (part, whole) = (time_of(&direction.timeline, is_meant), direction.span());
    if whole > Nanos::ZERO { part.0 as f64 / whole.0 as f64 } else { 0.0 }
}

/// Whether an inferred window scale decides between the verdict and its neighbours.
fn scale_matters(connection: &Connection, direction: &Direction) -> bool {
    let said = |kind| {
        connection.findings.iter().any(|f| f.kind == kind && f.side == direction.from.other())
    };
    // A closed one is closed by any scale.
    let judged_by_window =
        matches!(direction.verdict.limit, Limit::ReceiveWindow | Limit::SendBuffer)
            && direction.verdict.cause != Cause::ZeroWindow;
    match direction.facts.scale {
        WindowScale::Inferred { min, max } => {
            min != max
                && (judged_by_window || said(FindingKind::ScaleInferred))
                && !direction.rests_on_samples()
        }
        WindowScale::Known(_) | WindowScale::Absent => false,
    }
}

/// What was found of this kind about the packets of this direction.
fn found<'a>(
    connection: &'a Connection,
    direction: &Direction,
    kind: FindingKind,
) -> Option<&'a Finding> {
    connection.findings.iter().find(|f| f.kind == kind && f.side == direction.from)
}
