//! The silent failures: a transfer that stops without a word is a finding, with its numbers.

use crate::script::script;
use crate::segments::{analyse_one, check_all, direction};
use tcpwhy_core::model::{Cause, Connection, Finding, FindingKind, Limit, Side};
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Loss, Reader, Scenario, Window, simulate};

/// SYN, SYN/ACK, ACK at 20 ms; windows with a shift of 7.
pub(crate) const OPENING: &str = "
    0  C S  win 64240 mss 1460 ws 7
    20 S S. win 65160 mss 1460 ws 7
    20 C .  win 502
";

pub(crate) fn finding(connection: &Connection, kind: FindingKind) -> Option<Finding> {
    connection.findings.iter().copied().find(|f| f.kind == kind)
}

/// How often, by both ends.
pub(crate) fn counted(connection: &Connection, kind: FindingKind) -> u64 {
    connection.findings.iter().filter(|f| f.kind == kind).map(|f| f.count).sum()
}

fn analysed(segments: &[Segment]) -> Connection {
    let connection = analyse_one(segments);
    check_all(std::slice::from_ref(&connection));
    connection
}

/// A server whose window the client has closed at 60 ms.
fn closed_window() -> String {
    let mut text = format!("{OPENING} 21 C P. len 100\n 41 S . win 502\n");
    for k in 0..10 {
        text += &format!("{} S . len 1448\n", 42.0 + f64::from(k) * 0.01);
    }
    text + "62 C . win 0\n"
}

/// Probes (0 bytes at una - 1) that double their distance, each answered or not; when the last was sent.
fn probes(text: &mut String, count: u32, answered: bool) -> f64 {
    let (mut at, mut wait) = (62.0, 220.0);
    for _ in 0..count {
        at += wait;
        wait = f64::min(wait * 2.0, 120_000.0);
        *text += &format!("{at} S . seq 14480\n");
        if answered {
            *text += &format!("{} C . win 0\n", at + 20.0);
        }
    }
    at
}

#[test]
fn a_window_that_closes_and_a_receiver_that_dies() {
    let mut text = closed_window();
    probes(&mut text, 15, false);
    let connection = analysed(&script(&text));
    let f = finding(&connection, FindingKind::ZeroWindowDeath).unwrap();
    assert_eq!((f.side, f.count, f.frame), (Side::Server, 15, 17));
    let verdict = direction(&connection, Side::Server).verdict;
    assert_eq!((verdict.limit, verdict.cause), (Limit::SilentPath, Cause::ProbesUnanswered));
}

#[test]
fn a_window_that_stays_closed_is_no_death_while_probes_are_answered() {
    let mut text = closed_window();
    probes(&mut text, 8, true);
    let connection = analysed(&script(&text));
    assert_eq!(finding(&connection, FindingKind::ZeroWindowDeath), None);
    let verdict = direction(&connection, Side::Server).verdict;
    assert_eq!((verdict.limit, verdict.cause), (Limit::ReceiveWindow, Cause::ZeroWindow));
}

#[test]
fn a_window_update_that_comes_too_late_is_answered_by_a_reset() {
    let mut text = closed_window();
    let gave_up = probes(&mut text, 15, false);
    text += &format!("{} C . win 502\n", gave_up + 60_000.0);
    text += &format!("{} S R seq 14481 win 0\n", gave_up + 60_020.0);
    let segments = script(&text);
    let connection = analysed(&segments);
    let f = finding(&connection, FindingKind::LateReset).unwrap();
    assert_eq!((f.side, f.frame), (Side::Server, segments.len() as u64));
    // Nobody has answered while it waited.
    let death = finding(&connection, FindingKind::ZeroWindowDeath).unwrap();
    assert_eq!(death.count, 15);
    let d = direction(&connection, Side::Server);
    assert_eq!((d.verdict.limit, d.verdict.cause), (Limit::SilentPath, Cause::ProbesUnanswered));
    let ends = d.timeline.last().unwrap().to - connection.start;
    assert!((ends.millis() - gave_up).abs() < 100.0, "{ends:?}");
}

