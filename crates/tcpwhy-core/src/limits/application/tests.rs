use super::*;
use crate::limits::judge;
use crate::limits::made::{MSS, rounds};

#[test]
fn a_writer_that_lets_half_of_its_room_pass_does_not_wait_for_it() {
    let floor = Nanos::from_millis(10);
    let says = |forgone: u32| {
        let list = rounds(30, floor, |k, s| {
            (s.flight, s.segments, s.stalls, s.dry_stalls) = (80 * MSS, 80, 1, 1);
            s.forgone = u32::from((k as u32 * forgone) % 10 < forgone);
        });
        super::forgone(&Context::new(&list, floor, MSS), 15).is_some()
    };
    assert!(says(6));
    assert!(!says(4));
}

#[test]
fn only_where_writes_end_does_a_small_burst_say_that_little_was_written() {
    let floor = Nanos::from_millis(150);
    let little = |short: u32| {
        let list = rounds(30, floor, |_, s| {
            (s.flight, s.arrived, s.segments) = (100 * MSS, 100 * MSS as i64, 100);
            (s.waits, s.prompt, s.short_segments) = (10, 10, short);
        });
        let mut ctx = Context::new(&list, floor, MSS);
        ctx.far = true;
        writes_little(&ctx, 15).is_some()
    };
    assert!(little(1));
    assert!(!little(0));
}

#[test]
fn one_wait_in_many_rounds_is_no_writers_pace() {
    let floor = Nanos::from_millis(20);
    let own = |every: usize| {
        let list = rounds(40, floor, |k, s| {
            (s.flight, s.arrived) = (8_700, 8_700);
            (s.segments, s.short_segments) = (29, 29);
            s.sampled(floor, Nanos::ZERO);
            s.waits = u32::from(k % every == 0);
        });
        own_pace(&Context::new(&list, floor, MSS), 20).is_some()
    };
    assert!(own(1));
    assert!(!own(10));
}

#[test]
fn bursts_that_stop_at_the_same_byte_after_waits_of_all_lengths_are_no_clocks() {
    let floor = Nanos::from_millis(60);
    let own = |waits: [u64; 4]| {
        let list = rounds(40, floor, |_, s| {
            (s.flight, s.arrived, s.segments) = (280 * MSS, 280 * MSS as i64, 280);
            s.sampled(floor, Nanos::ZERO);
            s.waits = 28;
            (0..7).flat_map(|_| waits).for_each(|wait| s.lengths.add(wait));
        });
        own_pace(&Context::new(&list, floor, MSS), 20).is_some()
    };
    assert!(own([2_000_000; 4]));
    assert!(!own([100_000, 100_000, 800_000, 7_000_000]), "a full buffer behind a pacer");
}

#[test]
fn small_bursts_by_a_timer_are_written_at_that_time_though_they_queue() {
    let floor = Nanos::from_millis(150);
    let timed = |waits: u32, prompt: u32| {
        let list = rounds(30, floor, |k, s| {
            (s.flight, s.arrived, s.segments) = (100 * MSS, 100 * MSS as i64, 100);
            s.sampled(floor + Nanos::from_millis(if k % 2 == 0 { 0 } else { 20 }), Nanos::ZERO);
            (s.waits, s.prompt) = (waits, prompt);
            (0..s.waits).for_each(|_| s.lengths.add(20_000_000));
        });
        writes_little(&Context::new(&list, floor, MSS), 15).is_some()
    };
    assert!(timed(10, 2));
    // A third of what is in flight: as a full buffer is refilled. And each behind an ACK.
    assert!(!timed(3, 0));
    assert!(!timed(10, 10));
    // Less than three segments are more than pacing makes where few ACKs come just before.
    assert_eq!([2, 12].map(|prompt| timed(37, prompt)), [true, false]);
}

#[test]
fn writes_that_end_more_evenly_than_those_into_a_full_buffer_are_the_applications() {
    let floor = Nanos::from_millis(20);
    // So many writes in each round of 20 ms, at intervals that differ by this part, with a queue of so many ms.
    let evenly = |writes: u64, part: f64, queue: i64| {
        let list = rounds(30, floor, |_, s| {
            (s.flight, s.arrived) = (20_000, 20_000);
            s.sampled(floor + Nanos::from_millis(queue), Nanos::ZERO);
            let mean = 20e6 / writes as f64;
            (0..writes).for_each(|k| {
                let far = if k % 2 == 0 { part } else { -part };
                s.ends.add((mean * (1.0 + far)) as u64);
            });
        });
        let mut ctx = Context::new(&list, floor, MSS);
        (ctx.far, ctx.sees_queues) = (true, true);
        writes_evenly(&ctx, 15).is_some()
    };
    // Seven of 21 at once into a path that they keep busy for two thirds of the time would differ by 0.8 of the mean.
    assert!(evenly(21, 0.5, 0));
    assert!(!evenly(21, 0.9, 0));
    // Two of six, by a third.
    assert!(evenly(6, 0.25, 0));
    assert!(!evenly(6, 0.5, 0));
    assert!(!evenly(3, 0.0, 0), "a third of a buffer, each time that it is free");
    assert!(!evenly(21, 0.1, 2), "a queue of the path spaces them");
    assert!(!evenly(200, 0.1, 0), "as near as a host that wakes up spaces them");
}

