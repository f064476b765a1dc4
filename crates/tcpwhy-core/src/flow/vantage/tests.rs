use super::*;
use crate::units::Seq;

fn ms(n: i64) -> Nanos {
    Nanos::from_millis(n)
}

#[test]
fn an_echo_measures_the_leg_from_the_first_packet_with_that_value() {
    let mut leg = Leg::new();
    leg.passed_towards(100, Seq(0), ms(0));
    leg.passed_towards(100, Seq(0), ms(1));
    leg.passed_towards(101, Seq(0), ms(2));
    leg.echoed(100, ms(30), Nanos::ZERO, ms(40), false);
    assert_eq!(leg.floor(), ms(30));
    leg.echoed(101, ms(31), Nanos::ZERO, ms(40), false);
    assert_eq!(leg.floor(), ms(29));
}

#[test]
fn data_and_its_first_acknowledgment_measure_the_leg_and_repairs_do_not() {
    let mut leg = Leg::new();
    leg.data_towards(Seq(100), ms(0));
    leg.data_towards(Seq(200), ms(1));
    leg.acknowledged(Seq(50), ms(10));
    leg.acknowledged(Seq(100), ms(45));
    assert_eq!(leg.floor(), ms(45), "it was delayed");
    leg.data_towards(Seq(300), ms(100));
    leg.data_towards(Seq(300), ms(118));
    leg.acknowledged(Seq(300), ms(120));
    assert_eq!(leg.floor(), ms(45), "which of the two it acknowledges is not known");
    leg.data_towards(Seq(400), ms(200));
    leg.acknowledged(Seq(400), ms(220));
    assert_eq!(leg.floor(), ms(20));
}

#[test]
fn a_tick_that_outlasts_the_path_is_measured_once() {
    let mut leg = Leg::new();
    leg.begins();
    leg.passed_towards(100, Seq(0), Nanos(0));
    leg.echoed(100, Nanos(500_000), Nanos::ZERO, ms(1), false);
    leg.passed_towards(100, Seq(0), Nanos(510_000));
    leg.echoed(100, Nanos(520_000), Nanos::ZERO, ms(1), false);
    assert_eq!(leg.floor(), Nanos(500_000));
}

#[test]
fn behind_the_first_packet_of_a_tick_a_capture_begins_with_no_measure_of_a_short_way() {
    let floor = |sees_the_first: bool, echoes: [i64; 2]| {
        let mut leg = Leg::new();
        if sees_the_first {
            leg.begins();
        }
        for (stamp, passed) in [(100, ms(0)), (101, ms(40))] {
            leg.passed_towards(stamp, Seq(0), passed);
            let answered = passed + ms(echoes[stamp as usize - 100]);
            leg.echoed(stamp, answered, Nanos::ZERO, ms(1), false);
        }
        leg.floor()
    };
    assert_eq!(floor(true, [1, 2]), ms(1));
    assert_eq!(floor(false, [1, 2]), ms(2));
    assert_eq!(floor(false, [30, 31]), ms(30), "a tick is little beside it");
}

#[test]
fn a_queue_on_the_way_shows_in_the_leg_but_not_in_its_floor() {
    let mut leg = Leg::new();
    for i in 0..300 {
        leg.passed_towards(i, Seq(0), ms(i64::from(i)));
        let queue = i64::from(i) / 2;
        if let Some(echo) = (i64::from(i) - 20 - queue).try_into().ok().filter(|e| *e < i) {
            leg.echoed(echo, ms(i64::from(i)), Nanos::ZERO, ms(50), false);
        }
    }
    assert_eq!(leg.floor(), ms(39));
    assert!(leg.standing().now > ms(130), "{:?}", leg.standing().now);
}

#[test]
fn think_time_is_not_taken_for_a_queue() {
    let mut leg = Leg::new();
    for i in 0..10u32 {
        leg.passed_towards(i, Seq(0), ms(1000 * i64::from(i)));
        leg.echoed(
            i,
            ms(1000 * i64::from(i) + if i == 0 { 20 } else { 500 }),
            Nanos::ZERO,
            ms(50),
            false,
        );
    }
    assert_eq!(leg.standing().now, ms(20));
}

