//! Many scenarios, run one after the other: how they came out, as a table and as a sentence.

use crate::exit;
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};
use tcpwhy_core::advice::quantity;
use tcpwhy_core::units::Nanos;
use tcpwhy_lab::run::{Error, RunResult};

/// Wider texts are cut.
const WIDEST: usize = 34;

/// Results in the order in which they were run.
#[derive(Default)]
pub(super) struct Summary {
    results: Vec<RunResult>,
    skipped: u32,
    failed: u32,
}

impl Summary {
    pub(super) fn add(&mut self, result: RunResult) {
        self.results.push(result);
    }

    /// A scenario that could not run here.
    pub(super) fn miss(&mut self, e: &Error) {
        if e.is_missing_program() {
            self.skipped += 1;
        } else {
            self.failed += 1;
        }
    }

    /// A line a scenario: published, measured, predicted, verdict at the sender, right or wrong.
    pub(super) fn table(&self, out: &mut impl Write) -> io::Result<()> {
        let head = ["scenario", "published", "measured", "predicted", "verdict"].map(str::to_owned);
        let rows: Vec<[String; 5]> = self.results.iter().map(row).collect();
        let width = |at: usize| {
            let texts = rows.iter().map(|r| &r[at]).chain([&head[at]]);
            texts.map(|t| t.chars().count()).max().unwrap_or(0).min(WIDEST)
        };
        let widths: [usize; 5] = std::array::from_fn(width);
        writeln!(out, "{}", line(&head, &widths, Style::new().bold()))?;
        for (row, result) in rows.iter().zip(&self.results) {
            let word = judged(result.right, "-");
            let doubt = if result.faithful { "" } else { ", link not faithful" };
            writeln!(out, "{}  {word}{doubt}", line(row, &widths, Style::new()))?;
        }
        out.flush()
    }

    pub(super) fn sentence(&self) -> String {
        let count = |is: fn(&RunResult) -> bool| self.results.iter().filter(|r| is(r)).count();
        let wrong = self.results.iter().filter(|r| r.right == Some(false));
        let wrong: Vec<&str> = wrong.map(|r| r.scenario.as_str()).collect();
        let mut text = format!("{} right, {} wrong", count(|r| r.right == Some(true)), wrong.len());
        for (count, what) in [
            (count(|r| r.right.is_none()), "without an expectation"),
            (self.skipped as usize, "skipped"),
            (self.failed as usize, "failed"),
            (count(|r| !r.faithful), "over a link that was not faithful"),
        ] {
            if count > 0 {
                text += &format!(", {count} {what}");
            }
        }
        if !wrong.is_empty() {
            text += &format!("; wrong: {}", wrong.join(", "));
        }
        text
    }

    /// The exit code.
    pub(super) fn code(&self) -> u8 {
        match (self.failed, self.results.iter().all(|r| r.right != Some(false))) {
            (0, true) => 0,
            (0, false) => exit::NOTHING,
            _ => exit::ERROR,
        }
    }
}

/// Right or wrong in its colour, or `otherwise` where nothing is expected.
pub(super) fn judged(right: Option<bool>, otherwise: &str) -> String {
    let (word, colour) = match right {
        Some(true) => ("right", AnsiColor::Green),
        Some(false) => ("wrong", AnsiColor::Red),
        None => return otherwise.to_owned(),
    };
    let style = colour.on_default();
    format!("{style}{word}{style:#}")
}

/// A time given in seconds, with its unit.
pub(super) fn span(seconds: f64) -> String {
    quantity::span(Nanos((seconds * 1e9) as i64))
}

fn row(result: &RunResult) -> [String; 5] {
    let verdict = result.judgements.iter().find(|j| j.at_sender);
    let verdict = verdict.map_or_else(String::new, |j| {
        let cause = j.cause.map_or(String::new(), |c| format!(" ({c})"));
        format!("{}{cause}", j.limit)
    });
    let predicted = match &result.predicted {
        p if p.bound.is_empty() => "-".to_owned(),
        p => span(p.seconds),
    };
    [
        result.scenario.clone(),
        result.published.clone().unwrap_or_else(|| "-".to_owned()),
        format!("{}, {}", span(result.seconds), quantity::rate(result.goodput_bps)),
        predicted,
        verdict,
    ]
}

fn line(texts: &[String; 5], widths: &[usize; 5], style: Style) -> String {
    let cells = texts.iter().zip(widths).map(|(text, &width)| {
        let long = text.chars().count() > width;
        let text: String = text.chars().take(if long { width - 1 } else { width }).collect();
        let text = if long { text + "…" } else { text };
        format!("{text:width$}")
    });
    format!("{style}{}{style:#}", cells.collect::<Vec<_>>().join("  "))
}
