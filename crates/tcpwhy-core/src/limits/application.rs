//! `application`: the sender has nothing to send.
//!
//! Signature: the next sending is not triggered by an ACK and the flight had drained. A segment
//! shorter than the MSS proves nothing by itself: a full send buffer ends in short segments too
//! (the classifier of T-RAT, SIGCOMM 2002, relied on it). Think time belongs to whoever thinks.

mod grants;

use self::grants::is_paired;
pub(super) use self::grants::{answers, granted, or_granted};
use super::around::{Around, EVEN, PAUSES, nearly};
use super::context::CALM_ROUNDS;
use super::send_buffer::{is_a_setting, pinned};
use super::{Context, Judgement};
use crate::flow::WAKE_UP;
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::kernel::send::autosized;
use crate::model::{Cause, Limit};
use crate::units::{Nanos, bytes_in};

/// On a path this long what hosts take to run a process hardly counts.
pub(super) const TIMELY: Nanos = Nanos::from_millis(4);

/// ACKs that fall together and release data at once.
const SOME_ACKS: u64 = 4;

/// Time from one ACK to the next in which a host wakes up ten times.
const SPARSE: Nanos = Nanos(10 * WAKE_UP.0);

/// Part of the time (percent) from which on stalls, and not what lies between them, set the rate.
const MOSTLY: i64 = 50;

/// Percent of the time that a busy host makes a sender rest that has no reason to.
const BUSY: i64 = 5;

/// Everything acknowledged and nothing sent.
pub(super) fn idle(ctx: &Context<'_>, i: usize) -> Judgement {
    let s = &ctx.stretches[i];
    let cause = match s.wait {
        Wait::IdlePeer => Cause::WaitingForPeer,
        _ if s.probes > s.segments => Cause::KeepAlive,
        _ => Cause::SenderApplication,
    };
    Judgement::new(Limit::Application, cause, 95)
}

/// Data in flight, ACKs come in and release nothing, and each burst ends with PSH though few other
/// segments carry it: the queue was empty, whatever the path does with what is out already.
pub(super) fn emptied(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    ctx.around(i)
        .runs_dry()
        .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 85))
}

/// A writer that waits for room would have gone on long ago, in half of the waits or more, for a busy host sleeps through a few; or the waits
/// begin where writes end (the only segments that are short stand before them) and end at another time than an ACK's.
pub(super) fn forgone(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let ends = around.ends_before_stalls() && around.short_segments <= 2 * around.stalls;
    // What ends just after an ACK by chance does so rarely; from afar many an ACK may have been the one.
    let woken = around.most_stalls(around.woken) || !ctx.far && around.woken * 2 >= around.stalls;
    // A packet of many segments makes room when the last of them was acknowledged. Where ACKs are few, no chance ends every wait just then.
    let sparse = i64::from(around.acks) * SPARSE.0 <= around.time.0;
    let freed = sparse && around.most_stalls(around.woken);
    (around.forgoes_room() && !freed || ends && !woken)
        .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 75))
}

/// More is in flight than the path holds, and yet the path is not busy: whatever bounds a flight that is refilled as it drains (a
/// window, a buffer down to the two thirds at which `sk_stream_write_space` wakes its writer) would keep it so. The flight is not
/// refilled.
pub(super) fn overshoots(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let (carries, holds) = (ctx.capacity?, ctx.carries_in(ctx.floor)?);
    // A path that falls silent carries little at last.
    let goes_on = || !ctx.stretches.get(ctx.run(i).end).is_some_and(Stretch::is_repair);
    // What arrives in a round trip is what was in flight, if that was kept up (Little's law): then ACKs wait in a queue of their own. Where most
    // of it drains before more is sent it was not.
    let kept_up = || {
        let drains = around.most_stalls(around.left.count());
        let arrives = |rtt| bytes_in(around.rate(), rtt);
        let rtt = ctx.stretches[i].rtt_mean();
        !drains && rtt.is_some_and(|rtt| arrives(rtt) >= around.flight() / 4 * 3)
    };
    (ctx.floor > TIMELY
        && around.resent == 0
        && around.rounds >= CALM_ROUNDS
        && around.flight() / 3 * 2 > holds + holds / 10
        && around.rate() < nearly(carries)
        && !kept_up()
        && goes_on())
    .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 70))
}

/// A constant rate that nothing on the path sets, in bursts by a timer: larger ones than pacing makes, or with the ends of writes in
/// them. A wait now and then is a host's.
pub(super) fn own_pace(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    if around.waits < CALM_ROUNDS {
        return None;
    }
    // The rounds before may still belong to slow start.
    let around = if ctx.stands(&around) { around } else { ctx.ahead(i) };
    // Waits of all lengths between bursts that stop at the same byte are a full buffer's behind a pacer.
    let refilled = || around.is_erratic() && pinned(ctx, i);
    let bursts = around.is_little_at_once() && is_more_than_paced(ctx, &around) && !refilled();
    let ends = around.short_segments * 8 >= around.segments;
    let released = around.is_woken_by_acks() || around.is_released_by_acks();
    let timed = around.waits >= CALM_ROUNDS && !released;
    (ctx.is_calm(i, &around) && timed && (bursts || ends))
        .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 70))
}