#[test]
fn an_echo_that_could_have_left_long_before_the_next_tells_no_queue() {
    let mut leg = Leg::new();
    leg.shaken(ms(20));
    for i in 0..20u32 {
        leg.passed_towards(i, Seq(0), ms(20 * i64::from(i)));
        if i >= 1 {
            leg.echoed(i - 1, ms(20 * i64::from(i) + 18), Nanos::ZERO, ms(50), false);
        }
    }
    assert_eq!(leg.standing().latest, ms(20), "38 ms after it passed, 18 ms after the next did");
}

#[test]
fn acks_that_wait_for_far_longer_than_they_are_apart_tell_the_queue() {
    let mut leg = Leg::new();
    leg.shaken(ms(5));
    for i in 0..40u32 {
        leg.passed_towards(i, Seq(0), ms(6 * i64::from(i)));
        if i >= 7 {
            leg.echoed(i - 7, ms(6 * i64::from(i) + 3), Nanos::ZERO, ms(50), false);
        }
    }
    assert_eq!([leg.floor(), leg.standing().latest], [ms(5), ms(45)]);
}

#[test]
fn what_an_end_says_at_last_of_its_own_accord_tells_no_queue() {
    let latest = |quiet: i64| {
        let mut leg = Leg::new();
        leg.shaken(ms(20));
        // Sent again and again, and lost beyond the capture.
        for (stamp, time) in [(1, 0), (2, 250), (3, 700), (4, 1600), (5, 3500)] {
            leg.passed_towards(stamp, Seq(0), ms(time));
        }
        leg.echoed(1, ms(12_000), ms(quiet), ms(50), false);
        leg.standing().latest
    };
    assert_eq!(latest(8_500), ms(20));
    assert_eq!(latest(100), ms(12_000), "as packets come out of a queue");
}

#[test]
fn answers_after_a_quiet_time_measure_the_leg_and_coincidences_do_not() {
    let mut leg = Leg::new();
    for i in 0..10 {
        leg.quiet_pair(ms(3 + i % 2), ms(100));
    }
    assert_eq!(leg.floor(), ms(3));
    let mut leg = Leg::new();
    for i in 0..100 {
        leg.quiet_pair(ms(i * 37 % 100), ms(100));
    }
    assert!(!leg.known());
}

/// What an end's leg is, of which the handshake told 28 ms, when each burst comes so many milliseconds after the first packet towards it.
fn clocked(lags: &[i64]) -> Nanos {
    let mut leg = Leg::new();
    leg.shaken(ms(28));
    let mut at = 100;
    for lag in lags {
        leg.heard(ms(at));
        leg.heard(ms(at + 1));
        leg.data_from(ms(at + lag), ms(28));
        leg.data_from(ms(at + lag + 1), ms(28));
        at += lag + 1;
    }
    leg.floor()
}

#[test]
fn bursts_that_acks_release_show_a_shorter_leg_than_the_handshake() {
    // Nobody knows what the first one waited for.
    assert_eq!(clocked(&[50, 22, 22, 22, 22, 22]), ms(22));
    assert_eq!(clocked(&[50, 22, 22, 22, 22]), ms(28), "too few");
    assert_eq!(clocked(&[50, 22, 25, 22, 27, 22, 24, 22, 26, 22, 23, 22]), ms(28), "too different");
    assert_eq!(clocked(&[50, 14, 14, 14, 14, 14, 14]), ms(28), "a timer");
    assert_eq!(clocked(&[50, 30, 30, 30, 30, 30, 30]), ms(28));
}

#[test]
fn the_first_data_was_sent_after_the_handshake() {
    let mut leg = Leg::new();
    leg.shaken(ms(28));
    leg.opened(ms(28));
    leg.heard(ms(28));
    leg.data_from(ms(49), ms(28));
    assert_eq!(leg.floor(), ms(21));
}

#[test]
fn what_parts_bursts_counts_and_not_what_lies_within_them() {
    let mut leg = Leg::new();
    for _ in 0..4 {
        // Of each burst the first packet is answered, the others come as they will.
        leg.quiet_pair(Nanos(20_000), ms(90));
        (0..9).for_each(|_| leg.quiet_pair(Nanos(60_000), Nanos(60_000)));
    }
    assert_eq!(leg.floor(), Nanos(20_000));
}

