//! 8: what a capture lacks.

use super::*;
use crate::silence::finding;
use tcpwhy_core::model::{Cause, FindingKind, Side};

#[test]
fn trap_08_a_hole_in_the_capture_is_no_loss() {
    let scenario = fast(3_000_000);
    let mut capture = simulate(&scenario).capture(0.0);
    let lost = |s: &Segment| s.src.port == 80 && s.len > 0 && s.frame.is_multiple_of(97);
    let bytes: u64 = capture.iter().filter(|s| lost(s)).map(|s| u64::from(s.len)).sum();
    capture.retain(|s| !lost(s));
    let connection = connection(&capture);
    let d = direction(&connection, Side::Server);
    assert_eq!((d.bytes, d.retransmitted), (3_000_000, 0));
    assert_eq!(share(d, Limit::LossRecovery), 0, "{:?}", d.limits());
    let hole = finding(&connection, FindingKind::CaptureHole).unwrap();
    assert_eq!(hole.side, Side::Server);
    // A FIN that comes with data may count as one more.
    assert!((bytes..=bytes + 1).contains(&hole.value), "{hole:?}, {bytes}");
}

/// A full send buffer of 64 KB at 20 ms, without what was captured between two percentages of its time.
fn with_a_hole(at: f64, from: i64, to: i64) -> Connection {
    let scenario = Scenario { send_buffer: 64_000, ..fast(8_000_000) };
    let mut capture = simulate(&scenario).capture(at);
    let (start, end) = (capture[0].time, capture[capture.len() - 1].time);
    let percent = |s: &Segment| (s.time - start).0 * 100 / (end - start).0;
    capture.retain(|s| !(from..to).contains(&percent(s)));
    connection(&capture)
}

#[test]
fn trap_08_a_hole_longer_than_a_round_trip_is_unknown_and_what_lies_around_it_is_not() {
    for at in [0.0, 0.5, 1.0] {
        let connection = with_a_hole(at, 30, 60);
        let d = direction(&connection, Side::Server);
        assert_eq!((d.bytes, d.retransmitted), (8_000_000, 0));
        assert!((28..=33).contains(&share(d, Limit::Unknown)), "{at}: {:?}", d.limits());
        assert!(share(d, Limit::SendBuffer) >= 60, "{at}: {:?}", d.limits());
        let unknown = d.timeline.iter().filter(|i| i.limit == Limit::Unknown);
        assert!(unknown.clone().all(|i| i.cause == Cause::CaptureHole), "{at}");
        assert_eq!(d.verdict.limit, Limit::SendBuffer, "{at}");
        assert!(d.facts.max_flight <= 65_000, "{at}: {}", d.facts.max_flight);
    }
}

#[test]
fn trap_08_a_capture_that_lacks_a_little_less_than_half_tells_what_the_rest_shows() {
    for (to, limit, cause) in
        [(68, Limit::SendBuffer, Cause::None), (85, Limit::Unknown, Cause::CaptureHole)]
    {
        for at in [0.0, 1.0] {
            let connection = with_a_hole(at, 20, to);
            let verdict = &direction(&connection, Side::Server).verdict;
            assert_eq!((verdict.limit, verdict.cause), (limit, cause), "{at} {to}");
        }
    }
}

#[test]
fn trap_08_more_than_was_ever_in_flight_has_not_left_at_the_end_of_a_pause() {
    let scenario = Scenario { rtt: ms(100), ..fast(4_000_000) };
    let mut capture = simulate(&scenario).capture(1.0);
    let start = capture[0].time;
    // Of slow start, three round trips and a little.
    capture.retain(|s| !(ms(450)..ms(770)).contains(&(s.time - start)));
    let connection = connection(&capture);
    let d = direction(&connection, Side::Server);
    assert_eq!(d.verdict.limit, Limit::CongestionWindow, "{:?}", d.limits());
    let hole = d.timeline.iter().find(|i| i.cause == Cause::CaptureHole).expect("a hole");
    assert!(hole.duration() >= ms(320), "{hole:?}");
}
