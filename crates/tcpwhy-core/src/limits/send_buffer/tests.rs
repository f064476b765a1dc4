use super::*;
use crate::limits::made::{MSS, rounds};
use crate::limits::receive_window;

const ROUND: Nanos = Nanos::from_millis(6);

/// Whether the middle of 30 rounds is a plateau, each with a dry pause of most of it, whose flights are these.
fn is_plateau(flight: impl Fn(usize) -> u64) -> bool {
    let list = rounds(30, ROUND, |k, s| {
        (s.flight, s.arrived, s.segments, s.pushes) = (flight(k), flight(k) as i64, 100, 4);
        s.stalled(ROUND.scale(3, 4), flight(k), 1 << 23, true);
    });
    plateau(&Context::new(&list, ROUND, MSS), 12).is_some()
}

#[test]
fn half_a_segment_a_round_is_a_window_that_grows_though_half_of_the_rounds_hardly_show_it() {
    assert!(!is_plateau(|k| 116 * MSS + k as u64 * MSS / 2));
    assert!(!is_plateau(|k| 2_000 * MSS + k as u64 * MSS), "little of a large window");
    assert!(is_plateau(|k| 2_000 * MSS + [0, 3, 1, 2][k % 4] * MSS), "nor does it end higher");
    assert!(is_plateau(|_| 116 * MSS));
}

#[test]
fn a_flight_that_stands_though_not_for_long_says_less_where_each_segment_carries_psh() {
    let round = Nanos::from_millis(2);
    let confidence = |pushes: u32, dry: bool| {
        let list = rounds(30, round, |k, s| {
            let flight = (116 + [0, 3, 1, 2][k % 4]) * MSS;
            (s.flight, s.arrived, s.segments, s.pushes) = (flight, flight as i64, 100, pushes);
            s.stalled(round.scale(3, 4), flight, 1 << 23, dry);
        });
        plateau(&Context::new(&list, round, MSS), 12).map(|j| j.confidence)
    };
    assert_eq!(confidence(4, true), Some(75));
    assert_eq!(confidence(100, true), Some(60));
    assert_eq!(confidence(100, false), None);
}

#[test]
fn the_same_byte_in_round_after_round_needs_no_pauses() {
    let list = rounds(40, ROUND, |_, s| (s.flight, s.arrived) = (54 * MSS, 54 * MSS as i64));
    assert!(plateau(&Context::new(&list, ROUND, MSS), 20).is_some());
}

#[test]
fn a_flight_that_stops_at_the_same_byte_in_every_round_shows_a_ceiling_and_one_that_the_window_stops_does_not()
 {
    let of_highest = |window: u64, highest: u64| {
        let list = rounds(40, ROUND, |k, s| {
            s.flight = 54 * MSS - if k < 10 { (10 - k as u64) * MSS } else { 0 };
            s.flight += if k == 39 { highest } else { 0 };
            s.saw_window(window);
        });
        ceiling(&Context::new(&list, ROUND, MSS))
    };
    let of = |window: u64| of_highest(window, 0);
    assert_eq!(of(1 << 20), Some(54 * MSS));
    assert_eq!(of_highest(1 << 20, 20 * MSS), None, "a writer with a clock stopped there");
    assert_eq!(of(55 * MSS), None);
    // Nothing in flight is no buffer.
    let idle = rounds(40, ROUND, |_, s| (s.flight, s.arrived) = (0, 0));
    assert_eq!(ceiling(&Context::new(&idle, ROUND, MSS)), None);
}

#[test]
fn a_sender_that_paces_fills_a_full_path_twice_unless_its_buffer_is_smaller() {
    let of = |flight: u64, lost: bool| {
        let list = rounds(40, ROUND, |k, s| {
            s.flight = flight;
            s.saw_window(1 << 20);
            s.resent = u32::from(lost && k == 20);
        });
        // The path holds 50 segments.
        let carries = 50 * MSS * 1_000 / 6;
        paced_ceiling(&Context::new(&list, ROUND, MSS), carries)
    };
    assert_eq!(of(70 * MSS, false), Some(70 * MSS));
    assert_eq!([of(145 * MSS, false), of(40 * MSS, false), of(70 * MSS, true)], [None; 3]);
    assert_eq!(of(1 << 20, false), None, "the window had no room");
}

#[test]
fn a_flight_on_its_way_to_a_height_does_not_stand_yet() {
    let rises = [30, 33, 36, 39, 42, 46, 50, 54, 58, 62, 67, 71, 76, 87, 98, 112, 116];
    assert!(!is_plateau(|k| rises[k.min(16)] * MSS));
    assert!(is_plateau(|k| rises[k.min(12)] * MSS));
}

