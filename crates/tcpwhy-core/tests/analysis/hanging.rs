//! Captures that begin when a transfer hangs already: who waits starts one then.

use crate::script::script;
use crate::segments::{analyse_one, check_all, direction};
use crate::silence::counted;
use tcpwhy_core::model::{Cause, Direction, FindingKind, Limit, Side};

/// What the server's data waited for.
fn server(text: &str) -> (Direction, u64) {
    let connection = analyse_one(&script(text));
    check_all(std::slice::from_ref(&connection));
    let spurious = counted(&connection, FindingKind::SpuriousRetransmissions);
    (direction(&connection, Side::Server).clone(), spurious)
}

#[test]
fn probes_of_a_closed_window_are_a_transfer_that_waits_for_its_reader() {
    let answers = "5 C . win 0 ack 2\n3805 C . win 0 ack 2\n7645 C . win 0 ack 2\n";
    let both = "0 S . win 510 seq 1\n5 C . win 0 ack 2\n3800 S . seq 1\n3805 C . win 0 ack 2\n\
                7640 S . seq 1\n7645 C . win 0 ack 2\n";
    for text in [answers, both] {
        let (d, _) = server(text);
        assert_eq!((d.bytes, d.is_shut_out()), (0, true), "{text}");
        assert_eq!(
            (d.verdict.limit, d.verdict.cause),
            (Limit::ReceiveWindow, Cause::ZeroWindow),
            "{text}"
        );
    }
    let (d, _) = server("0 S . win 510 seq 1\n5 C . win 500 ack 2\n");
    assert!(!d.is_shut_out(), "an open window: {:?}", d.verdict);
}

#[test]
fn what_lies_before_a_probe_of_the_tail_has_not_arrived_for_that() {
    let mut text = "0 S . win 510 seq 90001 len 1448\n".to_owned();
    for at in [300, 876, 2028, 4428] {
        text += &format!("{at} S . seq 1 len 1448\n");
    }
    let (d, spurious) = server(&text);
    assert_eq!((d.verdict.limit, d.verdict.cause), (Limit::SilentPath, Cause::PeerVanished));
    assert_eq!(spurious, 0);
}

#[test]
fn a_byte_that_is_sent_again_where_no_ack_is_captured_may_probe_a_closed_window() {
    let sent = |last: u32| {
        let mut text = String::new();
        for k in 0..40 {
            text += &format!("{k} S . win 510 len 1448\n");
        }
        for at in [420, 840, 1_690, 3_390, 6_790] {
            text += &format!("{at} S . seq {} len {last}\n", 1 + 40 * 1448);
        }
        server(&(text + "6800 S . len 1448\n6800 S . len 1448\n")).0
    };
    assert_eq!(sent(1).verdict.limit, Limit::Unknown);
    assert_eq!(sent(1_448).verdict.limit, Limit::LossRecovery);
}
