//! The wording of the terminal report beside that of the advice: a catalogue for each language.
//!
//! What is worth saying is decided here and in `detail`; a catalogue gets typed values and returns whole
//! texts. A language that lacks one does not compile.

mod en;
mod zh;

use crate::Source;
use crate::terminal::shown::Quiet;
use tcpwhy_core::advice::quantity::{self, SHORTEST_ROUND_TRIP};
use tcpwhy_core::advice::{Language, cause_label, limit_label};
use tcpwhy_core::model::{
    Cause, Connection, Direction, Evidence, Interval, Limit, RttSummary, WhatIf,
};
use tcpwhy_core::observe::Endpoint;
use tcpwhy_core::units::Nanos;

/// Titles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Shares,
    Evidence,
    WhatIf,
    Advice,
    Findings,
    Intervals,
    Overview,
}

/// Where the capture was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    Client,
    Server,
    OnTheWay,
}

/// What lifting a limit gains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Gain {
    AtOnce,
    /// Part of the time that is saved, 0 to 1.
    Less(f64),
    /// How many times faster.
    Times(f64),
}

/// One language's texts.
pub(super) trait Words {
    /// Whose texts these are.
    fn language(&self) -> Language;

    /// A section's title.
    fn section(&self, section: Section) -> &'static str;

    /// Said instead of an answer where no data crossed, and which connection was `quiet` longest.
    fn no_data(&self, quiet: Option<Quiet>) -> String;

    /// "slow.pcapng: 31,402 packets, 31,388 of them TCP, in 2 connections".
    fn header(&self, source: &Source, connections: usize) -> String;

    /// A warning of the source.
    fn warning(&self, text: &str) -> String;

    /// The line for what is not shown.
    fn hidden(&self, directions: usize, bytes: u64) -> String;

    /// The columns of the overview: what held directions longest, how many, their data, what lifting the limit would save, an example.
    fn overview(&self) -> [&'static str; 5];

    /// A row of the overview where there is no room for a table.
    fn kind(&self, row: &[String; 5]) -> String;

    /// A direction's title.
    fn title(&self, id: u64, from: &str, to: &str) -> String;

    /// What was transferred; `later` is when the connection begins in the capture, `stuck` the time without progress after it.
    fn amount(&self, d: &Direction, later: Option<Nanos>, stuck: Option<Nanos>) -> String;

    /// The path and where it was watched, and whether that is sure.
    fn path(&self, rtt: &RttSummary, captured: Option<(Spot, bool)>) -> String;

    /// "receive window, slow reader".
    fn limit(&self, limit: Limit, cause: Cause) -> String;

    /// What is not worth a row each.
    fn others(&self, count: usize) -> String;

    /// A row of the shares where there is no room for a table.
    fn share(&self, name: &str, percent: &str, time: &str) -> String;

    /// The measured numbers of the longest interval of a limit.
    fn evidence(&self, i: &Interval) -> String;

    /// One interval that began and ended so many seconds after the first packet.
    fn interval(&self, i: &Interval, from: f64, to: f64) -> String;

    /// A finding, and the frame that shows it; 0 where none is known.
    fn finding(&self, text: &str, frame: u64) -> String;

    /// The world without a limit.
    fn lifted(&self, limit: Limit) -> &'static str;

    /// The transfer as it is, where it began long after its connection.
    fn as_it_is(&self) -> &'static str;

    /// The world in which nobody thinks between so many turns, each of which still takes a round trip.
    fn still_turns(&self, turns: u64) -> String;

    /// A time that a transfer takes, or takes at most.
    fn predicted(&self, span: String, at_most: bool) -> String;

    /// What is gained by that.
    fn gain(&self, gain: Gain) -> String;

    /// What would hold the transfer next.
    fn next(&self, limit: Limit) -> String;

    /// A row of the what-if table where there is no room for a table.
    fn what_if(&self, row: &[String; 4]) -> String;

    /// A part of a whole.
    fn percent(&self, part: f64) -> String;
}

/// The texts of a language.
pub(super) fn of(language: Language) -> &'static dyn Words {
    match language {
        Language::En => &en::En,
        Language::Zh => &zh::Zh,
    }
}

/// "10.0.0.1:3306", "[2001:db8::1]:443".
pub(super) fn end(e: &Endpoint) -> String {
    std::net::SocketAddr::new(e.addr(), e.port).to_string()
}

/// The finest name: "slow reader", or the limit's where no cause is known.
pub(super) fn finest(limit: Limit, cause: Cause, language: Language) -> &'static str {
    cause_label(cause, language).unwrap_or_else(|| limit_label(limit, language))
}

