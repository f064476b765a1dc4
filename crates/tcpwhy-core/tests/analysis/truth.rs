//! The answer against the truth, for every scenario of the grid: from the sender, the middle and the
//! receiver, with and without the handshake and the timestamps.
//!
//! The table is committed. A figure is the part of the time (percent) in which our limit is the true
//! one; where the verdict is not the limit that held longest, it follows, after a `!`. Run with `TCPWHY_BLESS=1` to write it anew.

use crate::grid::scenarios;
use crate::segments::{analyse_one, check, direction};
use std::fmt::Write;
use std::path::Path;
use tcpwhy_core::model::{Connection, Direction, Limit};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Scenario, Trace, TruthInterval, simulate};

const TABLE: &str = "tests/analysis/truth.tsv";
/// Positions on the path: at the sender, in the middle, at the receiver.
const POSITIONS: [f64; 3] = [0.0, 0.5, 1.0];

/// The truth from the first to the last packet that was captured, on the sender's clock: what happened
/// before and after, nobody can see.
fn visible(trace: &Trace, c: &Connection, late: Nanos) -> Vec<TruthInterval> {
    let (from, to) = (c.start - late, c.start + c.duration - late);
    let clip = |t: &TruthInterval| TruthInterval { from: t.from.max(from), to: t.to.min(to), ..*t };
    trace.truth().iter().map(clip).filter(|t| t.from < t.to).collect()
}

/// The limit that held longest.
fn longest(truth: &[TruthInterval]) -> Limit {
    let time = |limit: Limit| {
        let of = truth.iter().filter(|t| t.limit == limit);
        of.fold(Nanos::ZERO, |sum, t| sum + (t.to - t.from))
    };
    Limit::ALL.into_iter().rev().max_by_key(|l| time(*l)).unwrap_or(Limit::Unknown)
}

/// Percent of the true time that we name rightly. Our times run `late` behind the sender's clock.
fn agreement(truth: &[TruthInterval], ours: &Direction, late: Nanos) -> i64 {
    let (mut right, mut all) = (Nanos::ZERO, Nanos::ZERO);
    for t in truth {
        all += t.to - t.from;
        for i in ours.timeline.iter().filter(|i| i.limit == t.limit) {
            let common = (i.to - late).min(t.to) - (i.from - late).max(t.from);
            right += common.max(Nanos::ZERO);
        }
    }
    right.scale(100, all.0.max(1)).0
}

/// One row: the true limit, then a figure for each way of looking at the transfer.
fn row(name: &str, base: &Scenario) -> String {
    let mut row = name.to_owned();
    for (k, (handshake, timestamps)) in
        [(true, true), (false, true), (true, false), (false, false)].into_iter().enumerate()
    {
        let scenario = Scenario { handshake, timestamps, ..base.clone() };
        let trace = simulate(&scenario);
        if k == 0 {
            let _ = write!(row, "\t{}", longest(trace.truth()).name());
        }
        for position in POSITIONS {
            let connection = analyse_one(&trace.capture(position));
            let ours = direction(&connection, scenario.data_from);
            check(ours);
            let late = scenario.rtt.scale((position * 1000.0) as i64, 2000);
            let truth = visible(&trace, &connection, late);
            let _ = write!(row, "\t{}", agreement(&truth, ours, late));
            if ours.verdict.limit != longest(&truth) {
                let _ = write!(row, "!{}", ours.verdict.limit.name());
            }
        }
    }
    row
}

fn table() -> String {
    let mut text = String::from("scenario\tlimit");
    for seen in ["all", "no handshake", "no timestamps", "neither"] {
        for place in ["sender", "middle", "receiver"] {
            let _ = write!(text, "\t{seen}: {place}");
        }
    }
    text.push('\n');
    for (name, scenario) in scenarios() {
        let _ = writeln!(text, "{}", row(&name, &scenario));
    }
    text
}

#[test]
fn agreement_with_the_truth_is_as_committed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    let now = table();
    if std::env::var_os("TCPWHY_BLESS").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    let changed: Vec<String> = committed
        .lines()
        .zip(now.lines())
        .filter(|(was, is)| was != is)
        .map(|(was, is)| format!("was {was}\nnow {is}"))
        .collect();
    assert!(
        changed.is_empty() && committed.lines().count() == now.lines().count(),
        "run with TCPWHY_BLESS=1 and review what changes in {TABLE}:\n{}",
        changed.join("\n")
    );
}
