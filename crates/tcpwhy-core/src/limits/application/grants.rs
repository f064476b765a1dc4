//! The sender waits for the peer, whose messages grant what may be sent.

use crate::limits::around::Around;
use crate::limits::context::CALM_ROUNDS;
use crate::limits::send_buffer::pinned;
use crate::limits::{Context, Judgement};
use crate::model::{Cause, Limit};

/// Writes as small as this part of a segment are messages.
const SMALL: u64 = 8;

/// Most stalls end just after data of the peer, while its bare ACKs, of which there are as many and more, release nothing: it grants what
/// may be sent (a stream's window, RFC 9113 section 5.2; so many requests under way), and neither window nor buffer holds the sender.
pub(in crate::limits) fn granted(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let waiting = |sure| Some(Judgement::new(Limit::Application, Cause::WaitingForPeer, sure));
    let around = ctx.around(i);
    // The rounds before may still belong to slow start.
    let ahead = || is_asked_for(&around) && is_granted(&ctx.ahead(i));
    if is_granted(&around) || ahead() {
        return waiting(75);
    }
    // Where the sender paces, what is granted does not wait for the next grant at the end. What bare ACKs release, up to the same byte every
    // time, nobody has granted.
    let refilled = || around.is_woken_by_acks() && pinned(ctx, i);
    if ctx.calm(i) && is_paired(&around) && !refilled() { waiting(65) } else { None }
}

/// Where the sender's queue is dry though data is under way, it may be the peer that asks for more.
pub(in crate::limits) fn or_granted(
    ctx: &Context<'_>,
    i: usize,
    judgement: Judgement,
) -> Judgement {
    let dry = judgement.cause == Cause::SenderApplication && !ctx.stretches[i].is_idle();
    dry.then(|| granted(ctx, i)).flatten().unwrap_or(judgement)
}

/// The peer speaks so often before data leaves that it may ask for it.
fn is_asked_for(around: &Around) -> bool {
    around.answered.max(around.answers.count()) >= CALM_ROUNDS / 2
}

/// By the stalls, or by all waits where there are none because many small grants are under way (requests of SFTP). A peer that has nothing to say but
/// grants may let its ACKs wait for them: then every stall follows the end of a write.
fn is_granted(around: &Around) -> bool {
    let stalls = around.stalls >= CALM_ROUNDS && around.answered * 3 >= around.stalls * 2;
    let waits = around.answers.count() >= CALM_ROUNDS
        && around.answers.sum() * 3.0 >= around.lengths.sum() * 2.0;
    let apart = around.spoken * 2 <= around.acks || stalls && around.ends_before_stalls();
    (stalls || waits) && apart && around.resent == 0
}

/// In every round as many writes end as the peer speaks, among many more ACKs: what may be sent is what that asks for.
pub(super) fn is_paired(around: &Around) -> bool {
    around.rounds >= CALM_ROUNDS
        && around.spoken * 4 >= around.rounds * 3
        && around.short_segments.abs_diff(around.spoken) * 8 <= around.spoken
        && around.spoken * 2 <= around.acks
}

/// Only small writes are sent, and the peer sends as many packets with data and more: these are answers to what was read of it (grants of a
/// channel's window, acknowledgments of messages), and come when that comes. A writer that waits for room has more to say at a time.
pub(in crate::limits) fn answers(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    (around.segments > 0
        && around.arrived * SMALL <= u64::from(around.segments) * ctx.mss
        && around.spoken >= around.segments
        && around.resent == 0)
        .then(|| Judgement::new(Limit::Application, Cause::WaitingForPeer, 75))
}
