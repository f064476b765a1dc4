//! ACKs that wait on their way back, as behind an upload, and data that waits on its way there.

use crate::script::script;
use crate::segments::analyse_one;
use tcpwhy_core::model::FindingKind;

/// How long ACKs of thirty flights are said to wait on the mean, in milliseconds: the way takes 20 ms, captured at the server, and there and
/// back that much longer but for the first flights.
fn told(there: u64, back: u64) -> Option<u64> {
    let mut text = "0 C S win 64240 mss 1460 ws 7 ts 1000,0\n\
                    0.1 S S. win 65160 mss 1460 ws 7 ts 5000,1000\n\
                    40.1 C . win 502 ts 1040,5000\n"
        .to_owned();
    let (mut left, mut echo) = (41, 1_040);
    for flight in 0..30 {
        let (there, back) = if flight < 4 { (0, 0) } else { (there, back) };
        let (heard, came) = (left + 20 + there, left + 40 + there + back);
        for _ in 0..10 {
            text += &format!("{left} S . len 1448 ts {},{echo}\n", 5_000 + left);
        }
        for ack in 1..=5 {
            let ack = 1 + 14_480 * flight + 2_896 * ack;
            let stamps = (1_020 + heard, 5_000 + left);
            text += &format!("{came} C . win 502 ack {ack} ts {},{}\n", stamps.0, stamps.1);
        }
        (left, echo) = (came + 1, 1_020 + heard);
    }
    let connection = analyse_one(&script(&text));
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
