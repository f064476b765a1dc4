//! `application`: the sender has nothing to send.
//!
//! Signature: the next sending is not triggered by an ACK and the flight had drained. A segment
//! shorter than the MSS proves nothing by itself: a full send buffer ends in short segments too
//! (the classifier of T-RAT, SIGCOMM 2002, relied on it). Think time belongs to whoever thinks.

use super::{Context, Judgement};
use crate::flow::stretch::Wait;
use crate::model::{Cause, Limit};

/// Everything acknowledged and nothing sent.
pub(super) fn idle(ctx: &Context<'_>, i: usize) -> Judgement {
    let s = &ctx.stretches[i];
    let cause = match s.wait {
        Wait::IdlePeer => Cause::WaitingForPeer,
        _ if s.probes > 0 && s.segments == 0 => Cause::KeepAlive,
        _ => Cause::SenderApplication,
    };
    Judgement::new(Limit::Application, cause, 95)
}

/// Data in flight, ACKs come in and release nothing; what leaves later leaves of the application's
/// own will. Only an emptied queue (PSH at the end of each burst) tells it from pacing.
pub(super) fn trickle(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let dry = around.dryness().unwrap_or(around.push_rate());
    (dry >= 75).then(|| {
        let confidence = if around.push_rate() <= 50 { 85 } else { 65 };
        Judgement::new(Limit::Application, Cause::SenderApplication, confidence)
    })
}
