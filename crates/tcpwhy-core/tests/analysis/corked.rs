//! Answers of one full segment and a bit, whose end leaves later: by the timer of a corked socket, or when it is written.

use crate::script::script;
use crate::segments::analyse_one;
use tcpwhy_core::model::{FindingKind, Side};

/// How many ends of eight answers are told to be kept back by a cork, captured at the server, 20 ms from its client; the first part of each has
/// `first` bytes, and the second leaves `late` milliseconds after the ACK of that, which advertises `window` times 128 bytes.
fn corked(first: u32, window: u32, late: impl Fn(u32) -> f64) -> u64 {
    let mut text = "0 C S win 64240 mss 1460 ws 7\n\
                    0.1 S S. win 65160 mss 1460 ws 7\n\
                    20.1 C . win 502\n"
        .to_owned();
    let mut time = 21.0;
    for k in 0..8 {
        text += &format!("{time} C P. len 100\n{:.3} S . len {first}\n", time + 0.2);
        let heard = time + 20.2;
        let end = heard + late(k);
        text +=
            &format!("{heard:.3} C . win {window}\n{end:.3} S P. len 400\n{:.3} C .\n", end + 20.0);
        time = end + 20.5;
    }
    let connection = analyse_one(&script(&text));
    let findings = connection.findings.iter();
    findings
        .filter(|f| f.kind == FindingKind::Corked && f.side == Side::Server)
        .map(|f| f.count)
        .sum()
}

#[test]
fn ends_that_leave_a_timeout_after_the_rest_was_acknowledged_are_kept_back_by_a_cork() {
    assert_eq!(corked(1460, 502, |k| 222.0 + f64::from(k % 4)), 8);
}

#[test]
fn what_is_written_later_follows_at_any_time_and_the_end_of_any_write() {
    assert_eq!(corked(1460, 502, |k| 40.0 + 60.0 * f64::from(k)), 0, "once or twice by chance");
    assert_eq!(corked(1460, 502, |_| 100.0), 0);
    assert_eq!(corked(1200, 502, |_| 222.0), 0, "the first part was a write of its own");
    assert_eq!(corked(1460, 8, |_| 222.0), 0, "the window had no room for a full segment");
}
