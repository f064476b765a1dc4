//! A case folder -> the score of its run.

use super::baseline;
use super::capture::{analyse_file, segments_of};
use super::compare::{Comparison, compare};
use super::confusion::limit;
use super::error::Error;
use super::measure::{Path as Way, Place, Scored, Seen, direction, measure, visible};
use super::timeline::{Span, Timeline};
use super::variant::{Judged, Variant};
use crate::spec::LinkSpec;
use crate::truth::{self, Stopwatch};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use tcpwhy_core::model::{Cause, Connection, Limit, Side, WhatIf};
use tcpwhy_core::units::Nanos;

/// The truth about one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// What it rests on.
    pub source: String,
    /// The course of events.
    pub timeline: Timeline,
    /// The kernel's own opinion.
    pub stopwatch: Option<Stopwatch>,
}

/// What is read of `link.json`.
#[derive(Debug, Deserialize)]
struct LinkFile {
    faithful: bool,
}

/// What another method says of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// Its verdict by names; empty: none.
    pub verdict: Vec<String>,
    /// Where it has a timeline.
    pub comparison: Option<Comparison>,
}

/// A run and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Ours.
    pub scored: Scored,
    /// What the truth rests on.
    pub truth_source: String,
    /// Baselines by name.
    pub others: BTreeMap<String, Other>,
    /// Whether the link did what it was asked to do.
    pub faithful: bool,
    /// Its transfer time and bytes in the sender's capture.
    pub transfer: Option<(Nanos, u64)>,
    /// Times with a limit lifted, as the analysis predicts them from the sender's capture.
    pub what_if: Vec<WhatIf>,
}

/// Scores the run in `folder`.
///
/// # Errors
/// When a file of the case is missing or not what it should be.
pub fn score_case(
    folder: &Path,
    link: &LinkSpec,
    judged: Judged,
    variants: &[Variant],
    seed: u64,
) -> Result<Case, Error> {
    let truth = read_truth(&folder.join("truth.json"), judged)?;
    let way = way(link, judged);
    let mut seen = Vec::new();
    for place in Place::ALL {
        let file = folder.join(file_of(place, judged));
        let looks = analyse_file(&file, judged, variants, seed)?;
        seen.extend(looks.into_iter().map(|look| Seen::at(place, look)));
    }
    let scored = measure(&truth.timeline, &seen, judged, &way);
    let whole = seen.first();
    let ours = whole.and_then(|s| s.connection.as_ref()).map(|c| direction(c, judged));
    let others = others(folder, &truth, whole, judged, &way)?;
    Ok(Case {
        scored,
        truth_source: truth.source,
        others,
        faithful: is_faithful(folder)?,
        transfer: ours.map(|d| (d.transfer, d.bytes)),
        what_if: ours.map(|d| d.what_if.to_vec()).unwrap_or_default(),
    })
}

/// The transfer time of the judged direction and its bytes, from the sender's capture.
///
/// # Errors
/// When the capture cannot be read.
pub fn transfer_time(folder: &Path, judged: Judged) -> Result<Option<(Nanos, u64)>, Error> {
    let file = folder.join(file_of(Place::Sender, judged));
    let all = analyse_file(&file, judged, &[Variant::Whole], 0)?;
    let connection: Option<Connection> = all.into_iter().find_map(|look| look.connection);
    Ok(connection.map(|c| (direction(&c, judged).transfer, direction(&c, judged).bytes)))
}

fn others(
    folder: &Path,
    truth: &Truth,
    whole: Option<&Seen>,
    judged: Judged,
    way: &Way,
) -> Result<BTreeMap<String, Other>, Error> {
    let mut answers = BTreeMap::new();
    let Some(seen) = whole else { return Ok(answers) };
    let Some(connection) = &seen.connection else { return Ok(answers) };
    let file = folder.join(file_of(Place::Sender, judged));
    let window = visible(&truth.timeline, seen, judged, way);
    let mut put = |name: &str, answer: baseline::Answer| {
        let against = |line: &Timeline| compare(&truth.timeline, line, window, way.rtt);
        let verdict = answer.verdict.iter().map(|l| l.name().to_owned()).collect();
        let comparison = answer.timeline.as_ref().map(against);
        answers.insert(name.to_owned(), Other { verdict, comparison });
    };
    if let Some(watch) = truth.stopwatch {
        let transfer = direction(connection, judged).transfer;
        put("kernel stopwatch", baseline::stopwatch(watch, transfer));
    }
    let rtt = connection.rtt.min.max(way.rtt);
    put("T-RAT", baseline::trat(&segments_of(&file, judged)?, judged, rtt));
    if let Some(answer) = baseline::wireshark(&file, judged) {
        put("Wireshark flags", answer);
    }
    Ok(answers)
}

