//! What sets the rhythm in which data leaves: room in a buffer, ACKs, a timer. Captured at the client, which sends.

use crate::script::script;
use crate::segments::{analyse_one, direction};
use crate::transfer::{MSS, ROUND_TRIP, Transfer};
use tcpwhy_core::model::{Cause, Limit, Share, Side};
use tcpwhy_core::units::Nanos;

/// Heights of flights, in segments: the last packet buffer takes in more than the send buffer has room for, now more and now less.
const HEIGHTS: [u32; 5] = [150, 240, 190, 300, 210];

#[test]
fn flights_of_any_height_that_are_refilled_at_one_level_fill_a_send_buffer() {
    let mut t = Transfer::new();
    for height in HEIGHTS.into_iter().cycle().take(40) {
        t.send(height - t.flight());
        while t.flight() > 40 {
            t.hear();
        }
    }
    assert_eq!(t.verdict().limit, Limit::SendBuffer);
}

#[test]
fn what_one_ack_takes_and_releases_says_nothing_of_a_level() {
    // A receiver's host acknowledges each burst as a whole (GRO): a long one, which varies with a window that goes up, and one of 22.
    let mut text =
        "0 C S win 64240 mss 1460 ws 10\n100 S S. win 65160 mss 1460 ws 10\n100 C . win 502\n"
            .to_owned();
    let (mut sent, mut now) = (0, 101.0);
    for round in 0..24 {
        for (burst, lasts) in [(150 + 7 * round, 70.0), (22, 31.0)] {
            if round > 0 {
                let rest = if burst == 22 { 150 + 7 * round } else { 22 };
                text +=
                    &format!("{:.3} S . ack {} win 4000\n", now - 0.02, 1 + (sent - rest) * MSS);
            }
            for k in 0..burst {
                text += &format!("{:.3} C . len {MSS}\n", now + f64::from(k) * 0.002);
            }
            sent += burst;
            now += lasts;
        }
    }
    let verdict = direction(&analyse_one(&script(&text)), Side::Client).verdict;
    assert_eq!(verdict.limit, Limit::CongestionWindow);
}

#[test]
fn flights_that_are_refilled_as_time_goes_by_are_not_a_buffers() {
    let mut t = Transfer::new();
    for height in HEIGHTS.into_iter().cycle().take(40) {
        t.send(height - t.flight().min(height));
        t.wait(t.now + ROUND_TRIP + 14.0);
    }
    assert_ne!(t.verdict().limit, Limit::SendBuffer);
}

#[test]
fn small_bursts_at_even_intervals_that_no_ack_sets_are_paced() {
    let mut t = Transfer::new();
    for _ in 0..600 {
        t.send(2);
        t.wait(t.now + 2.9);
    }
    let verdict = t.verdict();
    assert_eq!((verdict.limit, verdict.cause), (Limit::CongestionWindow, Cause::Pacing));
}

#[test]
fn small_bursts_that_acks_release_are_not_paced() {
    let mut t = Transfer::new();
    for _ in 0..7 {
        t.send(2);
        t.wait(t.now + 2.9);
    }
    for _ in 0..600 {
        t.hear();
        t.hear();
        t.send(2);
    }
    assert_eq!(t.verdict().limit, Limit::SendBuffer);
}

#[test]
fn a_window_that_dips_while_its_reader_takes_a_burst_out_is_a_small_buffer() {
    let mut text =
        "0 C S win 64240 mss 1460 ws 10\n20 S S. win 65160 mss 1460 ws 10\n20 C . win 200\n"
            .to_owned();
    let (window, bytes) = (200, 200 * 1024);
    for round in 0..20 {
        let at = 21.0 + 20.2 * f64::from(round);
        let (from, full) = (round * bytes, bytes / MSS);
        for k in 0..full {
            text += &format!("{at:.4} C . seq {} len {MSS}\n", 1 + from + k * MSS);
        }
        text += &format!("{at:.4} C P. seq {} len {}\n", 1 + from + full * MSS, bytes - full * MSS);
        let ack = 1 + from + bytes / 2;
        text += &format!("{:.4} S . ack {ack} win {}\n", at + 20.1, window / 2);
        text += &format!("{:.4} S . ack {} win {window}\n", at + 20.15, 1 + from + bytes);
    }
    let verdict = direction(&analyse_one(&script(&text)), Side::Client).verdict;
    assert_eq!((verdict.limit, verdict.cause), (Limit::ReceiveWindow, Cause::SmallBuffer));
}

#[test]
fn what_ends_a_wait_is_said_of_its_end() {
    let opening =
        "0 C S win 64240 mss 1460 ws 7\n20 S S. win 65160 mss 1460 ws 7\n20 C . win 502\n";
    // Keep-alives after the last byte was acknowledged.
    let mut text = format!("{opening} 21 C P. len 1000\n 41 S .\n");
    for k in 1..6 {
        text += &format!("{} C . seq 1000\n {} S .\n", 41 + k * 1000, 61 + k * 1000);
    }
    text += "6041 C P. len 1000\n 6061 S .\n";
    let verdict = direction(&analyse_one(&script(&text)), Side::Client).verdict;
    assert_eq!((verdict.limit, verdict.cause), (Limit::Application, Cause::KeepAlive));
    // One duplicate ACK is not enough: a timer repairs.
    let mut text = opening.to_owned();
    for k in 0..5 {
        let (at, seq) = (21 + 260 * k, 1 + 2800 * k);
        text += &format!("{at} C . seq {seq} len 1460\n {at} C P. seq {} len 1340\n", seq + 1460);
        text += &format!("{} S . ack {seq}\n {} C . seq {seq} len 1460\n", at + 20, at + 229);
        text += &format!("{} S . ack {}\n", at + 249, seq + 2800);
    }
    let verdict = direction(&analyse_one(&script(&text)), Side::Client).verdict;
    assert_eq!((verdict.limit, verdict.cause), (Limit::LossRecovery, Cause::SmallFlight));
}

