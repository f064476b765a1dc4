//! `congestion_window`: allowed by the window and the buffer, held by cwnd.
//!
//! A flight that is limited by cwnd grows: by 1.5 to 2 a round in slow start (RFC 5681 section 3.1,
//! with delayed ACKs), by about a segment a round afterwards (RFC 5681, RFC 9438 section 4.3). That
//! is what tells it from a full buffer, whose flight stands still.

use super::application::paced_burst;
use super::{Context, Judgement, send_buffer};
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::model::{Cause, Limit};

/// Rounds in which slow start may stand still: an odd ACK, a round cut in two.
const LOOK: usize = 2;
/// Confidence, in percent, in what is hardly likelier than something else.
const AS_LIKELY: u8 = 55;
/// A flight that is lower by more than this part has fallen: a round cut in two is lower by a segment or two.
const DIP: u64 = 16;

/// The flight grows by a third and more from round to round: slow start makes 1.5 of it with delayed ACKs (RFC 5681 section 3.1), and of a round that is
/// cut in two less is seen.
pub(super) fn doubling(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let run = ctx.run(i);
    let flight = ctx.stretches[i].flight;
    // What was sent last grew as what was sent before did.
    let tail = ctx.stretches.get(run.end).is_some_and(|s| s.wait == Wait::Tail);
    let end = run.end + usize::from(tail);
    let after = (i + 1..end.min(i + 1 + LOOK)).map(|k| ctx.stretches[k].flight).max();
    let before = (run.start.max(i.saturating_sub(LOOK))..i).map(|k| ctx.stretches[k].flight).min();
    let grows = |from: u64, to: u64| from > 0 && to >= from + from / 3 && to >= 4 * ctx.mss;
    let will = after.is_some_and(|a| grows(flight, a));
    let has = before.is_some_and(|b| grows(b, flight));
    if !will && !has {
        return None;
    }
    // A saw-tooth also rises now and then: slow start goes where the flight has not been.
    let beginning = episode_start(ctx, i);
    let (highest, before) = if will { (after.unwrap_or(0), i + 1) } else { (flight, i) };
    if highest <= known_ground(&ctx.stretches[beginning..before]) {
        return None;
    }
    let idled = beginning > 0 && ctx.stretches[beginning - 1].is_idle();
    let first = ctx.stretches[beginning].flight;
    let restarted = idled && ctx.stretches[..beginning].iter().any(|s| s.flight > first);
    let cause = if restarted { Cause::IdleRestart } else { Cause::SlowStart };
    Some(Judgement::new(Limit::CongestionWindow, cause, 85))
}

/// How high flights may be after these without going anywhere new. Only a loss or an idle time makes a window fall: where the flight did, it
/// had not filled the window, which was then up to twice as large.
fn known_ground(stretches: &[Stretch]) -> u64 {
    let (mut highest, mut room) = (0, 0);
    for s in stretches {
        if s.flight < highest - highest / DIP {
            room = 2 * highest;
        }
        highest = highest.max(s.flight);
    }
    room.max(highest + highest / 8)
}

/// The last that was sent, in slow start, ended with a full segment, as the end of a write does by chance only: more was to come, and what
/// stopped it is not in the capture.
pub(super) fn cut_short(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let nothing_sent = ctx.stretches[i].segments == 0;
    let sent = if nothing_sent { i.checked_sub(1)? } else { i };
    let s = &ctx.stretches[sent];
    let full = s.segments > 0 && s.short_segments == 0 && s.flight.is_multiple_of(ctx.mss);
    doubling(ctx, sent).filter(|_| full)
}

/// Where the flight began to grow: the beginning, or the last long pause or loss before `i`.
fn episode_start(ctx: &Context<'_>, i: usize) -> usize {
    (0..i)
        .rev()
        .find(|&k| {
            let s = &ctx.stretches[k];
            s.restarts() || s.timeouts > 0
        })
        .map_or(0, |k| k + 1)
}

