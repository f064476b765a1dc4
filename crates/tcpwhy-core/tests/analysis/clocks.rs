//! Timestamps of captures: out of order, or too coarse to tell anything.

use crate::script::script;
use crate::segments::{analyse, analyse_one, check_all, direction};
use crate::silence::counted;
use tcpwhy_core::model::{Connection, FindingKind, Limit, Side};
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Loss, Scenario, simulate};

fn backwards(segments: &[Segment]) -> Vec<u64> {
    let count = |c| counted(c, FindingKind::OutOfOrderTime);
    analyse(segments).iter().map(count).collect()
}

#[test]
fn every_packet_that_steps_back_is_counted() {
    let mut capture = simulate(&Scenario::default()).capture(0.5);
    let mut swapped = 0;
    for k in (10..capture.len() - 10).step_by(40) {
        if capture[k].time < capture[k + 1].time {
            capture.swap(k, k + 1);
            swapped += 1;
        }
    }
    assert!(swapped > 5);
    assert_eq!(backwards(&capture), [swapped]);
}

#[test]
fn a_packet_behind_another_connections_does_not_step_back() {
    let capture = simulate(&Scenario::default()).capture(0.5);
    let other = |s: &Segment| {
        let mut s = Segment { time: s.time + Nanos::from_micros(1), ..*s };
        for end in [&mut s.src, &mut s.dst] {
            end.port += 1;
        }
        s
    };
    // Two queues that are written in turn: the second connection's first.
    let both: Vec<Segment> = capture.iter().flat_map(|s| [other(s), *s]).collect();
    assert_eq!(backwards(&both), [0, 0]);
}

#[test]
fn a_clock_that_shows_an_ack_with_its_data_measures_no_round_trip() {
    // It ticks each 10 ms: the second segment and its ACK have one time.
    let text = "0  C S  win 64240 mss 1460 ws 7
         0  S S. win 65160 mss 1460 ws 7
         20 C .  win 502
         20 C P. len 100
         40 S .  len 1448 win 502
         60 C .
         60 S .  len 1448
         60 C .";
    let connection = analyse_one(&script(text));
    let facts = direction(&connection, Side::Server).facts;
    assert_eq!(facts.rtt_floor, Nanos::ZERO);
    assert_eq!(connection.rtt.min, Nanos::ZERO);
}

#[test]
fn two_taps_with_different_clocks_measure_no_negative_round_trip() {
    let right = simulate(&Scenario::default()).capture(0.5);
    let truth = analyse_one(&right);
    // The tap is 10 ms from either end: with the client's packets 15 or 30 ms early, its ACKs pass before the data.
    for early in [15, 30] {
        let mut capture = right.clone();
        let client = truth.client.port;
        let early = Nanos::from_millis(early);
        capture.iter_mut().filter(|s| s.src.port == client).for_each(|s| s.time = s.time - early);
        capture.sort_by_key(|s| s.time);
        let connection = analyse_one(&capture);
        let rtt = connection.rtt;
        assert!((20.0..20.5).contains(&rtt.min.millis()), "{rtt:?}");
        assert_eq!((rtt.median, rtt.p95), (truth.rtt.median, truth.rtt.p95));
        assert!((0.0..=1.0).contains(&connection.vantage.position), "{:?}", connection.vantage);
        let verdict = |c| direction(c, Side::Server).verdict.limit;
        assert_eq!(verdict(&connection), verdict(&truth));
        check_all(&[connection]);
    }
}

/// A flight, a wait for its ACKs, a flight: round trips of one length, and a clock that is set in between hides most of one.
fn steady() -> Scenario {
    Scenario { send_buffer: 64_000, ..Scenario::default() }
}

/// The capture, its packets from `at` on stamped so much earlier.
fn set_back(capture: &[Segment], at: usize, by: Nanos) -> Vec<Segment> {
    let mut capture = capture.to_vec();
    capture.iter_mut().skip(at).for_each(|s| s.time = s.time - by);
    capture
}

