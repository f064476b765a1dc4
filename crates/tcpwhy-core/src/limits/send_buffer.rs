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
const PLATEAU_ROUNDS: u32 = 6;

/// A flight that stands still and empties the queue.
pub(super) fn plateau(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let quarter = (ctx.mss / 4) as i64;
    let still = around.growth() < quarter && around.flight_max <= 3 * around.flight_min;
    let telling = around.push_rate() <= 50;
    let dry = around.dryness()?;
    let confidence = match (still, telling, dry) {
        (true, true, 75..) if around.rounds >= PLATEAU_ROUNDS => 92,
        (true, true, 75..) => 75,
        (_, true, _) => return None,
        (true, false, 75..) if around.rounds >= PLATEAU_ROUNDS && !ctx.lost_before(i) => 75,
        _ => return None,
    };
    Some(Judgement::new(Limit::SendBuffer, Cause::None, confidence))
}
