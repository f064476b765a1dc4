//! What is said of a connection is what its packets show, to the byte and to the frame.

use crate::script::script;
use crate::segments::{analyse_one, check_all, direction};
use crate::silence::{OPENING, counted, finding};
use tcpwhy_core::model::{Cause, Connection, FindingKind, Limit, Side};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Scenario, Window, Workload, simulate};

fn analysed(text: &str) -> Connection {
    let connection = analyse_one(&script(text));
    check_all(std::slice::from_ref(&connection));
    connection
}

/// A request, its answer, and the end of the connection that long after it.
fn closed_after(ms: u32) -> Connection {
    let mut text = format!("{OPENING} 21 C P. len 100\n41 S P. len 400\n61 C .\n");
    let at = 61 + ms;
    text += &format!("{} S F.\n{} C F.\n{} S .\n", at - 20, at, at + 20);
    analysed(&text)
}

#[test]
fn a_connection_that_is_closed_long_after_its_last_transfer_had_no_long_transfer() {
    for side in [Side::Client, Side::Server] {
        let [soon, late] = [100, 5_000].map(|ms| direction(&closed_after(ms), side).transfer);
        assert_eq!(soon, late);
        assert!(soon <= Nanos::from_millis(40), "{soon:?}");
    }
}

#[test]
fn the_link_shows_by_what_follows_each_other_through_it_and_one_segment_a_round_trip_shows_none() {
    let shown = |limited: Scenario| {
        let workload = Workload { message_bytes: 500_000, ..Workload::default() };
        let (rtt, rate_bps) = (Nanos::from_millis(20), 50_000_000);
        let segments = simulate(&Scenario { workload, rtt, rate_bps, ..limited }).capture(0.0);
        let connection = analyse_one(&segments);
        let d = direction(&connection, Side::Server);
        (d.facts.path_bps, d.what_if[0].at_most)
    };
    let (path, at_most) = shown(Scenario { send_buffer: 16_384, ..Scenario::default() });
    // Of 50 Mbit/s 47 are payload.
    assert!((44_000_000..50_000_000).contains(&path), "{path}");
    assert!(!at_most);
    let one = Window::fixed(1_460);
    assert_eq!(shown(Scenario { window: one, ..Scenario::default() }), (0, true));
}

#[test]
fn a_fin_is_no_data() {
    let connection = closed_after(100);
    for (side, bytes) in [(Side::Client, 100), (Side::Server, 400)] {
        let d = direction(&connection, side);
        let acked: u64 = d.timeline.iter().map(|i| i.evidence.acked).sum();
        assert_eq!((d.bytes, acked), (bytes, bytes));
    }
}

#[test]
fn a_segment_that_was_sent_again_for_nothing_counts_once_though_both_ends_show_it() {
    let text = format!(
        "{OPENING} 21 C P. len 100\n41 S P. len 400\n61 C .\n261 S P. seq 1 len 400\n\
         281 C . sack 1-401\n"
    );
    let needless = finding(&analysed(&text), FindingKind::SpuriousRetransmissions).unwrap();
    assert_eq!((needless.side, needless.count, needless.frame), (Side::Server, 1, 7));
}

#[test]
fn what_is_sent_again_for_nothing_is_no_mistake_where_more_was_lost_on_the_way() {
    let cause_of = |id: u32| {
        let mut text = format!("{OPENING} 21 C P. len 100\n");
        for k in 0..20 {
            let at = 41 + k;
            text += &format!("{at} S . len 1448\n{at} C .\n");
        }
        // The last one's ACK did not arrive, either.
        let again = 1 + 19 * 1448;
        text += &format!("1041 S . seq {again} len 1448 id {id}\n");
        text += &format!("1041 C . sack {again}-{}\n", again + 1448);
        text += "1061 S . len 1448\n1061 C .\n1081 S P. len 1448\n1081 C .\n";
        let connection = analysed(&text);
        let repairs = direction(&connection, Side::Server).limits();
        repairs.iter().find(|l| l.limit == Limit::LossRecovery).map(|l| l.cause)
    };
    // After 21 packets of the server's, or after 51.
    assert_eq!(cause_of(22), Some(Cause::Spurious));
    assert_eq!(cause_of(52), Some(Cause::Timeout));
}