/// Captured at a client 20 ms from the server, whose window it opens 300 ms after it has closed: 40 ms later data comes, or `hears` of it only when its
/// third probe after that is answered.
fn opened_again(hears: bool) -> Connection {
    let mut text = "0 C S win 64240 mss 1460 ws 7 ts 1000,0\n\
                    40 S S. win 65160 mss 1460 ws 7 ts 5020,1000\n\
                    40.1 C . win 502 ts 1040,5020\n\
                    41 C P. len 100 ts 1041,5020\n\
                    81 S . win 502 ts 5061,1041\n"
        .to_owned();
    for k in 0..10 {
        text += &format!("{} S . len 1448 ts 5062,1041\n", 82.0 + f64::from(k) * 0.01);
    }
    text += "83 C . win 0 ts 1083,5062\n400 C . win 502 ts 1400,5062\n";
    let mut heard = 1_400;
    if !hears {
        for at in [700, 1_400, 2_800] {
            text += &format!("{at} S . seq 14480 ts {},1083\n", 4_980 + at);
            text += &format!("{at}.1 C . win 502 ts {},5062\n", 1_000 + at);
            heard = 1_000 + at;
        }
    }
    for flight in 0..20 {
        let (left, came) = (heard - 980 + 40 * flight, heard - 960 + 40 * flight);
        let (sent, echo) = (5_000 + left, heard + 40 * flight);
        text += &format!("{came} S P. len 1448 ts {sent},{echo}\n");
        text += &format!("{came}.1 C . win 502 ts {},{sent}\n", 1_000 + came);
    }
    analysed(&script(&text))
}

#[test]
fn a_window_update_that_is_lost_leaves_the_window_closed() {
    let lost = opened_again(false);
    let f = finding(&lost, FindingKind::WindowUpdateLost).unwrap();
    // That at 400 ms, and two answers to probes; the third is heard.
    assert_eq!((f.side, f.count, f.frame), (Side::Client, 3, 17));
    let verdict = direction(&lost, Side::Server).verdict;
    assert_eq!((verdict.limit, verdict.cause), (Limit::ReceiveWindow, Cause::ZeroWindow));
    assert_eq!(finding(&opened_again(true), FindingKind::WindowUpdateLost), None);
}

/// A request that is sent so many times, each after twice the time, before it is acknowledged, captured so many milliseconds from the server.
fn asked(times: u32, tap: u32) -> Connection {
    let mut text = format!(
        "{} C S win 64240 mss 1460 ws 7\n{tap}.1 S S. win 65160 mss 1460 ws 7\n{} C . win 502\n",
        0,
        40 - tap
    );
    let mut at = 41;
    for k in 0..times {
        at += 200 * ((1 << k) - 1);
        text += &format!("{at} C P. seq 1 len 300\n");
    }
    text += &format!("{}.1 S . win 502\n", at + tap);
    for flight in 0..5 {
        let left = at + tap + 1 + 40 * flight;
        text += &format!("{left} S P. len 1448\n{} C .\n", left + 40 - tap);
    }
    analysed(&script(&text))
}

#[test]
fn what_comes_in_at_a_server_and_is_not_acknowledged_was_not_accepted() {
    let late = asked(5, 0);
    let f = finding(&late, FindingKind::NotAccepted).unwrap();
    assert_eq!((f.side, f.count, f.frame), (Side::Client, 4, 5));
    for side in [Side::Client, Side::Server] {
        let verdict = direction(&late, side).verdict;
        assert_eq!(verdict.limit, Limit::Handshake, "{side:?}");
        assert!(verdict.share > 0.9, "{side:?}: {}", verdict.share);
    }
    // Far from the server it may have been lost time after time.
    let lost = asked(5, 30);
    assert_eq!(finding(&lost, FindingKind::NotAccepted), None);
    assert_eq!(direction(&lost, Side::Client).verdict.limit, Limit::LossRecovery);
    // A host that is busy for a moment.
    assert_eq!(finding(&asked(3, 0), FindingKind::NotAccepted), None);
}

#[test]
fn a_first_flight_that_loses_some_of_its_segments_was_accepted() {
    // Ten segments, four of which were lost before the server, as its SACKs say, or come out of order.
    for (again, sack) in [(81, "sack 1449-14481"), (60, "")] {
        let mut text =
            "0 C S win 64240 mss 1460 ws 7\n0.1 S S. win 65160 mss 1460 ws 7\n40 C . win 502\n"
                .to_owned();
        for k in (0..10).filter(|k| k % 3 > 0) {
            text += &format!("41.{k} C . seq {} len 1448\n", 1 + 1448 * k);
        }
        text += &format!("42 S . ack 1 win 502 {sack}\n");
        for k in (0..10).filter(|k| k % 3 == 0) {
            text += &format!("{again}.{k} C . seq {} len 1448\n", 1 + 1448 * k);
        }
        text += &format!("{} S . ack 14481\n", again + 1);
        for flight in 0..5 {
            let left = again + 41 + 40 * flight;
            text += &format!("{left} C P. len 1448\n{left}.1 S .\n");
        }
        let connection = analysed(&script(&text));
        assert_eq!(finding(&connection, FindingKind::NotAccepted), None, "{again} {sack}");
    }
}