#[test]
fn a_clock_shows_on_a_path_that_is_busy_for_most_of_the_time_where_it_beats_all_along() {
    // Bursts of 40 segments, 20 ms apart, which the link carries in so many percent of that.
    let says = |busy: u64, beats: usize| {
        let floor = Nanos::from_millis(40);
        let list = rounds(30, floor, |k, s| {
            (s.flight, s.arrived, s.segments) = (80 * MSS, 80 * MSS as i64, 80);
            (s.waits, s.stalls, s.woken, s.acks) = (2, 2, 2, 40);
            (s.stalled_time, s.woken_after) = (floor.scale(3, 4), Nanos::from_micros(60));
            (0..2).for_each(|_| s.lengths.add(15_000_000));
            (0..if k % 10 < beats { 2 } else { 0 }).for_each(|_| s.repeated.add(20_000_000));
        });
        let mut ctx = Context::new(&list, floor, MSS);
        ctx.capacity = Some(2_000 * MSS * 100 / busy);
        bursts_by_a_clock(&ctx, 15).is_some()
    };
    assert!(says(60, 10));
    assert!(!says(80, 10), "the link itself spaces them");
    assert!(!says(60, 8), "rests between the bursts of a flight");
}

#[test]
fn ends_by_a_clock_show_where_hosts_are_not_late_by_as_much() {
    let says = |floor: Nanos| {
        let list = rounds(30, floor, |k, s| {
            s.ends.add(7_000_000);
            s.late.add(500_000 * (k as u64 % 2));
        });
        writes_by_a_clock(&Context::new(&list, floor, MSS), 15).is_some()
    };
    assert!(says(Nanos::from_millis(7)));
    assert!(!says(Nanos::from_millis(1)));
}

#[test]
fn more_than_pacing_makes_after_stalls_that_no_ack_ends_is_written_at_that_time() {
    let floor = Nanos::from_millis(50);
    // A stall of 60 ms in every round of 100, with nothing that says that the queue ran dry.
    let rests = |burst: u64, woken: u32, length: i64, lost: Option<usize>| {
        let list = rounds(18, floor.scale(2, 1), |k, s| {
            s.wait = Wait::Timer;
            (s.flight, s.arrived) = (burst * MSS, (burst * MSS) as i64);
            (s.stalls, s.woken, s.stalled_time) = (1, woken, Nanos::from_millis(length));
            s.resent = u32::from(lost == Some(k));
        });
        super::rests(&Context::new(&list, floor, MSS), 15).is_some()
    };
    assert!(rests(6, 0, 60, None));
    // Two segments at a time, and one more for ACKs that fall together.
    assert!(!rests(3, 0, 60, None));
    assert!(!rests(6, 1, 60, None), "each just after an ACK");
    assert!(!rests(6, 0, 40, None), "for most of the time it sends");
    assert!(!rests(6, 0, 60, Some(6)), "a loss cut the window, and its pace is not seen");
}

#[test]
fn a_writer_that_goes_on_when_no_ack_has_come_for_long_does_not_wait_for_room() {
    let floor = Nanos::from_millis(50);
    // A write in each round, whose end leaves with an ACK.
    let says = |burst: u64, unprompted: u32, lost: Option<usize>| {
        let list = rounds(18, floor, |k, s| {
            (s.flight, s.arrived) = (2 * burst * MSS, (burst * MSS) as i64);
            (s.stalls, s.woken, s.unprompted) = (2, 1, unprompted);
            s.resent = u32::from(lost == Some(k));
        });
        unprompted_at(&list, floor)
    };
    assert!(says(20, 1, None));
    assert!(!says(20, 0, None));
    assert!(!says(4, 1, None), "as little as pacing makes");
    assert!(!says(20, 1, Some(6)), "a loss cut the window, and its pace is not seen");
    let grows = rounds(18, floor, |k, s| {
        (s.flight, s.arrived) = ((20 + k as u64) * MSS, 20 * MSS as i64);
        (s.stalls, s.unprompted) = (1, 1);
    });
    assert!(!unprompted_at(&grows, floor), "a window that still grows");
}

fn unprompted_at(list: &[Stretch], floor: Nanos) -> bool {
    unprompted(&Context::new(list, floor, MSS), 15).is_some()
}

#[test]
fn breaks_as_short_as_a_busy_host_makes_say_nothing() {
    let breaks = |floor: Nanos| {
        let list = rounds(200, floor, |_, s| {
            (s.flight, s.arrived) = (20 * MSS, 20 * MSS as i64);
            (s.waits, s.breaks, s.breaks_woken) = (5, 1, 0);
        });
        breaks_off(&Context::new(&list, floor, MSS), 100).is_some()
    };
    assert!(breaks(Nanos::from_millis(20)));
    assert!(!breaks(Nanos::from_millis(1)));
}

