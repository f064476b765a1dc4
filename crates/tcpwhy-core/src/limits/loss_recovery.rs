//! `loss_recovery`: data is being resent, or its loss has not been noticed yet.
//!
//! The causes are those of TAPO (CoNEXT 2015): what turned a loss into a stall. A repair by fast
//! retransmit or SACK costs about a round trip; a timeout costs 200 ms (Linux) to a second and more
//! (RFC 6298), and happens where nothing followed the lost segment that could have revealed it.

use super::losses::had_arrived;
use super::{Context, Judgement};
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::model::{Cause, Limit};

/// Why the repair took as long as it did. A stretch of the repair in which nothing was resent has
/// the cause of the retransmission before it, or else of the one that ends it.
pub(super) fn repair(ctx: &Context<'_>, i: usize) -> Judgement {
    let repairs = |k: &usize| ctx.stretches[*k].wait == Wait::Recovery;
    let resent = |k: &usize| ctx.stretches[*k].resent > 0 || ctx.stretches[*k].needless > 0;
    let before = (0..=i).rev().take_while(repairs).find(resent);
    let after = || (i..ctx.stretches.len()).take_while(repairs).find(resent);
    let told = before.or_else(after).unwrap_or(i);
    let s = &ctx.stretches[told];
    let known = s.needless > 0 && s.needless >= s.resent;
    let spurious = known || had_arrived(&ctx.stretches[told..], 1);
    Judgement::new(Limit::LossRecovery, if spurious { Cause::Spurious } else { cause(s) }, 90)
}

fn cause(s: &Stretch) -> Cause {
    match s {
        s if s.timeouts == 0 => Cause::FastRetransmit,
        s if s.double_losses > 0 => Cause::DoubleLoss,
        s if s.tail_losses > 0 => Cause::TailLoss,
        s if s.small_flights > 0 => Cause::SmallFlight,
        _ => Cause::Timeout,
    }
}