#[test]
fn the_end_of_a_write_waits_for_what_is_small_before_it_though_full_segments_lie_between() {
    let mut text = OPENING.to_owned();
    for turn in 0..20 {
        let at = 100 * turn + 21;
        text += &format!("{at} C P. len 300\n{at} C . len 1460\n{} S .\n", at + 20);
        // 10 us after the ACK has come.
        text += &format!("{}.01 C P. len 652\n", at + 20);
        text += &format!("{} S P. len 50\n{} C .\n", at + 41, at + 41);
    }
    let connection = analysed(&text);
    let client = direction(&connection, Side::Client);
    let waited = |i: &&tcpwhy_core::model::Interval| i.cause == Cause::Nagle;
    let nagle = client.timeline.iter().filter(waited).fold(Nanos::ZERO, |t, i| t + (i.to - i.from));
    assert!(nagle >= Nanos::from_millis(15 * 20), "{nagle:?} {:?}", client.timeline);
}

#[test]
fn a_writer_whose_small_writes_come_by_a_clock_is_no_faster_without_nagle() {
    // Seen at the server.
    let mut text = OPENING.replace("20 S S.", "0 S S.");
    // 100 bytes each 5 ms, over a round trip of 20 ms: four writes leave with the ACK of those before.
    for turn in 0..20 {
        let at = 20 * turn + 21;
        text += &format!("{at}.01 S P. len {}\n", if turn == 0 { 100 } else { 400 });
        text += &format!("{} C .\n", at + 20);
    }
    let connection = analysed(&text);
    let server = direction(&connection, Side::Server);
    assert_eq!(server.verdict.limit, Limit::DelayedAck, "{:?}", server.timeline);
    let waits: u32 = server.timeline.iter().map(|i| i.evidence.stalls).sum();
    assert!(waits >= 18, "{:?}", server.timeline);
    let without = server.what_if.iter().find(|w| w.lift == Limit::DelayedAck);
    assert!(without.is_none_or(|w| w.transfer.scale(10, 9) >= server.transfer), "{without:?}");
}

#[test]
fn small_segments_behind_others_show_that_nagle_is_switched_off() {
    // A message each 20 ms, and an ACK each 40 ms, a moment before every second one leaves.
    let told = |kept: bool| {
        let mut text = OPENING.to_owned();
        for turn in 0..40 {
            let at = 40 * turn + 21;
            text += &if turn > 0 { format!("{at} C .\n") } else { String::new() };
            text += &format!("{at}.01 S P. len {}\n", if kept && turn > 0 { 108 } else { 54 });
            text += &if kept { String::new() } else { format!("{} S P. len 54\n", at + 20) };
        }
        direction(&analysed(&text), Side::Server).verdict.cause
    };
    assert_eq!(told(false), Cause::SenderApplication);
    assert_eq!(told(true), Cause::Nagle);
}

#[test]
fn probes_without_an_answer_are_shown_by_their_own_frames() {
    let mut text = format!("{OPENING} 21 C P. len 100\n41 S . win 502\n");
    for k in 0..10 {
        text += &format!("{} S . len 1448\n", 42.0 + f64::from(k) * 0.01);
    }
    text += "62 C . win 0\n300 S . seq 14480\n320 C . win 0\n";
    for at in [800, 1800, 3800] {
        text += &format!("{at} S . seq 14480\n");
    }
    let connection = analysed(&text);
    let server = direction(&connection, Side::Server);
    let silent = server.timeline.iter().find(|i| i.limit == Limit::SilentPath).unwrap();
    assert_eq!((silent.first_frame, silent.last_frame), (19, 21));
}

