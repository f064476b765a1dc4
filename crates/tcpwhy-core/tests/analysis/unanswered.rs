//! Who was not answered, or did not hear: a request that was acknowledged and never answered, and data that is sent again though its ACK has
//! passed.

use crate::script::script;
use crate::segments::{analyse_one, check_all, direction};
use crate::silence::OPENING;
use tcpwhy_core::model::{Cause, Connection, Direction, Limit, Side};

/// A client that asks, and whose request is acknowledged at 41 ms; then `rest`.
pub(crate) fn asked(rest: &str) -> Connection {
    let text = format!("{OPENING} 21 C P. len 100\n 41 S . win 502\n {rest}");
    let connection = analyse_one(&script(&text));
    check_all(std::slice::from_ref(&connection));
    connection
}

/// Limit and cause of the last part of a direction's timeline, and how many ms it took.
fn last(direction: &Direction) -> (Limit, Cause, i64) {
    let last = direction.timeline.last().expect("a timeline");
    (last.limit, last.cause, (last.to - last.from).0 / 1_000_000)
}

/// That of the server.
fn owed(rest: &str) -> (Limit, Cause, i64) {
    let connection = asked(rest);
    last(direction(&connection, Side::Server))
}

const GAVE_UP: &str = "12000 C F. ack 1\n";

#[test]
fn a_server_that_forgets_the_connection_has_sent_into_a_hole() {
    let told = owed(&format!("{GAVE_UP} 12020 S R seq 1 win 0"));
    assert_eq!(told, (Limit::SilentPath, Cause::None, 11_959));
}

#[test]
fn a_server_whose_sequence_numbers_are_ahead_has_sent_into_a_hole() {
    // It has sent ten segments, and a FIN's number is none of them.
    let told = owed(&format!("{GAVE_UP} 12020 S . seq 14481"));
    assert_eq!(told, (Limit::SilentPath, Cause::None, 11_959));
    let closes = format!("{GAVE_UP} 12020 S . seq 1\n 12030 S F. seq 1\n 12050 S . seq 2");
    assert_eq!(owed(&closes).0, Limit::Application);
}

#[test]
fn a_server_that_is_there_and_sends_nothing_thinks() {
    let rest = format!("{GAVE_UP} 12020 S . seq 1");
    let connection = asked(&rest);
    let server = direction(&connection, Side::Server);
    assert_eq!(last(server), (Limit::Application, Cause::SenderApplication, 11_959));
    // Who never answered anything may have nothing to answer.
    let sure = |connection: &Connection| direction(connection, Side::Server).verdict.confidence;
    assert!(server.owes && (0.55..0.7).contains(&sure(&connection)), "{:?}", server.verdict);
    let again =
        "42 S P. len 500 win 502\n 62 C .\n 5000 C P. len 100\n 5020 S .\n 17000 C F. ack 501\n";
    assert!(sure(&asked(&format!("{again} 17020 S . seq 501"))) > 0.8);
    // Without a later word of it nobody knows.
    assert!(sure(&asked(again)) < 0.8, "{:?}", direction(&asked(again), Side::Server));
}

#[test]
fn who_closes_soon_or_was_never_heard_did_not_wait_for_an_answer() {
    let owes = |connection: &Connection| direction(connection, Side::Server).owes;
    assert!(owes(&asked("3100 C F. ack 1")));
    assert!(!owes(&asked("2900 C F. ack 1")));
    // What comes after the end is no wait.
    assert!(!owes(&asked("100 C F. ack 1\n 9000 S F.")));
    // A request that was not acknowledged is the client's matter.
    let text = format!("{OPENING} 21 C P. len 100\n 300 C P. seq 1 len 100\n 9000 C R. seq 101");
    assert!(!owes(&analyse_one(&script(&text))));
}

