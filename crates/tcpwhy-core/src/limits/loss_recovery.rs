//! `loss_recovery`: data is being resent, or its loss has not been noticed yet.
//!
//! The causes are those of TAPO (CoNEXT 2015): what turned a loss into a stall. A repair by fast
//! retransmit or SACK costs about a round trip; a timeout costs 200 ms (Linux) to a second and more
//! (RFC 6298), and happens where nothing followed the lost segment that could have revealed it.

use super::{Context, Judgement};
use crate::model::{Cause, Limit};

/// Why the repair took as long as it did.
pub(super) fn repair(ctx: &Context<'_>, i: usize) -> Judgement {
    let s = &ctx.stretches[i];
    let cause = match s {
        s if s.needless > 0 && s.needless >= s.resent => Cause::Spurious,
        s if s.timeouts == 0 => Cause::FastRetransmit,
        s if s.double_losses > 0 => Cause::DoubleLoss,
        s if s.tail_losses > 0 => Cause::TailLoss,
        s if s.small_flights > 0 => Cause::SmallFlight,
        _ => Cause::Timeout,
    };
    Judgement::new(Limit::LossRecovery, cause, 90)
}
