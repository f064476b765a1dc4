//! What the kernel's programs told of a socket, in words.

use super::kernel::{Set, Told};
use super::row::Row;
use std::time::{SystemTime, UNIX_EPOCH};
use tcpwhy_core::advice::{Language, limit_label, quantity};
use tcpwhy_core::units::Nanos;

/// Functions of a stack that are shown; the innermost is the C library's.
const FUNCTIONS: usize = 4;
/// Columns of what a line is about.
const LABEL: usize = 15;

/// Lines of what is worth one, the calls in order of time.
pub(super) fn lines(row: &Row) -> Vec<String> {
    let Some(told) = &row.told else { return Vec::new() };
    let calls = told.asked.iter().map(call);
    let times = limited(row, told).into_iter().chain(blocked(row, told));
    times.chain(counts(told)).chain(calls).collect()
}

/// What the kernel judged at every ACK, beside what the samples say.
fn limited(row: &Row, told: &Told) -> Option<String> {
    let mut times: Vec<_> = told.limited?.times().collect();
    times.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let share = |time: Nanos| quantity::percent(time.0 as f64 / (row.span.0.max(1) as f64));
    let word = |(limit, time)| format!("{} {}", limit_label(limit, Language::En), share(time));
    let words: Vec<String> = times.into_iter().map(word).collect();
    (!words.is_empty()).then(|| format!("{:<LABEL$}{}", "at each ACK", words.join(", ")))
}

fn blocked(row: &Row, told: &Told) -> Option<String> {
    let share = |ns: u64| quantity::percent(ns as f64 / (row.span.0.max(1) as f64));
    let (writing, reading) = (told.blocked.writing_ns, told.blocked.reading_ns);
    let words = match (writing, reading) {
        (0, 0) => return None,
        (_, 0) => format!("in writes {}", share(writing)),
        (0, _) => format!("in reads {}", share(reading)),
        _ => format!("in writes {}, in reads {}", share(writing), share(reading)),
    };
    Some(format!("{:<LABEL$}{words} of the round", "threads slept"))
}

fn counts(told: &Told) -> Option<String> {
    let counts = told.counts;
    let all = [
        (counts.retransmits, "retransmissions"),
        (counts.refused_sending, "times no memory for sending"),
        (counts.refused_receiving, "times no memory for receiving"),
        (counts.queue_full, "segments dropped for a full receive queue"),
        (counts.receive_buffer_raised, "times the receive buffer raised"),
    ];
    let words = all.iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = words.map(|(count, what)| format!("{count} {what}")).collect();
    (!words.is_empty()).then(|| format!("{:<LABEL$}{}", "events", words.join(", ")))
}

fn call(set: &Set) -> String {
    let asked = &set.asked;
    let value = asked.value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let age = now.saturating_sub(set.time_ns.into());
    let age = quantity::span(Nanos(age.try_into().unwrap_or(i64::MAX)));
    let heir = if asked.inherited { " on the listening socket" } else { "" };
    let stack: Vec<String> = set.stack.iter().take(FUNCTIONS).map(ToString::to_string).collect();
    let text = format!(
        "{:<LABEL$}{} = {value}{heir} by {} {}/{} {age} ago: {}",
        "set",
        asked.option.name(),
        asked.command,
        asked.process,
        asked.thread,
        stack.join(" < "),
    );
    tcpwhy_report::printable(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcpwhy_live::causes::stack::Frame;
    use tcpwhy_live::causes::{Asked, Counts, SocketOption};

    #[test]
    fn who_set_what_is_one_line_that_steers_no_terminal() {
        let frame = |function: &str| Frame {
            function: Some(function.into()),
            module: Some("server".into()),
            offset: 0,
        };
        let asked = Asked {
            t_ns: 0,
            option: SocketOption::SendBuffer,
            value: Some(16_384),
            process: 7,
            thread: 8,
            command: "ev\u{1b}il".into(),
            frames: Vec::new(),
            inherited: true,
        };
        let stack = vec![frame("setsockopt"), frame("set_buffers")];
        let line = call(&Set { asked, time_ns: u64::MAX, stack });
        assert!(line.contains("SO_SNDBUF = 16384 on the listening socket by ev"), "{line}");
        assert!(line.ends_with("setsockopt (server) < set_buffers (server)"), "{line}");
        assert!(!line.contains('\u{1b}'));
    }

    #[test]
    fn only_what_happened_is_counted() {
        let told = |counts| Told { counts, ..Told::default() };
        assert_eq!(counts(&told(Counts::default())), None);
        let some = Counts { retransmits: 3, queue_full: 1, ..Counts::default() };
        let line = counts(&told(some)).unwrap();
        assert!(line.contains("3 retransmissions, 1 segments dropped"), "{line}");
    }
}
