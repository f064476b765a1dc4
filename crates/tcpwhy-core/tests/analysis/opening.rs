//! How connections begin, other than with SYN, SYN/ACK, ACK.

use crate::script::script;
use crate::segments::{analyse, analyse_one, check_all, direction};
use crate::silence::finding;
use tcpwhy_core::model::{Connection, FindingKind, Limit, Side, WindowScale};

fn analysed(text: &str) -> Connection {
    let connection = analyse_one(&script(text));
    check_all(std::slice::from_ref(&connection));
    connection
}

#[test]
fn two_syns_that_cross_open_one_connection() {
    // RFC 9293 section 3.5, figure 7.
    let connection = analysed(
        "0  C S  win 64240 mss 1460 ws 7
         1  S S  win 65160 mss 1460 ws 8
         20 C S. seq 0 ack 1 mss 1460 ws 7
         21 S S. seq 0 ack 1 mss 1460 ws 8
         22 C P. len 100 win 502
         42 S .  win 502",
    );
    assert_eq!(direction(&connection, Side::Client).bytes, 100);
    assert_eq!(direction(&connection, Side::Client).facts.scale, WindowScale::Known(8));
    assert_eq!(finding(&connection, FindingKind::SynRetries), None);
}

#[test]
fn a_syn_to_the_same_ports_after_a_reset_opens_another_connection() {
    let both = analyse(&script(
        "0    C S  win 64240 mss 1460 ws 7
         20   S R. win 0
         1000 S S  seq 500 win 65160 mss 1460 ws 8",
    ));
    assert_eq!(both.len(), 2);
}

#[test]
fn what_is_acknowledged_unseen_where_a_capture_begins_ends_no_transfer() {
    // The first ACKs are of data that had left before; that of what was captured comes a round trip later.
    let connection = analysed(
        "0  C . ack 1
         1  C . ack 4345
         1  S P. seq 15929 ack 1 len 1448
         1  S P. seq 17377 ack 1 len 1448
         2  C . ack 7241
         3  C . ack 15929
         21 C . ack 17377",
    );
    let down = direction(&connection, Side::Server);
    let [first, last] = [down.timeline.first(), down.timeline.last()].map(Option::unwrap);
    let [transfer] = &down.transfers[..] else { panic!("{:?}", down.transfers) };
    assert!(first.from <= transfer.from && transfer.to <= last.to, "{down:?}");
    assert!(transfer.first_frame <= transfer.last_frame);
}

/// A request of 100 bytes in the SYN, and its answer, as far as the server's ACKs tell.
fn fast_open(rest: &str) -> Connection {
    analysed(&format!("0 C S win 64240 mss 1460 ws 7 len 100\n{rest}"))
}

#[test]
fn data_in_a_syn_is_data() {
    // RFC 7413 appendix: accepted, and answered before the handshake is over.
    let connection = fast_open(
        "20 S S. ack 101 win 65160 mss 1460 ws 7
         21 S P. len 500 win 509
         21 C .  win 502
         22 C P. len 50
         42 S .",
    );
    let [up, down] = [Side::Client, Side::Server].map(|side| direction(&connection, side));
    assert_eq!((up.bytes, up.retransmitted), (150, 0));
    assert_eq!((down.bytes, down.retransmitted), (500, 0));
    assert_eq!(up.transfers[0].from, connection.start);
    assert_eq!(finding(&connection, FindingKind::CaptureHole), None);
    for d in [up, down] {
        let handshake = d.timeline.first().expect("a timeline");
        // What is as short as the 2 ms after it does not stand alone.
        let ends = (20_000_000..=22_000_000).contains(&handshake.to.0);
        assert!(ends && handshake.limit == Limit::Handshake, "{:?}", d.timeline);
    }
}

#[test]
fn all_data_may_be_in_the_syn() {
    let connection = fast_open("20 S S. ack 101 win 65160 mss 1460 ws 7\n21 C . win 502\n");
    let up = direction(&connection, Side::Client);
    assert_eq!((up.bytes, up.transfer.0), (100, 20_000_000));
}

#[test]
fn data_in_a_syn_that_is_not_taken_is_sent_again() {
    let connection = fast_open(
        "20 S S. ack 1 win 65160 mss 1460 ws 7
         21 C P. seq 1 len 100 win 502
         41 S .  win 509
         42 C P. len 50
         62 S .",
    );
    let up = direction(&connection, Side::Client);
    assert_eq!((up.bytes, up.retransmitted), (150, 100));
}

#[test]
fn what_comes_behind_data_that_the_capture_lacks_does_not_end_the_handshake() {
    // As `tcpdump 'tcp[tcpflags] & (tcp-syn|tcp-fin) != 0'` captures it.
    let connection = analysed(
        "0    C S  win 64240 mss 1460 ws 7
         20   S S. win 65160 mss 1460 ws 7
         2000 C F. seq 1000001 ack 501 win 502
         2020 S F. seq 501 ack 1000002 win 509",
    );
    let up = direction(&connection, Side::Client);
    let time = |limit| up.limits().iter().find(|l| l.limit == limit).map_or(0, |l| l.duration.0);
    // A FIN has a number, too.
    assert!((1_000_000..=1_000_001).contains(&up.bytes), "{}", up.bytes);
    assert!(time(Limit::Handshake) <= 20_000_000, "{:?}", up.limits());
    assert!(time(Limit::Unknown) >= 1_900_000_000, "{:?}", up.limits());
    assert!(connection.rtt.min.0 <= 20_000_000, "{:?}", connection.rtt);
}