/// Slow growth, or a queue that was not dry when the sender stopped: data waited, and neither the
/// window nor the buffer held it. Where queues do not show and data comes at one rate all along, nothing grows.
pub(super) fn avoidance(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let grows = around.rounds >= 4 && around.grows(ctx.mss) || ctx.climbs(i);
    let waiting = around.marks_pairs_at_most() && around.dryness().is_some_and(|d| d <= 50);
    let lost = ctx.may_be_cut(i);
    let confidence = match (grows, waiting, lost) {
        _ if ctx.even_rate().is_some() => return None,
        (true, true, _) | (_, true, true) => 85,
        (true, false, true) => 75,
        (_, true, false) => 70,
        (true, false, false) | (false, false, true) => 60,
        (false, false, false) => return None,
    };
    Some(Judgement::new(Limit::CongestionWindow, Cause::CongestionAvoidance, confidence))
}

/// A constant rate below what the path carries, in bursts as small as pacing makes, at even intervals that no ACK sets
/// (SO_MAX_PACING_RATE; `tcp_pacing_check`). A full buffer or window would wait for ACKs.
pub(super) fn clocked(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let small = around.burst() <= paced_burst(ctx, around.sending_rate());
    // Where every flight ends at the same byte, a buffer may be full behind the timer.
    let pinned = || send_buffer::pinned(ctx, i);
    // Seen from afar every interval may have ended with an ACK.
    let timed = match ctx.far {
        true => around.is_even() && !(around.shows_ends() && pinned()),
        false => around.is_timed() || around.is_nearly_timed() && !pinned(),
    };
    (small && ctx.calm(i) && timed).then(|| a_timers(ctx, i, 75))
}

/// As `clocked`, of a sender that has nothing in flight when its timer expires.
pub(super) fn lumps(ctx: &Context<'_>) -> Option<Judgement> {
    ctx.lets_go_by_a_timer().then(|| Judgement::new(Limit::CongestionWindow, Cause::Pacing, 70))
}

/// Whose the timer is: a pacer has a queue to hold back, and its segments, where they leave one by one, end no writes, but for the last one
/// before a rest. From afar a full buffer looks like a writer, for the last segment of what fits is short, too.
fn a_timers(ctx: &Context<'_>, i: usize, confidence: u8) -> Judgement {
    let around = ctx.around(i);
    let each = around.marks_each() && around.leaves_one_by_one(ctx.mss);
    let rests = ctx.stretches.get(ctx.run(i).end).is_none_or(Stretch::is_idle);
    if !each && !around.shows_ends_besides(u32::from(rests)) {
        return Judgement::new(Limit::CongestionWindow, Cause::Pacing, confidence);
    }
    let confidence = if ctx.far && !each { AS_LIKELY } else { confidence };
    Judgement::new(Limit::Application, Cause::SenderApplication, confidence)
}

/// A loss was repaired a few rounds ago: the window was cut then, and by how much the sender is paced now is not seen.
pub(super) fn cut(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let held = ctx.lost_lately(i) && ctx.stretches[i].short_segments == 0;
    held.then(|| Judgement::new(Limit::CongestionWindow, Cause::Pacing, 55))
}

/// Segments leave by a timer though ACKs and window would allow them, and the queue is not dry
/// (BBR, draft-ietf-ccwg-bbr section 4.6.2; Linux TCP internal pacing). What comes at odd intervals is another's doing.
pub(super) fn paced(ctx: &Context<'_>, i: usize) -> Option<Judgement> {
    let around = ctx.around(i);
    let waits = || around.marks_pairs_at_most() && around.dryness().is_none_or(|d| d <= 50);
    let waiting = around.is_cut_from_more() || waits();
    (waiting && around.segments >= 4 && !around.is_uneven()).then(|| a_timers(ctx, i, 60))
}

#[cfg(test)]
mod tests {
    use super::super::made::{MSS, rounds};
    use super::*;
    use crate::units::Nanos;

    #[test]
    fn a_transfer_that_falls_silent_in_slow_start_was_not_done() {
        let floor = Nanos::from_millis(100);
        let last = |short: u32| {
            let list = rounds(4, floor, |k, s| {
                (s.flight, s.segments) = ((10 * MSS) << k, 10 << k);
                if k == 3 {
                    (s.wait, s.short_segments) = (Wait::Tail, short);
                }
            });
            cut_short(&Context::new(&list, floor, MSS), 3).is_some()
        };
        assert!(last(0));
        assert!(!last(1));
    }

