//! What Nagle's rule kept back until an ACK came.

use super::{Context, Judgement};
use crate::flow::DELAYED;
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::model::{Cause, Limit};

/// Small segments behind others that no order of packets on the way explains.
const FEWEST_BEHIND: u64 = 4;

const NAGLE: Judgement = Judgement::new(Limit::DelayedAck, Cause::Nagle, 85);

/// A small segment left as the one before it was acknowledged. The short end of each write does so behind its full segments, one after the other, while
/// the peer says nothing and delays no ACK: the writer waits for nobody, and its pace is its own. Where all are small, what is written meanwhile
/// waits, too, whoever gains by its leaving sooner. Nor is it Nagle's rule where small ones leave while others are under way.
pub(super) fn kept_back(ctx: &Context<'_>, i: usize) -> Judgement {
    let s = &ctx.stretches[i];
    let is_kept = |at: usize| ctx.stretches.get(at).is_some_and(|s| s.wait == Wait::Nagle);
    let delayed = s.rtt_mean().is_some_and(|rtt| rtt - ctx.floor >= DELAYED);
    let around = ctx.around(i);
    let of_writes = around.short_segments * 4 <= around.segments * 3;
    let goes_on = of_writes && !delayed && (is_kept(i + 1) || i > 0 && is_kept(i - 1));
    match goes_on || ctx.sends_at_once() {
        true => Judgement::new(Limit::Application, Cause::SenderApplication, 80),
        false => NAGLE,
    }
}

impl Context<'_> {
    /// Small segments leave while others are under way, a quarter of those that seem to be kept back and more: Nagle's rule is switched off, and
    /// whatever leaves as an ACK comes does so by chance.
    fn sends_at_once(&self) -> bool {
        *self.at_once.get_or_init(|| {
            let count = |(kept, sent), s: &Stretch| {
                (kept + u64::from(s.wait == Wait::Nagle), sent + u64::from(s.small_behind))
            };
            let (kept, sent) = self.stretches.iter().fold((0, 0), count);
            sent >= FEWEST_BEHIND && sent * 4 >= kept
        })
    }
}

/// Of what the peer waits for only the short end was missing, and that left as the short segment before it was acknowledged: Nagle's rule as
/// Linux has it (`tcp_minshall_check`) costs the round trip. No window or buffer ends with the last word of all, just then.
pub(super) fn last_word(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let answered = ctx.stretches.get(i + 1).is_some_and(|next| next.wait == Wait::IdlePeer);
    (ctx.stretches[i].held_back && answered).then_some(NAGLE)
}
