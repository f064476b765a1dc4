//! `send_buffer`: the socket's send buffer is full of unacknowledged bytes.
//!
//! The flight stands at a plateau (often a saw-tooth: Linux wakes a writer when a third is free,
//! `sk_stream_write_space`), sends are clocked by ACKs, the RTT is at its floor, and each burst ends
//! with PSH, because it emptied the queue (`tcp_push` marks the last segment of a write). A flight
//! held by cwnd grows, and its queue is not empty when it stops. The plateau's height proves
//! nothing: SO_SNDBUF is doubled, counts overhead and is soft (`sk_stream_memory_free` is asked only
//! when a new skb is needed).

use super::application::{TIMELY, paced_burst};
use super::around::{Around, PAUSES};
use super::context::{CALM_ROUNDS, LONG_ENOUGH};
use super::{Context, Judgement};
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::kernel::send::GSO_MAX;
use crate::model::{Cause, Limit};
use crate::units::{Nanos, bytes_in, bytes_per_second};

/// As long as this CUBIC stays within two segments, which delayed ACKs release together, of the window that it had before a loss:
/// 0.4 (t - K)^3 < 2 (RFC 9438 section 4.2).
const CUBIC_STANDS: Nanos = Nanos::from_millis(3420);
/// Round trips until the ACKs for one more segment have been counted (`cwnd_cnt`), before and after.
const COUNTED: i64 = 8;

/// One stall in so many ends just after an ACK, if its host is busy at times.
const IN_TIME: u32 = 8;

/// Stalls that are no chance where each ends just behind an ACK that was not the first.
const OUTGROWN: u32 = 3;

/// A flight seen from afar that differs by less than this part stands still.
const BLUR: u64 = 32;

/// A flight that goes higher by more than this part has not stopped growing.
const RISE: u64 = 16;

/// A flight that stands still below what the path would carry.
pub(super) fn plateau(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    if !may_be_full(ctx, &around) {
        return None;
    }
    // The rounds before may still belong to slow start. A window that adds a segment or two a round goes on, though half as many rounds
    // hardly show it.
    let grew = if around.grows(ctx.mss) { around.growth() } else { 0 };
    let around = if grew > 0 { ctx.ahead(i) } else { around };
    let goes_on = grew > 0 && grew <= 2 * ctx.mss as i64 && around.growth() > grew / 2;
    // Where flights go on to be higher, they stand later.
    let flight = ctx.stretches[i].flight;
    let rises = grew > 0 && around.flight_max > flight + flight / RISE;
    let moves = goes_on || rises || around.grows(ctx.mss) || ctx.climbs(i);
    let still = !moves
        && !around.is_at_the_edge()
        && around.flight_max <= around.flight().saturating_mul(2);
    let rests = around.stalled_percent() >= PAUSES;
    // Pacing smooths the pauses away, but not the height. From afar one rate has one height, whoever keeps it.
    if still && pinned(ctx, i) && (rests || !ctx.far || is_a_setting(&around, ctx.mss)) {
        return Some(Judgement::new(Limit::SendBuffer, Cause::None, 75));
    }
    if !still || !rests {
        return None;
    }
    let dry = around.dryness()? >= 75;
    // Where most segments carry PSH, one more before a pause says little; a kernel that sends each
    // segment as it is written (`tcp_push_one`) never sets it.
    let telling = dry && around.push_tells();
    let long = around.rounds >= CALM_ROUNDS && around.time >= LONG_ENOUGH;
    let confidence = match (telling, long) {
        _ if !ctx.settled(i) => return None,
        (true, true) => 92,
        (true, false) | (false, true) => 75,
        (false, false) if dry => 60,
        (false, false) => return None,
    };
    Some(Judgement::new(Limit::SendBuffer, Cause::None, confidence))
}

/// Enough is in flight to fill a buffer: the smallest takes in two segments (`SOCK_MIN_SNDBUF`), and the least that is written leaves at
/// once. And whoever waits for room is not late every time that there is some, nor without an ACK nearly every time.
fn may_be_full(ctx: &Context<'_>, around: &Around) -> bool {
    let unprompted = around.most_stalls(around.unprompted);
    around.flight_max >= 2 * ctx.mss && !around.is_late(ctx.mss) && !unprompted
}

/// As `plateau`, after a wait that no ACK ended where ACKs end most: the writer was woken, and its host was busy.
pub(super) fn woken_late(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    plateau(ctx, i).filter(|_| around.is_woken_by_acks())
}

