//! What Nagle's rule kept back until an ACK came.

use super::{Context, Judgement};
use crate::flow::wait::Wait;
use crate::model::{Cause, Limit};

pub(super) const NAGLE: Judgement = Judgement::new(Limit::DelayedAck, Cause::Nagle, 85);

/// Of what the peer waits for only the short end was missing, and that left as the short segment before it was acknowledged: Nagle's rule as
/// Linux has it (`tcp_minshall_check`) costs the round trip. No window or buffer ends with the last word of all, just then.
pub(super) fn last_word(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let answered = ctx.stretches.get(i + 1).is_some_and(|next| next.wait == Wait::IdlePeer);
    (ctx.stretches[i].held_back && answered).then_some(NAGLE)
}