#[test]
fn where_one_end_breaks_off_an_answer_is_missing_after_what_one_takes_to_come_again() {
    assert_eq!(owed("1041 C R. seq 101").0, Limit::Application);
    let owes = |rest: &str| direction(&asked(rest), Side::Server).owes;
    assert!(owes("300 C R. seq 101") && !owes("200 C R. seq 101"));
    // Of a path of 400 ms an answer does not come in 300.
    let text = "0 C S win 64240 mss 1460\n 400 S S. win 65160 mss 1460\n 400 C .\n 401 C P. len 100\n 801 S .\n";
    let owes_from_afar = |end: &str| {
        let connection = analyse_one(&script(&format!("{text} {end}")));
        direction(&connection, Side::Server).owes
    };
    assert!(owes_from_afar("2500 C R. seq 101") && !owes_from_afar("1100 C R. seq 101"));
    // The server may do so, too.
    assert!(owes("1041 S R.") && !owes("200 S R."));
}

#[test]
fn an_idle_connection_that_is_refused_at_last_owes_nothing() {
    let idle = "9000 C P. len 100\n 9020 S R seq 101 win 0";
    assert_ne!(owed(idle).0, Limit::SilentPath);
}

#[test]
fn a_later_request_is_left_unanswered() {
    let first = "42 S P. len 500 win 502\n 62 C .\n 5000 C P. len 100\n 5020 S .\n";
    let told = owed(&format!("{first} 17000 C F. ack 501\n 17020 S . seq 14981"));
    assert_eq!(told.0, Limit::SilentPath);
    assert!((11_900..=12_020).contains(&told.2), "{told:?}");
    let thinks = owed(&format!("{first} 17000 C F. ack 501\n 17020 S . seq 501"));
    assert_eq!(thinks, (Limit::Application, Cause::SenderApplication, 11_980));
    // TLS closes with a word of its own, which nobody waits with.
    let closes = "17000 C P. len 24 ack 501\n 17000 C F. ack 501\n 17020 S F. seq 501";
    assert_eq!(owed(&format!("{first} {closes}")), thinks);
    // A long hello is no measure for what comes after it.
    let hello = "42 S P. len 500 win 502\n 62 C .\n 70 C P. len 900\n 90 S P. len 90\n 90 C .\n";
    let turns = [100, 200, 300]
        .map(|at| format!("{at} C P. len 20\n {} S P. len 90\n {} C .\n", at + 20, at + 20));
    let asks = "5000 C P. len 20\n 5020 S .\n 17000 C F. ack 861\n 17020 S . seq 861";
    let long = format!("{hello}{} {asks}", turns.concat());
    assert_eq!(owed(&long), thinks);
    // What is much smaller than what was answered may be a window update.
    let small = first.replace("5000 C P. len 100", "5000 C P. len 35");
    assert!(owed(&format!("{small} 17000 C F. ack 501\n 17020 S . seq 501")).2 < 100);
    assert!(owed(&format!("{small} 17000 C F. ack 501\n 17020 S R seq 501 win 0")).2 < 100);
}

#[test]
fn who_speaks_whenever_it_likes_waits_for_no_answer() {
    let owes = |rest: &str| direction(&asked(rest), Side::Server).owes;
    let says = |at: i64| format!("{at} C P. len 100\n {} S .\n", at + 20);
    let twice = says(1_000);
    assert!(owes(&format!("{twice}{GAVE_UP}")));
    // A request in two writes does not take that long.
    assert!(!owes(&format!("{}{GAVE_UP}", says(2_000))));
    let more = format!("{twice}{}", says(1_900));
    assert!(!owes(&format!("{more}{GAVE_UP}")));
    assert!(!owes(&format!("{more}{GAVE_UP} 12020 S R seq 1 win 0")));
}

#[test]
fn after_a_load_there_may_be_no_answer() {
    let load: String = (0..20).map(|i| format!("{} C P. len 1448\n", 50 + i)).collect();
    let connection = asked(&format!("{load} 90 S .\n {GAVE_UP} 12020 S . seq 1"));
    let server = direction(&connection, Side::Server);
    assert!(server.owes && server.verdict.confidence < 0.55, "{:?}", server.verdict);
}

#[test]
fn without_a_handshake_only_a_service_is_known_to_owe() {
    let told = |port: u16| {
        let text = "0 C P. len 100\n 20 S . seq 1 win 502\n 12000 C F. ack 1\n 12020 S F.";
        let mut segments = script(text);
        for s in &mut segments {
            for end in [&mut s.src, &mut s.dst] {
                end.port = if end.port == 443 { port } else { end.port };
            }
        }
        direction(&analyse_one(&segments), Side::Server).owes
    };
    assert!(told(443) && told(8080) && !told(50_051));
}

