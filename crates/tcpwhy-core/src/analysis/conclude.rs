//! The end of a connection: its stretches are judged and the answer is written down.

use super::conclusion::Judged;
use super::narrowest::{Narrowest, is_filled, link_rate};
use super::period::Period;
use super::{findings, unanswered, verdict};
use crate::flow::Flow;
use crate::flow::drops::Drops;
use crate::flow::placing::Placing;
use crate::flow::sender::Sender;
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::limits::{Context, Losses, Lost, ceiling, lay, paced_ceiling, pattern};
use crate::model::{
    Connection, Direction, Facts, Interval, Limit, Progress, RttSummary, Side, Traits, Transfer,
    Vantage,
};
use crate::units::Nanos;
use crate::whatif::{predict_simply, reader, turns};
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::Arc;

/// Lost segments from which their place in bursts can be told.
const FEWEST_LOST: u32 = 10;
/// Segments that three round trips of slow start send (RFC 6928: 10, 20 and 40).
const FILLS_A_PATH: u64 = 70;

/// Everything that is known about `flow` in `period`, whose packets said `placing` of the capture point.
pub(super) fn connection(flow: &mut Flow, placing: &Placing, turn: u64, period: Period) -> Judged {
    if !period.meets(flow.start, placing.last) {
        return Judged { turn, connection: None };
    }
    flow.end();
    flow.learn_of_queues(placing);
    let findings = findings::of(flow, placing);
    let mut rtt = rtt_of(flow, placing);
    let (position, confidence) = placing.legs.position(rtt.min);
    let (mut client, up) = direction(flow, placing, Side::Client, period);
    let (mut server, down) = direction(flow, placing, Side::Server, period);
    let answers = [&server, &client].map(turns::answering);
    for (direction, answers) in [&mut client, &mut server].into_iter().zip(answers) {
        if let Some(traits) = &mut direction.traits {
            traits.answers = answers;
        }
        predict_simply(direction);
    }
    let mut findings = findings;
    findings.extend(findings::of_losses(Side::Client, up));
    findings.extend(findings::of_losses(Side::Server, down));
    findings.extend(findings::of_scale([&client, &server]));
    let (start, end) = (flow.start.max(period.from), placing.last.min(period.to));
    if !period.holds(flow.start, placing.last) {
        findings::keep_shown(&mut findings, [&client, &server]);
        let stretches = flow.senders.iter().flatten().flat_map(|sender| sender.record.closed());
        rtt = period.rtt(rtt, stretches);
    }
    let connection = Connection {
        id: flow.id,
        client: flow.ends[0],
        server: flow.ends[1],
        opened: flow.start,
        start,
        duration: end - start,
        packets: placing.packets.iter().sum(),
        vantage: Vantage { position, confidence },
        rtt,
        directions: [client, server],
        findings: findings.into(),
    };
    Judged { turn, connection: Some(connection) }
}

fn rtt_of(flow: &Flow, placing: &Placing) -> RttSummary {
    let mut all = crate::flow::distribution::Distribution::default();
    for sender in flow.senders.iter().flatten() {
        all.merge(&sender.rtt.distribution);
    }
    let mut summary = all.summary();
    let floors = flow.senders.iter().flatten().map(|sender| sender.rtt.floor);
    if !all.is_empty()
        && let Some(floor) = floors.min()
    {
        summary.min = summary.min.min(floor);
    }
    let handshake = placing.legs.floor();
    let whole = placing.legs.to.iter().all(|leg| leg.known());
    if all.is_empty() && whole {
        (summary.min, summary.median, summary.p95) = (handshake, handshake, handshake);
    }
    summary.hides_queues = hides_queues(flow, placing);
    summary
}

/// Whether round trips lack the queues before the capture, in a direction that could fill a path.
fn hides_queues(flow: &Flow, placing: &Placing) -> bool {
    [Side::Client, Side::Server].into_iter().any(|from| {
        let sender = flow.senders[from as usize].as_ref();
        let sender = sender.filter(|s| fills_a_path(s.bytes(), s.size.mss()));
        sender.is_some_and(|sender| !sees_queues(sender, placing, from))
    })
}