#[test]
fn an_update_that_is_heard_of_ends_the_silence() {
    let mut text = closed_window();
    let asked = probes(&mut text, 6, false);
    for k in 0..20 {
        let at = asked + 60_000.0 + 20.0 * f64::from(k);
        text += &format!("{at} C . win 502\n{at} S . len 1448\n");
    }
    text += &format!("{} S R. win 0\n", asked + 70_000.0);
    let connection = analysed(&script(&text));
    assert_eq!(finding(&connection, FindingKind::ZeroWindowDeath), None);
    assert_eq!(direction(&connection, Side::Server).verdict.limit, Limit::ReceiveWindow);
}

#[test]
fn a_reset_that_ends_a_transfer_at_once_is_not_late() {
    let text = format!("{OPENING} 21 C P. len 100\n 41 S P. len 500 win 502\n 42 S R\n");
    assert_eq!(finding(&analysed(&script(&text)), FindingKind::LateReset), None);
}

/// Late resets of a server that sends `server` 9 s after its probes of a closed window were answered, and of one that was silent for so long.
fn late_resets(server: &str) -> [Option<Finding>; 2] {
    let mut probed = closed_window();
    let last = probes(&mut probed, 4, false);
    let idle = format!("{OPENING} 21 C P. len 100\n 41 S P. len 500 win 502\n 61 C .\n");
    [(probed, last), (idle, 61.0)].map(|(text, last)| {
        let text = text + &server.replace("LATE", &format!("{}", last + 9_000.0));
        finding(&analysed(&script(&text)), FindingKind::LateReset)
    })
}

#[test]
fn a_reset_that_ends_a_connection_is_no_late_answer() {
    // It gives up and says so (`tcp_send_active_reset`).
    assert_eq!(late_resets("LATE S R. win 0\n"), [None, None]);
    // It closes as ever; what was still under way is refused.
    let closes = "LATE S F.\nLATE C P. len 20\nLATE S R win 0\n";
    assert_eq!(late_resets(closes), [None, None]);
    // A request that a server answers which has forgotten the connection.
    let forgets = "LATE C P. len 20\nLATE S R win 0\n";
    let found = late_resets(forgets).map(|f| f.map(|f| (f.side, f.count)));
    assert_eq!(found, [Some((Side::Server, 4)), Some((Side::Server, 0))]);
}

#[test]
fn an_end_whose_packets_the_capture_lacks_may_have_spoken_just_before() {
    // Only what goes to the server is captured, and its reset.
    let acks = "0 C . ack 1000 win 502\n 5000 C . ack 9000\n 9000 C . ack 9000\n";
    let text = format!("{acks} 9001 S R seq 9000 win 0\n");
    assert_eq!(finding(&analysed(&script(&text)), FindingKind::LateReset), None);
}

#[test]
fn a_small_segment_behind_those_that_vanish_shows_that_the_way_is_open() {
    let sent = |small: u32| {
        let mut text = format!("{OPENING} 21 C . len 1460\n21 C . len 1460\n21 C P. len {small}\n");
        text += &format!("41 S . ack 1 win 502 sack 2921-{}\n", 2_921 + small);
        for at in [241, 681, 1_561, 3_321, 6_841, 13_881] {
            text += &format!("{at} C . seq 1 len 1460\n");
        }
        finding(&analysed(&script(&text)), FindingKind::PmtuBlackHole).map(|f| f.value)
    };
    assert_eq!(sent(80), Some(1_460));
    assert_eq!(sent(1_460), None, "it is as large");
}

#[test]
fn only_large_segments_vanish() {
    let trace = simulate(&Scenario { loss: Loss::LargerThan(1400), ..Scenario::default() });
    for position in [0.0, 0.4] {
        let connection = analysed(&trace.capture(position));
        let f = finding(&connection, FindingKind::PmtuBlackHole).unwrap();
        assert_eq!((f.side, f.value), (Side::Server, 1448), "at {position}");
        assert!(f.count >= 10, "{f:?}");
        let server = direction(&connection, Side::Server);
        let verdict = server.verdict;
        assert_eq!((verdict.limit, verdict.cause), (Limit::SilentPath, Cause::PmtuBlackHole));
        assert!(server.bytes > 0 && server.goodput_bps() == 0, "{server:?}");
        assert!(server.transfers.iter().all(|t| server.goodput_of(t) == 0), "{server:?}");
        // Nothing came through that would show what the path carries.
        let lifted = server.what_if.iter().find(|w| w.lift == Limit::SilentPath);
        assert!(lifted.is_some_and(|w| w.at_most && w.transfer < server.transfer), "{server:?}");
    }
}

