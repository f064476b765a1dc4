use super::*;
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::limits::made::{MSS, rounds};

const ROUND: Nanos = Nanos::from_millis(1);
/// What the link carries in a second, and in a round trip.
const LINK: u64 = 36_000_000;
const HOLDS: u64 = 36_000;

fn on_the_link(list: &[Stretch], floor: Nanos) -> Context<'_> {
    let mut ctx = Context::new(list, floor, MSS);
    ctx.capacity = Some(LINK);
    ctx
}

#[test]
fn too_little_to_fill_the_path_makes_no_queue_of_a_host_that_is_late() {
    let queues = |flight: u64, late: Nanos| {
        let list = rounds(9, ROUND, |_, s| {
            s.flight = flight;
            s.sampled(ROUND + late, Nanos::ZERO);
        });
        standing_queue(&on_the_link(&list, ROUND), 4).is_some()
    };
    let late = Nanos::from_millis(2);
    assert!(!queues(HOLDS / 3, late));
    assert!(queues(HOLDS * 2, late));
    // Nobody sleeps for so long: the queue is another's.
    assert!(queues(HOLDS / 3, Nanos::from_millis(8)));
}

#[test]
fn full_segments_that_pass_one_by_one_far_from_a_sender_whose_queue_is_not_dry_were_spread_on_the_way()
 {
    let comes = |far: bool, dry: u32, short: u32, whole: u32, idle: Nanos| {
        let list = rounds(18, ROUND, |_, s| {
            (s.wait, s.flight, s.segments, s.short_segments) = (Wait::IdleSelf, MSS, 4, short);
            (s.stalls, s.dry_stalls, s.whole_segments, s.idle) = (4, dry, whole, idle);
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        ctx.far = far;
        spread(&ctx, 9).is_some()
    };
    let pause = Nanos::from_millis(3);
    assert!(comes(true, 0, 0, 0, pause));
    assert!(!comes(false, 0, 0, 0, pause), "the sender is near: it has paused");
    assert!(!comes(true, 1, 0, 0, pause), "a write ended");
    assert!(comes(true, 4, 0, 4, pause), "cut from more, whatever their PSH says");
    assert!(!comes(true, 0, 1, 0, pause));
    assert!(!comes(true, 0, 0, 0, RTO_MIN), "a timeout");
}

#[test]
fn a_pause_behind_a_full_segment_far_from_a_sender_whose_queues_do_not_show_may_be_anyones() {
    let told = |short: u32, sees_queues: bool| {
        // A burst in every second round, which ends with PSH, and nothing in the next one.
        let list = rounds(18, ROUND, |k, s| {
            (s.wait, s.segments, s.dry_stalls) = (Wait::IdleSelf, 4 * u32::from(k % 2 == 0), 1);
            (s.short_segments, s.idle) = (short, Nanos::from_millis(3));
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        (ctx.far, ctx.sees_queues) = (true, sees_queues);
        [8, 9].map(|i| spread(&ctx, i).map(|judgement| judgement.limit))
    };
    assert_eq!(told(0, false), [Some(Limit::Unknown); 2]);
    assert_eq!(told(1, false), [None; 2], "a write ended");
    assert_eq!(told(0, true), [None; 2], "it did not queue");
}

#[test]
fn full_segments_one_by_one_far_from_a_sender_whose_queues_do_not_show_come_out_of_a_link() {
    let told = |change: fn(&mut Stretch), change_of_context: fn(&mut Context<'_>)| {
        let list = rounds(18, ROUND, |k, s| {
            (s.segments, s.waits, s.arrived, s.flight) = (4, 4, 4 * MSS as i64, 8 * MSS);
            (s.window_min, s.window_max) = (9 * MSS, 9 * MSS);
            (0..4).for_each(|_| s.lengths.add(250_000 + k as u64));
            change(s);
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        ctx.sees_queues = false;
        change_of_context(&mut ctx);
        single_file(&ctx, 9).is_some()
    };
    assert!(told(|_| (), |_| ()));
    assert!(!told(|_| (), |ctx| ctx.sees_queues = true));
    assert!(!told(|s| s.lengths.add(700_000), |_| ()), "as ACKs release them");
    assert!(!told(|s| s.arrived *= 2, |_| ()), "two at a time, as pacing lets them go");
    assert!(!told(|s| s.short_segments = 1, |_| ()), "ends of writes");
    assert!(!told(|s| s.pushes = 4, |_| ()), "each may be a write");
    assert!(!told(|s| s.window_max += MSS, |_| ()), "as they are read");
}

#[test]
fn one_rate_all_along_is_the_links_where_queues_do_not_show_and_most_of_it_is_used_or_a_cut_is_not_felt()
 {
    let told = |arrived: fn(usize) -> u64, capacity: u64, sees_queues: bool, lost: usize| {
        let list = rounds(200, ROUND, |k, s| {
            (s.segments, s.arrived) = (20, arrived(k) as i64);
            s.flight = if k > lost { 7 * MSS } else { 10 * MSS };
            s.resent = u32::from(k == lost);
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        (ctx.sees_queues, ctx.capacity) = (sees_queues, Some(capacity));
        unmoved(&ctx, 100).is_some()
    };
    let never = usize::MAX;
    let even = |k: usize| HOLDS + [0, 3_000, 1_000, 2_000][k % 4];
    assert!(told(even, LINK * 5 / 4, false, never));
    assert!(!told(even, LINK * 5 / 4, true, never));
    assert!(!told(even, LINK * 3, false, never), "a buffer may hold as much");
    assert!(told(even, LINK * 3, false, 50));
    assert!(!told(|k| HOLDS + 100 * k as u64, LINK * 5 / 4, false, 50), "a window that grows");
}

#[test]
fn a_slow_link_takes_as_long_for_two_segments_as_a_slow_reader() {
    let capped = |window: u64, lengths: [u64; 4], per_ack: i64| {
        let list = rounds(18, ROUND.scale(8, 1), |k, s| {
            (s.wait, s.flight, s.stalled_time) = (Wait::Window, 8 * MSS, ROUND.scale(8, 1));
            (s.waits, s.arrived) = (4, 4 * per_ack * MSS as i64);
            let edge = 8 * MSS + window * (k as u64 % 2);
            (s.window_min, s.window_max) = (edge, edge);
            lengths.into_iter().for_each(|length| s.lengths.add(length));
            (0..4).for_each(|_| s.sampled(ROUND.scale(7, 1), Nanos::ZERO));
        });
        capped_queue(&Context::new(&list, ROUND, MSS), 9).is_some()
    };
    let even = [2_000_000; 4];
    assert!(capped(0, even, 2));
    assert!(!capped(MSS, even, 2), "its window tells of the reader");
    assert!(!capped(0, [1_000_000, 1_000_000, 4_000_000, 2_000_000], 2));
    assert!(!capped(0, even, 4), "ACKs that a timer holds back");
}

#[test]
fn what_a_policer_would_let_through_is_left_unused_by_a_window_that_was_halved() {
    let of = |arrived: i64| {
        let list = rounds(60, ROUND, |_, s| s.arrived = arrived);
        let mut ctx = on_the_link(&list, ROUND);
        let rate = LINK / 4;
        ctx.losses = Losses::Policed { first: 5, last: 50, rate, at_least: rate, exact: false };
        let slow = Judgement::new(Limit::CongestionWindow, Cause::CongestionAvoidance, 75);
        rationed(&ctx, 30, slow).is_some()
    };
    assert!(of(9_000));
    assert!(!of(6_000));
}

#[test]
fn a_paced_sender_with_far_too_much_in_flight_waits_for_the_path() {
    let overruns = |flight: fn(usize) -> u64| {
        let list = rounds(200, ROUND, |k, s| {
            (s.wait, s.flight, s.arrived) = (Wait::Timer, flight(k), 30_000);
            // Most rounds end without an ACK.
            if k % 5 == 0 {
                s.sampled(ROUND.scale(4, 1), Nanos::ZERO);
            }
        });
        overrun(&on_the_link(&list, ROUND), 101).is_some()
    };
    assert!(overruns(|k| HOLDS * (3 + k as u64 % 5)));
    // A buffer of that size, which is always as full.
    assert!(!overruns(|_| HOLDS * 4));
    assert!(!overruns(|k| HOLDS / 8 * (3 + k as u64 % 5)));
}

#[test]
fn what_is_in_flight_while_acks_wait_on_their_way_back_is_no_queue_of_data() {
    let overfull = |back: i64| {
        let list = rounds(40, ROUND, |k, s| {
            (s.flight, s.arrived) = (3 * HOLDS + k as u64 * MSS, 20_000);
            (0..8).for_each(|_| s.sampled(ROUND.scale(2 + back, 1), ROUND.scale(back, 1)));
        });
        overfull(&on_the_link(&list, ROUND), 20).is_some()
    };
    assert!(overfull(0));
    // They take as long again as the path, and what they acknowledge has left the queue.
    assert!(!overfull(1));
}

#[test]
fn a_window_as_large_as_a_path_that_queues_is_not_what_holds() {
    let floor = Nanos::from_millis(150);
    let full = |arrived: i64, window: u64| {
        let list = rounds(20, floor, |k, s| {
            (s.wait, s.flight, s.arrived) = (Wait::Window, 3 * HOLDS, arrived);
            (s.window_min, s.window_max) = (3 * HOLDS, 3 * HOLDS + window * (k as u64 % 2));
            (0..20).for_each(|_| s.sampled(floor + Nanos::from_millis(10), Nanos::ZERO));
        });
        let mut ctx = Context::new(&list, floor, MSS);
        ctx.capacity = Some(2_400_000);
        capped_full(&ctx, 3).is_some()
    };
    assert!(full(360_000, 0));
    assert!(!full(200_000, 0));
    // A reader sets the pace.
    assert!(!full(360_000, HOLDS));
}

#[test]
fn what_no_ack_lets_go_and_ends_short_round_after_round_comes_as_fast_as_it_is_written() {
    let steady = |far: bool, prompt: u32, short: u32| {
        let list = rounds(64, ROUND, |k, s| {
            (s.arrived, s.segments, s.short_segments) = (HOLDS as i64, 25, short);
            (s.waits, s.prompt) = (12, prompt);
            (0..4).for_each(|_| s.sampled(ROUND + ROUND.scale(k as i64 % 2, 1), Nanos::ZERO));
        });
        let mut ctx = on_the_link(&list, ROUND);
        ctx.far = far;
        steady(&ctx, 32).is_some()
    };
    assert!(!steady(false, 1, 1));
    assert!(steady(false, 1, 0), "full segments, as a link lets them go");
    assert!(steady(false, 12, 1), "ACKs let them go");
    assert!(steady(true, 1, 1), "from afar nobody can tell");
}

#[test]
fn what_is_written_segment_by_segment_and_never_waits_comes_as_fast_as_it_is_written() {
    let steady = |pushes: u32, resent: u32, pairs: u32| {
        let list = rounds(64, ROUND, |k, s| {
            (s.arrived, s.segments, s.pushes) = (HOLDS as i64, 25, pushes);
            s.whole_segments = pairs;
            s.resent = if k == 30 { resent } else { 0 };
            (0..4).for_each(|_| s.sampled(ROUND + ROUND.scale(k as i64 % 2, 1), Nanos::ZERO));
        });
        let mut ctx = on_the_link(&list, ROUND);
        ctx.far = true;
        steady(&ctx, 32).is_some()
    };
    assert!(!steady(23, 0, 0));
    assert!(steady(11, 0, 0), "a kernel marks pairs");
    assert!(steady(23, 0, 23), "as it hands them over");
    assert!(steady(23, 1, 0), "the link has dropped something");
}

#[test]
fn marks_name_a_busy_link_and_make_none_of_one_that_rests() {
    let list = rounds(30, ROUND, |k, s| {
        (s.wait, s.flight, s.acked, s.marks) = (Wait::Ack, HOLDS / 4, HOLDS / 4, u32::from(k == 9));
        s.sampled(ROUND, Nanos::ZERO);
    });
    let ctx = on_the_link(&list, ROUND);
    let busy = Judgement::new(Limit::PathBandwidth, Cause::SteadyRate, 80);
    assert_eq!(or_marked(&ctx, 8, busy).cause, Cause::SteadyRate);
    assert_eq!(or_marked(&ctx, 9, busy).cause, Cause::EcnMarked);
    assert_ne!(crate::limits::judge(&ctx, 9).limit, Limit::PathBandwidth);
}
