//! `path_bandwidth`: the narrowest link is busy.
//!
//! A queue that never empties during a round trip keeps the link busy all the time, whatever else
//! caps the flight: a window-limited flow over a standing queue is limited by bandwidth (the test
//! is CoDel's and BBR's: the *smallest* RTT of an interval against the floor). Where a queue is too
//! short to be seen, ACKs that return without a gap at the highest rate say the same.

use super::around::nearly;
use super::context::NOISE;
use super::{Context, Judgement, Losses};
use crate::kernel::RTO_MIN;
use crate::model::{Cause, Limit};
use crate::units::Nanos;

/// Part of the time (percent) beyond which pauses contradict a standing queue.
const CAPPED_PAUSES: i64 = 50;
/// ACKs that make a rate.
const ENOUGH_ACKS: u32 = 16;
/// What hosts add to a round trip.
const HOSTS_ADD: Nanos = Nanos::from_micros(200);
/// Rounds that make a rate steady.
const STEADY_ROUNDS: u32 = 6;

/// The smallest RTT of the round lies well above the floor.
pub(super) fn standing_queue(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let queue = ctx.standing_queue(i).filter(|_| ctx.queue_stands(i))?;
    let deep = queue.0 >= ctx.floor.0;
    let confidence = if deep { 95 } else { 80 };
    Some(Judgement::new(Limit::PathBandwidth, Cause::StandingQueue, confidence))
}

/// As `standing_queue`, after the last data was sent: it stood in the queue, and nothing that follows it could arrive sooner.
pub(super) fn draining(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    ctx.queue_drains(i, ctx.stretches[i].to).then(draining_queue)
}

/// What stood in a queue when the last data was sent is still on its way.
pub(super) fn draining_queue() -> Judgement {
    Judgement::new(Limit::PathBandwidth, Cause::StandingQueue, 75)
}

/// Seen from afar everything is acknowledged before the next segment passes, and yet the queue of its sender was not dry: what passed was
/// full, and without PSH or cut from more (TSO). It left with the rest, and the narrowest link lies before the capture. What is late by a
/// timeout was lost. Where queues do not show, what comes late behind a full segment may have waited in one behind the data of others: nobody knows.
pub(super) fn spread(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let s = &ctx.stretches[i];
    let last = ctx.last_sent(i)?;
    let full = ctx.stretches[last].short_segments == 0 && s.resent == 0;
    if !ctx.far || !full || s.idle >= RTO_MIN {
        return None;
    }
    let left = last == i && (s.dry_stalls == 0 || s.whole_segments == s.segments);
    match left {
        true => Some(Judgement::new(Limit::PathBandwidth, Cause::SteadyRate, 65)),
        false => (!ctx.sees_queues).then_some(Judgement::UNKNOWN),
    }
}

/// Far from a sender whose queues do not show, full segments come one by one at even intervals: as the narrowest link lets them through. What
/// ACKs release, or a host writes, comes in bursts, and a sender that paces lets two segments go at a time (`tcp_tso_autosize`). A reader that is
/// slow has them come as it reads, right behind a window that changes.
pub(super) fn single_file(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let follows = around.window_moves() && around.flight_max + 2 * ctx.mss >= around.window_min;
    (!ctx.sees_queues && !follows && around.is_single_file(ctx.mss))
        .then(|| Judgement::new(Limit::PathBandwidth, Cause::SteadyRate, 65))
}

/// As `single_file`, over a path that jitters: data comes at one rate all along, which is most of what the link carries, or stays though a loss has
/// cut the window. A window that grows or is cut would let come more and less, a buffer or a writer less than that.
pub(super) fn unmoved(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let rate = ctx.even_rate()?;
    let around = ctx.around(i);
    let most = ctx.capacity.is_some_and(|carries| carries < rate / 2 * 3);
    (around.is_of_full_segments() && (most || ctx.cut_before(i)) && around.rate() >= nearly(rate))
        .then(|| Judgement::new(Limit::PathBandwidth, Cause::SteadyRate, 60))
}

