//! Silence: the end of a direction that nobody answered any more or in which an answer did not come, and a direction that never had data.

use super::period::Period;
use super::verdict;
use crate::flow::Flow;
use crate::flow::due::Due;
use crate::flow::placing::Placing;
use crate::flow::sender::Sender;
use crate::limits::Silence;
use crate::model::{Cause, Direction, Evidence, Facts, Interval, Limit, Side, Source, WindowScale};
use crate::units::Nanos;

/// What the end of a direction was that nobody answered any more, or after which nothing came, though an answer may be `due`.
pub(super) fn end_of(
    flow: &Flow,
    from: Side,
    sender: &Sender,
    due: Option<Due>,
) -> Option<Silence> {
    let answers = &sender.answers;
    if let Some(since) = flow.deaf_since(from) {
        return Some(Silence::of_path(since, Cause::PeerVanished));
    }
    if !sender.is_left_unanswered() {
        let lacks = flow.lacks_since(from).map(|since| Silence::of_path(since, Cause::None));
        return lacks.or_else(|| due.map(|due| Silence::of_answer(&due)));
    }
    let cause = if sender.window.is_closed() {
        Cause::ProbesUnanswered
    } else if answers.too_large().is_some() {
        Cause::PmtuBlackHole
    } else if flow.resets[from.other() as usize].is_some() {
        Cause::ConnectionForgotten
    } else {
        Cause::PeerVanished
    };
    Some(Silence::of_path(sender.silent_since().unwrap_or(flow.start), cause))
}

/// What a direction without data waited for until `last`: the handshake, then nothing to send, or what became of the answer that is `due`.
fn times(flow: &Flow, due: Option<Due>, last: Nanos) -> Vec<Interval> {
    let opening = &flow.handshake;
    let established = opening.established.unwrap_or(flow.start);
    let interval = |from, to, limit, cause| Interval {
        from,
        to,
        limit,
        cause,
        confidence: 90,
        source: Source::Packets,
        first_frame: 0,
        last_frame: 0,
        evidence: Evidence::default(),
    };
    let opens = interval(flow.start, established, Limit::Handshake, Cause::None);
    let rest = |to, limit, cause| interval(established, to, limit, cause);
    if opening.established.is_none() && opening.syn[0].is_some() {
        let cause = if opening.is_retried() { Cause::SynRetry } else { Cause::None };
        return vec![opens, rest(last, Limit::Handshake, cause)];
    }
    let Some(due) = due else {
        return vec![opens, rest(last, Limit::Application, Cause::SenderApplication)];
    };
    let judgement = Silence::of_answer(&due).judgement;
    let since = due.time.since.max(established);
    let asked = rest(since, Limit::Application, Cause::WaitingForPeer);
    let over = flow.over.map_or(0, |over| over.frame);
    let owed = Interval {
        first_frame: over,
        last_frame: over,
        confidence: judgement.confidence,
        ..interval(since, due.time.until.max(since), judgement.limit, judgement.cause)
    };
    vec![opens, asked, owed]
}

/// A direction without data, in which an answer may be `due`.
pub(super) fn without_data(
    flow: &Flow,
    placing: &Placing,
    from: Side,
    due: Option<Due>,
    period: Period,
) -> Direction {
    let timeline: Vec<Interval> = times(flow, due, placing.last)
        .into_iter()
        .filter_map(|i| period.cut(i.from, i.to).map(|(from, to)| Interval { from, to, ..i }))
        .collect();
    let facts = Facts {
        mss: 0,
        rtt_floor: placing.legs.floor(),
        peak_bps: 0,
        path_bps: 0,
        max_flight: 0,
        first_flight: 0,
        resent: false,
        max_window: 0,
        min_window: 0,
        scale: WindowScale::Absent,
        tail: Nanos::ZERO,
    };
    let verdict = verdict::of(from, &timeline, &[], &facts);
    Direction::without_data(from, timeline.into(), verdict, facts)
}