/// The same answer but for what the clock hides: a part of a round trip that is not known.
fn assert_same(connection: &Connection, truth: &Connection) {
    let (rtt, right) = (connection.rtt, truth.rtt);
    assert!(rtt.min >= right.min && rtt.min.millis() < right.min.millis() * 1.05, "{rtt:?}");
    assert!((rtt.median.millis() / right.median.millis() - 1.0).abs() < 0.05, "{rtt:?}");
    assert!((connection.vantage.position - truth.vantage.position).abs() < 0.02);
    let shorter = truth.duration - connection.duration;
    assert!(shorter >= Nanos::ZERO && shorter <= right.p95, "{shorter:?}");
    let verdict = |c| direction(c, Side::Server).verdict.limit;
    assert_eq!(verdict(connection), verdict(truth));
    check_all(std::slice::from_ref(connection));
}

#[test]
fn a_clock_that_is_set_back_measures_the_same_round_trips() {
    for place in [0.0, 0.5, 1.0] {
        let mut capture = simulate(&steady()).capture(place);
        for stamps in [true, false] {
            if !stamps {
                capture.iter_mut().for_each(|s| s.options.timestamps = None);
            }
            let truth = analyse_one(&capture);
            for ms in [50, 500, 3_600_000] {
                let by = Nanos::from_millis(ms);
                for at in [capture.len() / 3, capture.len() / 2, capture.len() * 2 / 3] {
                    let stepped = set_back(&capture, at, by);
                    assert_same(&analyse_one(&stepped), &truth);
                    assert_eq!(backwards(&stepped), [1]);
                }
            }
        }
    }
}

#[test]
fn a_clock_is_set_back_in_a_capture_that_is_out_of_order_besides() {
    let right = simulate(&steady()).capture(0.5);
    let truth = analyse_one(&right);
    let mut capture = set_back(&right, right.len() / 2, Nanos::from_millis(50));
    capture = set_back(&capture, right.len() * 2 / 3, Nanos::from_millis(50));
    capture.swap(20, 21);
    assert_same(&analyse_one(&capture), &truth);
}

#[test]
fn a_single_packet_with_a_wrong_time_takes_none() {
    let right = simulate(&steady()).capture(0.5);
    let truth = analyse_one(&right);
    for at in [right.len() / 3, right.len() / 2, right.len() * 2 / 3] {
        let mut capture = right.clone();
        capture[at].time += Nanos::from_secs(3600);
        let connection = analyse_one(&capture);
        assert_eq!(connection.duration, truth.duration);
        assert_same(&connection, &truth);
    }
}

#[test]
fn queues_that_are_written_in_turn_are_no_clock_that_is_set_back() {
    let right = simulate(&Scenario::default()).capture(0.5);
    let truth = analyse_one(&right);
    // One queue for each direction.
    let mut capture = right.clone();
    for block in capture.chunks_mut(60).skip(1) {
        block.sort_by_key(|s| s.src.port == truth.client.port);
    }
    assert_eq!(analyse_one(&capture).duration, truth.duration);
}

#[test]
fn a_repair_that_outlasts_any_timer_is_no_repair() {
    let lossy = Scenario { loss: Loss::PerMille(10), ..steady() };
    let capture = simulate(&lossy).capture(0.0);
    // Before the first segment that is sent again.
    let resent = |at: usize| {
        let s = &capture[at];
        let sent = capture[..at].iter().filter(|before| before.src == s.src && before.len > 0);
        s.len > 0 && sent.map(|before| s.seq.distance(before.seq)).any(|ahead| ahead < 0)
    };
    let again = (0..capture.len()).find(|&at| resent(at)).unwrap();
    let longest = |ahead: Nanos| {
        let mut set = capture.clone();
        set.iter_mut().skip(again).for_each(|s| s.time += ahead);
        direction(&analyse_one(&set), Side::Server).limits()[0].limit
    };
    assert_eq!(longest(Nanos::from_secs(30)), Limit::LossRecovery);
    assert_eq!(longest(Nanos::from_secs(3_600)), Limit::Unknown);
}