/// As `own_pace`, with the ends of writes or at even intervals, where what is written at once makes a queue. Among many ACKs one often comes
/// in just before, from afar always; but where nothing stalls, more leaves at once than some of them make room for.
pub(super) fn writes_little(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let burst = around.burst();
    let released = around.stalls > 0 || burst <= SOME_ACKS * around.per_ack();
    ((ctx.far && !around.follows_acks() || !released || !around.is_woken_by_acks())
        && ctx.floor > TIMELY
        && around.is_little_at_once()
        && (around.shows_ends() || around.is_timed())
        && is_more_than_paced(ctx, &around)
        && around.rounds >= CALM_ROUNDS
        && around.resent == 0
        && ctx.stands(&around)
        && ctx.settled(i))
    .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 65))
}

/// Near the sender segments leave one by one, hardly ever as an ACK comes, at intervals of a clock's one or two ticks, and a short one in every second
/// round: small writes that fill them up while Nagle's rule keeps back what is less. A full buffer behind a pacer has waits of all lengths.
pub(super) fn fills_segments(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    (!ctx.far
        && around.leaves_one_by_one(ctx.mss)
        && around.prompt * 16 <= around.waits
        && around.is_ticking()
        && around.shows_ends()
        && ctx.is_calm(i, &around))
    .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 70))
}

/// Writes end at even intervals, many of them in each flight, and nothing queues: neither a window nor a buffer nor a link that is full has it so.
pub(super) fn writes_evenly(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    ends_so(ctx, i, Around::ends_often, |around| around.ends_evenly() && ctx.queues_nothing(around))
}

/// Writes end by a clock. (A link that is full lets them end so, too, and on a short path hosts are late by as much as ACKs are.)
pub(super) fn writes_by_a_clock(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    (ctx.floor > TIMELY).then(|| ends_so(ctx, i, Around::ends_often, Around::ends_by_a_clock))?
}

/// Bursts leave by a clock, each larger than a pacer's, over a path that is busy for less than half of the time, as far as that is known (three
/// quarters, where nearly all intervals repeat), or no more often as an ACK comes than by chance. (Behind a pacer a full buffer's bursts are as even,
/// but stop at the same byte or follow ACKs.)
pub(super) fn bursts_by_a_clock(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let by_a_clock = |around: &Around| {
        let most = if around.keeps_a_beat() { 3 } else { 2 };
        let idle = ctx.link().is_none_or(|carries| around.rate() <= carries / 4 * most);
        let burst = around.bursts_by_a_clock();
        burst.is_some_and(|burst| burst > paced_burst(ctx, around.rate()))
            && (idle || !ctx.far && around.is_woken_by_chance())
            && !(around.spreads_bursts() && pinned(ctx, i))
            && !around.is_released_by_acks()
            && (around.keeps_a_beat() || !around.grows(ctx.mss))
    };
    (ctx.floor > TIMELY && ctx.settled(i))
        .then(|| ends_so(ctx, i, Around::repeats_often, by_a_clock))?
}

/// Writes end as `so` says, in many rounds without a loss, and do so `often`: what does not do that around does not ahead.
fn ends_so(
    ctx: &Context<'_>,
    i: usize,
    often: fn(&Around) -> bool,
    so: impl Fn(&Around) -> bool,
) -> Option<Judgement> {
    let often = |around: &Around| around.rounds >= CALM_ROUNDS && often(around);
    let so = |around: &Around| so(around) && around.resent == 0 && !is_paired(around);
    let around = ctx.around(i);
    // The rounds before may still belong to slow start.
    let ahead = || Some(ctx.ahead(i)).filter(|ahead| often(ahead));
    (often(&around) && (so(&around) || ahead().is_some_and(|ahead| so(&ahead))))
        .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 85))
}

/// Seen from afar data goes on at one rate, without a rest: what ACKs release rests until they come back. Nothing queues, as it does now and then before a
/// link that is full. And the sender's queue was empty time after time: writes end short, or each segment is marked, or more leaves at once than
/// pacing makes, of what the link could carry twice.
pub(super) fn flows_evenly(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let marks = around.marks_each() && !around.is_cut_from_more();
    let idle = || ctx.link().is_some_and(|carries| around.rate() <= carries / 2);
    // At even intervals no two ACKs fall together. One wait in each round trip is the rest until they come back.
    let several = around.waits >= 2 * around.rounds;
    let bursts = || several && around.is_even() && exceeds_pacing(ctx, &around, true) && idle();
    (ctx.far
        && around.stalled_percent() <= BUSY
        && !around.is_released_by_acks()
        && !around.is_at_the_edge()
        && !(is_a_setting(&around, ctx.mss) && pinned(ctx, i))
        && ctx.is_calm(i, &around)
        && ctx.queues_nothing(&around)
        && (around.shows_ends() || marks || bursts()))
    .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 70))
}

