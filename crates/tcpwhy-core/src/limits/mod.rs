//! From stretches to a timeline: every stretch gets exactly one limit.
//!
//! One file a limit, each with the rule and where it comes from. A stretch whose wait is plain (a
//! closed window, an idle application, a repair) goes to that limit's file at once; a stretch that
//! waited for ACKs with room in the window is asked of the rest in the order of how hard their
//! evidence is.

mod application;
mod around;
mod between;
mod congestion_window;
mod context;
mod delayed_ack;
mod joined;
mod likeliest;
mod loss_recovery;
mod losses;
#[cfg(test)]
mod made;
mod path_bandwidth;
mod receive_window;
mod send_buffer;
mod silent_path;
mod timeline;

pub(crate) use around::nearly;
pub(crate) use context::Context;
pub(crate) use losses::{Losses, Lost, pattern};
pub(crate) use send_buffer::{ceiling, paced_ceiling};
pub(crate) use silent_path::Silence;
pub(crate) use timeline::lay;

use crate::flow::LONGER_THAN_A_PATH;
use crate::flow::wait::Wait;
use crate::kernel::RTO_MAX;
use crate::model::{Cause, Limit};

/// One stretch's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) limit: Limit,
    pub(crate) cause: Cause,
    /// Percent.
    pub(crate) confidence: u8,
}

impl Judgement {
    pub(crate) const fn new(limit: Limit, cause: Cause, confidence: u8) -> Self {
        Self { limit, cause, confidence }
    }

    const UNKNOWN: Self = Self { limit: Limit::Unknown, cause: Cause::None, confidence: 50 };
}

/// What held the sender in stretch `i`.
pub(crate) fn judge(ctx: &Context<'_>, i: usize) -> Judgement {
    let judgement = application::or_granted(ctx, i, of_wait(ctx, i));
    path_bandwidth::rationed(ctx, i, judgement).unwrap_or(judgement)
}

fn of_wait(ctx: &Context<'_>, i: usize) -> Judgement {
    match ctx.wait(i) {
        Wait::Handshake => handshake(ctx),
        Wait::IdlePeer | Wait::Recovery | Wait::Ack if ctx.is_not_accepted(i) => handshake(ctx),
        Wait::Unseen => Judgement::new(Limit::Unknown, Cause::CaptureHole, 95),
        wait if undecidable(ctx, i, wait) => Judgement::UNKNOWN,
        wait if outlasts_timers(ctx, i, wait) => Judgement::new(Limit::Unknown, Cause::None, 95),
        Wait::IdleSelf => path_bandwidth::spread(ctx, i)
            .or_else(|| congestion_window::lumps(ctx))
            .or_else(|| send_buffer::catching_breath(ctx, i))
            .unwrap_or_else(|| application::idle(ctx, i)),
        Wait::IdlePeer => application::idle(ctx, i),
        Wait::Tail => path_bandwidth::draining(ctx, i)
            .or_else(|| path_bandwidth::saturated(ctx, i))
            .or_else(|| congestion_window::cut_short(ctx, i))
            .unwrap_or_else(|| application::idle(ctx, i)),
        Wait::Recovery => {
            path_bandwidth::overflowed(ctx, i).unwrap_or_else(|| loss_recovery::repair(ctx, i))
        }
        Wait::Nagle => delayed_ack::kept_back(ctx, i),
        Wait::Window if ctx.guesses_scale() => {
            application::granted(ctx, i).unwrap_or_else(|| of_window(ctx, i))
        }
        Wait::Window => of_window(ctx, i),
        Wait::Ack => of_ack(ctx, i),
        Wait::Timer => of_timer(ctx, i),
    }
}

/// It waited for ACKs: whatever allows so much in flight, and no more.
fn of_ack(ctx: &Context<'_>, i: usize) -> Judgement {
    delayed_ack::last_word(ctx, i)
        .or_else(|| plain_to_see(ctx, i))
        .or_else(|| path_bandwidth::flooded(ctx, i))
        .or_else(|| doubling_or_outgrown(ctx, i))
        .or_else(|| refilled_or_not(ctx, i))
        .or_else(|| at_a_pace(ctx, i))
        .or_else(|| receive_window::behind(ctx, i))
        .or_else(|| send_buffer::steady(ctx, i))
        .or_else(|| send_buffer::plateau(ctx, i))
        .or_else(|| path_bandwidth::overfull(ctx, i))
        .or_else(|| path_bandwidth::unmoved(ctx, i))
        .or_else(|| congestion_window::avoidance(ctx, i))
        .or_else(|| application::all_sent(ctx, i))
        .or_else(|| send_buffer::refilled_all_along(ctx, i))
        .unwrap_or(Judgement::UNKNOWN)
}

