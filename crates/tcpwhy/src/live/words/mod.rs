//! The wording of `tcpwhy live`, a catalogue for each language: typed values in, whole texts out. What programs read (JSON) has the
//! published names, and English where it has words.

mod en;
#[cfg(test)]
mod tests;
mod zh;

use super::kernel::{Set, Status};
use super::row::Role;
use super::ui::Sort;
use super::unlock::plan::{Refused, Step};
use std::time::Duration;
use tcpwhy_core::advice::{Language, quantity};
use tcpwhy_core::model::Limit;
use tcpwhy_core::socket::{Buffer, Difference};
use tcpwhy_core::units::Nanos;
use tcpwhy_live::causes::{Counts, Tuned};

/// Columns of what a line of details is about.
const LABEL: usize = 15;

/// What stands behind a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// The send buffer's holder.
    Send(Buffer),
    /// Nobody: the kernel refused memory for what was written.
    Refused,
    /// The receive buffer's.
    Receive(Buffer),
    /// The window is full, though it is no small one.
    LateAcks,
    /// A threshold that wakes the writer late: TCP_NOTSENT_LOWAT, bytes.
    LowWater(u32),
}

/// A limit in the words of its language, and what belongs to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Verdict<'a> {
    pub(super) limit: &'a str,
    /// Part of the round, 0 to 1; a receiver has none.
    pub(super) share: Option<f64>,
    pub(super) cause: Option<&'a str>,
    pub(super) held: Option<Held>,
}

/// The kernel's stopwatch over a round: parts of it, 0 to 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watch {
    pub(super) busy: f64,
    pub(super) rwnd: f64,
    pub(super) sndbuf: f64,
    /// It tells something else than the verdict.
    pub(super) differs: bool,
}

/// What a line of the details tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    SendBuffer,
    Flight,
    PeerWindow,
    ReceiveBuffer,
    Queue,
    Watch,
    Judged,
    Slept,
    Tuned,
    Events,
    Set,
}

/// Fixed texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// No socket to show, in one round.
    Nothing,
    /// The same, with the idle ones asked for.
    NoSocket,
    /// The same on the screen, where a key shows the idle ones.
    NothingYet,
    NothingFits,
    Sampling,
    Frozen,
    /// The footer, which names what Esc does where it does something.
    Keys,
    KeysToClose,
    KeysOfFilter,
    /// A key a line.
    AllKeys,
    /// Instead of a closed socket's process.
    Closed,
    Unchanged,
    Interrupted,
    Stays,
    PutBack,
}

/// Above the screen's table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Headline<'a> {
    pub(super) sockets: usize,
    pub(super) sort: Sort,
    /// What is filtered by; empty for nothing.
    pub(super) filter: &'a str,
}

/// One language's texts.
pub(super) trait Words: std::fmt::Debug + Sync {
    fn language(&self) -> Language;
    fn line(&self, line: Line) -> &'static str;
    /// Titles of the table: process, local, peer, out, in, round trip, limit, stopwatch.
    fn header(&self) -> [&'static str; 8];
    /// Titles of the screen's table: process, peer, rate, round trip, limit, time lost, last minute; `long`: a round is longer than that.
    fn screen(&self, long: bool) -> [&'static str; 7];
    /// No socket fits these options.
    fn unmatched(&self, options: &str) -> String;
    fn role(&self, role: Role) -> &'static str;
    fn verdict(&self, verdict: &Verdict<'_>) -> String;
    /// A limit and its cause, without figures.
    fn limit(&self, limit: &str, cause: Option<&str>) -> String;
    fn held(&self, held: Held) -> String;
    /// Size of a buffer and who holds it there; `sysctl` is `tcp_wmem` or `tcp_rmem`.
    fn buffer(&self, buffer: &Buffer, sysctl: &str) -> String;
    fn watch(&self, watch: &Watch) -> String;
    fn difference(&self, difference: Difference) -> &'static str;
    /// The stopwatch's words, and why they are not the verdict's.
    fn explained(&self, watch: &str, difference: Difference) -> String;
    /// A difference as a line of its own.
    fn differs(&self, difference: Difference) -> String;
    /// A process that only its user is known of.
    fn user(&self, uid: u32) -> String;
    fn label(&self, label: Label) -> &'static str;
    /// Parts of the round that threads slept, 0 to 1; of nothing, nothing.
    fn slept(&self, writing: f64, reading: f64) -> Option<String>;
    /// Which limits the kernel's programs saw at each ACK, for which part of the time, the longest first.
    fn shares(&self, limits: &[(Limit, f64)]) -> Option<String>;
    /// What happened, of what happened at all.
    fn events(&self, counts: &Counts) -> Option<String>;
    /// Steps of autotuning; of none, nothing.
    fn tuned(&self, tuned: &Tuned) -> Option<String>;
    /// One setsockopt(2): how long ago, and from where.
    fn set(&self, set: &Set, age: Nanos, stack: &str) -> String;
    /// What the kernel does not tell, a sentence each; `optional`: that of which hardly anything is lost, too.
    fn missing(&self, status: &Status, optional: bool) -> Vec<String>;
    fn headline(&self, headline: &Headline<'_>) -> String;
    /// The line below while a filter is typed.
    fn typing(&self, filter: &str) -> String;
    fn packets(&self, in_flight: u32, cwnd: u32) -> String;
    /// Bytes that the peer has not acknowledged, of its window.
    fn window(&self, outstanding: u32, window: u32) -> String;
    /// Bytes: not sent, not read, and the window that is offered.
    fn queues(&self, unsent: u32, unread: u32, offered: Option<u32>) -> String;
    /// Which descriptor is unlocked, and its ends.
    fn descriptor(&self, fd: u32, pid: u32, ends: Option<&str>) -> String;
    /// What is done to it; `most`: the largest automatic send buffer, 0 where that is not known.
    fn step(&self, step: Step, most: u64) -> String;
    fn refused(&self, refused: &Refused) -> String;
    fn not_possible(&self, why: &str) -> String;
    fn before(&self, bps: u64) -> String;
    fn after(&self, before_bps: u64, bps: u64) -> String;
}

/// The texts of a language.
pub(super) fn of(language: Language) -> &'static dyn Words {
    match language {
        Language::En => &en::En,
        Language::Zh => &zh::Zh,
    }
}

/// A line of details: what it is about, and that.
pub(super) fn labelled(words: &dyn Words, label: Label, text: &str) -> String {
    format!("{}{text}", tcpwhy_report::padded(words.label(label), LABEL))
}

/// The newest sizes of one buffer, `46.1 KiB → 170 KiB`, and how many steps there were before them; of none, nothing.
fn sizes(tuned: &Tuned, send: bool) -> Option<(String, u32)> {
    let steps: Vec<_> = tuned.newest.iter().filter(|step| step.send == send).collect();
    let first = steps.first()?.from;
    let sizes = std::iter::once(first).chain(steps.iter().map(|step| step.to));
    let sizes: Vec<_> = sizes.map(|bytes| quantity::buffer(bytes.into())).collect();
    let all = if send { tuned.send } else { tuned.receive };
    let told = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    Some((sizes.join(" → "), all.saturating_sub(told)))
}

/// A time for people.
fn nanos(time: Duration) -> Nanos {
    Nanos(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX))
}

/// Times as fast that are a gain.
const WORTH: f64 = 1.2;

/// How many times as fast; `None` where nothing had moved.
fn gain(before_bps: u64, bps: u64) -> Option<f64> {
    (before_bps > 0).then(|| bps as f64 / before_bps as f64)
}
