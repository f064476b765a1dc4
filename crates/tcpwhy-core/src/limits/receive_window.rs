//! `receive_window`: the advertised window has no room for a segment.
//!
//! What the window does tells why. It moves with every ACK and keeps its size: a small buffer. It
//! shrinks as the ACKs advance (the right edge stands still): the receiving application does not
//! read. It grows with the flight right behind it: receive autotuning (DRS) has not caught up.

use super::context::{CALM_ROUNDS, SEGMENTS};
use super::send_buffer::pinned;
use super::{Context, Judgement};
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::model::{Cause, Limit, WindowScale};
use crate::units::{Nanos, bytes_per_second};

/// Rounds looked at on each side for the window's trend.
const AROUND: usize = 6;
/// Windows that differ by less than this part are of one size.
const ONE_SIZE: u64 = 16;
/// Delayed ACKs come by timers of 10 ms ticks and more.
const HELD_BACK: Nanos = Nanos::from_millis(10);
/// The largest window that fits the header without scaling (RFC 9293).
const UNSCALED: u64 = 65_535;

/// The window is closed, or nearly so.
pub(super) fn closed(ctx: &Context<'_>, i: usize) -> Judgement {
    let s = &ctx.stretches[i];
    let cause = cause(ctx, i);
    let sure = s.zero_window || !ctx.guesses_scale();
    Judgement::new(Limit::ReceiveWindow, cause, if sure { 95 } else { 70 })
}

/// Seen from afar, jitter blurs when the window was closed; but a flight that reaches the window's
/// edge in nearly every round, and never passes it, is held by it. So is one that stops a segment short of it every time: room is saved up
/// for a packet of two (`tcp_tso_should_defer`).
pub(super) fn reached(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let s = &ctx.stretches[i];
    let known = ctx.knows_window_of(s);
    let most = |n: u32| 4 * n >= 3 * around.rounds;
    let stands = around.window_keeps_within(2 * ctx.mss);
    let prompt = around.prompt * 4 >= around.waits * 3;
    let short_of_it = stands && most(around.near) && prompt;
    // The smallest shift that holds the data puts an edge next to a small flight by chance; what follows ACKs at once is held by something.
    let by_chance =
        ctx.guesses_scale() && s.shift > 0 && around.window_min < 2 * SEGMENTS * ctx.mss;
    let fills = s.filled > 0 && most(around.filled) && (prompt || !by_chance);
    let held = known && (fills || short_of_it);
    held.then(|| Judgement::new(Limit::ReceiveWindow, cause(ctx, i), 75))
}

/// As `reached`, in more than half of the rounds, where nothing else changes: what stands at that height stands at the edge.
pub(super) fn steady(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let known = ctx.knows_window_of(&ctx.stretches[i]);
    let held = known && ctx.calm(i) && ctx.around(i).is_at_the_edge();
    held.then(|| Judgement::new(Limit::ReceiveWindow, cause(ctx, i), 60))
}

/// A sender that paces goes as fast as its data is acknowledged, and where a reader sets that rate, it does not wait at the window's edge: its
/// flight is hardly less than a window that changes as the reader reads, in nearly every round.
pub(super) fn followed(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let varies = around.window_moves() && around.rounds >= CALM_ROUNDS;
    let held = varies && 4 * around.close >= 3 * around.rounds && !pinned(ctx, i);
    (held && ctx.knows_window_of(&ctx.stretches[i]))
        .then(|| Judgement::new(Limit::ReceiveWindow, cause(ctx, i), 65))
}

/// Data waits at the receiver: in all rounds around the window is less than half of what it was once, as its reader is behind by the rest; or it
/// is acknowledged as the reader takes it. As behind a queue that stands, nothing that is sent sooner would be read sooner, whatever a sender
/// that paces waits for.
pub(super) fn behind(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let varies = around.window_moves() && around.rounds >= CALM_ROUNDS;
    let waits = || around.window_max < widest_until(ctx, i) / 2 || is_read_by_halves(ctx, i);
    let behind = varies && waits();
    (behind && ctx.knows_window_of(&ctx.stretches[i]))
        .then(|| Judgement::new(Limit::ReceiveWindow, Cause::SlowReader, 70))
}

fn cause(ctx: &Context<'_>, i: usize) -> Cause {
    if is_shut(ctx, &ctx.stretches[i]) {
        return Cause::ZeroWindow;
    }
    let seen = Windows::around(ctx, i);
    let slow = !is_used_in_full(ctx, i, seen.ever.max(seen.highest));
    let emptied = seen.lowest < 2 * ctx.mss && seen.highest > 8 * ctx.mss || seen.lowest == 0;
    if emptied && slow {
        return Cause::SlowReader;
    }
    if grows(seen.rounds().map(|s| s.window_max)) {
        return Cause::AutotuningLag;
    }
    if slow && is_read_slowly(ctx, i, &seen) {
        return Cause::SlowReader;
    }
    match ctx.scale {
        WindowScale::Absent if seen.highest >= UNSCALED / 4 * 3 => Cause::NoWindowScaling,
        // A buffer that was set does not grow (SOCK_RCVBUF_LOCK): what is larger later was tuned, and late.
        _ if ctx.widest() > seen.ever && ctx.widest() >= 2 * seen.highest => Cause::AutotuningLag,
        _ => Cause::SmallBuffer,
    }
}