/// As `plateau`, after a time with nothing in flight: the writer was woken by the last ACK, and its host was busy. Such a host is in time now
/// and then; who never is has a clock.
pub(super) fn catching_breath(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    if !ctx.catches_breath(i) {
        return None;
    }
    let around = ctx.around(i);
    let in_time = around.woken * IN_TIME >= around.stalls || ctx.floor <= TIMELY;
    in_time.then(|| plateau(ctx, i))?
}

/// Flights of different heights drain to one level before more is sent: that at which a third of the buffer is free and its writer is woken
/// (`sk_stream_write_space`). The height is not the buffer's: a last segment that is not full takes in more without being asked
/// (`tcp_sendmsg_locked`). What a window held back, or what was written at its own time, would leave the more the higher the flight was.
pub(super) fn refilled(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    if around.resent > 0 {
        return None;
    }
    // Such a buffer's writes end full. What is written by a clock can find as much left every time, too, and ends short.
    let full = !around.ends_before_stalls();
    let at_a_level = || around.forgoes_room() && around.is_woken_at_a_level(ctx.mss, ctx.far);
    let as_it_drains = || !ctx.far && ctx.floor > TIMELY && around.is_woken_as_it_drains();
    let confidence = if around.is_refilled_at_a_level(ctx.mss) || passes_over_room(ctx, i, &around)
    {
        85
    } else if full && (at_a_level() || as_it_drains()) {
        75
    } else {
        return None;
    };
    Some(Judgement::new(Limit::SendBuffer, Cause::None, confidence))
}

/// Stall after stall ends just behind an ACK, and those before made much more room than a congestion window saves up: a writer is
/// woken when a third of its buffer is free (`sk_stream_write_space`). What that window lets go at once is what pacing makes of it
/// (`tcp_tso_should_defer`), at two windows a round trip in slow start and at 1.2 when it has been cut (`tcp_update_pacing_rate`). Old kernels save up
/// a third of it, 64 KB at most; then it grows, and near the sender packets of several segments are seen.
fn passes_over_room(ctx: &Context<'_>, i: usize, around: &Around) -> bool {
    let stands = || !around.grows(ctx.mss) && !ctx.climbs(i);
    around.follows_acks() && passes_over(ctx, i, around, stands)
}

/// As `passes_over_room`, of rounds that do not grow or more than an old kernel's window saves up.
fn passes_over(ctx: &Context<'_>, i: usize, around: &Around, stands: impl Fn() -> bool) -> bool {
    let windows = around.flight_max * if ctx.cut_before(i) { 6 } else { 10 } / 5;
    let paced = bytes_per_second(windows, ctx.floor);
    let saved_up = GSO_MAX.min(around.flight_max / 3);
    ctx.floor > TIMELY
        && around.passes_over(paced_burst(ctx, paced))
        && !around.is_at_the_edge()
        && (!ctx.far && around.whole_segments == 0 || around.passes_over(saved_up) || stands())
}

/// A buffer that a kernel fills beyond its size (`tcp_sendmsg_locked` fills up what is queued last) lets more out in each round, as slow start does: but
/// a window that doubles is used as each ACK comes. From here on every second stall and more pass room over, three at least.
pub(super) fn outgrown(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    if ctx.stretches[i].passed_over.count() == 0 {
        return None;
    }
    let ahead = ctx.ahead(i);
    (ahead.resent == 0
        && ahead.passed_over.count() >= OUTGROWN
        && ahead.is_soon_after_acks()
        && passes_over(ctx, i, &ahead, || false))
    .then(|| Judgement::new(Limit::SendBuffer, Cause::None, 75))
}

/// As `refilled`, by what all transfers of a connection show: one that is over within two or three round trips says too little.
pub(super) fn refilled_all_along(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let all = ctx.all_along();
    (all.resent == 0 && all.follows_acks() && passes_over(ctx, i, all, || false))
        .then(|| Judgement::new(Limit::SendBuffer, Cause::None, 65))
}

/// Seen from afar the flight stops at nearly the same height every time, whenever that is: the ACKs that let it go may have been held on their way.
pub(super) fn refilled_from_afar(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let full = ctx.far
        && around.stalls >= CALM_ROUNDS
        && around.lengths.deviation() > around.lengths.mean() / 4.0
        && !around.is_at_the_edge()
        && !around.shows_ends()
        && nearly_pinned(ctx, i);
    full.then(|| Judgement::new(Limit::SendBuffer, Cause::None, 65))
}

/// The flight stops at a number of bytes that somebody has chosen, as it does where a stack counts bytes of data alone (BSD: `sb_hiwat`). By chance it
/// does once in five hundred times, unless it is so many writes of that many.
pub(super) fn is_a_setting(around: &Around, mss: u64) -> bool {
    let flight = around.flight_max;
    let round = |bytes: u64| bytes.is_multiple_of(1_000) || bytes.is_multiple_of(1_024);
    flight > 0 && round(flight) && !flight.is_multiple_of(mss)
}

