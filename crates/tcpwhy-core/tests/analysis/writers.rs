//! Writers with a clock of their own, beside those that wait for room in a buffer.

use crate::script::script;
use crate::segments::{analyse_one, direction};
use crate::transfer::{MSS, ROUND_TRIP, Transfer};
use tcpwhy_core::model::{Limit, Side};

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

#[test]
fn small_writes_that_fill_segments_up_leave_one_by_one() {
    let mut t = Transfer::new();
    // A thousand bytes each 1.1 ms; Nagle's rule keeps back what is less than a segment.
    let mut queued = 0;
    for _ in 0..900 {
        t.wait(t.now + 1.1);
        queued += 1000;
        if queued >= MSS {
            queued -= MSS;
            t.segment(".");
        }
    }
    assert_eq!(t.verdict().limit, Limit::Application);
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
