//! The end of a connection: a reset that breaks it off, and, among many, one that both ends know to be over, which is concluded before its
//! stragglers come.

use crate::script::script;
use crate::segments::{analyse, analyse_one};
use crate::silence::finding;
use crate::unanswered::asked;
use std::net::IpAddr;
use tcpwhy_core::model::{Finding, FindingKind, Side};
use tcpwhy_core::observe::{Endpoint, Segment, flags};
use tcpwhy_core::units::{Nanos, Seq};

/// Far more than may have closed before the first is concluded.
const CROWD: u16 = 1000;
const FIN: u16 = flags::FIN | flags::ACK;

/// Of the client with this port: when in ms, whether the server sends it, flags, numbers, and bytes.
fn segment(
    client: u16,
    (ms, back): (i64, bool),
    flags: u16,
    (seq, ack): (u32, u32),
    len: u32,
) -> Segment {
    let ends = [
        Endpoint::new(IpAddr::from([10, 0, 0, 1]), client),
        Endpoint::new(IpAddr::from([10, 0, 0, 2]), 80),
    ];
    let [src, dst] = if back { [ends[1], ends[0]] } else { ends };
    let time = Nanos::from_millis(ms);
    // None is a copy of another.
    let ip_id = (client % 999 + 1) ^ (ms as u16) << 10;
    let (seq, ack) = (Seq(seq), Seq(ack));
    Segment { time, src, dst, flags, seq, ack, len, ip_id, window: 500, ..Segment::default() }
}

/// A whole connection but for the ACK of the last FIN, which the client sends. It begins at `ms` and takes 5 ms.
fn all_but_the_end(client: u16, ms: i64) -> Vec<Segment> {
    vec![
        segment(client, (ms, false), flags::SYN, (100, 0), 0),
        segment(client, (ms + 1, true), flags::SYN | flags::ACK, (500, 101), 0),
        segment(client, (ms + 2, false), flags::ACK, (101, 501), 0),
        segment(client, (ms + 3, false), FIN, (101, 501), 50),
        segment(client, (ms + 4, true), FIN, (501, 152), 0),
    ]
}

fn last_ack(client: u16, ms: i64) -> Segment {
    segment(client, (ms, false), flags::ACK, (152, 502), 0)
}

/// One after the other, each closed before the next begins. The first is that of port 1001.
fn crowd() -> Vec<Segment> {
    let one = |client: u16| {
        let from = 10 * i64::from(client);
        all_but_the_end(1000 + client, from).into_iter().chain([last_ack(1000 + client, from + 5)])
    };
    (1..=CROWD).flat_map(one).collect()
}

/// Connections and packets in them, where `more` comes after the crowd.
fn after_the_crowd(more: &[Segment]) -> (usize, u64) {
    let mut all = crowd();
    all.extend(more);
    let connections = analyse(&all);
    (connections.len(), connections.iter().map(|c| c.packets).sum())
}

#[test]
fn stragglers_of_a_concluded_connection_open_no_other() {
    let crowd = (usize::from(CROWD), 6 * u64::from(CROWD));
    let late = [
        last_ack(1001, 10_100),
        segment(1001, (10_101, true), FIN, (501, 152), 0),
        segment(1001, (10_102, false), flags::RST, (152, 0), 0),
    ];
    assert_eq!(after_the_crowd(&late), crowd);
    // The newest is still there.
    let fin = segment(1000 + CROWD, (10_101, true), FIN, (501, 152), 0);
    assert_eq!(after_the_crowd(&[fin]), (crowd.0, crowd.1 + 1));
}

#[test]
fn what_is_no_straggler_opens_another() {
    let count = usize::from(CROWD);
    let syn = segment(1001, (10_100, false), flags::SYN, (9000, 0), 0);
    assert_eq!(after_the_crowd(&[syn]).0, count + 1);
    let data = segment(1001, (10_100, false), flags::ACK, (9001, 700), 100);
    assert_eq!(after_the_crowd(&[data]).0, count + 1);
    let other = segment(999, (10_100, false), flags::ACK, (9001, 700), 0);
    assert_eq!(after_the_crowd(&[other]).0, count + 1);
    // Nothing of it is on its way any more: TIME-WAIT is over.
    let later = last_ack(1001, 10_100 + 60_000);
    assert_eq!(after_the_crowd(&[later]).0, count + 1);
}

/// Whether all packets of the first connection, captured once more by `scope` at this time after the crowd began, still belong to it.
/// The crowd closes one after the other, so many microseconds apart; in one scope, or in two of which `scope` is one.
fn copies_are_known(apart: i64, scopes: u32, (scope, later): (u32, Nanos)) -> bool {
    let quicker = |mut s: Segment| {
        s.time = Nanos(s.time.0 / 10_000 * apart);
        s.scope = u32::from(s.src.port.max(s.dst.port)) % scopes;
        s
    };
    let mut all: Vec<Segment> = crowd().into_iter().map(quicker).collect();
    let again = |s: &Segment| Segment { time: s.time + later, scope, ..*s };
    let copies: Vec<Segment> = all[..6].iter().map(again).collect();
    all.extend(copies);
    let connections = analyse(&all);
    connections.len() == usize::from(CROWD) && connections[0].packets == 12
}

#[test]
fn what_may_come_twice_is_waited_for() {
    assert!(copies_are_known(10, 1, (0, Nanos::from_millis(15))));
    assert!(copies_are_known(1000, 2, (0, Nanos::from_millis(1500))));
    // Nobody has seen that there are two.
    assert!(!copies_are_known(1000, 1, (1, Nanos::from_millis(1500))));
}