/// As `standing_queue`, with the flight at the window's edge. A reader that is slow delays its ACKs until it has freed
/// space (`__tcp_ack_snd_check`), which looks like a queue but for the pauses. They are a slow link's where the window never changes and data comes
/// as fast as it can, or every second segment is acknowledged (RFC 1122 section 4.2.3.2) at even intervals.
pub(super) fn capped_queue(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let steady = around.stalled_percent() < CAPPED_PAUSES && ctx.stretches[i].updates == 0;
    let constant = around.window_stands();
    let evenly = || around.is_regular() && around.per_ack() <= 2 * ctx.mss;
    let slow = || constant && (ctx.carried_all(i) || evenly());
    standing_queue(ctx, i).filter(|_| steady || slow())
}

/// Losses are repaired without a pause while a queue stands, now or, where nothing was measured, before: the link is as busy as ever.
pub(super) fn overflowed(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let s = &ctx.stretches[i];
    let pauses = s.stalled_time.scale(100, s.duration().0.max(1)).0;
    let measured = |k: &usize| ctx.stretches[*k].rtt_count > 0;
    let last = (0..=i).rev().find(measured)?;
    let queued = pauses < CAPPED_PAUSES / 2 && ctx.queue_stands(last);
    let full = || ctx.link().is_some_and(|rate| ctx.arrived_at(i, rate));
    (s.timeouts == 0 && (queued || full()))
        .then(|| Judgement::new(Limit::PathBandwidth, Cause::StandingQueue, 70))
}

/// Between the first and the last loss at a policer, or at a queue that holds next to nothing, the repairs and the slow growth after them
/// are its doing: the sender probes for a rate that it is not given.
pub(super) fn rationed(ctx: &Context<'_>, i: usize, plain: Judgement) -> Option<Judgement> {
    let (cause, first, last, rate) = match ctx.losses {
        Losses::Policed { first, last, rate, .. } => (Cause::Policer, first, last, rate),
        Losses::Overflowed { first, last, rate } => (Cause::SteadyRate, first, last, rate),
        Losses::Plain | Losses::Random { .. } => return None,
    };
    let repairs = matches!(plain.limit, Limit::LossRecovery | Limit::Unknown);
    // The rate that a sender holds between two losses is the policer's, not a link's.
    let probes =
        matches!(plain.cause, Cause::CongestionAvoidance | Cause::Pacing | Cause::SteadyRate);
    // A window that grows back slowly lets less through than the policer does, for many rounds.
    let used = || ctx.arrived_at(i, rate) || ctx.around(i).rate() >= nearly(rate);
    let doing = repairs || probes && used();
    // A rate that stays what it was when the losses end is still the policer's.
    let after = i > last && !ctx.settled(i) && ctx.flat(&ctx.around(i));
    let confidence =
        if matches!(ctx.losses, Losses::Policed { exact: true, .. }) { 90 } else { 75 };
    (doing && ((first..=last + 1).contains(&i) || after))
        .then(|| Judgement::new(Limit::PathBandwidth, cause, confidence))
}

/// As `saturated`, with the flight at the edge of a window that is as large as the path: the link is as busy as it can be, and a larger window
/// would only wait there. A reader that is slow sets the pace of the ACKs, too, but its window changes as it reads. Where queues are not seen, any
/// window sets the highest rate there is.
pub(super) fn capped_full(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let constant = around.window_stands();
    saturated(ctx, i).filter(|_| ctx.sees_queues && constant && ctx.carried_all(i))
}

/// Of a link that is busy, where a queue does not stand because whoever manages it marks (RFC 3168). The marks alone do not say that
/// it is busy: the window that they cut may leave it idle.
pub(super) fn or_marked(ctx: &Context<'_>, i: usize, busy: Judgement) -> Judgement {
    if ctx.is_marked(i) { Judgement { cause: Cause::EcnMarked, ..busy } } else { busy }
}

