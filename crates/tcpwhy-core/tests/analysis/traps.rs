//! The known traps of the field, by the numbers of the taxonomy (docs: "Known traps"): what misled others
//! must not mislead us.

use crate::script::script;
use crate::segments::{analyse, analyse_one, check_all, direction};
use crate::silence::{OPENING, finding};
use tcpwhy_core::model::{
    Cause, Connection, Direction, FindingKind, Limit, Side, Verdict, WindowScale,
};
use tcpwhy_core::observe::{Segment, flags};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Control, Reader, Scenario, Window, Workload, simulate};

fn ms(n: i64) -> Nanos {
    Nanos::from_millis(n)
}

/// A path and a receiver that are no limit themselves.
fn fast(bytes: u64) -> Scenario {
    Scenario {
        rate_bps: 1_000_000_000,
        queue_bytes: 8_000_000,
        window: Window::fixed(6_000_000),
        workload: Workload { message_bytes: bytes, ..Workload::default() },
        ..Scenario::default()
    }
}

fn connection(segments: &[Segment]) -> Connection {
    let connection = analyse_one(segments);
    check_all(std::slice::from_ref(&connection));
    connection
}

/// The answer for the data of a scenario, captured at `position`.
fn answer(scenario: &Scenario, position: f64) -> Direction {
    let connection = connection(&simulate(scenario).capture(position));
    direction(&connection, scenario.data_from).clone()
}

fn verdict(scenario: &Scenario, position: f64) -> Verdict {
    answer(scenario, position).verdict
}

/// The part of the time under `limit`, in percent.
fn share(d: &Direction, limit: Limit) -> i64 {
    let of = d.timeline.iter().filter(|i| i.limit == limit);
    let time = of.fold(Nanos::ZERO, |sum, i| sum + (i.to - i.from));
    time.scale(100, d.span().0.max(1)).0
}

/// The capture without the opening, as if it had begun later.
fn midstream(segments: &[Segment]) -> Vec<Segment> {
    segments.iter().filter(|s| !s.has(flags::SYN)).copied().collect()
}

#[test]
fn trap_01_a_short_segment_does_not_prove_an_idle_application() {
    // Ten kilobytes are no whole number of segments: every burst ends with a short one.
    let scenario = Scenario { send_buffer: 10_000, ..fast(600_000) };
    let capture = simulate(&scenario).capture(0.0);
    let short = capture.iter().filter(|s| s.src.port == 80 && (1..1448).contains(&s.len)).count();
    assert!(short > 20, "{short}");
    for position in [0.0, 0.5, 1.0] {
        assert_eq!(verdict(&scenario, position).limit, Limit::SendBuffer, "at {position}");
    }
}

#[test]
fn trap_02_any_plateau_may_be_a_send_buffer() {
    for buffer in [6_000, 12_345, 16_384, 50_000, 87_040, 200_000] {
        let scenario = Scenario { send_buffer: buffer, rtt: ms(40), ..fast(60 * buffer) };
        assert_eq!(verdict(&scenario, 0.0).limit, Limit::SendBuffer, "{buffer}");
    }
}

#[test]
fn trap_03_the_kernels_stopwatch_is_not_copied() {
    // The kernel's own stopwatch gave a full send buffer no time at all under cubic.
    let buffer = Scenario { send_buffer: 32_768, control: Control::Cubic, ..fast(2_000_000) };
    assert!(share(&answer(&buffer, 0.0), Limit::SendBuffer) > 80);
    let window = Window::fixed(65_536);
    for control in [Control::Reno, Control::Cubic] {
        let scenario = Scenario { window, control, rtt: ms(100), ..fast(4_000_000) };
        let d = answer(&scenario, 0.0);
        assert!(share(&d, Limit::ReceiveWindow) > 90, "{control:?}: {:?}", d.limits());
    }
}

#[test]
fn trap_04_time_counts_and_not_how_many_packets_fill_the_window() {
    // One window a round trip, and a window that stays shut for most of the time: as limited as each
    // other, though few packets of the second meet a full window.
    let window = Window::fixed(64_000);
    let steady = Scenario { window, rtt: ms(100), ..fast(4_000_000) };
    let reader = Reader { pauses: vec![(ms(200), ms(9_000))], ..Reader::default() };
    let stopped = Scenario { window, reader, ..fast(1_500_000) };
    for scenario in [steady, stopped] {
        let d = answer(&scenario, 0.0);
        assert!(share(&d, Limit::ReceiveWindow) > 90, "{:?}", d.limits());
    }
}

#[test]
fn trap_05_a_window_probe_is_no_keep_alive() {
    let mut text = format!("{OPENING} 21 C P. len 100\n 41 S . len 1448 win 502\n 61 C . win 0\n");
    for at in [261, 661, 1461, 3061, 6261] {
        text += &format!("{at} S . seq 1448\n{} C . win 0\n", at + 20);
    }
    text += "7000 C . win 502\n7000 S P. len 1448\n7020 C .\n";
    let probed = connection(&script(&text));
    let answer = direction(&probed, Side::Server).verdict;
    assert_eq!((answer.limit, answer.cause), (Limit::ReceiveWindow, Cause::ZeroWindow));
    assert_eq!(finding(&probed, FindingKind::KeepAliveOnly), None);

    let kept_alive = connection(&script(&text.replace("win 0", "win 502")));
    let answer = direction(&kept_alive, Side::Server).verdict;
    assert_eq!(answer.limit, Limit::Application);
    assert!(finding(&kept_alive, FindingKind::KeepAliveOnly).is_some());
}

