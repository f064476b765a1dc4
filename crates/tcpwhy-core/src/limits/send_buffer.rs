//! `send_buffer`: the socket's send buffer is full of unacknowledged bytes.
//!
//! The flight stands at a plateau (often a saw-tooth: Linux wakes a writer when a third is free,
//! `sk_stream_write_space`), sends are clocked by ACKs, the RTT is at its floor, and each burst ends
//! with PSH, because it emptied the queue (`tcp_push` marks the last segment of a write). A flight
//! held by cwnd grows, and its queue is not empty when it stops. The plateau's height proves
//! nothing: SO_SNDBUF is doubled, counts overhead and is soft (`sk_stream_memory_free` is asked only
//! when a new skb is needed).

use super::{Context, Judgement};
use crate::flow::stretch::Stretch;
use crate::model::{Cause, Limit};
use crate::units::Nanos;

/// Rounds without growth after which cwnd cannot be the limit: it would have grown by half a
/// segment in each (RFC 9438 section 4.3).
const PLATEAU_ROUNDS: u32 = 8;
/// Part of the time (percent) that a sender pauses whose flight does not fill the path.
const PAUSES: i64 = 20;

/// CUBIC stands still around its last maximum for at most about twice its period K, a few seconds
/// (RFC 9438 section 4.2); then it grows again.
const LONGER_THAN_CUBIC: Nanos = Nanos::from_secs(10);

/// A flight that stands still below what the path would carry.
pub(super) fn plateau(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let quarter = (ctx.mss / 4) as i64;
    // The rounds before may still belong to slow start.
    let around = if around.growth() >= quarter { ctx.ahead(i) } else { around };
    let grows = around.growth() >= (ctx.mss / 4) as i64;
    let still = !grows && around.flight_max <= around.flight_min.saturating_mul(3);
    if !still || around.stalled_percent() < PAUSES {
        return None;
    }
    let dry = around.dryness()? >= 75;
    // Where most segments carry PSH, one more before a pause says nothing; a kernel that sends each
    // segment as it is written (`tcp_push_one`) never sets it.
    let telling = dry && around.push_tells();
    let long = around.rounds >= PLATEAU_ROUNDS;
    let confidence = match (telling, long, ctx.lost_before(i)) {
        (true, true, false) => 92,
        (true, _, _) => 75,
        (false, true, false) => 75,
        (false, true, true) if outlasts_cubic(ctx, i) => 70,
        _ => return None,
    };
    Some(Judgement::new(Limit::SendBuffer, Cause::None, confidence))
}

/// No loss for so long around stretch `i`, and the flight is no higher at the end than in the
/// beginning.
fn outlasts_cubic(ctx: &Context<'_>, i: usize) -> bool {
    let quiet = ctx.between_losses(i);
    let part = &ctx.stretches[quiet];
    let (Some(first), Some(last)) = (part.first(), part.last()) else { return false };
    let (early, late) = part.split_at(part.len() / 2);
    let highest = |half: &[Stretch]| half.iter().map(|s| s.flight).max().unwrap_or(0);
    // Linux's cubic never falls behind Reno (`tcp_friendliness`, RFC 9438 section 4.3): half a segment a round makes good
    // the three tenths that a loss took within 0.6 rounds a segment.
    let segments = (highest(late) / ctx.mss.max(1)) as i64;
    let friendly = ctx.floor.scale(segments * 6 + 80, 10);
    let long = friendly.min(LONGER_THAN_CUBIC);
    last.to - first.from >= long && highest(late) <= highest(early) + ctx.mss
}