#[test]
fn a_peer_that_vanishes_is_no_black_hole() {
    let loss = Loss::Outage(Nanos::from_millis(150), Nanos::MAX);
    let connection = analysed(&simulate(&Scenario { loss, ..Scenario::default() }).capture(0.0));
    assert_eq!(finding(&connection, FindingKind::PmtuBlackHole), None);
    let verdict = direction(&connection, Side::Server).verdict;
    assert_eq!((verdict.limit, verdict.cause), (Limit::SilentPath, Cause::PeerVanished));
}

#[test]
fn the_mss_is_clamped_one_way() {
    let text = OPENING.replace("20 S S. win 65160 mss 1460", "20 S S. win 65160 mss 1360");
    let connection = analysed(&script(&text));
    let f = finding(&connection, FindingKind::MssClamped).unwrap();
    assert_eq!((f.side, f.value, f.frame), (Side::Server, 1360, 2));
    assert_eq!(finding(&analysed(&script(OPENING)), FindingKind::MssClamped), None);
}

#[test]
fn the_window_scale_is_stripped_from_one_syn() {
    let text = OPENING.replace("win 65160 mss 1460 ws 7", "win 65160 mss 1460");
    let f = finding(&analysed(&script(&text)), FindingKind::WindowScaleStripped).unwrap();
    assert_eq!((f.side, f.frame), (Side::Server, 2));
    let neither = OPENING.replace(" ws 7", "");
    assert_eq!(finding(&analysed(&script(&neither)), FindingKind::WindowScaleStripped), None);
}

#[test]
fn a_syn_is_sent_again() {
    let trace = simulate(&Scenario { syn_losses: 3, ..Scenario::default() });
    let connection = analysed(&trace.capture(1.0));
    let f = finding(&connection, FindingKind::SynRetries).unwrap();
    assert_eq!((f.side, f.count, f.frame), (Side::Client, 3, 2));
    let plain = analysed(&simulate(&Scenario::default()).capture(1.0));
    assert_eq!(finding(&plain, FindingKind::SynRetries), None);
}

#[test]
fn a_syn_is_never_answered() {
    let connection = analysed(&script(
        "0     C S win 64240 mss 1460 ws 7
         1000  C S seq 0
         3000  C S seq 0
         7000  C S seq 0",
    ));
    assert_eq!(finding(&connection, FindingKind::SynRetries).unwrap().count, 3);
    let verdict = direction(&connection, Side::Client).verdict;
    assert_eq!((verdict.limit, verdict.cause), (Limit::Handshake, Cause::SynRetry));
}

#[test]
fn only_keep_alives_cross() {
    let mut text = format!("{OPENING} 21 C P. len 100\n 41 S P. len 50 win 502\n 41 C .\n");
    for k in 1..9 {
        text += &format!("{} C . seq 100\n", 41 + k * 30_000);
        text += &format!("{} S .\n", 61 + k * 30_000);
    }
    let connection = analysed(&script(&text));
    let f = finding(&connection, FindingKind::KeepAliveOnly).unwrap();
    assert_eq!((f.side, f.count), (Side::Client, 8));
    let verdict = direction(&connection, Side::Client).verdict;
    assert_eq!((verdict.limit, verdict.cause), (Limit::Application, Cause::KeepAlive));
}

#[test]
fn keep_alives_are_known_in_the_middle_of_a_connection_that_does_nothing_else() {
    let asks = |k: i64| {
        let at = 1_000 * k;
        format!("{at} C . seq 99 win 502\n{} S . ack 100 win 502\n", at + 20)
    };
    let text: String = (0..10).map(asks).collect();
    let f = finding(&analysed(&script(&text)), FindingKind::KeepAliveOnly).unwrap();
    // Of the first nobody knows yet.
    assert_eq!((f.side, f.count), (Side::Client, 9));
}

#[test]
fn a_policer_is_named_with_its_rate() {
    let loss = Loss::Policer { rate_bps: 2_000_000, burst: 8_000 };
    let connection = analysed(&simulate(&Scenario { loss, ..Scenario::default() }).capture(0.0));
    let f = finding(&connection, FindingKind::Policer).unwrap();
    assert_eq!(f.side, Side::Server);
    assert!((1_000_000..=2_000_000).contains(&f.value), "{f:?}");
}

#[test]
fn a_reader_that_never_comes_back() {
    let pauses = vec![(Nanos::from_millis(200), Nanos::MAX)];
    let reader = Reader { pauses, ..Reader::default() };
    let s = Scenario { reader, window: Window::fixed(64_000), ..Scenario::default() };
    let connection = analysed(&simulate(&s).capture(0.0));
    let verdict = direction(&connection, Side::Server).verdict;
    assert_eq!((verdict.limit, verdict.cause), (Limit::ReceiveWindow, Cause::ZeroWindow));
}