#[test]
fn trap_06_the_window_of_a_syn_is_not_scaled() {
    let text = format!("{OPENING} 21 C P. len 100\n 41 S P. len 1448 win 502\n 61 C .\n");
    let connection = connection(&script(&text));
    let facts = direction(&connection, Side::Server).facts;
    assert_eq!((facts.max_window, facts.scale), (502 << 7, WindowScale::Known(7)));
}

#[test]
fn trap_06_a_scale_that_is_absent_is_not_unknown() {
    let text = format!("{OPENING} 21 C P. len 100\n 41 S P. len 1448 win 502\n 61 C .\n");
    let scale = |text: &str| {
        let connection = connection(&script(text));
        direction(&connection, Side::Server).facts.scale
    };
    assert_eq!(scale(&text.replace(" ws 7", "")), WindowScale::Absent);
    assert_eq!(scale(&text.replacen(" ws 7", "", 1)), WindowScale::Absent);
    let cut = text.replace(" mss 1460 ws 7", " cut");
    assert!(matches!(scale(&cut), WindowScale::Inferred { .. }), "cut by the snap length");
    let later: String = text.lines().skip(4).map(|l| format!("{l}\n")).collect();
    assert!(matches!(scale(&later), WindowScale::Inferred { .. }), "midstream");
}

#[test]
fn trap_06_an_unknown_scale_is_inferred_as_a_range_and_the_verdict_says_so() {
    // The window's number in the header is a 128th of the window.
    let window = Window::fixed(65_536);
    let scenario =
        Scenario { window, rtt: ms(100), handshake: false, send_buffer: 0, ..fast(4_000_000) };
    for position in [0.0, 0.5, 1.0] {
        let connection = connection(&simulate(&scenario).capture(position));
        let d = direction(&connection, Side::Server);
        assert_eq!(d.facts.scale, WindowScale::Inferred { min: 7, max: 14 }, "at {position}");
        assert_eq!(d.verdict.limit, Limit::ReceiveWindow);
        assert!(finding(&connection, FindingKind::ScaleInferred).is_some());
        assert!(d.verdict.confidence < 0.9, "{:?}", d.verdict);
    }
}

/// Neighbouring segments of one burst joined up to `largest`, as an offload would.
fn joined(segments: &[Segment], largest: u32) -> Vec<Segment> {
    let mut out: Vec<Segment> = Vec::new();
    for s in segments {
        match out.last_mut() {
            Some(last)
                if last.src == s.src
                    && s.len > 0
                    && last.len > 0
                    && last.seq + last.len == s.seq
                    && s.time - last.time < ms(1)
                    && last.len + s.len <= largest =>
            {
                last.len += s.len;
                last.flags |= s.flags;
            }
            _ => out.push(*s),
        }
    }
    out
}

#[test]
fn trap_07_offloads_do_not_change_the_answer() {
    let window = Scenario { window: Window::fixed(1_000_000), ..fast(20_000_000) };
    let buffer = Scenario { send_buffer: 400_000, ..fast(10_000_000) };
    for scenario in [window, buffer] {
        let wire = simulate(&Scenario { initial_cwnd: 700, ..scenario.clone() }).capture(0.0);
        let expected = direction(&connection(&wire), Side::Server).verdict;
        // TSO, and BIG TCP of 512 KiB.
        for largest in [65_160, 512 * 1024] {
            let offloaded = joined(&wire, largest);
            let longest = offloaded.iter().map(|s| s.len).max();
            assert!(longest > Some(largest / 3), "{longest:?} of {largest}");
            let connection = connection(&offloaded);
            let d = direction(&connection, Side::Server);
            assert_eq!(d.facts.mss, 1448);
            assert_eq!(d.bytes, scenario.workload.message_bytes);
            assert_eq!((d.verdict.limit, d.verdict.cause), (expected.limit, expected.cause));
        }
    }
}