/// It waited for nothing that came: a pacer, or a writer.
fn of_timer(ctx: &Context<'_>, i: usize) -> Judgement {
    congestion_window::lumps(ctx)
        .or_else(|| application::emptied(ctx, i))
        .or_else(|| plain_to_see(ctx, i))
        .or_else(|| refilled_or_not(ctx, i))
        .or_else(|| congestion_window::doubling(ctx, i))
        .or_else(|| application::often_emptied(ctx, i))
        .or_else(|| at_a_pace(ctx, i))
        .or_else(|| receive_window::followed(ctx, i))
        .or_else(|| receive_window::behind(ctx, i))
        .or_else(|| send_buffer::steady(ctx, i))
        .or_else(|| send_buffer::woken_late(ctx, i))
        .or_else(|| path_bandwidth::overrun(ctx, i))
        .or_else(|| path_bandwidth::unmoved(ctx, i))
        .or_else(|| application::rests(ctx, i))
        .or_else(|| congestion_window::paced(ctx, i))
        .or_else(|| congestion_window::cut(ctx, i))
        .or_else(|| application::all_sent(ctx, i))
        .or_else(|| send_buffer::refilled_all_along(ctx, i))
        .unwrap_or(Judgement::UNKNOWN)
}

fn of_window(ctx: &Context<'_>, i: usize) -> Judgement {
    path_bandwidth::capped_queue(ctx, i)
        .or_else(|| path_bandwidth::capped_full(ctx, i))
        .unwrap_or_else(|| receive_window::closed(ctx, i))
}

/// What shows whether ACKs or a timer let data go: writes that keep a time of their own, and what `busy_or_full` says.
fn plain_to_see(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    application::less_than_a_segment(ctx, i)
        .or_else(|| application::writes_evenly(ctx, i))
        .or_else(|| busy_or_full(ctx, i))
        .or_else(|| application::writes_by_a_clock(ctx, i))
        .or_else(|| application::sends_as_it_writes(ctx, i))
}

/// More in each round: a window that doubles, or a buffer that takes in more than its size.
fn doubling_or_outgrown(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let doubling = congestion_window::doubling(ctx, i)?;
    send_buffer::outgrown(ctx, i).or(Some(doubling))
}

/// How the flight is refilled when there is room: as the other end grants it, as a buffer does that its writer is woken to fill, or not.
fn refilled_or_not(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    application::granted(ctx, i)
        .or_else(|| application::answers(ctx, i))
        .or_else(|| application::bursts_by_a_clock(ctx, i))
        .or_else(|| send_buffer::refilled_from_afar(ctx, i))
        .or_else(|| application::unprompted(ctx, i))
        .or_else(|| send_buffer::refilled(ctx, i))
        .or_else(|| send_buffer::outgrown(ctx, i))
        .or_else(|| application::forgone(ctx, i))
        .or_else(|| application::overshoots(ctx, i))
}

/// Data that goes on at one pace, of a writer, a pacer or a window.
fn at_a_pace(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    application::own_pace(ctx, i)
        .or_else(|| application::fills_segments(ctx, i))
        .or_else(|| application::writes_little(ctx, i))
        .or_else(|| application::flows_evenly(ctx, i))
        .or_else(|| application::breaks_off(ctx, i))
        .or_else(|| congestion_window::clocked(ctx, i))
        .or_else(|| receive_window::steady(ctx, i))
}

/// What is measured outside of the sender, whatever it waited for: a link that is busy, a window that is full.
fn busy_or_full(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    path_bandwidth::standing_queue(ctx, i)
        .or_else(|| short_of_a_queue(ctx, i).map(|busy| path_bandwidth::or_marked(ctx, i, busy)))
        .or_else(|| receive_window::reached(ctx, i))
}