    #[test]
    fn what_grows_again_after_an_idle_time_does_so_until_it_has_grown_beyond_what_it_was() {
        let flights = [10, 20, 40, 0, 10, 20, 40, 80];
        let list = rounds(8, Nanos::from_millis(300), |k, s| {
            s.flight = flights[k] * MSS;
            s.wait = if k == 3 { Wait::IdlePeer } else { Wait::Ack };
        });
        let ctx = Context::new(&list, Nanos::from_millis(100), MSS);
        let cause = |i: usize| doubling(&ctx, i).map(|judgement| judgement.cause);
        assert_eq!(cause(2), Some(Cause::SlowStart));
        assert!((4..8).all(|i| cause(i).is_none_or(|c| c == Cause::IdleRestart)));
        assert_eq!(cause(7), Some(Cause::IdleRestart));
    }

    #[test]
    fn a_flight_that_fell_without_a_loss_had_not_filled_its_window() {
        let floor = Nanos::from_millis(100);
        let doubles = |flights: [u64; 6], i: usize| {
            let list = rounds(6, floor, |k, s| s.flight = flights[k] * MSS);
            doubling(&Context::new(&list, floor, MSS), i).is_some()
        };
        let buffer = [10, 20, 40, 36, 62, 62];
        assert!((0..3).all(|i| doubles(buffer, i)));
        assert!((3..6).all(|i| !doubles(buffer, i)));
        // Farther than a window that was twice as large.
        assert!(doubles([10, 20, 40, 36, 90, 180], 4));
    }

    #[test]
    fn a_few_rounds_after_a_loss_the_window_that_it_cut_holds_the_sender() {
        let floor = Nanos::from_millis(10);
        let list = rounds(30, floor, |k, s| {
            (s.wait, s.flight, s.segments, s.pushes) = (Wait::Timer, 20 * MSS, 20, 20);
            s.resent = u32::from(k == 10);
        });
        let ctx = Context::new(&list, floor, MSS);
        assert!(cut(&ctx, 12).is_some());
        assert!(cut(&ctx, 9).is_none());
        assert!(cut(&ctx, 25).is_none());
    }

    #[test]
    fn a_timer_that_paces_is_not_late_by_half_of_its_interval_now_and_then() {
        let is_paced = |second: u64| {
            let list = rounds(20, Nanos::from_millis(20), |_, s| {
                (s.wait, s.segments) = (Wait::Timer, 8);
                [2_000_000, second].into_iter().for_each(|length| s.lengths.add(length));
            });
            paced(&Context::new(&list, Nanos::from_millis(20), MSS), 10).is_some()
        };
        assert!(is_paced(2_400_000));
        assert!(!is_paced(4_000_000), "two or four ticks of another's clock");
    }

    /// Whether a pair of segments each 1.0 to 1.7 ms, so many of fifty just after an ACK, is pacing; with these flights.
    fn is_clocked(prompt: u32, flight: impl Fn(usize) -> u64) -> bool {
        is_clocked_each(350_000, prompt, flight)
    }

    /// As `is_clocked`, each one, two or three so many ns apart.
    fn is_clocked_each(step: u64, prompt: u32, flight: impl Fn(usize) -> u64) -> bool {
        let floor = Nanos::from_millis(50);
        let list = rounds(30, floor, |k, s| {
            (s.flight, s.arrived, s.segments) = (flight(k), 100 * MSS as i64, 50);
            (s.waits, s.prompt) = (50, prompt);
            (s.rtt_sum, s.rtt_count) = (floor, 1);
            (0..50).for_each(|wait| s.lengths.add(1_000_000 + step * (wait % 3)));
        });
        clocked(&Context::new(&list, floor, MSS), 15).is_some()
    }

    #[test]
    fn a_timer_that_finds_its_queue_empty_round_after_round_is_the_writers() {
        let of = |short: u32| {
            let list = rounds(20, Nanos::from_millis(20), |k, s| {
                (s.wait, s.segments) = (Wait::Timer, 8);
                s.short_segments = if k % 2 == 0 { short } else { 0 };
            });
            let judgement = paced(&Context::new(&list, Nanos::from_millis(20), MSS), 10);
            judgement.map(|judgement| judgement.limit)
        };
        assert_eq!(of(0), Some(Limit::CongestionWindow));
        assert_eq!(of(1), Some(Limit::Application));
    }