#[test]
fn trap_08_a_hole_in_the_capture_is_no_loss() {
    let scenario = fast(3_000_000);
    let mut capture = simulate(&scenario).capture(0.0);
    let lost = |s: &Segment| s.src.port == 80 && s.len > 0 && s.frame % 97 == 0;
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

#[test]
fn trap_09_reordering_is_no_loss() {
    let mut capture = simulate(&fast(1_000_000)).capture(1.0);
    let data: Vec<usize> =
        (0..capture.len()).filter(|&k| capture[k].src.port == 80 && capture[k].len > 0).collect();
    let mut swapped = 0;
    for pair in data.chunks(50).filter(|c| c.len() > 31).map(|c| (c[30], c[31])) {
        // The bytes change places, the times do not.
        let (a, b) = (capture[pair.0], capture[pair.1]);
        (capture[pair.0].seq, capture[pair.1].seq) = (b.seq, a.seq);
        (capture[pair.0].ip_id, capture[pair.1].ip_id) = (b.ip_id, a.ip_id);
        swapped += 1;
    }
    assert!(swapped > 5);
    let connection = connection(&capture);
    let d = direction(&connection, Side::Server);
    assert_eq!((d.bytes, d.retransmitted), (1_000_000, 0));
    assert_eq!(share(d, Limit::LossRecovery), 0, "{:?}", d.limits());
    let reordered = finding(&connection, FindingKind::Reordered).unwrap();
    assert_eq!((reordered.side, reordered.count), (Side::Server, swapped));
}

#[test]
fn trap_09_a_packet_captured_twice_is_one_packet() {
    let scenario = Scenario { initial_cwnd: 4, ..fast(1_000_000) };
    let capture = simulate(&scenario).capture(0.5);
    let expected = direction(&connection(&capture), Side::Server).clone();
    // The other interface sees each packet 20 us later, with one hop less to live.
    let mut twice: Vec<Segment> = capture
        .iter()
        .flat_map(|s| {
            let time = s.time + Nanos::from_micros(20);
            [*s, Segment { scope: 1, ttl: s.ttl - 1, time, ..*s }]
        })
        .collect();
    twice.sort_by_key(|s| s.time);
    for ip_id in [true, false] {
        let mut twice = twice.clone();
        twice.iter_mut().for_each(|s| s.ip_id = if ip_id { s.ip_id } else { 0 });
        let connection = connection(&twice);
        let d = direction(&connection, Side::Server);
        assert_eq!((d.bytes, d.retransmitted), (expected.bytes, 0), "{ip_id}");
        assert_eq!(d.verdict.limit, expected.verdict.limit);
        let seen = finding(&connection, FindingKind::SeenTwice).unwrap();
        assert_eq!(seen.count, capture.len() as u64);
    }
}

#[test]
fn trap_09_a_retransmission_is_no_copy() {
    let text = format!(
        "{OPENING} 21 C P. len 100\n 41 S . len 1448 win 502\n 46 S . seq 1 len 1448\n 66 C .\n"
    );
    let connection = connection(&script(&text));
    assert_eq!(finding(&connection, FindingKind::SeenTwice), None);
    assert_eq!(direction(&connection, Side::Server).retransmitted, 1448);
}

#[test]
fn trap_09_sequence_numbers_wrap() {
    let base = Scenario { send_buffer: 60_000, ..fast(4_000_000) };
    let plain = answer(&base, 0.5);
    let wraps = Scenario { isn: [u32::MAX - 50, u32::MAX - 1_000_000], ..base };
    assert_eq!(answer(&wraps, 0.5), plain);
}

#[test]
fn trap_09_one_connection_of_more_than_4_gib_counts_all_its_bytes() {
    let mut text = OPENING.to_owned();
    // Segments as BIG TCP makes them: 512 KiB each, 5 GiB in all.
    let (count, len) = (10_240_u32, 512 * 1024_u32);
    let mut segments = script(&{
        text += "21 C P. len 100\n41 S . len 1448 win 502\n61 C . win 65535\n";
        text
    });
    let (mut data, mut ack) = (segments[4], segments[5]);
    for k in 0..count {
        data.time = ms(61 + i64::from(k) * 20);
        data.seq = segments[4].seq + 1448 + len.wrapping_mul(k);
        data.len = len;
        ack.time = data.time + ms(20);
        ack.ack = data.seq + len;
        segments.extend([data, ack]);
    }
    for (segment, frame) in segments.iter_mut().zip(1..) {
        (segment.frame, segment.ip_id) = (frame, 0);
    }
    let connection = connection(&segments);
    let expected = u64::from(count) * u64::from(len) + 1448;
    assert_eq!(direction(&connection, Side::Server).bytes, expected);
    assert_eq!(direction(&connection, Side::Server).retransmitted, 0);
}

#[test]
fn trap_09_the_same_ports_again_are_another_connection() {
    let first = simulate(&fast(100_000)).capture(0.5);
    let later = fast(200_000).start + Nanos::from_secs(90);
    let again = Scenario { start: later, isn: [77, 9_000_000], ..fast(200_000) };
    let mut both = first.clone();
    both.extend(simulate(&again).capture(0.5));
    let all = analyse(&both);
    check_all(&all);
    let bytes: Vec<u64> = all.iter().map(|c| direction(c, Side::Server).bytes).collect();
    assert_eq!(bytes, [100_000, 200_000]);
    assert!(all.iter().all(|c| c.directions.iter().all(|d| d.retransmitted == 0)));
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

/// Two transfers at once, one in each direction: the packets of an upload with the roles of a download
/// mirrored into it, acknowledged by bare ACKs.
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
    assert!(analyse(&midstream(&capture)).len() == 1);
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