#[test]
fn whoever_answers_no_keep_alive_is_gone() {
    let asks = |n: i64| (0..n).map(|i| format!("{} C . seq 100\n", 10_000 * (i + 1))).collect();
    let told = |n: i64| {
        let probes: String = asks(n);
        let connection = asked(&format!("{probes} {} C R. seq 101", 10_000 * (n + 1)));
        [Side::Client, Side::Server].map(|side| last(direction(&connection, side)).0)
    };
    assert_eq!(told(9), [Limit::SilentPath; 2]);
    assert_eq!(told(2), [Limit::Application; 2]);
}

#[test]
fn a_client_that_only_takes_owes_nothing() {
    let connection = asked("42 S P. len 500 win 502\n 62 C .\n 12000 S R. seq 501");
    assert!(!direction(&connection, Side::Client).owes);
    let text = format!("{OPENING} 21 S P. len 500 win 502\n 41 C .\n 12000 S F.\n 12020 C F.");
    assert!(!direction(&analyse_one(&script(&text)), Side::Client).owes);
}

#[test]
fn whoever_speaks_need_not_be_asked() {
    // An event each second until 5 s, and three keep-alives in the meantime and after it.
    let event = |at: i64| format!("{at} S P. len 50\n {at} C .\n");
    let told = |probes: [i64; 3]| {
        let mut lines: Vec<(i64, String)> =
            (1..=5).map(|i| (i * 1_000, event(i * 1_000))).collect();
        lines.extend(probes.map(|at| (at, format!("{at} C . seq 100\n"))));
        lines.sort();
        let text: String = lines.into_iter().map(|(_, line)| line).collect();
        let connection =
            asked(&format!("42 S P. len 50 win 502\n 42 C .\n {text} 20000 C R. seq 101"));
        last(direction(&connection, Side::Client))
    };
    assert_eq!(told([2_500, 3_500, 4_500]).0, Limit::Application);
    let (limit, cause, ms) = told([7_000, 9_000, 11_000]);
    assert_eq!((limit, cause), (Limit::SilentPath, Cause::PeerVanished));
    // Nothing was due before the first of them asked.
    assert!((3_900..=4_100).contains(&ms), "{ms}");
}

/// The client's second message, which is sent again four times after a rest until 8 s, and what of that is silence.
fn resent(len: u32) -> (Limit, Cause, i64) {
    let again: String = [8_000, 8_300, 8_900, 10_100, 12_500]
        .map(|at| format!("{at} C P. seq 101 len {len}\n"))
        .concat();
    let connection = asked(&format!("42 S P. len 50 win 502\n 42 C .\n {again} 20000 C R."));
    last(direction(&connection, Side::Client))
}

#[test]
fn silence_begins_with_what_nobody_answers() {
    let told = resent(200);
    assert_eq!((told.0, told.1), (Limit::SilentPath, Cause::PeerVanished));
    assert!((4_400..=4_600).contains(&told.2), "{told:?}");
    // Larger than all that had arrived, but no packet of any path is too small for this one; a full one may be.
    assert_eq!(resent(1_448).1, Cause::PmtuBlackHole);
}

#[test]
fn whose_words_ask_again_and_again_for_what_is_resent_does_not_get_it() {
    let told = |last_words: &str| {
        let again = [(8_000, 8_200), (8_300, 8_700), (8_900, 9_500), (10_100, 11_000)]
            .map(|(at, says)| format!("{at} C P. seq 101 len 400\n {says} S . ack 101\n"))
            .concat();
        let text =
            format!("42 S P. len 50 win 502\n 42 C .\n {again} 12500 C P. seq 101 len 200\n");
        last(direction(&asked(&format!("{text} 14000 S . ack 101 {last_words}")), Side::Client))
    };
    let silent = told("");
    assert_eq!((silent.0, silent.1), (Limit::SilentPath, Cause::PeerVanished));
    // A part of it has arrived: the path loses packets, and is not silent.
    assert_ne!(told("sack 301-501").0, Limit::SilentPath);
}

