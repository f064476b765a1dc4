//! 7 to 9: what a capture does to packets.

use super::*;
use crate::script::script;
use crate::segments::analyse;
use crate::silence::{OPENING, counted, finding};
use tcpwhy_core::model::{FindingKind, Side};
use tcpwhy_core::whatif::traffic::Loss;

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

/// A window-limited transfer of 1 MB, in the midst of which somebody's packet has numbers so far ahead.
fn with_a_stray(at: f64, ahead: u32, from_server: bool) -> Connection {
    let scenario = Scenario { window: Window::fixed(64_000), ..fast(1_000_000) };
    let mut capture = simulate(&scenario).capture(at);
    let middle = capture.len() / 2;
    let is_like = |s: &Segment| (s.src.port == 80 && s.len > 0) == from_server;
    let k = middle + capture[middle..].iter().position(is_like).expect("a packet like it");
    let mut stray = capture[k];
    if from_server {
        stray.seq = stray.seq + ahead
    } else {
        stray.ack = stray.ack + ahead
    };
    stray.ip_id = stray.ip_id.wrapping_add(7_777);
    capture.insert(k, stray);
    connection(&capture)
}

#[test]
fn a_packet_far_beyond_the_window_is_none_of_the_connections() {
    for (at, from_server) in [(0.0, false), (0.0, true), (0.5, true), (1.0, false), (1.0, true)] {
        for ahead in [1 << 20, 500 << 20, 1 << 31] {
            let connection = with_a_stray(at, ahead, from_server);
            let d = direction(&connection, Side::Server);
            let what = format!("{at} {from_server} {ahead}: {:?}", d.limits());
            assert_eq!((d.bytes, d.verdict.limit), (1_000_000, Limit::ReceiveWindow), "{what}");
            assert_eq!(share(d, Limit::Unknown), 0, "{what}");
            let stray = finding(&connection, FindingKind::OutOfWindow).map(|f| f.count);
            assert_eq!(stray, Some(1), "{what}");
        }
    }
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
    let capture = simulate(&fast(1_000_000)).capture(0.5);
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
        let seen = counted(&connection, FindingKind::SeenTwice);
        assert_eq!(seen, capture.len() as u64);
    }
}

/// The packets of `capture` over IPv6, which has no identification.
fn over_ipv6(capture: &[Segment]) -> Vec<Segment> {
    capture.iter().map(|s| Segment { ip_id: 0, ..*s }).collect()
}

/// As a mirror port copies it that shows each packet on its way in and on its way out, so much later.
fn mirrored(capture: &[Segment], later: Nanos) -> Vec<Segment> {
    let copy = |s: &Segment| Segment { time: s.time + later, ..*s };
    let mut twice: Vec<Segment> = capture.iter().flat_map(|s| [*s, copy(s)]).collect();
    twice.sort_by_key(|s| s.time);
    twice
}

#[test]
fn trap_09_without_an_identification_a_mirror_ports_copies_are_no_retransmissions() {
    let lossy = Scenario { loss: Loss::PerMille(10), rtt: ms(2), ..fast(1_000_000) };
    for scenario in [fast(1_000_000), lossy] {
        let capture = over_ipv6(&simulate(&scenario).capture(0.5));
        // Without the SYN the first burst, ten segments, is over before its copies show what they are.
        let (opened, midstream) = ((&capture[..], 0), (&capture[3..], 10));
        // The copies of a burst follow each packet, or the whole of it.
        for later in [Nanos::from_micros(3), Nanos::from_micros(400)] {
            for (capture, burst) in [opened, midstream] {
                let expected = connection(capture);
                let connection = connection(&mirrored(capture, later));
                let [d, e] = [&connection, &expected].map(|c| direction(c, Side::Server));
                assert_eq!(d.bytes, e.bytes);
                let again = e.retransmitted..=e.retransmitted + burst * 1448;
                assert!(again.contains(&d.retransmitted), "{later:?}: {}", d.retransmitted);
                assert_eq!(d.verdict.limit, e.verdict.limit);
                let seen = counted(&connection, FindingKind::SeenTwice);
                // ACKs that a receiver repeats look like copies, too.
                let all = capture.len() as u64;
                assert!(seen + burst + all / 50 >= all, "{seen} of {all}");
                assert_eq!(finding(&connection, FindingKind::SynRetries), None);
            }
        }
    }
}

#[test]
fn trap_09_without_an_identification_copies_of_a_part_of_the_packets_are_no_retransmissions() {
    let capture = over_ipv6(&simulate(&fast(1_000_000)).capture(0.0));
    let expected = direction(&connection(&capture), Side::Server).clone();
    for part in [2, 3, 10] {
        // A SYN that comes twice at once would be proof.
        let some: Vec<Segment> = capture.iter().copied().skip(3).step_by(part).collect();
        let copies = some.iter().map(|s| Segment { time: s.time + Nanos::from_micros(20), ..*s });
        let mut all: Vec<Segment> = capture.iter().copied().chain(copies).collect();
        all.sort_by_key(|s| s.time);
        let connection = connection(&all);
        let d = direction(&connection, Side::Server);
        assert_eq!((d.bytes, d.retransmitted), (expected.bytes, 0), "{part}");
        assert_eq!(d.verdict.limit, expected.verdict.limit, "{part}");
    }
}

#[test]
fn trap_09_without_an_identification_what_is_lost_on_a_short_path_is_sent_again() {
    let loss = Loss::PerMille(50);
    let scenario = Scenario { loss, rtt: Nanos::from_micros(100), ..fast(1_000_000) };
    let capture = simulate(&scenario).capture(0.0);
    let expected = direction(&connection(&capture), Side::Server).retransmitted;
    assert!(expected > 10_000, "{expected}");
    let connection = connection(&over_ipv6(&capture));
    assert_eq!(direction(&connection, Side::Server).retransmitted, expected);
    assert_eq!(finding(&connection, FindingKind::SeenTwice), None);
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
fn the_rest_of_a_fragmented_datagram_is_not_what_the_capture_lacks() {
    let mut text = OPENING.to_owned();
    text += "21 C P. len 100\n";
    for k in 0..20 {
        let (at, seq) = (41 + 20 * k, 1 + 1_448 * k);
        text +=
            &format!("{at} S . seq {seq} len 700 win 502\n{} C . ack {}\n", at + 20, seq + 1_448);
    }
    let lacks = |fragment: bool| {
        let mut segments = script(&text);
        segments.iter_mut().filter(|s| s.len == 700).for_each(|s| s.fragment = fragment);
        let found = analyse_one(&segments).findings;
        let has = |kind| found.iter().any(|f| f.kind == kind);
        (has(FindingKind::CaptureHole), has(FindingKind::Fragments))
    };
    assert_eq!(lacks(true), (false, true));
    assert_eq!(lacks(false), (true, false));
}
