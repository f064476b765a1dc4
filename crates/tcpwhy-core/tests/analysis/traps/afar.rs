//! What a capture far from one end hides: queues on the way space what left at once, and one of many ACKs always comes in just before; ACKs
//! that wait in a queue make the round trip long, though the data does not.

use super::*;
use tcpwhy_core::model::{Cause, FindingKind, Side};
use tcpwhy_core::observe::flags;
use tcpwhy_core::whatif::traffic::{Control, Loss};

/// A link half as fast again as what is sent over it, before the capture point.
fn spaced(workload: Workload) -> Scenario {
    let rate_bps = 20_000_000;
    let window = Window::fixed(6_000_000);
    Scenario { workload, rtt: ms(150), rate_bps, bottleneck: 0.2, window, ..Scenario::default() }
}

#[test]
fn a_constant_writer_is_the_applications_wherever_the_capture_is() {
    let workload = Workload {
        write_bytes: 24_000,
        write_every: ms(20),
        message_bytes: 16_000_000,
        ..Workload::default()
    };
    for position in [0.5, 1.0] {
        let d = answer(&spaced(workload), position);
        assert!(share(&d, Limit::Application) > 60, "at {position}: {:?}", d.limits());
    }
}

#[test]
fn a_full_send_buffer_is_one_wherever_the_capture_is() {
    let workload = Workload { message_bytes: 8_000_000, ..Workload::default() };
    for position in [0.0, 0.5, 1.0] {
        let d = answer(&Scenario { send_buffer: 180_000, ..spaced(workload) }, position);
        assert!(share(&d, Limit::SendBuffer) > 75, "at {position}: {:?}", d.limits());
    }
}

#[test]
fn a_queue_that_only_acks_wait_in_is_none_of_the_datas() {
    let workload = Workload {
        write_bytes: 4 * 1448,
        write_every: ms(3),
        message_bytes: 8_000_000,
        ..Workload::default()
    };
    let mut capture = simulate(&Scenario { workload, ..fast(workload.message_bytes) }).capture(0.0);
    let of_application = |capture: &[Segment]| {
        share(direction(&connection(capture), Side::Server), Limit::Application)
    };
    capture.iter_mut().for_each(|s| s.flags &= !flags::PSH);
    assert!(of_application(&capture) > 90);
    // What the client sends fills its way to the server, with up to three round trips more and more.
    let (client, start) = (analyse_one(&capture).client, capture[0].time);
    for s in capture.iter_mut().filter(|s| s.src == client) {
        s.time = s.time + Nanos((s.time - start).0 / 10).min(ms(60));
    }
    capture.sort_by_key(|s| s.time);
    assert!(of_application(&capture) > 90);
    // Without stamps nobody can tell.
    capture.iter_mut().for_each(|s| s.options.timestamps = None);
    assert!(of_application(&capture) < 50);
}

#[test]
fn a_queue_between_the_sender_and_a_capture_point_beside_it_is_seen() {
    // The far port of the sender's own router: the handshake tells no more than that it is near.
    for control in [Control::Reno, Control::Cubic] {
        let scenario = Scenario {
            rate_bps: 20_000_000,
            queue_bytes: 120_000,
            bottleneck: 0.001,
            control,
            window: Window::fixed(6_000_000),
            workload: Workload { message_bytes: 12_000_000, ..Workload::default() },
            ..Scenario::default()
        };
        for position in [0.0, 0.002, 1.0] {
            let d = answer(&scenario, position);
            assert!(share(&d, Limit::PathBandwidth) > 80, "at {position}: {:?}", d.limits());
        }
    }
}

#[test]
fn a_handshake_that_took_too_long_makes_no_buffer_an_application() {
    let buffer = Scenario { send_buffer: 16_000, timestamps: false, ..fast(2_000_000) };
    for position in [0.5, 1.0] {
        let mut capture = simulate(&buffer).capture(position);
        // Neighbours had to be found first, and no request tells the way.
        capture[0].time = capture[0].time - ms(5);
        capture.retain(|s| s.src.port == 80 || s.len == 0);
        let d = &direction(&connection(&capture), Side::Server).clone();
        assert!(share(d, Limit::SendBuffer) > 90, "at {position}: {:?}", d.limits());
    }
}

