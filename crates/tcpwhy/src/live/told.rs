//! What the kernel's programs told of a socket, in words.

use super::kernel::Set;
use super::row::Row;
use super::words::{self, Label, Words};
use std::time::{SystemTime, UNIX_EPOCH};
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;

/// Functions of a stack that are shown; the innermost is the C library's.
const FUNCTIONS: usize = 4;

/// Lines of what is worth one, the calls in order of time.
pub(super) fn lines(row: &Row, words: &dyn Words) -> Vec<String> {
    let Some(told) = &row.told else { return Vec::new() };
    let part = |ns: u64| ns as f64 / (row.span.0.max(1) as f64);
    let mut times: Vec<(Limit, Nanos)> = told.limited.iter().flat_map(|l| l.times()).collect();
    times.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let shares: Vec<(Limit, f64)> =
        times.into_iter().map(|(limit, time)| (limit, part(time.0.max(0) as u64))).collect();
    let judged = words.shares(&shares).map(|text| words::labelled(words, Label::Judged, &text));
    let slept = words.slept(part(told.blocked.writing_ns), part(told.blocked.reading_ns));
    let slept = slept.map(|text| words::labelled(words, Label::Slept, &text));
    let events = words.events(&told.counts);
    let events = events.map(|text| words::labelled(words, Label::Events, &text));
    let tuned = words.tuned(&told.tuned);
    let tuned = tuned.map(|text| words::labelled(words, Label::Tuned, &text));
    let calls = told.asked.iter().map(|set| call(set, words));
    judged.into_iter().chain(slept).chain(tuned).chain(events).chain(calls).collect()
}

fn call(set: &Set, words: &dyn Words) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let age = now.saturating_sub(set.time_ns.into());
    let stack: Vec<String> = set.stack.iter().take(FUNCTIONS).map(ToString::to_string).collect();
    let text = words.set(set, Nanos(age.try_into().unwrap_or(i64::MAX)), &stack.join(" < "));
    tcpwhy_report::printable(&words::labelled(words, Label::Set, &text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::fixture;
    use tcpwhy_core::advice::Language;
    use tcpwhy_live::causes::stack::Frame;

    #[test]
    fn who_set_what_is_one_line_that_steers_no_terminal() {
        let frame = |function: &str| Frame {
            function: Some(function.into()),
            module: Some("server".into()),
            offset: 0,
        };
        let asked = fixture::asked("ev\u{1b}il");
        let stack = vec![frame("setsockopt"), frame("set_buffers")];
        let line = call(&Set { asked, time_ns: u64::MAX, stack }, words::of(Language::En));
        assert!(line.contains("SO_SNDBUF = 16384 on the listening socket by ev"), "{line}");
        assert!(line.ends_with("setsockopt (server) < set_buffers (server)"), "{line}");
        assert!(!line.contains('\u{1b}'));
    }
}