#[test]
fn data_that_still_lacks_and_never_comes_is_a_silent_path_at_the_receiver_and_no_busy_one() {
    let silent = |end: &str| {
        let mut text = format!("{OPENING} 21 C P. len 100\n41 S . len 1000\n");
        for k in 2..40 {
            let at = 41.0 + f64::from(k) * 0.5;
            text += &format!("{at:.2} S . seq {} len 1000\n", k * 1000 + 1);
            text += &format!("{:.2} C . ack 1001 sack 2001-{}\n", at + 0.01, (k + 1) * 1000 + 1);
        }
        let connection = analysed(&(text + end));
        let server = direction(&connection, Side::Server);
        let silent = server.timeline.iter().filter(|i| i.limit == Limit::SilentPath);
        silent.fold(Nanos::ZERO, |sum, i| sum + (i.to - i.from))
    };
    let quiet = silent("9000 C F. ack 1001\n");
    assert!((8_900..9_000).contains(&(quiet.0 / 1_000_000)), "{quiet:?}");
    // What the receiver repeats, as it gives up, is no news.
    let fin = "C F. ack 1001 win 600 sack 2001-40001\n";
    let given_up = silent(&format!("8800 {fin}9000 {fin}"));
    assert_eq!(given_up, quiet);
    // It had not had the time to send it again twice, it was still there, or there was nothing to send again.
    assert_eq!(silent("2000 C F. ack 1001\n"), Nanos::ZERO);
    assert_eq!(silent("8900 S .\n9000 C F. ack 1001\n"), Nanos::ZERO);
    assert_eq!(silent("9000 C F. ack 40001\n"), Nanos::ZERO);
}

#[test]
fn packets_of_each_side_that_step_back_are_said_of_that_side() {
    let mut text = format!("{OPENING} 21 C P. len 100\n");
    for k in 0..20 {
        let (at, seq) = (41 + 20 * k, 2000 * k + 1);
        text += &format!("{at} S . seq {} len 1000\n", seq + 1000);
        text +=
            &format!("{}.5 S . seq {seq} len 1000\n{} C . ack {}\n", at - 1, at + 20, seq + 2000);
    }
    let connection = analysed(&text);
    let back = finding(&connection, FindingKind::OutOfOrderTime).unwrap();
    assert_eq!(back.side, Side::Server);
    assert_eq!(
        counted(&connection, FindingKind::Reordered),
        0,
        "the capture's order, not the network's"
    );
}

#[test]
fn a_syn_that_was_sent_twice_makes_no_round_trip_of_one_leg() {
    // The capture point is 4 ms from the client and 16 ms from the server.
    let syn = "win 64240 mss 1460 ws 7";
    let mut text = format!("0 C S seq 0 {syn}\n1000 C S seq 0 {syn}\n1016 S S. {syn}\n");
    text += "1020 C . win 502\n1020 C P. len 100\n1036.05 S . win 502\n";
    for k in 0..50 {
        let at = 1_036.1 + 20.0 * f64::from(k);
        text += &format!("{at} S . len 1448\n{} C .\n", at + 4.0);
    }
    let rtt = analysed(&text).rtt;
    assert!((20.0..20.2).contains(&rtt.min.millis()), "{rtt:?}");
}

#[test]
fn an_ack_that_waits_for_the_peers_answer_shows_no_queue() {
    // Two messages of 14 kB are under way to a server 5 ms away, which takes 20 ms for each and acknowledges what came with its answer.
    let path_share = |acks_at_once: bool| {
        let mut text =
            "0 C S win 64240 mss 1460 ws 7\n5 S S. win 65160 mss 1460 ws 7\n5 C . win 502\n"
                .to_owned();
        let message = |at: f64| -> String {
            let segment = |k: u32| format!("{} C . len 1448\n", at + f64::from(k) * 0.001);
            (0..9).map(segment).collect::<String>() + &format!("{} C P. len 968\n", at + 0.01)
        };
        text += &message(5.1);
        text += &message(5.2);
        for k in 1..=200 {
            // All that has arrived, the next message among it.
            let (answer, end) = (10.0 + 20.0 * f64::from(k), 1 + 14_000 * (k + 1));
            text += &format!("{answer} S P. ack {end} len 40\n");
            text += &message(answer + 0.2);
            if acks_at_once {
                text += &format!("{} S . ack {}\n", answer + 5.3, end + 14_000);
            }
        }
        let connection = analysed(&text);
        let client = direction(&connection, Side::Client);
        let limits = client.limits();
        let whole: f64 = limits.iter().map(|l| l.duration.secs()).sum();
        let path = limits.iter().filter(|l| l.limit == Limit::PathBandwidth);
        path.map(|l| l.duration.secs()).sum::<f64>() / whole
    };
    for acks_at_once in [false, true] {
        let share = path_share(acks_at_once);
        assert!(share < 0.05, "{acks_at_once}: {share}");
    }
}