/// In round after round the flight stops at the same byte. A congestion window that is full grows by a segment a round or two (RFC 5681
/// section 3.1; cubic keeps up with that, RFC 9438 section 4.3), but for a while after a loss.
pub(super) fn pinned(ctx: &Context<'_>, i: usize) -> bool {
    stops_within(ctx, i, ctx.mss / 4)
}

/// As `pinned`, seen from afar: which segments passed before an ACK reached the sender is known but for one or two of them.
fn nearly_pinned(ctx: &Context<'_>, i: usize) -> bool {
    stops_within(ctx, i, (2 * ctx.mss).min(ctx.around(i).flight_max / BLUR))
}

/// In round after round the flight stops no more than `bytes` below its highest, for longer than a congestion window stands.
fn stops_within(ctx: &Context<'_>, i: usize, bytes: u64) -> bool {
    let around = ctx.around(i);
    let same = around.flight_max - around.flight().min(around.flight_max) <= bytes;
    let long = around.rounds >= 2 * CALM_ROUNDS && around.time >= LONG_ENOUGH;
    let cubic_stands = CUBIC_STANDS + ctx.floor.scale(COUNTED, 1);
    let cubic = || ctx.cut_before(i) && !stands_for(ctx, i, cubic_stands);
    same && long && around.resent == 0 && !cubic()
}

/// The flight at which the sender stopped in round after round while the window had room, the highest of them: a buffer that is full behind
/// a link that is, too. What has been higher by a quarter at another time was no buffer's.
pub(crate) fn ceiling(ctx: &Context<'_>) -> Option<u64> {
    let all = || ctx.stretches.iter().enumerate();
    let stopped = all().filter(|&(i, s)| has_room(ctx, s) && pinned(ctx, i));
    let ceiling = stopped.map(|(_, s)| s.flight).max()?;
    all().all(|(_, s)| s.flight <= ceiling + ceiling / 4).then_some(ceiling)
}

/// As `ceiling`, of a sender that paces, over a path that was full and `carries` so many bytes a second. BBR has 2.9 times in flight what
/// the path holds when it leaves its startup, and up to twice as much from then on (kernel: `bbr_high_gain`, `bbr_cwnd_gain`): less, where nothing
/// was lost, is all that a buffer lets through.
pub(crate) fn paced_ceiling(ctx: &Context<'_>, carries: u64) -> Option<u64> {
    let highest = ctx.stretches.iter().max_by_key(|s| s.flight)?;
    let holds = bytes_in(carries, ctx.floor);
    let low = (holds..2 * holds).contains(&highest.flight);
    let lossless = ctx.stretches.iter().all(|s| s.resent == 0);
    (low && lossless && has_room(ctx, highest)).then_some(highest.flight)
}

/// Something was in flight, and the window had room for more.
fn has_room(ctx: &Context<'_>, s: &Stretch) -> bool {
    s.flight > 0 && s.flight + 2 * ctx.mss <= s.window_min
}

/// Whether the flight stands at its height for `time` around stretch `i`. No farther is looked: it may stand for hours.
fn stands_for(ctx: &Context<'_>, i: usize, time: Nanos) -> bool {
    let flight = ctx.stretches[i].flight;
    let same = |s: &&Stretch| s.flight.abs_diff(flight) <= ctx.mss / 4;
    let before = ctx.stretches[..i].iter().rev().take_while(same);
    let mut all = before.chain(ctx.stretches[i..].iter().take_while(same));
    let mut stands = Nanos::ZERO;
    all.any(|s| {
        stands += s.duration();
        stands >= time
    })
}

/// Data flows at a constant rate that neither the path nor the congestion control set, and as a writer that waits for room has it: near the
/// sender most waits end with an ACK, from afar data comes in bursts. Where the sender paces (BBR) these are smoothed away, but not the height
/// at which the buffer is full.
pub(super) fn steady(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let confidence = if ctx.wait(i) == Wait::Ack { 75 } else { 60 };
    let around = ctx.around(i);
    let waits_for_room = || match ctx.far {
        true => {
            let clocked = || nearly_pinned(ctx, i) || around.is_woken_by_acks_alone();
            let released = around.is_released_by_acks();
            released || around.comes_in_lumps() || around.is_erratic() && clocked()
        }
        false => around.is_woken_by_acks() || around.is_erratic() || pinned(ctx, i),
    };
    let full =
        ctx.calm(i) && may_be_full(ctx, &around) && !around.is_at_the_edge() && waits_for_room();
    full.then(|| Judgement::new(Limit::SendBuffer, Cause::None, confidence))
}

#[cfg(test)]
mod tests;
