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
        _ if s.probes > s.segments => Cause::KeepAlive,
        _ => Cause::SenderApplication,
    };
    Judgement::new(Limit::Application, cause, 95)
}

/// Data in flight, ACKs come in and release nothing, and each burst ends with PSH though few other
/// segments carry it: the queue was empty, whatever the path does with what is out already.
pub(super) fn emptied(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    ctx.around(i)
        .runs_dry()
        .then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 85))
}

/// As `emptied`, where most segments carry PSH: a weaker sign.
pub(super) fn trickle(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let dry = around.dry_pauses().unwrap_or(around.push_rate()) >= 75;
    dry.then(|| Judgement::new(Limit::Application, Cause::SenderApplication, 65))
}