/// The capture taken at `place`.
fn file_of(place: Place, judged: Judged) -> &'static str {
    match (place, judged.from) {
        (Place::Middle, _) => "middle.pcapng",
        (Place::Sender, Side::Client) | (Place::Receiver, Side::Server) => "client.pcapng",
        (Place::Sender, Side::Server) | (Place::Receiver, Side::Client) => "server.pcapng",
    }
}

/// Delays of the path as the judged data goes.
pub fn way(link: &LinkSpec, judged: Judged) -> Way {
    let tap = (link.tap.clamp(0.0, 1.0) * 1000.0) as i64;
    let (one_way, share) = match judged.from {
        Side::Client => (link.up.delay, tap),
        Side::Server => (link.down.delay, 1000 - tap),
    };
    let rtt = (link.up.delay + link.down.delay).max(Nanos::from_micros(100));
    Way { rtt, late: [Nanos::ZERO, one_way.scale(share, 1000), one_way] }
}

/// Reads the truth about the judged direction.
///
/// # Errors
/// When the file is missing, is no truth, or has none for this direction.
pub fn read_truth(path: &Path, judged: Judged) -> Result<Truth, Error> {
    let file: truth::Truth = read_json(path)?;
    let is_judged =
        |d: &truth::Direction| d.server.port == judged.port && d.from == judged.from.name();
    let direction = file.directions.into_iter().find(is_judged);
    let direction =
        direction.ok_or_else(|| Error::NoTruth { path: path.to_owned(), port: judged.port })?;
    let span = |s: &truth::Interval| Span {
        from: nanos(s.from_ns),
        to: nanos(s.to_ns),
        limit: limit(&s.limit).unwrap_or(Limit::Unknown),
        cause: s.cause.as_deref().and_then(Cause::from_name).unwrap_or(Cause::None),
        confidence: 100,
    };
    let timeline = Timeline::new(direction.timeline.iter().map(span).collect());
    Ok(Truth { source: file.source, timeline, stopwatch: direction.stopwatch })
}

/// Whether the link of the run in `folder` did what it was asked to do.
///
/// # Errors
/// When the case does not say.
pub(super) fn is_faithful(folder: &Path) -> Result<bool, Error> {
    read_json::<LinkFile>(&folder.join("link.json")).map(|link| link.faithful)
}

/// Reads a JSON file.
pub(super) fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text =
        std::fs::read(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
    serde_json::from_slice(&text).map_err(|source| Error::Json { path: path.to_owned(), source })
}

fn nanos(ns: u64) -> Nanos {
    Nanos(i64::try_from(ns).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_of_the_judged_direction_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("truth.json");
        let text = r#"{"schema":"tcpwhy.truth/1","source":"kernel events","directions":[
            {"client":{"addr":"10.77.0.1","port":4000},"server":{"addr":"10.77.0.2","port":5001},"from":"server",
             "timeline":[{"from_ns":5,"to_ns":9,"limit":"receive_window","cause":"zero window"}],"scheduled":[],
             "stopwatch":{"busy_us":1,"rwnd_limited_us":2,"sndbuf_limited_us":3}}]}"#;
        std::fs::write(&path, text).unwrap();
        let judged = Judged { port: 5001, from: Side::Server };
        let truth = read_truth(&path, judged).unwrap();
        let span = truth.timeline.spans()[0];
        assert_eq!((span.limit, span.cause), (Limit::ReceiveWindow, Cause::ZeroWindow));
        assert_eq!(truth.stopwatch.map(|s| s.rwnd_limited_us), Some(2));
        let other = read_truth(&path, Judged { from: Side::Client, ..judged });
        assert!(other.is_err_and(|e| e.to_string().contains("no truth for port 5001")));
    }

    #[test]
    fn the_middle_is_as_late_as_it_is_far_from_the_sender() {
        let mut link = LinkSpec { tap: 0.25, ..LinkSpec::default() };
        (link.up.delay, link.down.delay) = (Nanos::from_millis(8), Nanos::from_millis(12));
        let up = way(&link, Judged { port: 1, from: Side::Client });
        assert_eq!((up.rtt, up.late[1]), (Nanos::from_millis(20), Nanos::from_millis(2)));
        let down = way(&link, Judged { port: 1, from: Side::Server });
        assert_eq!((down.late[1], down.late[2]), (Nanos::from_millis(9), Nanos::from_millis(12)));
    }
}