#[test]
fn a_flight_that_stands_at_the_windows_edge_is_the_windows() {
    let full = |filled: u32| {
        let list = rounds(40, ROUND, |k, s| {
            (s.flight, s.arrived, s.filled) = (54 * MSS, 54 * MSS as i64, filled);
            (s.wait, s.waits, s.prompt) = (Wait::Ack, 1, 1);
            s.sampled(ROUND, Nanos::ZERO);
            s.saw_window(54 * MSS + (k as u64 % 2));
        });
        let ctx = Context::new(&list, ROUND, MSS);
        [plateau(&ctx, 20), steady(&ctx, 20), receive_window::steady(&ctx, 20)]
            .map(|told| told.is_some())
    };
    assert_eq!(full(0), [true, true, false]);
    assert_eq!(full(1), [false, false, true]);
}

#[test]
fn a_writer_that_acks_wake_at_one_level_waits_for_room_however_much_it_writes_then() {
    let says = |woken: u32, left: [u64; 2], short: u32| {
        let list = rounds(40, ROUND, |k, s| {
            (s.flight, s.arrived) = (186 * MSS, 161 * MSS as i64);
            (s.stalls, s.forgone, s.woken, s.short_stalls) = (1, 1, woken, short);
            among_many_acks(s, woken);
            s.drained(186 * MSS, left[k % 2] * MSS);
        });
        refilled(&Context::new(&list, ROUND, MSS), 20).map(|j| j.limit)
    };
    assert_eq!(says(1, [25, 23], 0), Some(Limit::SendBuffer));
    assert_eq!(says(0, [25, 23], 0), None, "at its own time");
    assert_eq!(says(1, [25, 5], 0), None, "at no level");
    assert_eq!(says(1, [0, 0], 0), None, "nothing was left");
    assert_eq!(says(1, [25, 23], 1), None, "by a clock, writes that end short");
}

#[test]
fn a_low_level_may_vary_by_what_an_ack_acknowledges_where_acks_wake_the_writer_at_any_height() {
    let says = |woken: u32, left: [u64; 2], tops: [u64; 2]| {
        let list = rounds(40, ROUND, |k, s| {
            (s.flight, s.arrived) = (tops[k / 2 % 2] * MSS, tops[k / 2 % 2] as i64 * MSS as i64);
            (s.stalls, s.woken) = (1, woken);
            among_many_acks(s, woken);
            s.drained(tops[k / 2 % 2] * MSS, left[k % 2] * MSS);
        });
        refilled(&Context::new(&list, ROUND, MSS), 20).map(|j| j.limit)
    };
    let (level, heights) = ([8, 14], [40, 490]);
    assert_eq!(says(1, level, heights), Some(Limit::SendBuffer));
    assert_eq!(says(0, level, heights), None, "at its own time");
    assert_eq!(says(1, [2, 20], heights), None, "at no level");
    assert_eq!(says(1, level, [40, 60]), None, "heights that hardly differ");
}

/// ACKs come so closely that any end of a stall is just after one.
fn among_many_acks(s: &mut Stretch, woken: u32) {
    s.acks = 100;
    s.woken_after = (s.duration().scale(1, 200)).scale(i64::from(woken), 1);
}

