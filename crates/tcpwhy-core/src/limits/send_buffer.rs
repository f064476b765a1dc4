//! `send_buffer`: the socket's send buffer is full of unacknowledged bytes.
//!
//! The flight stands at a plateau (often a saw-tooth: Linux wakes a writer when a third is free,
//! `sk_stream_write_space`), sends are clocked by ACKs, the RTT is at its floor, and each burst ends
//! with PSH, because it emptied the queue (`tcp_push` marks the last segment of a write). A flight
//! held by cwnd grows, and its queue is not empty when it stops. The plateau's height proves
//! nothing: SO_SNDBUF is doubled, counts overhead and is soft (`sk_stream_memory_free` is asked only
//! when a new skb is needed).

use super::{Context, Judgement};
use crate::model::{Cause, Limit};

/// Rounds without growth after which cwnd cannot be the limit: it would have grown by half a
/// segment in each (RFC 9438 section 4.3).
const PLATEAU_ROUNDS: u32 = 8;
/// Part of the time (percent) that a sender pauses whose flight does not fill the path.
const PAUSES: i64 = 20;

/// A flight that stands still below what the path would carry.
pub(super) fn plateau(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
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
        (false, true, true) if dry => 55,
        _ => return None,
    };
    Some(Judgement::new(Limit::SendBuffer, Cause::None, confidence))
}