/// What the server sends, of a capture that lacks all that the client says.
fn of_the_server_alone(scenario: &Scenario) -> Direction {
    let mut capture = simulate(scenario).capture(0.0);
    capture.retain(|s| s.src.port == 80 && s.len > 0);
    // The lower port is the server's in any case.
    direction(&connection(&capture), Side::Server).clone()
}

#[test]
fn data_that_goes_on_after_retransmissions_is_heard_of_though_no_ack_was_captured() {
    let lossy = Scenario { loss: Loss::PerMille(10), ..fast(4_000_000) };
    for timestamps in [true, false] {
        let d = of_the_server_alone(&Scenario { timestamps, ..lossy.clone() });
        assert!(d.retransmitted > 10 * 1448, "{}", d.retransmitted);
        assert_eq!(share(&d, Limit::SilentPath), 0, "{:?}", d.limits());
        assert_eq!(d.verdict.limit, Limit::Unknown, "{:?}", d.limits());
    }
}

#[test]
fn an_outage_that_is_over_is_none_though_no_ack_was_captured() {
    let outage = Loss::Outage(ms(150), ms(900));
    let d = of_the_server_alone(&Scenario { loss: outage, ..fast(8_000_000) });
    assert!(d.retransmitted > 10 * 1448, "{}", d.retransmitted);
    assert_eq!(share(&d, Limit::SilentPath), 0, "{:?}", d.limits());
}

#[test]
fn a_receiver_that_vanished_is_known_by_the_senders_timeouts_alone() {
    let vanished = Loss::Outage(ms(150), Nanos::MAX);
    let d = of_the_server_alone(&Scenario { loss: vanished, ..fast(8_000_000) });
    assert_eq!(d.verdict.limit, Limit::SilentPath, "{:?}", d.limits());
    assert_eq!(d.verdict.cause, Cause::PeerVanished);
}

#[test]
fn a_writer_that_rests_after_every_ack_of_its_data_is_no_full_buffer_at_a_sender_of_unknown_distance()
 {
    let workload = Workload {
        write_bytes: 65_536,
        write_every: ms(30),
        message_bytes: 2_000_000,
        ..Workload::default()
    };
    let link = Scenario { rate_bps: 100_000_000, handshake: false, ..fast(2_000_000) };
    for (position, timestamps) in [(0.0, true), (1.0, true), (0.0, false)] {
        let mut capture =
            simulate(&Scenario { workload, timestamps, ..link.clone() }).capture(position);
        // No request, whose ACK would come at once.
        capture.retain(|s| s.src.port == 80 || s.len == 0);
        let first = capture.iter().position(|s| s.src.port == 80 && s.len > 0).unwrap_or(0);
        let d = direction(&connection(&capture[first + 400..]), Side::Server).clone();
        assert!(share(&d, Limit::SendBuffer) < 20, "at {position}: {:?}", d.limits());
    }
}

/// The data of the server late by up to 3 ms, as over several paths.
fn out_of_order(segments: &[Segment]) -> Vec<Segment> {
    let late = |s: &Segment| if s.len > 0 && s.src.port == 80 { s.frame * 7 % 4 } else { 0 };
    let delayed = |s: &Segment| Segment { time: s.time + ms(late(s) as i64), ..*s };
    let mut segments: Vec<Segment> = segments.iter().map(delayed).collect();
    segments.sort_by_key(|s| s.time);
    segments
}

#[test]
fn what_comes_out_of_order_was_not_lost() {
    let buffer = Scenario { send_buffer: 60_000, ..fast(4_000_000) };
    let workload = Workload {
        message_bytes: 2_400_000,
        write_bytes: 60_000,
        write_every: ms(200),
        ..Workload::default()
    };
    let writes = Scenario { workload, ..fast(2_400_000) };
    for scenario in [buffer, writes] {
        let scenario = Scenario { rtt: ms(20), ..scenario };
        let captured = simulate(&scenario).capture(1.0);
        let expected = direction(&connection(&captured), Side::Server).verdict;
        let mixed = connection(&out_of_order(&captured));
        let d = direction(&mixed, Side::Server);
        assert_eq!((d.verdict.limit, d.verdict.cause), (expected.limit, expected.cause));
        assert_eq!(d.retransmitted, 0);
        assert!(mixed.findings.iter().any(|f| f.kind == FindingKind::Reordered && f.count > 100));
    }
}