/// Queues on all of the path show in the RTT: without timestamps those between a capture point and a `sender` far from it do not.
fn sees_queues(sender: &Sender, placing: &Placing, from: Side) -> bool {
    !sender.is_far() || placing.legs.to[from as usize].echoes() > 0
}

/// A direction in a period, and the pattern of its losses.
fn direction(flow: &Flow, placing: &Placing, from: Side, period: Period) -> (Direction, Losses) {
    let due = flow.due_from(from);
    let owes = due.is_some_and(|due| due.time.since < period.to);
    let Some(sender) = &flow.senders[from as usize] else {
        let silent = unanswered::without_data(flow, placing, from, due, period);
        return (Direction { owes, ..silent }, Losses::default());
    };
    let silence = unanswered::end_of(flow, from, sender, due);
    let mut facts = facts_of(sender);
    let ctx = context(flow, placing, from, sender);
    let mut timeline = lay(&ctx, silence, Period::default());
    facts.peak_bps = ctx.peak.saturating_mul(8);
    facts.first_flight = first_flight(&ctx);
    let (transfers, transfers_omitted) = sender.transfers.all();
    let mut transfers = transfers.to_vec();
    let reader = reader::rate(ctx.stretches, facts.rtt_floor).and_then(NonZeroU64::new);
    // The path is the same before and after the period.
    let filled = is_filled(&timeline, span_of(&transfers));
    let policed = ctx.losses.allowed();
    let link = Narrowest::of(sender, &timeline, ctx.peak, filled, reader.is_some(), policed);
    let (mut bytes, mut retransmitted) = (sender.bytes(), sender.tally.retransmitted);
    let mut losses = ctx.losses;
    // What came last may have reached the sender only after the period.
    if !period.holds(flow.start, timeline.last().map_or(placing.last, |last| last.to)) {
        timeline = lay(&ctx, silence, period);
        transfers = period.of_transfers(&transfers, &timeline);
        (bytes, retransmitted, losses) = within(&timeline, sender, losses);
    }
    let transfer = span_of(&transfers);
    facts.tail = tail_of(&timeline, sender.sent_all, transfer);
    let capacity = link.carries;
    facts.path_bps = link.shown.map_or(0, |carries| carries.saturating_mul(8));
    let paced = ctx.is_paced();
    let ceiling = stopped_at(&ctx, filled, paced, capacity);
    let opened = timeline.iter().any(|i| i.limit == Limit::Handshake);
    let is_least = link.is_least;
    let chance = matches!(ctx.losses, Losses::Random { .. });
    let traits =
        Traits { capacity, is_least, reader, ceiling, paced, chance, opened, answers: Nanos::ZERO };
    let verdict = verdict::of(from, &timeline, &transfers, &facts);
    let direction = Direction {
        from,
        bytes,
        transfer,
        retransmitted,
        verdict,
        what_if: Box::default(),
        timeline: timeline.into(),
        transfers: transfers.into(),
        transfers_omitted,
        owes,
        facts,
        progress: progress(&ctx, bytes, period),
        traits: Some(traits),
    };
    (direction, losses)
}

/// How data of so many bytes went on in the `period`, where it is enough to fill a path.
fn progress(ctx: &Context<'_>, bytes: u64, period: Period) -> Option<Arc<Progress>> {
    let of_period = |s: &&Stretch| period.meets(s.from, s.to);
    let steps = ctx.stretches.iter().filter(of_period).map(|s| (s.from, s.to, s.arrived()));
    fills_a_path(bytes, ctx.mss).then(|| Progress::of(steps)).flatten().map(Arc::new)
}

/// What ends sooner fills no path, with segments of `mss` bytes.
fn fills_a_path(bytes: u64, mss: u64) -> bool {
    bytes >= FILLS_A_PATH * mss
}

