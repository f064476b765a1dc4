//! Timestamps of captures: out of order, or too coarse to tell anything.

use crate::script::script;
use crate::segments::{analyse, analyse_one, check_all, direction};
use crate::silence::counted;
use tcpwhy_core::model::{FindingKind, Side};
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Scenario, simulate};

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