#[test]
fn a_small_buffer_on_a_busy_host_is_neither_paced_nor_an_applications() {
    let mut t = Transfer::new();
    for _ in 0..60 {
        t.send(3);
        while t.flight() > 0 {
            t.hear();
        }
        t.now += 0.5;
    }
    assert_eq!(t.verdict().limit, Limit::SendBuffer);
}

/// On a path of 0.45 ms: 3 kB at a time, acknowledged at once, and the next after so many ms, by turns.
fn writes_on_a_short_path(after: &[f64]) -> Limit {
    let mut text = "0 C S win 64240 mss 1460 ws 10\n0.45 S S. win 65160 mss 1460 ws 10\n\
                    0.45 C . win 502\n"
        .to_owned();
    let mut now = 1.0;
    for wait in after.iter().cycle().take(400) {
        for (k, piece) in [". len 1460", ". len 1460", "P. len 80"].into_iter().enumerate() {
            text += &format!("{:.3} C {piece}\n", now + k as f64 * 0.002);
        }
        now += 0.46;
        text += &format!("{now:.3} S . win 2000\n");
        now += wait;
    }
    direction(&analyse_one(&script(&text)), Side::Client).verdict.limit
}

#[test]
fn a_writer_with_a_clock_of_its_own_on_a_short_path_waits_for_no_buffer() {
    assert_eq!(writes_on_a_short_path(&[1.54, 1.5, 1.58]), Limit::Application);
    // A process on a busy host that waits for room is late now and then, and at once at other times.
    assert_eq!(writes_on_a_short_path(&[0.03, 0.9, 0.04, 0.2, 0.05, 1.6]), Limit::SendBuffer);
}

/// A connection opens, captured at the server, 20 ms from the client.
const AT_THE_SERVER: &str =
    "0 C S win 64240 mss 1460 ws 10\n0 S S. win 65160 mss 1460 ws 10\n20 C . win 502\n";

fn limits_at_the_server(text: &str) -> Vec<Share> {
    direction(&analyse_one(&script(text)), Side::Server).limits()
}

/// The time that Nagle's rule took.
fn nagles(limits: &[Share]) -> Nanos {
    let nagle = limits.iter().find(|share| share.cause == Cause::Nagle);
    nagle.expect("Nagle's wait").duration
}

#[test]
fn the_end_of_an_answer_waits_for_the_ack_of_its_header_though_more_is_under_way() {
    let mut text = AT_THE_SERVER.to_owned();
    let (mut now, mut sent) = (30.0, 1);
    // A header, two full segments, and what is left of the body.
    for _ in 0..10 {
        text += &format!("{now} C P. len 84\n");
        let lines = ["P. len 114", ". len 1460", "P. len 1460"];
        for (k, line) in lines.into_iter().enumerate() {
            text += &format!("{} S {line} {}\n", now + 0.5 + k as f64 * 0.01, "win 500");
        }
        // Of the two full ones one is acknowledged with the header.
        text += &format!("{} C . ack {} win 500\n", now + 20.6, sent + 114 + 1460);
        text += &format!("{} S P. len 80\n", now + 20.65);
        sent += 114 + 2 * 1460 + 80;
        text += &format!("{} C . ack {sent}\n", now + 41.2);
        now += 41.5;
    }
    let limits = limits_at_the_server(&text);
    assert!(nagles(&limits).0 >= 180_000_000, "{limits:?}");
    assert!(limits.iter().all(|share| share.limit != Limit::Unknown));
}

#[test]
fn the_end_of_a_long_answer_waits_for_the_short_segment_in_its_middle_and_no_longer() {
    let mut text = AT_THE_SERVER.to_owned();
    let (mut now, mut sent) = (30.0, 1);
    // The server writes 64 KiB and then the rest. The client acknowledges every second segment, and the short one.
    for _ in 0..10 {
        text += &format!("{now} C P. len 84\n");
        let lens = (0..67).map(|k| if k == 44 { 1_296 } else { 1_460 });
        for (k, len) in (0_u32..).zip(lens.clone()) {
            text += &format!("{:.3} S . len {len} win 500\n", now + 0.5 + f64::from(k) * 0.002);
        }
        let mut acked = sent;
        for (k, len) in (0_u32..).zip(lens) {
            acked += len;
            let at = now + 20.6 + f64::from(k) * 0.12;
            if k % 2 == 0 {
                text += &format!("{at:.3} C . ack {acked} win 500\n");
            }
            if k == 44 {
                text += &format!("{:.3} S P. len 80\n", at + 0.01);
            }
        }
        sent = acked + 80;
        text += &format!("{:.3} C . ack {sent}\n", now + 47.0);
        now += 47.5;
    }
    let limits = limits_at_the_server(&text);
    assert!(nagles(&limits).0 >= 200_000_000, "{limits:?}");
}