#[test]
fn a_writer_that_goes_on_right_behind_an_ack_whenever_most_has_drained_waits_for_room() {
    let says = |late: i64, drains: usize, far: bool| {
        let list = rounds(40, ROUND, |k, s| {
            (s.flight, s.arrived) = ((300 + k as u64) * MSS, 290 * MSS as i64);
            (s.stalls, s.woken, s.acks) = (2, 2, 10);
            s.woken_after = Nanos::from_micros(2 * late);
            if k % drains == 0 {
                s.drained(s.flight, (10 + 20 * (k as u64 % 3)) * MSS);
            }
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        ctx.far = far;
        refilled(&ctx, 20).map(|j| j.limit)
    };
    assert_eq!(says(20, 1, false), Some(Limit::SendBuffer));
    assert_eq!(says(200, 1, false), None, "as it is by chance, with an ACK each 600 us");
    assert_eq!(
        says(20, 2, false),
        None,
        "a congestion window is used as ACKs come, but for a round now and then"
    );
    assert_eq!(says(20, 1, true), None, "when ACKs came is not known so well");
}

#[test]
fn room_that_is_passed_over_until_a_third_is_free_is_a_full_buffers_whatever_was_lost_before() {
    let says = |room: u64, passed: u32, far: bool, grows: u64| {
        let list = rounds(20, ROUND, |k, s| {
            if k == 0 {
                (s.wait, s.resent) = (Wait::Recovery, 1);
            }
            s.flight = 115 * MSS + k as u64 * grows;
            (s.arrived, s.acks) = (s.flight as i64, 57);
            (s.stalls, s.woken, s.woken_after) = (3, 3, Nanos::from_micros(30));
            (0..passed).for_each(|_| s.passed_over.add(room * MSS));
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        ctx.far = far;
        refilled(&ctx, 10).map(|j| j.limit)
    };
    assert_eq!(says(45, 3, false, 0), Some(Limit::SendBuffer));
    assert_eq!(says(45, 3, false, MSS), Some(Limit::SendBuffer), "its window grows beyond it");
    assert_eq!(says(45, 3, true, 0), Some(Limit::SendBuffer));
    assert_eq!(says(42, 3, true, MSS), None, "from afar an old kernel's window looks so");
    assert_eq!(says(50, 3, true, MSS), Some(Limit::SendBuffer), "which is a third of it at most");
    assert_eq!(says(20, 3, false, 0), None, "pacing saves up as much");
    assert_eq!(says(45, 2, false, 0), Some(Limit::SendBuffer), "its window is nearly as small");
    assert_eq!(says(45, 1, false, 0), None, "most stalls ended with the first ACK");
}

#[test]
fn a_flight_that_doubles_though_room_is_passed_over_is_a_buffers_that_takes_in_more_than_its_size()
{
    let says = |rounds_of: usize, room: u64, passed: bool, after: i64| {
        let list = rounds(rounds_of, ROUND, |k, s| {
            s.flight = (20 * MSS) << k;
            (s.arrived, s.acks) = (s.flight as i64, 20);
            (s.stalls, s.woken, s.woken_after) = (1, 1, Nanos::from_micros(after));
            if passed && k >= 2 {
                s.passed_over.add(room * MSS);
            }
        });
        outgrown(&Context::new(&list, ROUND, MSS), 2).map(|j| j.limit)
    };
    assert_eq!(says(5, 200, true, 30), Some(Limit::SendBuffer));
    assert_eq!(says(4, 200, true, 30), None, "two may be chance");
    assert_eq!(says(5, 10, true, 30), None, "pacing saves up as much");
    assert_eq!(says(5, 200, false, 30), None, "each first ACK lets more go");
    assert_eq!(says(5, 200, true, 150), None, "ACKs are there all the time");
}

#[test]
fn what_each_short_transfer_shows_too_little_of_all_of_them_show() {
    // Ten transfers of three rounds, each ended by a rest; in two of those rounds room is passed over.
    let says = |transfers: usize, resent: u32, after: i64| {
        let list = rounds(4 * transfers, ROUND, |k, s| {
            s.flight = 40 * MSS;
            (s.arrived, s.acks) = (s.flight as i64, 20);
            match k % 4 {
                3 => (s.wait, s.idle, s.flight, s.arrived) = (Wait::IdlePeer, ROUND, 0, 0),
                round => {
                    (s.stalls, s.woken) = (1, 1);
                    s.woken_after = Nanos::from_micros(after);
                    if round > 0 {
                        s.passed_over.add(20 * MSS);
                    }
                }
            }
            s.resent = u32::from(k == 0) * resent;
        });
        refilled_all_along(&Context::new(&list, ROUND, MSS), 4).map(|j| j.limit)
    };
    assert_eq!(says(10, 0, 30), Some(Limit::SendBuffer));
    assert_eq!(says(2, 0, 30), None, "few may be chance");
    assert_eq!(says(10, 1, 30), None, "a window that was cut");
    assert_eq!(says(10, 0, 2000), None, "an ACK is there all the time");
}

#[test]
fn what_stops_at_one_height_whenever_that_is_a_buffer_lets_go_though_no_ack_is_seen_to() {
    // Every third flight is higher by so many segments; waits take turns to last so many ms.
    let says = |far: bool, higher: u64, waits: [i64; 2]| {
        let list = rounds(40, ROUND, |k, s| {
            s.flight = (57 + u64::from(k % 3 == 0) * higher) * MSS;
            (s.arrived, s.stalls, s.waits) = (s.flight as i64, 1, 1);
            s.lengths.add(Nanos::from_millis(waits[k % 2]).0 as u64);
            s.saw_window(1 << 20);
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        ctx.far = far;
        refilled_from_afar(&ctx, 20).map(|j| j.limit)
    };
    assert_eq!(says(true, 1, [2, 5]), Some(Limit::SendBuffer));
    assert_eq!(says(true, 6, [2, 5]), None, "at any height");
    assert_eq!(says(true, 1, [3, 3]), None, "as much by a clock each time");
    assert_eq!(says(false, 1, [2, 5]), None, "near the sender ACKs are seen to let it go");
}

#[test]
fn a_writer_that_no_ack_ever_wakes_has_a_clock() {
    let full = |woken: usize, round: Nanos| {
        let list = rounds(40, round, |k, s| {
            (s.wait, s.idle) = (Wait::IdleSelf, Nanos::from_millis(1));
            (s.flight, s.arrived, s.segments, s.pushes) = (27 * MSS, 27 * MSS as i64, 27, 1);
            s.stalled(round.scale(3, 4), 27 * MSS, 1 << 23, true);
            s.woken = u32::from(k % woken == 0);
        });
        catching_breath(&Context::new(&list, round, MSS), 20).is_some()
    };
    assert!(full(3, ROUND));
    assert!(!full(30, ROUND));
    assert!(full(30, Nanos::from_millis(3)), "a short path: its host is late");
}

/// Whether data that waits for so many microseconds, in each round alike, is a full buffer's, where so many waits end just after an ACK and
/// every other flight is higher by so many segments.
fn is_steady(far: bool, higher: u64, woken: u32, waits: &[u64]) -> bool {
    let list = rounds(40, ROUND, |k, s| {
        (s.flight, s.arrived) = ((53 + k as u64 % 2 * higher) * MSS, 54 * MSS as i64);
        (s.wait, s.waits, s.prompt) = (Wait::Ack, waits.len() as u32, woken);
        waits.iter().for_each(|us| s.lengths.add(us * 1_000));
        s.sampled(ROUND, Nanos::ZERO);
        s.saw_window(1 << 20);
    });
    let mut ctx = Context::new(&list, ROUND, MSS);
    ctx.far = far;
    steady(&ctx, 20).is_some()
}

#[test]
fn even_data_at_a_height_is_a_full_buffers_where_a_writer_waits_for_room() {
    let full = |far: bool, woken: u32, waits: &[u64]| is_steady(far, 1, woken, waits);
    let (even, ticks, odd) = ([700; 8], [500, 1_000, 500, 1_000], [300, 2_100, 300, 300]);
    assert!(full(false, 8, &even));
    assert!(!full(false, 0, &even) && !full(false, 0, &ticks), "at the writer's own time");
    assert!(full(false, 0, &odd), "smoothed by a sender that paces");
    assert!(full(true, 2, &[1_500, 1_400]));
    assert!(!full(true, 8, &even), "from afar each ACK seems to have been the one");
    assert!(!full(true, 2, &[300, 300]), "hardly a wait");
}

#[test]
fn from_afar_a_height_that_varies_by_a_segment_or_two_is_a_full_buffers_where_waits_are_of_all_lengths()
 {
    let full = |higher: u64, woken, waits: &[u64]| is_steady(true, higher, woken, waits);
    let odd = [100, 900, 100, 100];
    assert!(full(2, 2, &odd));
    assert!(!full(8, 2, &odd), "a relay's, perhaps");
    assert!(full(8, 4, &odd), "which does not hear of these ACKs");
    assert!(!full(2, 4, &[300; 4]), "a pacer's");
}

#[test]
fn a_buffer_is_full_as_soon_as_slow_start_has_reached_it() {
    assert!(is_plateau(|k| ((10 * MSS) << k.min(4)).min(116 * MSS)));
}

#[test]
fn from_afar_the_same_byte_is_one_rate_unless_the_sender_rests_or_somebody_has_chosen_it() {
    let is_full = |flight: u64, rests: bool| {
        let list = rounds(40, ROUND, |_, s| {
            (s.flight, s.arrived, s.segments) = (flight, flight as i64, 54);
            if rests {
                s.stalled(ROUND.scale(1, 2), flight, 1 << 23, false);
            }
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        ctx.far = true;
        plateau(&ctx, 20).is_some()
    };
    assert!(is_full(54 * MSS + 7, true) && !is_full(54 * MSS + 7, false));
    assert!(is_full(64 << 10, false) && is_full(70_000, false));
    assert!(!is_full(125 * MSS, false), "writes of whole segments are round by chance");
}

#[test]
fn who_goes_on_without_an_ack_time_after_time_waits_for_no_room() {
    let may = |flight: u64, unprompted: u32| {
        let list = rounds(20, ROUND, |_, s| {
            (s.flight, s.stalls, s.unprompted) = (flight, 4, unprompted);
        });
        let ctx = Context::new(&list, ROUND, MSS);
        may_be_full(&ctx, &ctx.around(10))
    };
    assert!(may(3 * MSS, 1) && !may(3 * MSS, 3));
    assert!(!may(2 * MSS - 1, 0), "the smallest buffer takes in two segments");
}