/// The waits that stand out, so many times longer than others, end at another time than an ACK's: neither a window nor a writer that waits
/// for room takes such breaks, and pacing is even. A few among many waits are a busy host's, unless they take a good part of the time or the
/// ends of writes show.
pub(super) fn breaks_off(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    (ctx.floor > TIMELY
        && around.breaks >= CALM_ROUNDS
        && around.breaks_woken * 4 <= around.breaks
        && (around.breaks * 8 >= around.waits
            || around.stalled_percent() >= PAUSES
            || around.shows_ends())
        && around.resent == 0
        && !around.grows(ctx.mss))
    .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 65))
}

/// For most of the time nothing leaves, no ACK ends those stalls, and more leaves after them than pacing makes: neither a window nor a
/// pacer holds such a sender. That its queue ran dry need not show: Nagle keeps the end of each write back for the next one.
pub(super) fn rests(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    (ctx.floor > TIMELY
        && around.stalled_percent() >= MOSTLY
        && around.stalls >= CALM_ROUNDS
        && around.woken * 4 <= around.stalls
        && around.resent == 0
        && ctx.settled(i)
        && around.between_stalls() > paced_burst(ctx, around.rate()))
    .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 60))
}

/// Half of the stalls or more end when no ACK has come for longer than a busy host sleeps, or all of them at one time after it: whatever
/// waits for room, in a window or in a buffer, goes on when an ACK makes it. After them more leaves than pacing makes. (The end of a write
/// that Nagle keeps back leaves with an ACK, and is no stall.)
pub(super) fn unprompted(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    (ctx.floor > TIMELY
        && around.stalls >= CALM_ROUNDS
        && (around.unprompted * 2 >= around.stalls || around.is_late(ctx.mss))
        && around.resent == 0
        && !around.grows(ctx.mss)
        && ctx.settled(i)
        && around.between_stalls() > paced_burst(ctx, around.rate()))
    .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 75))
}

/// Less than a segment is ever in flight, with room in the window: no congestion window, buffer or link is as small (RFC 5681 section 3.1).
pub(super) fn less_than_a_segment(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let tiny = (1..ctx.mss).contains(&around.flight_max);
    (tiny && around.resent == 0 && around.window_min >= 2 * ctx.mss)
        .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 75))
}

/// Every third segment is short, or more, and nothing rests: whatever queues at a sender is made into full segments (`tcp_sendmsg_locked`), and a
/// writer that waits for room rests until there is some.
pub(super) fn sends_as_it_writes(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    (around.short_segments * 3 >= around.segments
        && around.segments >= 2 * EVEN
        && around.stalled_percent() <= BUSY
        && around.resent == 0)
        .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 75))
}

/// More leaves at once than pacing makes, between waits that few ACKs end: then those that fall together add nothing to it.
fn is_more_than_paced(ctx: &Context<'_>, around: &Around) -> bool {
    exceeds_pacing(ctx, around, around.prompt * 4 <= around.waits)
}

/// More leaves at once than pacing makes, where ACKs come `apart` or may fall together.
fn exceeds_pacing(ctx: &Context<'_>, around: &Around, apart: bool) -> bool {
    let together = if apart { ctx.mss / 2 } else { 0 };
    around.burst() > paced_burst(ctx, around.sending_rate()) - together
}

/// Bytes that leave at once when a sender paces at `rate`: what the kernel lets go as one, two segments at least (`tcp_min_tso_segs`), and one
/// more for ACKs that fall together.
pub(super) fn paced_burst(ctx: &Context<'_>, rate: u64) -> u64 {
    autosized(rate, ctx.floor).max(2 * ctx.mss) + ctx.mss
}

/// All that was written left in one burst: the ACKs for it let nothing more go, and it is all acknowledged before the next write.
pub(super) fn all_sent(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let (s, next) = (&ctx.stretches[i], ctx.stretches.get(i + 1)?);
    let at_once = s.stalled_time >= s.duration().scale(3, 4);
    (at_once && s.resent == 0 && next.wait == Wait::IdleSelf && next.segments == 0)
        .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 75))
}

/// As `emptied`, where most segments carry PSH: a weaker sign.
pub(super) fn often_emptied(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let dry = around.marks_each() && around.dry_pauses().is_none_or(|dry| dry >= 75);
    (dry && !around.is_cut_from_more() && !around.is_released_by_acks())
        .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 65))
}

#[cfg(test)]
mod tests;