    #[test]
    fn an_answer_in_pairs_whose_last_segment_is_short_is_paced_and_one_written_piece_by_piece_is_not()
     {
        let pairs = |whole: bool, short: u32, rest: Wait| {
            let list = rounds(2, Nanos::from_millis(100), |k, s| {
                (s.wait, s.pushes) = (if k == 0 { Wait::Timer } else { rest }, 18);
                (s.segments, s.whole_segments) = if whole { (18, 17) } else { (35, 0) };
                (s.short_segments, s.arrived, s.waits) = (short, 50_000, 17);
            });
            let judgement = paced(&Context::new(&list, Nanos::from_millis(150), MSS), 0);
            judgement.map(|judgement| judgement.limit)
        };
        let of = |short, rest| pairs(false, short, rest);
        assert_eq!(of(1, Wait::IdlePeer), Some(Limit::CongestionWindow));
        assert_eq!(of(2, Wait::IdlePeer), Some(Limit::Application));
        assert_eq!(of(1, Wait::Recovery), Some(Limit::Application), "it is not the last");
        assert_eq!(pairs(true, 1, Wait::IdlePeer), Some(Limit::CongestionWindow), "not cut yet");
    }

    #[test]
    fn full_segments_one_by_one_that_are_each_marked_are_each_written_by_a_clock() {
        let of = |at_once: u32, pushes: u32| {
            let list = rounds(30, Nanos::from_millis(50), |_, s| {
                (s.segments, s.pushes, s.waits) = (16, pushes, 16 / at_once);
                (s.flight, s.arrived) = (17 * MSS, 16 * MSS as i64);
                (s.rtt_sum, s.rtt_count) = (Nanos::from_millis(50), 1);
                (0..16).for_each(|_| s.lengths.add(3_000_000));
            });
            let judgement = clocked(&Context::new(&list, Nanos::from_millis(50), MSS), 15);
            judgement.map(|judgement| judgement.limit)
        };
        assert_eq!(of(1, 16), Some(Limit::Application));
        assert_eq!(of(1, 4), Some(Limit::CongestionWindow));
        assert_eq!(of(2, 16), Some(Limit::CongestionWindow), "before they are segmented");
    }

    #[test]
    fn from_afar_ends_of_writes_behind_a_flight_of_one_height_are_a_full_buffers() {
        let says = |varies: u64, short: u32| {
            let floor = Nanos::from_millis(50);
            let list = rounds(30, floor, |k, s| {
                s.flight = 20 * MSS + (k as u64 % 2) * varies;
                (s.arrived, s.segments, s.short_segments) = (20 * MSS as i64, 20, short);
                (s.waits, s.rtt_sum, s.rtt_count) = (20, floor, 1);
                (0..20).for_each(|_| s.lengths.add(2_500_000));
            });
            let mut ctx = Context::new(&list, floor, MSS);
            ctx.far = true;
            clocked(&ctx, 15).map(|judgement| judgement.limit)
        };
        assert_eq!(says(2 * MSS, 1), Some(Limit::Application));
        assert_eq!(says(0, 1), None);
        assert_eq!(says(0, 0), Some(Limit::CongestionWindow), "a pacer's stands as still");
    }

    #[test]
    fn a_timer_of_a_busy_host_is_told_by_acks_that_release_nothing() {
        let varies = |k: usize| 100 * MSS + (k % 3) as u64 * MSS;
        assert!(is_clocked(2, varies));
        assert!(!is_clocked(25, varies), "ACKs may release every other pair");
        assert!(!is_clocked(2, |_| 100 * MSS), "a full buffer may be behind it");
    }

    #[test]
    fn acks_that_come_back_at_a_timers_beat_release_nothing() {
        let even = |prompt| is_clocked_each(10_000, prompt, |_| 100 * MSS);
        assert_eq!([even(10), even(40), even(48)], [true, true, false]);
    }
}
