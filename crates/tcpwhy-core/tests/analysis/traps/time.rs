//! 10 to 12: what paces a transfer.

use super::*;
use crate::script::script;
use crate::segments::analyse;
use crate::silence::OPENING;
use tcpwhy_core::model::{Cause, Side};
use tcpwhy_core::observe::flags;
use tcpwhy_core::whatif::traffic::Control;

/// The capture without the opening, as if it had begun later.
fn midstream(segments: &[Segment]) -> Vec<Segment> {
    segments.iter().filter(|s| !s.has(flags::SYN)).copied().collect()
}

#[test]
fn trap_10_a_paced_sender_is_no_idle_application() {
    let rate_bps = 20_000_000;
    let scenario = Scenario { control: Control::Paced, rate_bps, ..fast(6_000_000) };
    for position in [0.0, 0.5, 1.0] {
        let d = answer(&scenario, position);
        assert_eq!(d.verdict.limit, Limit::PathBandwidth, "at {position}");
        assert!(share(&d, Limit::Application) < 3, "{:?}", d.limits());
    }
}

/// A server, captured there, that sends a segment each 0.6 ms (20 Mbit/s over 20 ms and 20 ms of queue), for 4 s; for 0.2 s in the middle
/// it keeps four in flight, as BBR does to see the path without its queue (draft-ietf-ccwg-bbr section 5.3.4, ProbeRTT).
fn probing() -> Vec<Segment> {
    let mut events = Vec::new();
    // The time of the last segment, and how many were sent.
    let (mut at, mut sent, mut drained) = (41.0_f64, 0_u32, false);
    while at < 4_041.0 {
        // Each ACK of two releases two more, 0.1 ms later; as the dip begins, what is in flight drains first.
        let dips = (2_000.0..2_200.0).contains(&at);
        at += match (dips, std::mem::replace(&mut drained, dips)) {
            (true, false) => 40.0,
            (true, true) => 18.3,
            (false, _) => 0.0,
        };
        let round = if dips { 20.0 } else { 40.0 };
        for _ in 0..if dips { 4 } else { 1 } {
            at += 0.6;
            sent += 1;
            events.push((at, format!("S . len 1448 win 502 seq {}", 1 + 1448 * (sent - 1))));
            if sent.is_multiple_of(2) {
                events.push((at + round, format!("C . ack {}", 1 + 1448 * sent)));
            }
        }
    }
    events.sort_by(|one, other| one.0.total_cmp(&other.0));
    let lines = events.iter().map(|(time, line)| format!("{time} {line}\n"));
    let opening = OPENING.replace("20 S S.", "0 S S.");
    script(&(format!("{opening} 21 C P. len 100\n") + &lines.collect::<String>()))
}

#[test]
fn trap_10_a_dip_to_probe_the_round_trip_is_no_idle_application() {
    let connection = connection(&probing());
    let d = direction(&connection, Side::Server);
    assert_eq!(d.verdict.limit, Limit::PathBandwidth, "{:?}", d.limits());
    assert!(share(d, Limit::Application) < 3, "{:?}", d.limits());
}

#[test]
fn trap_11_think_time_belongs_to_whoever_thinks() {
    let exchange = |think, peer_think| Scenario {
        workload: Workload {
            messages: 8,
            message_bytes: 20_000,
            think: ms(think),
            peer_think: ms(peer_think),
            ..Workload::default()
        },
        ..Scenario::default()
    };
    for position in [0.0, 0.5, 1.0] {
        for (scenario, thinker) in
            [(exchange(400, 0), Side::Server), (exchange(0, 400), Side::Client)]
        {
            let connection = connection(&simulate(&scenario).capture(position));
            for side in [Side::Client, Side::Server] {
                let d = direction(&connection, side);
                assert_eq!(d.transfers.len(), 8, "{side:?} at {position}");
                let cause = match side == thinker {
                    true => Cause::SenderApplication,
                    false => Cause::WaitingForPeer,
                };
                let said = (d.verdict.limit, d.verdict.cause);
                assert_eq!(said, (Limit::Application, cause), "{side:?} at {position}");
            }
        }
    }
}

#[test]
fn trap_11_both_directions_at_once_get_an_answer_each() {
    // 1448 bytes a round trip from the client, which sends one short message at a time; ten segments a
    // round trip from the server, which fills the client's window of 14,480 bytes.
    let mut text = String::from("0 C S win 14480 mss 1460\n20 S S. win 65160 mss 1460\n20 C .\n");
    for round in 0..100_i32 {
        let at = f64::from(round) * 20.0 + 20.0;
        for k in 0..10 {
            text += &format!("{} S . len 1448\n", at + 0.1 + f64::from(k) * 0.01);
        }
        if round % 10 == 0 {
            text += &format!("{} C P. len 300\n", at + 3.0);
        }
        text += &format!("{} C . win 14480\n", at + 20.0);
    }
    let connection = connection(&script(&text));
    let (up, down) = (direction(&connection, Side::Client), direction(&connection, Side::Server));
    assert_eq!((up.bytes, down.bytes), (3_000, 100 * 14_480));
    assert_eq!(down.verdict.limit, Limit::ReceiveWindow, "{:?}", down.limits());
    assert_eq!(up.verdict.limit, Limit::Application, "{:?}", up.limits());
}

#[test]
fn trap_12_a_delayed_ack_is_not_the_round_trip() {
    // A short message every 200 ms, whose ACK comes 40 ms after the 20 ms of the path.
    let mut text = format!("{OPENING} 21 C P. len 100\n");
    for k in 0..30 {
        text += &format!("{} S P. len 200 win 502\n{} C .\n", 41 + k * 200, 101 + k * 200);
    }
    let capture = script(&text);
    let connection = connection(&capture);
    assert_eq!(direction(&connection, Side::Server).facts.rtt_floor, ms(20));
    // Without the handshake no packet shows the path's own round trip.
    check_all(&analyse(&midstream(&capture)));
}

#[test]
fn trap_12_a_stretch_ack_neither_lowers_nor_raises_the_floor() {
    // One ACK for forty segments, the first of which has waited for the last.
    let mut text = OPENING.to_owned();
    text += "21 C P. len 100\n";
    for round in 0..40 {
        let at = 41.0 + f64::from(round) * 30.0;
        for k in 0..40 {
            text += &format!("{} S . len 1448 win 502\n", at + f64::from(k) * 0.2);
        }
        text += &format!("{} C .\n", at + 28.0);
    }
    let connection = connection(&script(&text));
    let floor = direction(&connection, Side::Server).facts.rtt_floor;
    assert!((ms(20)..=ms(21)).contains(&floor), "{floor:?}");
}