#[test]
fn breaks_among_many_waits_are_a_hosts_unless_they_take_long_or_writes_end_there() {
    let floor = Nanos::from_millis(100);
    let breaks = |waits: u32, stalled: i64, short: u32| {
        let list = rounds(40, floor, |_, s| {
            (s.flight, s.arrived, s.segments) = (20 * MSS, 20 * MSS as i64, 20);
            (s.waits, s.breaks, s.short_segments) = (waits, 1, short);
            s.stalled_time = Nanos::from_millis(stalled);
        });
        breaks_off(&Context::new(&list, floor, MSS), 20).is_some()
    };
    assert!(!breaks(50, 0, 0));
    assert!(breaks(8, 0, 0));
    assert!(breaks(50, 30, 0));
    assert!(breaks(50, 0, 1));
}

#[test]
fn psh_on_every_second_segment_marks_pairs_and_not_ends_of_writes() {
    let floor = Nanos::from_millis(20);
    let emptied = |pushes: u32| {
        let list = rounds(20, floor, |_, s| {
            (s.wait, s.segments, s.pushes) = (Wait::Timer, 8, pushes);
            (s.pauses, s.dry_pauses) = (4, 4);
        });
        often_emptied(&Context::new(&list, floor, MSS), 10).is_some()
    };
    assert!(emptied(8));
    assert!(!emptied(4));
}

#[test]
fn less_than_a_segment_at_a_time_fills_nothing() {
    let floor = Nanos::from_millis(40);
    let says = |flight: u64, window: u64| {
        let list = rounds(18, floor, |_, s| {
            (s.flight, s.arrived) = (flight, flight as i64);
            s.saw_window(window);
        });
        less_than_a_segment(&Context::new(&list, floor, MSS), 9).is_some()
    };
    assert!(says(52, 64 * MSS));
    assert!(!says(MSS, 64 * MSS));
    assert!(!says(52, MSS), "a window as small");
}

#[test]
fn small_messages_beside_the_peers_data_answer_that() {
    let floor = Nanos::from_millis(200);
    let says = |len: u64, spoken: u32| {
        let list = rounds(18, floor, |_, s| {
            (s.flight, s.arrived) = (34 * len, 34 * len as i64);
            (s.segments, s.spoken) = (34, spoken);
        });
        answers(&Context::new(&list, floor, MSS), 9).map(|j| j.cause)
    };
    assert_eq!(says(44, 40), Some(Cause::WaitingForPeer));
    assert_eq!(says(44, 10), None, "most were written unasked");
    assert_eq!(says(400, 40), None, "a stream of its own");
}

#[test]
fn a_flight_that_is_kept_up_while_its_acks_queue_has_not_overshot() {
    let floor = Nanos::from_millis(40);
    let says = |rtt: i64, drained: u32| {
        // A link that carries 60 segments in a round trip, and lets 50 through.
        let list = rounds(20, floor, |_, s| {
            (s.flight, s.arrived, s.stalls) = (150 * MSS, 50 * MSS as i64, 1);
            s.sampled(Nanos::from_millis(rtt), Nanos::from_millis(rtt - 40));
            (0..drained).for_each(|_| s.left.add(50 * MSS));
        });
        let mut ctx = Context::new(&list, floor, MSS);
        ctx.capacity = Some(60 * MSS * 25);
        overshoots(&ctx, 10).is_some()
    };
    assert!(says(45, 0));
    assert!(!says(120, 0));
    assert!(says(120, 1), "most of it drains before more is sent");
}

#[test]
fn a_burst_whose_acks_let_nothing_go_was_all_that_there_was() {
    let floor = Nanos::from_millis(40);
    let says = |stalled: i64, later: u32, rests: Wait| {
        let list = rounds(2, floor, |k, s| match k {
            0 => {
                (s.flight, s.arrived, s.segments) = (105 * MSS, 105 * MSS as i64, 105);
                s.stalled_time = Nanos::from_millis(stalled);
            }
            _ => (s.wait, s.segments) = (rests, later),
        });
        all_sent(&Context::new(&list, floor, MSS), 0).is_some()
    };
    assert!(says(39, 0, Wait::IdleSelf));
    assert!(!says(10, 0, Wait::IdleSelf), "it went on leaving as ACKs came");
    assert!(!says(39, 20, Wait::IdleSelf), "ACKs let the rest go");
    assert!(!says(39, 0, Wait::Ack));
}

#[test]
fn short_segments_without_a_rest_are_sent_as_they_are_written() {
    let says = |short: u32, rests: bool| {
        let list = rounds(3, Nanos::from_millis(90), |_, s| {
            (s.flight, s.arrived) = (30 * MSS, 30 * MSS as i64);
            (s.segments, s.short_segments) = (60, short);
            if rests {
                s.stalled(Nanos::from_millis(30), 30 * MSS, 1 << 20, true);
            }
        });
        let ctx = Context::new(&list, Nanos::from_millis(90), MSS);
        sends_as_it_writes(&ctx, 1).map(|judgement| judgement.limit)
    };
    assert_eq!(says(30, false), Some(Limit::Application));
    assert_eq!(says(10, false), None, "the rest was queued");
    assert_eq!(says(30, true), None, "it may wait for room");
}

mod from_afar;
mod granted;