/// The link is busy, though no queue stands before it.
fn short_of_a_queue(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    path_bandwidth::saturated(ctx, i)
        .or_else(|| path_bandwidth::steady(ctx, i))
        .or_else(|| path_bandwidth::single_file(ctx, i))
}

/// Without ACKs, or without knowing when they reached the sender (no handshake, no timestamps, a
/// capture away from the sender, a clock that ticks once a round trip), nobody can say whether it had to wait for one or had nothing to
/// send. Only a pause that is longer than any path is its own, or than the longest that this one may be.
fn undecidable(ctx: &Context<'_>, i: usize, wait: Wait) -> bool {
    let lost = ctx.blind || !ctx.placed;
    let duration = ctx.stretches[i].duration();
    // What came first within a round trip is not known, but that a flight ends at the window's edge.
    let blurred = ctx.tick.scale(2, 1) > ctx.floor && !ctx.around(i).is_at_the_edge();
    match wait {
        Wait::Ack | Wait::Timer => {
            lost || blurred || !ctx.sure || !ctx.exact && ctx.around(i).ends_before_stalls()
        }
        Wait::IdleSelf if blurred => duration <= ctx.tick.scale(4, 1),
        Wait::IdleSelf => lost && duration < LONGER_THAN_A_PATH,
        _ => false,
    }
}

/// Data in flight was neither acknowledged nor sent again for so long that its sender's timer must have gone off (RFC 6298), and no receiver
/// delays an ACK for more than half a second (RFC 9293 section 3.8.6.3); or it was sent again after longer than any timers take: the host slept,
/// the capture's clock was set forward, or packets are missing.
fn outlasts_timers(ctx: &Context<'_>, i: usize, wait: Wait) -> bool {
    let s = &ctx.stretches[i];
    let usual = i.checked_sub(1).and_then(|before| ctx.stretches[before].rtt_mean());
    let longest = LONGER_THAN_A_PATH.max(usual.unwrap_or(ctx.floor).scale(4, 1));
    let under_way = matches!(wait, Wait::Ack | Wait::Timer | Wait::Nagle);
    let in_vain = s.resent == 0 && s.probes == 0;
    let timers = RTO_MAX.scale(i64::from(s.resent) + 2, 1);
    let repairs = wait == Wait::Recovery && s.duration() >= timers;
    under_way && in_vain && s.longest_stall >= longest || repairs
}

/// SYN to the first data allowed (RFC 9293 section 3.5); a lost SYN costs a second and more
/// (RFC 6298 section 2).
fn handshake(ctx: &Context<'_>) -> Judgement {
    let cause = if ctx.syn_retried { Cause::SynRetry } else { Cause::None };
    Judgement::new(Limit::Handshake, cause, 99)
}

#[cfg(test)]
mod tests {
    use super::made::{MSS, rounds};
    use super::*;
    use crate::units::Nanos;

    #[test]
    fn a_clock_that_ticks_once_a_round_trip_tells_a_window_that_is_full_and_a_long_rest() {
        let floor = Nanos::from_millis(10);
        let judged = |tick: i64, filled: u32, rests: bool| {
            let list = rounds(30, floor, |k, s| {
                (s.flight, s.window_min, s.window_max) = (20 * MSS, 20 * MSS, 20 * MSS);
                (s.arrived, s.filled) = (20 * MSS as i64, filled);
                if rests && k == 15 {
                    (s.wait, s.to) = (Wait::IdleSelf, s.from + floor.scale(20, 1));
                }
            });
            let mut ctx = Context::new(&list, floor, MSS);
            ctx.tick = Nanos::from_millis(tick);
            judge(&ctx, 15).limit
        };
        assert_eq!(judged(10, 1, false), Limit::ReceiveWindow);
        assert_eq!(judged(10, 0, true), Limit::Application);
        let open = |tick| {
            let list = rounds(30, floor, |_, s| {
                (s.flight, s.arrived) = (20 * MSS, 20 * MSS as i64);
                (s.stalls, s.woken, s.stalled_time) = (1, 1, floor);
            });
            let mut ctx = Context::new(&list, floor, MSS);
            ctx.tick = Nanos::from_millis(tick);
            judge(&ctx, 15).limit
        };
        assert_eq!(open(10), Limit::Unknown);
        assert_ne!(open(1), Limit::Unknown);
    }
}
