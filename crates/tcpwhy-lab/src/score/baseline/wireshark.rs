//! Wireshark's flags (`tcp.analysis.*`) in their commonest reading: "window full" and "zero window" are the receiver,
//! retransmissions are the network, and without flags it says nothing.

use super::Answer;
use crate::score::timeline::{Span, Timeline};
use crate::score::variant::Judged;
use std::path::Path;
use std::process::{Command, Stdio};
use tcpwhy_core::model::{Cause, Limit, Side};
use tcpwhy_core::units::Nanos;

/// Fields in the order of the output's columns.
const FIELDS: [&str; 5] = [
    "frame.time_epoch",
    "tcp.srcport",
    "tcp.analysis.window_full",
    "tcp.analysis.zero_window",
    "tcp.analysis.retransmission",
];

/// Whether tshark can be started.
pub fn is_installed() -> bool {
    let mut version = Command::new("tshark");
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// What tshark says of a capture; `None` where it is not installed or fails.
pub fn wireshark(capture: &Path, judged: Judged) -> Option<Answer> {
    let mut command = Command::new("tshark");
    command.args(["-n", "-r"]).arg(capture).args(["-Y", &format!("tcp.port == {}", judged.port)]);
    command.args(["-T", "fields"]);
    FIELDS.iter().for_each(|field| {
        command.args(["-e", field]);
    });
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| read(&text, judged))
}

/// A packet with its flags.
struct Flagged {
    time: Nanos,
    sent: bool,
    window: bool,
    resent: bool,
}

/// The verdict is the kind of flag with most packets; a moment is judged by the flag of the packet that ends it
/// (retransmission) or begins it (window).
fn read(text: &str, judged: Judged) -> Answer {
    let packets: Vec<Flagged> = text.lines().filter_map(|l| packet(l, judged)).collect();
    let count = |flag: fn(&Flagged) -> bool| packets.iter().filter(|p| flag(p)).count();
    let (window, resent) = (count(|p| p.window), count(|p| p.resent));
    let verdict = match (window, resent) {
        (0, 0) => Vec::new(),
        (window, resent) if window > resent => vec![Limit::ReceiveWindow],
        _ => vec![Limit::LossRecovery],
    };
    let span = |pair: &[Flagged]| match pair {
        [a, b] => {
            let limit = match (a.window, b.resent) {
                (_, true) => Limit::LossRecovery,
                (true, _) => Limit::ReceiveWindow,
                _ => Limit::Unknown,
            };
            Some(Span { from: a.time, to: b.time, limit, cause: Cause::None, confidence: 100 })
        }
        _ => None,
    };
    // A window stays full until the sender sends again: what the receiver says between is no packet of its own.
    let telling: Vec<Flagged> = packets.into_iter().filter(|p| p.sent || p.window).collect();
    let spans = telling.windows(2).filter_map(span).collect();
    Answer { verdict, timeline: Some(Timeline::new(spans)) }
}

fn packet(line: &str, judged: Judged) -> Option<Flagged> {
    let mut columns = line.split('\t');
    let time = epoch(columns.next()?)?;
    let port: u16 = columns.next()?.split(',').next_back()?.parse().ok()?;
    let mut flag = || columns.next().is_some_and(|c| !c.is_empty());
    let (full, zero, resent) = (flag(), flag(), flag());
    let sent = (port == judged.port) == (judged.from == Side::Server);
    let window = (sent && full) || (!sent && zero);
    Some(Flagged { time, sent, window, resent: sent && resent })
}

/// Seconds with nine decimals, exactly.
fn epoch(text: &str) -> Option<Nanos> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let nanos: i64 = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    Some(Nanos::from_secs(seconds.parse().ok()?) + Nanos(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_spans_and_the_commonest_one_the_verdict() {
        let text = "1.000000000\t80\t1\t\t\n1.020000000\t4000\t\t\t\n1.040000000\t80\t1\t\t\n1.05\t80\t\t\t1\n";
        let judged = Judged { port: 80, from: Side::Server };
        let answer = read(text, judged);
        assert_eq!(answer.verdict, [Limit::ReceiveWindow]);
        let line = answer.timeline.unwrap();
        let limits: Vec<_> = line.spans().iter().map(|s| (s.limit, s.length().0)).collect();
        let expected = [(Limit::ReceiveWindow, 40_000_000), (Limit::LossRecovery, 10_000_000)];
        assert_eq!(limits, expected);
    }

    #[test]
    fn no_flag_is_no_answer() {
        let judged = Judged { port: 80, from: Side::Server };
        assert!(read("1.0\t80\t\t\t\n2.0\t80\t\t\t\n", judged).verdict.is_empty());
    }
}