#[test]
fn answers_tell_how_far_an_end_is_whose_echo_stands_still_and_not_that_of_a_finer_clock() {
    let judged = |ticks: u32| {
        let mut leg = Leg::new();
        for k in 0..12 {
            let at = ms(10 * i64::from(k));
            leg.passed_towards(k * ticks, Seq(0), at);
            leg.stamped_pair(Nanos(50_000), ms(9));
            leg.echoed(k * ticks, at + ms(4), Nanos::ZERO, ms(40), false);
        }
        leg.judge_by_stamped_pairs();
        (leg.told, leg.standing().now)
    };
    assert_eq!(judged(0), (true, Nanos(50_000)));
    assert_eq!(judged(1), (false, ms(4)), "by chance, just after another packet passed");
}

#[test]
fn an_end_that_goes_on_after_a_rest_has_not_shown_how_far_it_is() {
    // So long after the newest packet, and after that long a silence.
    let echoes = |list: &[(i64, i64)]| {
        let mut leg = Leg::new();
        leg.begins();
        for (i, &(after, quiet)) in list.iter().enumerate() {
            let at = ms(2_000 * i as i64);
            leg.passed_towards(i as u32, Seq(0), at);
            leg.echoed(i as u32, at + ms(after), ms(quiet), ms(40), false);
        }
        leg
    };
    assert!(!echoes(&[(940, 940), (938, 938), (941, 941)]).is_sure(ms(40)));
    assert!(echoes(&[(940, 10), (938, 10), (941, 941)]).is_sure(ms(40)), "others had passed");
    // The last one tells, but what was judged before went by the first.
    assert!(!echoes(&[(940, 940), (938, 938), (2, 2)]).is_sure(ms(40)));
    assert!(echoes(&[(3, 3), (938, 938), (2, 2)]).is_sure(ms(40)));
}

#[test]
fn an_end_that_always_echoes_the_newest_may_have_thought() {
    let rests = |behind: u32| {
        let mut leg = Leg::new();
        for i in 0..20u32 {
            let at = ms(30 * i64::from(i));
            (0..4).for_each(|k| leg.passed_towards(4 * i + k, Seq(0), at + ms(k.into())));
            leg.echoed(4 * i + 3 - behind, at + ms(8), Nanos::ZERO, ms(30), false);
        }
        leg
    };
    assert!(!rests(0).is_sure(ms(25)));
    assert!(rests(0).is_sure(ms(200)), "of a long way that is little");
    assert!(rests(2).is_sure(ms(25)), "it had not seen what came 7 ms before");
    assert!(rests(2).is_exact(ms(25)) && !rests(0).is_exact(ms(25)));
    assert!(rests(0).is_exact(ms(200)));
}

#[test]
fn a_leg_that_most_answers_were_judged_by_is_known_though_the_first_took_longer() {
    let after = |late: u32| {
        let mut leg = Leg::new();
        for i in 0..60u32 {
            let at = ms(30 * i64::from(i));
            (0..4).for_each(|k| leg.passed_towards(4 * i + k, Seq(0), at + ms(k.into())));
            let (newest, waited) = if i < late { (3, ms(15)) } else { (1, ms(8)) };
            leg.echoed(4 * i + newest, at + waited, Nanos::ZERO, ms(30), false);
        }
        leg
    };
    assert!(after(0).is_exact(ms(25)) && after(12).is_exact(ms(25)));
    assert!(!after(40).is_exact(ms(25)), "most were judged by the longer one");
}

#[test]
fn an_unknown_leg_is_the_rest_of_the_round_trip() {
    let mut legs = Legs::new();
    legs.to[1].shaken(ms(1));
    assert_eq!(legs.position(ms(100)).0, 0.99);
}

#[test]
fn the_position_is_the_ratio_of_the_legs() {
    let mut legs = Legs::new();
    legs.to[0].shaken(ms(5));
    legs.to[1].shaken(ms(15));
    assert_eq!(legs.position(Nanos::ZERO).0, 0.25);
}

#[test]
fn what_an_end_that_tells_when_it_sent_echoes_late_has_queued_on_its_way_there() {
    let queue = |one_way: bool| {
        let mut leg = Leg::new();
        leg.shaken(ms(20));
        for i in 0..40u32 {
            leg.passed_towards(i, Seq(0), ms(i64::from(i)));
            if i >= 30 {
                leg.echoed(i - 30, ms(i64::from(i)), Nanos::ZERO, ms(50), one_way);
            }
        }
        leg.standing().queue()
    };
    assert_eq!(queue(true), ms(9), "10 ms, less the tick of the clock that tells it");
    assert_eq!(queue(false), ms(0), "or on its way back");
}
