//! ACKs that wait on their way back, as behind an upload, and data that waits on its way there.

use crate::script::script;
use crate::segments::analyse_one;
use tcpwhy_core::model::{Connection, FindingKind};

/// Thirty flights, captured so many milliseconds from the server: the way takes 20 ms, and there and back that much longer but for the first
/// flights.
fn flights(there: u64, back: u64, tap: u64) -> Connection {
    let mut text = format!(
        "{} C S win 64240 mss 1460 ws 7 ts 1000,0\n\
         {}.1 S S. win 65160 mss 1460 ws 7 ts 5020,1000\n\
         {}.1 C . win 502 ts 1040,5020\n",
        20 - tap,
        20 + tap,
        60 - tap
    );
    let (mut left, mut echo) = (61, 1_040);
    for flight in 0..30 {
        let (there, back) = if flight < 4 { (0, 0) } else { (there, back) };
        let (heard, came) = (left + 20 + there, left + 40 + there + back);
        for _ in 0..10 {
            text += &format!("{} S . len 1448 ts {},{echo}\n", left + tap, 5_000 + left);
        }
        for ack in 1..=5 {
            let ack = 1 + 14_480 * flight + 2_896 * ack;
            let stamps = (1_000 + heard, 5_000 + left);
            text += &format!("{} C . win 502 ack {ack} ts {},{}\n", came - tap, stamps.0, stamps.1);
        }
        (left, echo) = (came + 1, 1_000 + heard);
    }
    analyse_one(&script(&text))
}

/// How long ACKs are said to wait on the mean, in milliseconds, captured at the server.
fn told(there: u64, back: u64) -> Option<u64> {
    of(there, back, 0)
}

/// As `told`, captured so far from the server.
fn of(there: u64, back: u64, tap: u64) -> Option<u64> {
    let connection = flights(there, back, tap);
    let found = connection.findings.iter().find(|f| f.kind == FindingKind::AckQueue);
    found.map(|f| f.value / 1_000_000)
}

#[test]
fn a_queue_of_acks_is_told_and_one_of_data_is_not() {
    let waited = told(0, 100).expect("a queue on the way back");
    assert!((70..=100).contains(&waited), "{waited} ms");
    assert_eq!(told(0, 0), None);
    assert_eq!(told(100, 0), None, "on the way there");
    assert_eq!(told(60, 60), None, "on both");
    assert_eq!(told(0, 12), None, "little beside the way");
}

#[test]
fn it_is_told_from_the_middle_of_the_path_too() {
    for tap in [4, 8, 14] {
        let waited = of(0, 100, tap).expect("a queue on the way back");
        assert!((70..=100).contains(&waited), "{waited} ms, {tap} ms from the server");
        assert_eq!(of(100, 0, tap), None, "on the way there");
    }
}

#[test]
fn what_is_kept_back_for_an_answer_waited_in_no_queue() {
    // A server a millisecond away that thinks for 20: its answer carries the ACK.
    let mut text = "0 C S win 64240 mss 1460 ws 7 ts 1000,0\n\
                    1 S S. win 65160 mss 1460 ws 7 ts 5000,1000\n\
                    1.1 C . win 502 ts 1001,5000\n"
        .to_owned();
    for turn in 0..200 {
        let (asks, answers) = (2 + 22 * turn, 23 + 22 * turn);
        text += &format!("{asks} C P. len 100 ts {},{}\n", 1_000 + asks, 5_000 + asks - 2);
        text += &format!("{answers} S P. len 900 ts {},{}\n", 5_000 + answers, 1_000 + asks);
        text += &format!("{answers}.1 C . ts {},{}\n", 1_000 + answers, 5_000 + answers);
    }
    let connection = analyse_one(&script(&text));
    let found = connection.findings.iter().find(|f| f.kind == FindingKind::AckQueue);
    assert_eq!(found, None);
}
