//! The losses of a direction, each as its repair shows it, and what stood before it.

use crate::flow::BUSY_HOST;
use crate::flow::stretch::Stretch;
use crate::limits::context::Context;
use crate::units::{Nanos, mul_div};

/// Rounds that sent what is lost.
const HEAVY_ROUNDS: usize = 2;
/// Rounds behind a repair in which the receiver's last reports of it come.
const ROUNDS_TO_REPORT: usize = 1;
/// Segments below which a fifth is soon lost.
const FEWEST_HEAVY: u32 = 8;

/// The stretches in which the repairs of what the network lost begin.
pub(super) struct Events {
    pub(super) list: Vec<usize>,
    /// The first of them, and the last stretch of the last one's repair.
    pub(super) first: usize,
    pub(super) last: usize,
    /// How many had no queue before them.
    pub(super) without_queue: usize,
}

impl Events {
    /// `None` if nothing was lost, or most of it behind a deep queue.
    pub(super) fn without_deep_queue(ctx: &Context<'_>) -> Option<Self> {
        let is_networks = |&i: &usize| {
            let needless = || had_arrived(&ctx.stretches[i..], repair(ctx, i).count());
            is_loss(ctx, i) && !was_refused(ctx, i) && !needless()
        };
        let list: Vec<usize> = (1..ctx.stretches.len()).filter(is_networks).collect();
        let (first, last) = (*list.first()?, *list.last()?);
        if 2 * list.iter().filter(|&&i| is_deep_before(ctx, i)).count() > list.len() {
            return None;
        }
        let last = last + repair(ctx, last).count() - 1;
        let without_queue = list.iter().filter(|&&i| !queued_before(ctx, i)).count();
        Some(Self { list, first, last, without_queue })
    }

    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    /// Most of them had no queue before them.
    pub(super) fn are_without_queue(&self) -> bool {
        self.without_queue * 10 >= self.count() * 7
    }
}

/// In the repair that begins in stretch `i`, or in the rounds up to it, a fifth of all segments was lost: chance does not take as many,
/// and a queue that loses so much is a long one (the test by which Linux's BBR knows a policer, `bbr_lt_bw_sampling`).
pub(super) fn is_heavy(ctx: &Context<'_>, i: usize) -> bool {
    let count = |(sent, lost, timeouts), s: &Stretch| {
        (sent + s.segments, lost + s.resent, timeouts + s.timeouts)
    };
    let (sent, lost, timeouts) = near(ctx, i).fold((0, 0, 0), count);
    lost >= FEWEST_HEAVY && lost * 5 >= sent && timeouts * 10 <= lost
}

/// Most of the segments that are lost go in heavy losses.
pub(super) fn most_are_heavy(ctx: &Context<'_>, events: &[usize]) -> bool {
    let lost = |i: &usize| repair(ctx, *i).map(|s| u64::from(s.resent)).sum::<u64>();
    let all: u64 = events.iter().map(lost).sum();
    2 * events.iter().filter(|&&i| is_heavy(ctx, i)).map(lost).sum::<u64>() > all
}

/// What is repaired together is twice what chance, which takes every segment alike, takes of as many segments around a loss.
pub(super) fn come_together(ctx: &Context<'_>, events: &[usize]) -> bool {
    let count = |(sent, lost): (u64, u64), s: &Stretch| {
        (sent + u64::from(s.segments), lost + u64::from(s.resent))
    };
    let (sent, lost) = ctx.stretches.iter().fold((0, 0), count);
    let (around, together) = events.iter().fold((0, 0), |sum, &i| near(ctx, i).fold(sum, count));
    together > 2 * (mul_div(lost, around, sent) + events.len() as u64)
}

/// The rounds that sent what is lost, and the repair of it that begins in stretch `i`.
fn near<'a>(ctx: &Context<'a>, i: usize) -> impl Iterator<Item = &'a Stretch> + use<'a> {
    ctx.stretches[i.saturating_sub(HEAVY_ROUNDS)..i].iter().chain(repair(ctx, i))
}

/// The repair that begins in stretch `i`.
fn repair<'a>(ctx: &Context<'a>, i: usize) -> impl Iterator<Item = &'a Stretch> + use<'a> {
    ctx.stretches[i..].iter().take_while(|s| s.is_repair())
}

/// A repair begins in stretch `i`, not by a timer.
fn is_loss(ctx: &Context<'_>, i: usize) -> bool {
    let s = &ctx.stretches[i];
    s.resent > 0 && s.timeouts == 0 && ctx.stretches[i - 1].resent == 0
}

/// Half and more of what was sent again in the first so many of these rounds had arrived, as the receiver reports a round trip later (DSACK, RFC 2883):
/// nobody dropped it.
pub(in crate::limits) fn had_arrived(from: &[Stretch], rounds: usize) -> bool {
    let count = |(resent, needless), s: &Stretch| (resent + s.resent, needless + s.needless);
    let all = from.iter().take(rounds + ROUNDS_TO_REPORT);
    let (resent, needless) = all.fold((0, 0), count);
    needless > 0 && 2 * needless >= resent
}

/// The receiver closed its window as what is lost was under way, or as it was sent again: it takes in nothing then (RFC 9293 section
/// 3.10.7.4), and what it drops no policer has dropped.
fn was_refused(ctx: &Context<'_>, i: usize) -> bool {
    near(ctx, i).any(|s| s.zero_window)
}

/// The RTT lay well above the floor before the loss, when it was measured last, or as the loss was noticed: slow start fills a queue within
/// the round whose ACKs are still to come.
fn queued_before(ctx: &Context<'_>, i: usize) -> bool {
    let queued = |rtt: Nanos| rtt - ctx.floor >= Nanos(ctx.floor.0 / 4);
    // A single ACK of less than two segments may have been delayed (RFC 9293 section 3.8.6.3).
    let tells = |s: &&Stretch| s.rtt_count > 1 || s.rtt_count == 1 && s.arrived() >= 2 * ctx.mss;
    let last = ctx.stretches[..i].iter().rev().find(tells);
    let measured = last.into_iter().chain(Some(&ctx.stretches[i]).filter(tells));
    measured.filter_map(Stretch::forth_mean).any(queued)
}

/// As `queued_before`, all the round and by more than the path is long and hosts are late: what overflows is that queue. A shaper's rate is as
/// even as a policer's, and its bucket lets a first burst pass as fast as the link is, but what exceeds it waits.
fn is_deep_before(ctx: &Context<'_>, i: usize) -> bool {
    let measured = ctx.stretches[..i].iter().rev().find(|s| s.rtt_count > 0);
    measured.is_some_and(|s| s.forth_min - ctx.floor >= ctx.floor.max(BUSY_HOST.scale(2, 1)))
}