/// In this very round data came as fast as the narrowest link lets through, and queued before it: slow start has
/// filled the path. A window that grows step by step shows that it has not where more comes through with each.
pub(super) fn saturated(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let s = &ctx.stretches[i];
    let queue = s.forth_mean().map_or(Nanos::ZERO, |rtt| rtt - ctx.floor);
    let queued = queue >= HOSTS_ADD.max(Nanos(ctx.floor.0 / 32));
    // ACKs that wait twice as long on their way back as the data did come as fast as that way carries them.
    let apart = s.back_mean() > queue.scale(2, 1);
    let carries_more = || ctx.climbs(i) && ctx.carries_more(i);
    (queued && !apart && s.rtt_count >= ENOUGH_ACKS && ctx.fills(s) && !carries_more())
        .then(|| Judgement::new(Limit::PathBandwidth, Cause::StandingQueue, 70))
}

/// After an idle time far more was sent than the path holds: what is too much waits before the narrowest link, which is busy from the first
/// moment on and longer than this round lasts, though the first ACKs know nothing of the queue yet. A flight that ends as a write does
/// leaves the link when it has drained.
pub(super) fn flooded(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let s = &ctx.stretches[i];
    let begins = i > 0 && ctx.stretches[i - 1].is_idle();
    let queue = s.forth_mean()? - ctx.floor;
    let queues = queue >= HOSTS_ADD.max(Nanos(ctx.floor.0 / 4));
    let lasts = s.duration().max(ctx.floor.scale(2, 1));
    // Busy for most of it: the first packet and the last ACK travel while the link rests.
    let floods = s.flight >= ctx.carries_in(lasts)? / 4 * 3;
    (begins && queues && floods && s.resent == 0 && s.short_stalls == 0)
        .then(|| Judgement::new(Limit::PathBandwidth, Cause::StandingQueue, 65))
}

/// Twice as much is in flight as the path holds, and most of what the link carries arrives: the rest waits before it. A host that is slow to
/// take in what came, or to acknowledge it, lets the queue drain now and then; a congestion window that grows would only make it longer.
pub(super) fn overfull(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let s = &ctx.stretches[i];
    // What arrived is in flight until its ACK is back, which may have waited, too.
    let (carries, holds) = (ctx.capacity?, ctx.carries_in(ctx.floor + s.back_mean())?);
    // A round in which no ACK came in at all says nothing against a queue.
    let rtt = s.forth_mean().unwrap_or(around.rtt_high);
    let queues = rtt - ctx.floor >= NOISE.max(Nanos(ctx.floor.0 / 2));
    (queues && around.flight() >= 2 * holds && around.rate() >= carries / 2)
        .then(|| Judgement::new(Limit::PathBandwidth, Cause::StandingQueue, 65))
}

/// As `overfull`, where the sender goes by a timer: one that paces has put so much into a queue that its rate is too high, and how much that
/// is varies. What stands at one height is a buffer's or a window's doing.
pub(super) fn overrun(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    overfull(ctx, i).filter(|_| !ctx.stands(&ctx.around(i)))
}

/// Data comes as fast as the narrowest link lets through, and the sender feels it: a queue comes and goes, or something is lost. Not if it
/// is seen to come as fast as it is written.
pub(super) fn steady(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let felt = !ctx.flat(&around) || around.resent > 0;
    let filled = around.is_at_the_edge() && around.window_moves();
    let probes = ctx.lost_lately(i) && ctx.carried_all(i);
    let written = !ctx.far && around.shows_ends() && !around.is_woken_by_acks();
    // What a full link keeps waiting a kernel sends many segments at a time, and marks the last of them.
    let relayed = around.marks_each() && !around.is_cut_from_more() && around.resent == 0;
    (!filled
        && !written
        && !relayed
        && (around.rounds >= STEADY_ROUNDS && felt && ctx.busy(&around) || probes))
        .then(|| Judgement::new(Limit::PathBandwidth, Cause::SteadyRate, 60))
}

#[cfg(test)]
mod tests;