/// What the rules ask of a sender's data.
fn context<'a>(flow: &Flow, placing: &Placing, from: Side, sender: &'a Sender) -> Context<'a> {
    let (floor, mss) = (sender.rtt.floor_or_zero(), sender.size.mss());
    let way = &placing.legs.to[from as usize];
    let mut ctx = Context::new(sender.record.closed(), floor, mss);
    ctx.scale = sender.window.scale();
    ctx.shift = sender.window.shift();
    ctx.syn_retried = flow.handshake.is_retried();
    ctx.accepted = findings::not_accepted(flow, placing).and_then(|tally| tally.heard);
    let opened_by = || flow.handshake.syn.iter().flatten().map(|s| s.frame);
    ctx.opened_by = opened_by().min().zip(opened_by().max()).unwrap_or_default();
    ctx.far = sender.is_far();
    ctx.sees_queues = sees_queues(sender, placing, from);
    ctx.blind = !sender.answers.are_captured();
    ctx.placed = way.known();
    ctx.sure = way.is_sure(floor);
    ctx.exact = way.is_exact(floor);
    ctx.tick = sender.capacity.tick();
    ctx.first_window = sender.capacity.of_first_window(mss, floor);
    let fastest = sender.capacity.of_first_window(mss, Nanos::MAX);
    let lost = lost_by(sender);
    ctx.capacity = link_rate(sender.capacity.rate(), fastest, lost.before, &ctx);
    ctx.losses = pattern(&ctx, lost);
    ctx
}

/// The flight at which the sender stopped over a path that was full and has `capacity`. What waits in queues that are not seen belongs to it.
fn stopped_at(ctx: &Context<'_>, filled: bool, paced: bool, capacity: u64) -> Option<NonZeroU32> {
    let flight = match (filled && ctx.sees_queues, paced) {
        (false, _) => None,
        (true, false) => ceiling(ctx),
        (true, true) => paced_ceiling(ctx, capacity),
    };
    flight.and_then(|flight| NonZeroU32::new(narrow(flight)))
}

fn lost_by(sender: &Sender) -> Lost<'_> {
    Lost {
        farther: sender.bursts.lost_stand_higher(FEWEST_LOST),
        before: sender.overflow.before_losses(&sender.rtt),
        drops: sender.drops.as_deref().map_or(&[], Drops::list),
    }
}

/// Bytes acknowledged and sent again in a part of a direction's time, and those of its losses.
fn within(timeline: &[Interval], sender: &Sender, losses: Losses) -> (u64, u64, Losses) {
    let sum = |of: fn(&Interval) -> u64| timeline.iter().map(of).sum::<u64>();
    let segments = sum(|i| i.evidence.retransmissions.into());
    let resent = segments.saturating_mul(sender.size.mss()).min(sender.tally.retransmitted);
    (sum(|i| i.evidence.acked), resent, losses.of_which(segments))
}

fn span_of(transfers: &[Transfer]) -> Nanos {
    match (transfers.first(), transfers.last()) {
        (Some(first), Some(last)) => last.to - first.from,
        _ => Nanos::ZERO,
    }
}

fn facts_of(sender: &Sender) -> Facts {
    let smallest = sender.window.smallest;
    Facts {
        mss: narrow(sender.size.mss()),
        rtt_floor: sender.rtt.floor_or_zero(),
        peak_bps: 0,
        path_bps: 0,
        max_flight: narrow(sender.tally.max_flight),
        first_flight: 0,
        max_window: narrow(sender.window.largest),
        min_window: if smallest == u64::MAX { 0 } else { narrow(smallest) },
        scale: sender.window.scale(),
        tail: Nanos::ZERO,
        resent: sender.tally.retransmitted > 0,
    }
}

/// See [`Facts::first_flight`].
fn first_flight(ctx: &Context<'_>) -> u32 {
    let opened = ctx.stretches.first().is_some_and(|s| s.wait == Wait::Handshake);
    let first = ctx.stretches.iter().map(|s| s.flight).find(|flight| *flight > 0);
    first.filter(|_| opened).map_or(0, narrow)
}

/// From when all was sent to the end of `timeline`, as far as nothing else held the sender then, in a transfer that took so long.
fn tail_of(timeline: &[Interval], sent_all: Option<Nanos>, transfer: Nanos) -> Nanos {
    let last = timeline.last().filter(|last| last.limit == Limit::Application);
    let tail = sent_all.zip(last).map(|(sent, last)| last.to - sent.clamp(last.from, last.to));
    tail.unwrap_or_default().min(transfer)
}

/// Bytes of what is far below 4 GB in TCP.
fn narrow(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