#[test]
fn an_answer_that_ends_in_the_middle_of_a_write_has_not_ended() {
    let ends = |flags: &str| {
        let data =
            format!("42 S . len 1460 win 502\n 43 S . len 1460\n 44 S {flags} len 1460\n 44 C .\n");
        owed(&format!("{data} 12000 C F. ack 4381\n 12300 C F. seq 101 ack 4381"))
    };
    let told = ends(".");
    assert_eq!((told.0, told.1), (Limit::SilentPath, Cause::None));
    assert!((11_900..=12_300).contains(&told.2), "{told:?}");
    assert_eq!(ends("P.").0, Limit::Application);
    // Who closes says that this was all.
    assert_eq!(ends("F.").0, Limit::Application);
}

/// A server whose answer has arrived, seen at the client, and then `rest`.
fn answered(rest: &str) -> (Limit, Cause, i64) {
    owed(&format!("42 S P. len 1448 win 502\n 43 S P. len 1448\n 43 C . ack 2897\n {rest}"))
}

#[test]
fn what_is_sent_again_though_its_ack_has_passed_was_not_heard_of() {
    let again = |at: i64| format!("{at} S P. seq 1 len 1448\n {at} C . sack 1-1449\n");
    let [once, twice, thrice] = [400, 900, 1_900].map(again);
    let closes = "9000 C F.\n 9300 C F. seq 101\n";
    let told = answered(&format!("{once}{twice}{thrice} {closes}"));
    assert_eq!((told.0, told.1), (Limit::SilentPath, Cause::PeerVanished));
    assert!(told.2 > 8_900, "{told:?}");
    let path = |rest: String| answered(&rest).0 == Limit::SilentPath;
    assert!(path(format!("{once}{twice} 1900 C R.")));
    // Once may be an ACK that came late.
    assert!(!path(once.clone()));
    // Whoever goes on has heard, and so has whoever answers.
    assert!(!path(format!("{once}{twice} 950 S P. len 1448\n 950 C .\n")));
    assert!(!path(format!("{once}{twice} 9000 C F.\n 9020 S F.\n 9020 C .")));
    // Its next timeout would have been at 3.9 s, but a RST asks for nothing, and a FIN may have been lost.
    assert!(!path(format!("{once}{twice}{thrice} 9000 C R.")));
    assert!(!path(format!("{once}{twice}{thrice} 9000 C F.")));
    let on = [3_900, 7_900].map(again).concat();
    assert!(path(format!("{once}{twice}{thrice}{on} 60000 C R.")));
    // No timer sends a segment three times in a moment.
    assert!(!path([400, 401, 402].map(again).concat()));
}

#[test]
fn what_has_come_to_its_own_host_was_heard_or_refused_there() {
    // Captured at the server: its SYN/ACK follows the SYN at once, and each ACK is the client's of 10 ms before.
    let again = |at: i64| format!("{at} S P. seq 1 len 1448\n {} C . sack 1-1449\n", at + 20);
    let text = format!(
        "0 C S win 64240 mss 1460 ws 7\n 0.05 S S. win 65160 mss 1460 ws 7\n 20 C . win 502\n \
         21 C P. len 100\n 21.1 S P. len 1448 win 502\n 41 C .\n {}{}{}",
        again(300),
        again(700),
        again(1_500)
    );
    let connection = analyse_one(&script(&text));
    assert!(connection.vantage.position > 0.99);
    assert_ne!(last(direction(&connection, Side::Server)).0, Limit::SilentPath);
}

#[test]
fn who_acknowledges_has_opened_the_connection_though_the_answer_to_its_syn_is_not_captured() {
    let mut text = "0 C S win 64240 mss 1460 ws 7\n20 C . ack 1 win 502\n".to_owned();
    for k in 1..50 {
        text += &format!("{} C . ack {}\n", 20 + 20 * k, 1 + 1_448 * k);
    }
    let connection = analyse_one(&script(&text));
    let client = direction(&connection, Side::Client);
    let opening = client.limits().iter().find(|l| l.limit == Limit::Handshake).map(|l| l.duration);
    assert_eq!(opening.map(|time| time.millis()), Some(20.0));
}
