//! How connections begin, other than with SYN, SYN/ACK, ACK.

use crate::script::script;
use crate::segments::{analyse, analyse_one, check_all, direction};
use crate::silence::finding;
use tcpwhy_core::model::{Connection, FindingKind, Side, WindowScale};

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
