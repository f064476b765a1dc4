//! Writers with a clock of their own, beside those that wait for room in a buffer.

use crate::script::script;
use crate::segments::{analyse_one, direction};
use crate::transfer::{MSS, ROUND_TRIP, Transfer};
use tcpwhy_core::model::{Limit, Side, Verdict};

/// Segments in each write, of which two are in flight when the next one comes, just behind the first ACKs of the first of them.
const WRITE: u32 = 20;

#[test]
fn writes_that_fall_just_behind_acks_are_a_writers_who_has_a_clock() {
    let mut t = Transfer::new();
    for k in 1..200 {
        t.send(WRITE);
        t.wait(21.0 + f64::from(k) * (ROUND_TRIP + 0.5) / 2.0);
    }
    assert_eq!(t.verdict().limit, Limit::Application);
}

#[test]
fn as_much_that_acks_release_one_after_the_other_is_a_buffers() {
    let mut t = Transfer::new();
    t.send(3 * WRITE);
    for _ in 0..200 {
        (0..WRITE).for_each(|_| t.hear());
        t.send(WRITE);
    }
    assert_eq!(t.verdict().limit, Limit::SendBuffer);
}

/// A client writes a thousand bytes each 1.1 ms over a path of 20 ms. Full segments leave at once, and what is less when what was less before is
/// acknowledged (Linux: `tcp_minshall_check`).
fn small_writes() -> Verdict {
    let mut events = Vec::new();
    let (mut queued, mut sent, mut short_until) = (0, 0, 21.0);
    let mut send = |time: f64, len: u32| {
        sent += len;
        events.push((time, format!("C {} len {len}", if len < MSS { "P." } else { "." })));
        events.push((time + ROUND_TRIP, format!("S . ack {} win 2000", 1 + sent)));
    };
    for k in 0..900 {
        let now = 21.0 + 1.1 * f64::from(k);
        if now >= short_until && queued > 0 {
            // Just after that ACK, before the next write.
            let at = short_until + 0.01;
            send(at, queued);
            (queued, short_until) = (0, at + ROUND_TRIP);
        }
        queued += 1000;
        if queued >= MSS {
            queued -= MSS;
            send(now, MSS);
        }
    }
    events.sort_by(|one, other| one.0.total_cmp(&other.0));
    let opening =
        "0 C S win 64240 mss 1460 ws 10\n20 S S. win 65160 mss 1460 ws 10\n20 C . win 502\n";
    let lines: String = events.iter().map(|(time, line)| format!("{time:.4} {line}\n")).collect();
    direction(&analyse_one(&script(&(opening.to_owned() + &lines))), Side::Client).verdict
}

#[test]
fn small_writes_that_fill_segments_up_leave_one_by_one() {
    assert_eq!(small_writes().limit, Limit::Application);
}

#[test]
fn one_segment_that_is_acknowledged_late_makes_no_queue() {
    // A client writes 1,400 bytes each 300 ms over a path of 2 ms; their ACKs are delayed by 201 ms.
    let mut text =
        "0 C S win 64240 mss 1460 ws 7\n2 S S. win 65160 mss 1460 ws 7\n2 C . win 502\n".to_owned();
    for k in 0..30 {
        let at = 5 + 300 * k;
        text +=
            &format!("{at} C P. len 1400\n{} S . ack {} win 509\n", at + 203, 1 + 1400 * (k + 1));
    }
    let verdict = direction(&analyse_one(&script(&text)), Side::Client).verdict;
    assert_eq!(verdict.limit, Limit::Application);
}
