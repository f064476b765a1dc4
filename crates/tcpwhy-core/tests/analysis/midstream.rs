//! Captures that begin in the middle of a connection: what can be told without the handshake.

use crate::script::script;
use crate::segments::{analyse_one, check_all, direction};
use tcpwhy_core::model::{Cause, Limit, Side, Verdict, WindowScale};
use tcpwhy_core::observe::{Segment, flags};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Loss, Reader, Scenario, Window, Workload, simulate};

fn ms(n: i64) -> Nanos {
    Nanos::from_millis(n)
}

/// The verdict on the server's data.
fn verdict(segments: &[Segment]) -> Verdict {
    let connection = analyse_one(segments);
    check_all(std::slice::from_ref(&connection));
    direction(&connection, Side::Server).verdict
}

/// Forty kilobytes each 50 ms over 20 ms: between two of them all is acknowledged.
fn by_the_clock(position: f64) -> Vec<Segment> {
    let workload = Workload {
        message_bytes: 4_000_000,
        write_bytes: 40_000,
        write_every: ms(50),
        ..Workload::default()
    };
    let window = Window::fixed(300_000);
    let all = simulate(&Scenario { workload, window, rtt: ms(20), ..Scenario::default() });
    // The answer to the request has shown where its sender is.
    all.capture(position).split_off(200)
}

#[test]
fn a_sender_whose_packets_no_router_has_passed_on_is_here_and_rests_by_itself() {
    let mut segments = by_the_clock(0.0);
    let told = verdict(&segments);
    let application = (Limit::Application, Cause::SenderApplication);
    assert_eq!((told.limit, told.cause), application, "{told:?}");
    // Where the other end's have not either, the way between them may be a tunnel: then each burst may be released by an ACK from afar.
    segments.iter_mut().for_each(|s| s.ttl = 64);
    assert_eq!(verdict(&segments).limit, Limit::Unknown);
}

#[test]
fn the_rests_of_a_sender_of_unknown_distance_are_no_queue() {
    // Six segments and a little each 60 ms over 126 ms: some of it is always under way.
    let workload = Workload {
        message_bytes: 1_500_000,
        write_bytes: 8_697,
        write_every: ms(60),
        ..Workload::default()
    };
    let slow = Scenario { rate_bps: 4_700_000, rtt: ms(126), ..Scenario::default() };
    let all = simulate(&Scenario { workload, ..slow });
    for position in [0.25, 0.5, 0.75] {
        let told = verdict(&all.capture(position).split_off(100));
        let wrong = [Limit::PathBandwidth, Limit::SendBuffer, Limit::CongestionWindow];
        assert!(!wrong.contains(&told.limit), "at {position}: {told:?}");
    }
}

#[test]
fn a_closed_window_is_closed_under_any_scale() {
    let pauses = vec![(ms(500), ms(4_000))];
    let reader = Reader { pauses, ..Reader::default() };
    let workload = Workload { message_bytes: 20_000_000, ..Workload::default() };
    let window = Window::fixed(200_000);
    let rate_bps = 100_000_000;
    let scenario = Scenario { rate_bps, reader, window, workload, ..Scenario::default() };
    for position in [0.0, 0.5, 1.0] {
        let all = simulate(&scenario).capture(position);
        let closed = all.iter().position(|s| s.window == 0 && s.has(flags::ACK));
        let told = verdict(&all[closed.unwrap_or(0)..]);
        assert_eq!(told.limit, Limit::ReceiveWindow, "at {position}: {told:?}");
    }
}

#[test]
fn what_was_under_way_when_the_capture_began_has_its_part_of_the_window() {
    // Seventeen segments are under way; then the reader has made room, and twenty-four more leave before any of these is acknowledged.
    let segment = |n: u32, at: u32| format!("{at} S . seq {} len 1000\n", 1 + n * 1_000);
    let data =
        |numbers: std::ops::Range<u32>, at| numbers.map(|n| segment(n, at)).collect::<String>();
    let made_room = [
        "0 C . seq 1 ack 1 win 20000\n".to_owned(),
        data(17..20, 1),
        "2 C . seq 1 ack 1001 win 40000\n".to_owned(),
        data(20..41, 3),
        "23 C . seq 1 ack 41001 win 40000\n".to_owned(),
    ];
    let connection = analyse_one(&script(&made_room.concat()));
    let scale = direction(&connection, Side::Server).facts.scale;
    assert!(matches!(scale, WindowScale::Inferred { min: 0, .. }), "{scale:?}");
}

#[test]
fn a_window_that_no_ack_has_told_yet_is_not_closed() {
    // The capture begins with data; the first ACK in it allows 20,000 bytes more.
    let told = [
        "0 S . seq 1 len 1000\n1 S . seq 1001 len 1000\n".to_owned(),
        "40 C . seq 1 ack 2001 win 20000\n".to_owned(),
        "41 S . seq 2001 len 1000\n81 C . seq 1 ack 3001 win 20000\n".to_owned(),
    ];
    let connection = analyse_one(&script(&told.concat()));
    let timeline = &direction(&connection, Side::Server).timeline;
    assert!(timeline.iter().all(|i| i.limit != Limit::ReceiveWindow), "{timeline:?}");
    let windows: Vec<_> = timeline.iter().map(|i| i.evidence.window).collect();
    assert!(windows.iter().all(|&w| w == 20_000), "{windows:?}");
}

#[test]
fn a_capture_that_begins_within_a_tick_of_the_clock_does_not_take_the_way_to_be_shorter() {
    // A window of 36 KB over a millisecond: in a tick many segments leave.
    let scenario = Scenario {
        rate_bps: 300_000_000,
        rtt: ms(1),
        window: Window::fixed(36_200),
        scale: None,
        workload: Workload { message_bytes: 6_000_000, ..Workload::default() },
        ..Scenario::default()
    };
    for first in (200..240).step_by(4) {
        let told = verdict(&simulate(&scenario).capture(0.5).split_off(first));
        assert_eq!(told.limit, Limit::ReceiveWindow, "from {first}: {told:?}");
    }
}

#[test]
fn a_queue_of_data_that_stood_when_the_capture_began_is_none_of_its_acks() {
    // Ten megabits per second over 40 ms, and a queue that never drops: the round trip is several times as long when the capture begins, and as
    // long as at first when the last of it drains.
    let scenario = Scenario {
        rate_bps: 10_000_000,
        rtt: ms(40),
        queue_bytes: 2_000_000,
        window: Window::fixed(2_000_000),
        workload: Workload { message_bytes: 12_000_000, ..Workload::default() },
        // One loss ends slow start.
        loss: Loss::Numbers(vec![200]),
        ..Scenario::default()
    };
    for position in [0.0, 0.5, 1.0] {
        let mut all = simulate(&scenario).capture(position);
        let told = verdict(&all.split_off(all.len() / 3));
        assert_eq!(told.limit, Limit::PathBandwidth, "at {position}: {told:?}");
    }
}
