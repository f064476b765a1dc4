//! The end of a connection: its stretches are judged and the answer is written down.

use super::conclusion::Judged;
use super::{findings, verdict};
use crate::flow::Flow;
use crate::flow::placing::Placing;
use crate::flow::sender::Sender;
use crate::limits::{Context, Losses, Silence, ceiling, lay, pattern};
use crate::model::{
    Cause, Connection, Direction, Evidence, Facts, Interval, Limit, RttSummary, Side, Source,
    Transfer, Vantage, WindowScale,
};
use crate::units::Nanos;
use crate::whatif::analytic::{Path, Traits, predict};
use crate::whatif::reader;

/// Lost segments from which their place in bursts can be told.
const FEWEST_LOST: u32 = 10;
/// A path that held the sender for less than this part of the time shows its rate better in the first window.
const FILLED_PART: i64 = 20;

/// Everything that is known about `flow`, whose packets said `placing` of the capture point.
pub(super) fn connection(flow: &mut Flow, placing: &Placing, turn: u64) -> Judged {
    flow.end();
    let findings = findings::of(flow, placing);
    let rtt = rtt_of(flow, placing);
    let (position, confidence) = placing.legs.position(rtt.min);
    let (client, up) = direction(flow, placing, Side::Client);
    let (server, down) = direction(flow, placing, Side::Server);
    let mut findings = findings;
    findings.extend(findings::of_losses(Side::Client, up.losses));
    findings.extend(findings::of_losses(Side::Server, down.losses));
    findings.extend(findings::of_scale([&client, &server]));
    let connection = Connection {
        id: flow.id,
        client: flow.ends[0],
        server: flow.ends[1],
        start: flow.start,
        duration: placing.last - flow.start,
        packets: placing.packets.iter().sum(),
        vantage: Vantage { position, confidence },
        rtt,
        directions: [client, server],
        findings: findings.into(),
    };
    Judged { turn, connection, traits: [up.traits, down.traits] }
}

/// What else is known of a direction.
#[derive(Default)]
struct More {
    losses: Losses,
    traits: Traits,
}

fn rtt_of(flow: &Flow, placing: &Placing) -> RttSummary {
    let mut all = crate::flow::rtt::Distribution::default();
    for sender in flow.senders.iter().flatten() {
        all.merge(&sender.rtt.distribution);
    }
    let mut summary = all.summary();
    let handshake = placing.legs.to[0].floor() + placing.legs.to[1].floor();
    let whole = placing.legs.to.iter().all(|leg| leg.known());
    if all.is_empty() && whole {
        summary = RttSummary { min: handshake, median: handshake, p95: handshake };
    }
    summary
}

fn direction(flow: &Flow, placing: &Placing, from: Side) -> (Direction, More) {
    let Some(sender) = &flow.senders[from as usize] else {
        return (silent(flow, placing, from), More::default());
    };
    let silence = silence_of(flow, from, sender);
    let mut facts = facts_of(sender);
    let mut ctx = Context::new(sender.record.closed(), facts.rtt_floor, sender.size.mss());
    ctx.scale = sender.window.scale();
    ctx.shift = sender.window.shift();
    ctx.syn_retried = flow.handshake.is_retried();
    ctx.opened_by = flow.handshake.syn.iter().flatten().map(|s| s.frame).min().unwrap_or(0);
    ctx.far = sender.is_far();
    ctx.sees_queues = !ctx.far || placing.legs.to[from as usize].echoes > 0;
    ctx.blind = sender.answers.last().is_none();
    ctx.placed = placing.legs.to[from as usize].known();
    ctx.first_window = sender.capacity.of_first_window(sender.size.mss(), facts.rtt_floor);
    let fastest = sender.capacity.of_first_window(sender.size.mss(), Nanos::MAX);
    ctx.capacity = link_rate(sender.capacity.rate(), fastest, &ctx);
    ctx.losses = pattern(&ctx, sender.bursts.lost_stand_higher(FEWEST_LOST));
    let timeline = lay(&ctx, silence);
    facts.peak_bps = ctx.peak.saturating_mul(8);
    let (transfers, transfers_omitted) = sender.transfers.all();
    let transfer = span_of(transfers);
    // Any path carries an initial window in a round trip (RFC 6928).
    let least = crate::units::bits_per_second(10 * sender.size.mss(), facts.rtt_floor) / 8;
    let filled = is_filled(&timeline, transfer);
    let capacity = sender.capacity.narrowest(ctx.peak, facts.rtt_floor, sender.size.mss(), filled);
    let capacity = capacity.max(least);
    let bytes = sender.bytes();
    let reader = reader::rate(ctx.stretches, facts.rtt_floor);
    let paced = ctx.is_paced();
    let stopped_at = if filled && !paced { ceiling(&ctx) } else { None };
    let traits = Traits { capacity, reader, ceiling: stopped_at, paced };
    let path = Path { timeline: &timeline, facts: &facts, transfer, bytes, traits };
    let what_if = predict(&path);
    let verdict = verdict::of(&timeline, transfers, &facts);
    let direction = Direction {
        from,
        bytes,
        transfer,
        retransmitted: sender.tally.retransmitted,
        verdict,
        what_if: what_if.into(),
        timeline: timeline.into(),
        transfers: transfers.into(),
        transfers_omitted,
        facts,
    };
    (direction, More { losses: ctx.losses, traits })
}