/// Closed for longer than the news of its opening would take.
fn is_shut(ctx: &Context<'_>, s: &Stretch) -> bool {
    let rounds = s.duration().0 / ctx.floor.0.max(1);
    let stall = s.longest_stall.0 / ctx.floor.0.max(1);
    s.zero_window && (rounds > 8 || stall > 2 || rounds > 1 && s.acked == 0)
}

/// Windows advertised in the rounds around one, in bytes.
struct Windows<'a> {
    near: &'a [Stretch],
    lowest: u64,
    highest: u64,
    /// The widest until then.
    ever: u64,
}

impl<'a> Windows<'a> {
    fn around(ctx: &Context<'a>, i: usize) -> Self {
        let around = i.saturating_sub(AROUND)..(i + AROUND + 1).min(ctx.stretches.len());
        let near = &ctx.stretches[around];
        let mut seen = Windows { near, lowest: 0, highest: 0, ever: widest_until(ctx, i) };
        seen.lowest = seen.rounds().map(|s| s.window_min).min().unwrap_or(0);
        seen.highest = seen.rounds().map(|s| s.window_max).max().unwrap_or(0);
        seen
    }

    fn rounds(&self) -> impl Iterator<Item = &'a Stretch> + Clone + use<'a> {
        self.near.iter().filter(|s| s.window_max > 0 && s.wait != Wait::Handshake)
    }
}

/// A window of which not all is used opens at its reader's time.
fn is_read_slowly(ctx: &Context<'_>, i: usize, seen: &Windows<'_>) -> bool {
    let &Windows { near, lowest, highest, ever } = seen;
    // A window that once was twice as large, and opens by updates that acknowledge nothing, or is never quite the same: the reader frees
    // space when it reads, not when data comes in. That of a small buffer with an eager reader is as large after each ACK, and one that is
    // as large as ever before has grown.
    // Nor does reading open one that is as large again in every round, and used in full: its buffer was set to that size (SO_RCVBUF after the
    // handshake). Where less than it holds arrives in a round trip, its reader keeps its ACKs back.
    let updates: u32 = near.iter().map(|s| s.updates).sum();
    let at_once =
        || updates as usize * 4 <= near.len() && is_read_at_once(ctx, i, seen.rounds(), highest);
    let returns = is_used_in_full(ctx, i, highest)
        && (seen.rounds().all(|s| s.window_max == highest) || at_once());
    let opens = !returns && (updates > 0 || lowest < highest);
    let narrower = opens && lowest < ever / 2 && ctx.stretches[i].window_max < ever;
    // A receiver whose reader is behind holds its ACKs back, too.
    let held_back = || ctx.standing_queue(i).is_some_and(|q| q >= HELD_BACK) && lowest < ever / 4;
    // And so does one that reads at its own time, whose window never closes for long: less arrives than it holds, and ACKs are late all along.
    narrower || held_back() || opens && ctx.acks_are_late(i) || is_read_by_halves(ctx, i)
}

/// The window is nearly as large as the `highest` of these rounds again in nearly every one: packets take more of a buffer than their payload
/// (truesize). And the reader takes out what comes, for then a kernel acknowledges every second segment.
fn is_read_at_once<'a>(
    ctx: &Context<'_>,
    i: usize,
    rounds: impl Iterator<Item = &'a Stretch> + Clone,
    highest: u64,
) -> bool {
    let dips =
        |s: &&Stretch| s.window_max < highest - highest / ONE_SIZE || s.window_min < highest / 2;
    let all = rounds.clone().count();
    ctx.around(i).per_ack() <= 3 * ctx.mss && rounds.filter(dips).count() * 8 <= all
}

/// A full window is acknowledged when the application has read half of it (`tcp_cleanup_rbuf`), and then all of that with one ACK, which
/// is late by the reading. A queue of the path would have parted the data, and an eager reader's kernel acknowledges every second segment,
/// or what comes at once.
fn is_read_by_halves(ctx: &Context<'_>, i: usize) -> bool {
    let around = ctx.around(i);
    let window = around.window_max;
    let large = around.window_min >= 2 * SEGMENTS * ctx.mss;
    let late = around.per_ack() >= window / 5 * 2 && ctx.acks_are_late(i);
    // From a sender that paces: what came last is acknowledged at once, and all that it had sent before, a bit at a time, had waited for that.
    let several_bursts = 4 * around.burst().max(2 * ctx.mss);
    let held_back = around.per_ack() >= (window / 4).max(several_bursts);
    large && (late || held_back)
}

/// Round after round as much arrives as the window `once` held when it was largest: it dips while its reader takes out what came at once,
/// and that costs nothing.
fn is_used_in_full(ctx: &Context<'_>, i: usize, once: u64) -> bool {
    let around = ctx.around(i);
    let full = bytes_per_second(once, ctx.floor);
    around.rounds >= CALM_ROUNDS && around.rate() >= full / 4 * 3
}

/// The largest window that was advertised up to stretch `i`.
fn widest_until(ctx: &Context<'_>, i: usize) -> u64 {
    ctx.stretches[..=i].iter().map(|s| s.window_max).max().unwrap_or(0)
}

/// The later half of the rounds has windows a quarter larger than the earlier half.
fn grows(windows: impl Iterator<Item = u64> + Clone) -> bool {
    let all = windows.clone().count();
    if all < 3 {
        return false;
    }
    let half = all / 2;
    let early = windows.clone().take(half).sum::<u64>() / half as u64;
    let late = windows.skip(half).sum::<u64>() / (all - half) as u64;
    late > early / 4 * 5
}

#[cfg(test)]
mod tests;