/// No progress for so long: what the transfer time, which ends with the last acknowledgment, leaves
/// out.
pub(super) fn stuck(d: &Direction) -> Option<Nanos> {
    let (transfer, end) = (d.transfers.last()?, d.timeline.last()?);
    let after = end.to - transfer.to;
    let long = after > d.transfer && end.limit != Limit::Application;
    (long && d.transfers_omitted == 0).then_some(after)
}

/// Where the capture was taken, and whether that is sure; a guess helps nobody.
pub(super) fn captured(c: &Connection) -> Option<(Spot, bool)> {
    let spot = match c.vantage.position {
        p if p < 0.15 => Spot::Client,
        p if p > 0.85 => Spot::Server,
        _ => Spot::OnTheWay,
    };
    match c.vantage.confidence {
        sure if sure < 0.5 => None,
        sure => Some((spot, sure >= 0.75)),
    }
}

/// The least part of a transfer's time whose saving is worth a line: less than that is also within what a prediction errs.
const WORTH_SAYING: f64 = 0.02;

/// What a shorter time gains; `None` where nothing worth saying.
pub(super) fn gain(now: Nanos, then: Nanos) -> Option<Gain> {
    let (now, then) = (now.secs(), then.secs());
    let saved = 1.0 - then / now;
    if !saved.is_finite() || saved < WORTH_SAYING {
        return None;
    }
    Some(match now / then {
        _ if then <= 0.0 => Gain::AtOnce,
        _ if saved < 0.5 => Gain::Less(saved),
        times => Gain::Times(times),
    })
}

/// "3.5", "12": how many times.
fn times(times: f64) -> String {
    if times < 9.95 { format!("{times:.1}") } else { format!("{times:.0}") }
}

/// A number of an interval that was measured.
enum Measured {
    /// The most in flight, in bytes.
    Flight(u64),
    /// The smallest window, in bytes.
    Window(u64),
    /// The least room where the sender stopped, in bytes.
    Room(u64),
    /// Lowest and mean RTT; the mean only where it is more.
    Rtt(Nanos, Option<Nanos>),
    /// Waits, and the longest of them.
    Stalls(u64, Nanos),
    /// Segments sent again.
    Resent(u64),
    /// Bytes acknowledged, and at how many bit/s.
    Acked(u64, u64),
}

/// The numbers of an interval that were measured.
fn measured(i: &Interval) -> Vec<Measured> {
    let e: &Evidence = &i.evidence;
    // Room is measured where the sender stopped.
    let room = e.stalls > 0 && e.window > 0 && e.room < e.window;
    let mean = (e.rtt_mean > e.rtt_min).then_some(e.rtt_mean);
    [
        (e.flight > 0, Measured::Flight(e.flight)),
        (e.window > 0, Measured::Window(e.window.into())),
        (room, Measured::Room(e.room.into())),
        (e.rtt_min >= SHORTEST_ROUND_TRIP, Measured::Rtt(e.rtt_min, mean)),
        (e.stalls > 0, Measured::Stalls(e.stalls.into(), e.longest_stall)),
        (e.retransmissions > 0, Measured::Resent(e.retransmissions.into())),
        (e.acked > 0, Measured::Acked(e.acked, i.rate_bps())),
    ]
    .into_iter()
    .filter_map(|(known, number)| known.then_some(number))
    .collect()
}

/// The turns whose round trips are most of the time that is predicted without waiting for applications.
fn turns_left(d: &Direction, w: &WhatIf) -> Option<u64> {
    let turns = d.turns();
    let way = quantity::round_trips(turns.saturating_sub(1), d.facts.rtt_floor);
    (w.lift == Limit::Application && turns > 1 && way.scale(2, 1) >= w.transfer).then_some(turns)
}

/// What the predictions are to be compared with, where a tenth of all time and more is no part of it: what came before the first byte or after
/// the last.
pub(super) fn as_it_is(words: &dyn Words, d: &Direction) -> Option<[String; 4]> {
    let row =
        || [words.as_it_is().to_owned(), quantity::span(d.transfer), String::new(), String::new()];
    (d.transfer.scale(10, 9) <= d.span()).then(row)
}

/// One row of the what-if table: what is lifted, the time then, what that gains, what holds next.
pub(super) fn row(words: &dyn Words, d: &Direction, w: &WhatIf) -> [String; 4] {
    let turns = turns_left(d, w);
    [
        turns.map_or_else(|| words.lifted(w.lift).to_owned(), |turns| words.still_turns(turns)),
        words.predicted(quantity::span(w.transfer), w.at_most),
        gain(d.transfer, w.transfer).map(|gain| words.gain(gain)).unwrap_or_default(),
        match w.next {
            Limit::Unknown => String::new(),
            next => words.next(next),
        },
    ]
}