/// What the narrowest link carries: what ACKs are `spaced` by, unless the first window, which left at once, came through twice as slowly
/// (then ACKs bunch, and the link carries what it did for longer than they do), or twice as fast through a path that is never full: then
/// the sender is spread out by now.
///
/// How late the host was may be why the first window seems slow: `fastest` is its rate had the host never been late.
fn link_rate(spaced: Option<u64>, fastest: Option<u64>, ctx: &Context<'_>) -> Option<u64> {
    match (spaced, fastest.max(ctx.first_window), ctx.first_window) {
        (Some(rate), Some(first), _) if first < rate / 2 => {
            Some(first.max(ctx.carried().min(rate)))
        }
        (Some(rate), _, Some(first)) if first / 2 > rate && ctx.is_never_full() => Some(first),
        _ => spaced,
    }
}

/// Whether the path held the sender for long enough to show its rate: a policer lets a first burst through faster. A steady rate alone may
/// be pacing's, or a window's that is spread out, unless it is most of the time.
fn is_filled(timeline: &[Interval], transfer: Nanos) -> bool {
    let time = |is_meant: &dyn Fn(&Interval) -> bool| {
        let full = timeline.iter().filter(|i| i.limit == Limit::PathBandwidth && is_meant(i));
        full.fold(Nanos::ZERO, |sum, i| sum + (i.to - i.from))
    };
    let clear = |i: &Interval| i.cause != Cause::SteadyRate;
    time(&clear).scale(FILLED_PART, 1) >= transfer || time(&|_| true).scale(2, 1) >= transfer
}

fn span_of(transfers: &[Transfer]) -> Nanos {
    match (transfers.first(), transfers.last()) {
        (Some(first), Some(last)) => last.to - first.from,
        _ => Nanos::ZERO,
    }
}

fn facts_of(sender: &Sender) -> Facts {
    let window = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
    let smallest = sender.window.smallest;
    Facts {
        mss: u32::try_from(sender.size.mss()).unwrap_or(u32::MAX),
        rtt_floor: sender.rtt.floor_or_zero(),
        peak_bps: 0,
        max_flight: sender.tally.max_flight,
        max_window: window(sender.window.largest),
        min_window: if smallest == u64::MAX { 0 } else { window(smallest) },
        scale: sender.window.scale(),
    }
}

/// What the end of a direction was that nobody answered any more.
fn silence_of(flow: &Flow, from: Side, sender: &Sender) -> Option<Silence> {
    let answers = &sender.answers;
    if !sender.is_left_unanswered() {
        return None;
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
    Some(Silence { from: answers.last().unwrap_or(flow.start), cause })
}

/// A direction without data: the handshake, then nothing to send.
fn silent(flow: &Flow, placing: &Placing, from: Side) -> Direction {
    let established = flow.handshake.established.unwrap_or(flow.start);
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
    let unanswered = flow.handshake.established.is_none() && flow.handshake.syn[0].is_some();
    let timeline: Vec<Interval> = [
        interval(flow.start, established, Limit::Handshake, Cause::None),
        if unanswered {
            let retried = flow.handshake.is_retried();
            let cause = if retried { Cause::SynRetry } else { Cause::None };
            interval(established, placing.last, Limit::Handshake, cause)
        } else {
            interval(established, placing.last, Limit::Application, Cause::SenderApplication)
        },
    ]
    .into_iter()
    .filter(|i| i.to > i.from)
    .collect();
    let facts = Facts {
        mss: 0,
        rtt_floor: placing.legs.to[0].floor() + placing.legs.to[1].floor(),
        peak_bps: 0,
        max_flight: 0,
        max_window: 0,
        min_window: 0,
        scale: WindowScale::Absent,
    };
    let verdict = verdict::of(&timeline, &[], &facts);
    Direction {
        from,
        bytes: 0,
        transfer: Nanos::ZERO,
        retransmitted: 0,
        verdict,
        what_if: Box::default(),
        timeline: timeline.into(),
        transfers: Box::default(),
        transfers_omitted: 0,
        facts,
    }
}

#[cfg(test)]
mod tests {
    use super::link_rate;
    use crate::flow::stretch::{Stretch, Wait};
    use crate::limits::Context;
    use crate::units::Nanos;

    /// Forty rounds of a millisecond, with so much arriving in each in turn; whether a queue stands.
    fn link(spaced: Option<u64>, first: Option<u64>, arrived: [i64; 2], full: bool) -> Option<u64> {
        let round = Nanos::from_millis(1);
        let stretch = |k: i64| {
            let from = round.scale(k, 1);
            let mut s = Stretch { to: from + round, ..Stretch::starting(from, Wait::Ack) };
            s.arrived = arrived[k as usize % 2];
            s.sampled(if full { round.scale(3, 1) } else { round });
            s
        };
        let list: Vec<Stretch> = (0..40).map(stretch).collect();
        let mut ctx = Context::new(&list, round, 1448);
        ctx.first_window = first;
        link_rate(spaced, first, &ctx)
    }

    #[test]
    fn the_first_window_shows_the_link_where_acks_bunch_or_the_sender_is_spread_out() {
        assert_eq!(link(Some(200), Some(36), [0, 0], true), Some(36));
        assert_eq!(link(Some(9), Some(36), [0, 0], false), Some(36));
        // A policer's rate, or that of a link with a queue.
        assert_eq!(link(Some(9), Some(36), [0, 0], true), Some(9));
        assert_eq!(link(Some(30), Some(36), [0, 0], false), Some(30));
        assert_eq!(link(None, Some(36), [0, 0], false), None);
        assert_eq!(link(Some(30), None, [0, 0], false), Some(30));
    }

    #[test]
    fn a_link_carries_what_it_did_for_longer_than_acks_bunch_though_the_first_window_was_slow() {
        let (slow, fast) = (Some(20_000_000), Some(100_000_000));
        assert_eq!(link(fast, slow, [80_000, 0], true), Some(40_000_000));
        // Nothing arrives faster than it is spaced.
        assert_eq!(link(Some(50_000_000), slow, [200_000, 0], true), Some(50_000_000));
    }
}