#[test]
fn without_the_last_ack_it_is_waited_for() {
    let mut all = all_but_the_end(900, -10);
    all.extend(crowd());
    all.push(last_ack(900, 10_100));
    let connections = analyse(&all);
    assert_eq!(connections.len(), usize::from(CROWD) + 1);
    assert_eq!(connections[0].packets, 6);
}

/// What is found of a reset in a connection whose request was acknowledged at 41 ms.
fn found(rest: &str) -> Option<(FindingKind, Side, u64)> {
    let connection = asked(rest);
    let of_resets = |f: &&Finding| matches!(f.kind, FindingKind::Reset | FindingKind::Refused);
    connection.findings.iter().find(of_resets).map(|f| (f.kind, f.side, f.value / 1_000_000))
}

#[test]
fn an_end_that_breaks_off_is_named_and_one_that_closes_is_not() {
    assert_eq!(found("1041 C R. seq 101"), Some((FindingKind::Reset, Side::Client, 1_000)));
    assert_eq!(found("341 S R."), Some((FindingKind::Reset, Side::Server, 300)));
    // What was under way goes on arriving, and is refused.
    let refused = found("341 S R.\n361 C . ack 1\n400 S R.\n700 C R.");
    assert_eq!(refused, Some((FindingKind::Reset, Side::Server, 300)));
    // Somebody else has guessed its numbers, and not well enough.
    assert_eq!(found("341 S R. seq 900000\n 641 S P. seq 1 len 500\n 642 C . ack 501"), None);
    let answer = "50 S P. len 500\n 50 C .\n";
    assert_eq!(found(&format!("{answer} 60 S F.\n 60 C .\n 70 C R. seq 101")), None);
    assert_eq!(found(&format!("{answer} 60 C F.\n 80 S F.\n 80 C R. seq 102")), None);
    // It had given the connection up long before.
    assert_eq!(found("9000 C P. len 100\n 9020 S R seq 1 win 0"), None);
}

#[test]
fn a_refused_connection_is_told() {
    let connection = analyse_one(&script("0 C S win 64240 mss 1460\n 20 S R. seq 0 ack 1 win 0"));
    let refused = connection.findings.iter().map(|f| (f.kind, f.side)).collect::<Vec<_>>();
    assert_eq!(refused, [(FindingKind::Refused, Side::Server)]);
}

/// Data that came to an end that had closed: whose it was, how much, and how late in ms.
fn refused(rest: &str) -> Option<(Side, u64, u64)> {
    let found = finding(&asked(rest), FindingKind::DataAfterClose);
    found.map(|f| (f.side, f.count, f.value / 1_000_000))
}

const ANSWERED: &str = "50 S P. len 500\n 50 C .\n";

#[test]
fn a_request_to_a_server_that_has_closed_is_lost() {
    let closed = format!("{ANSWERED} 1500 S F.\n 1500 C . ack 502\n");
    let asked = format!("{closed} 2500 C P. len 90\n");
    let told = Some((Side::Client, 90, 1_000));
    assert_eq!(refused(&format!("{asked} 2520 S R seq 502 win 0")), told);
    // It reads the end of the stream at once, and closes.
    assert_eq!(refused(&format!("{asked} 2500 C F.\n 2520 S R seq 502 win 0")), told);
    // Both at the same time: the FIN passes the request on its way.
    let crossing = format!("{ANSWERED} 1490 C P. len 90\n 1500 S F. ack 101\n 1500 C . ack 502\n");
    let told = Some((Side::Client, 90, 0));
    assert_eq!(refused(&format!("{crossing} 1510 S R seq 502 win 0")), told);
    // A server that only has nothing more to say hears what comes.
    let heard = format!("{asked} 2520 S . seq 502\n");
    assert_eq!(refused(&heard), None);
    assert_eq!(refused(&format!("{heard} 3500 C P. len 90\n 3520 S R seq 502 win 0")), None);
    // TLS says that it closes.
    for len in [31, 60] {
        let word = format!("{closed} 2500 C P. len {len}\n 2500 C F.\n 2520 S R seq 502 win 0");
        assert_eq!(refused(&word), None, "{len}");
    }
}

#[test]
fn an_upload_that_a_server_ends_was_no_request_after_its_close() {
    let load: String = (0..40).map(|i| format!("{} C . len 1448\n", 60 + i)).collect();
    let upload = format!("{ANSWERED}{load}");
    assert_eq!(refused(&format!("{upload} 100 S F. ack 40000\n 101 S R seq 502 win 0")), None);
}

#[test]
fn an_answer_for_a_client_that_has_closed_is_lost() {
    let gave_up = "1500 C F. seq 101\n 1520 S .\n";
    let answer = format!("{gave_up} 4020 S P. len 413\n 4020 C R seq 102 win 0");
    assert_eq!(refused(&answer), Some((Side::Server, 413, 2_500)));
    // It closes because the client did, and says so, or was in the midst of it.
    assert_eq!(
        refused("1500 C F. seq 101\n 1520 S P. len 31\n 1520 S F.\n 1520 C R seq 102 win 0"),
        None
    );
    let load: String = (0..40).map(|i| format!("{} S . len 1448\n", 60 + i)).collect();
    assert_eq!(refused(&format!("{load} 100 C F. ack 30000\n 101 C R seq 102 win 0")), None);
}
