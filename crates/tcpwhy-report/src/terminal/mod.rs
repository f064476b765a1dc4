//! Text for a person at a terminal: the few directions that matter, each with its verdict, a strip
//! of its timeline, the evidence, and what to do.

mod detail;
mod overview;
mod page;
mod shown;
mod strip;
mod style;
mod words;

pub use shown::Shown;
pub use style::{color_index as limit_color, letter as limit_letter};

use crate::Source;
use page::Page;
use shown::Sum;
use std::collections::HashSet;
use std::io::{self, Write};
use tcpwhy_core::advice::Language;
use words::Words;

/// Narrower terminals get lines that wrap by themselves.
const NARROWEST: usize = 40;
/// Wider ones get no longer lines: long lines are hard to read.
const WIDEST: usize = 100;

/// How to show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// Columns of the terminal.
    pub width: usize,
    /// Use ANSI colours; without them the strip is drawn in letters.
    pub color: bool,
    /// Show every direction.
    pub all: bool,
    /// List the intervals with their frames.
    pub verbose: bool,
    /// The language of the words.
    pub language: Language,
}

/// Writes the answer.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(mut out: impl Write, source: &Source, answer: &Shown) -> io::Result<()> {
    let view = &answer.view;
    let width = view.width.clamp(NARROWEST, WIDEST);
    let words = words::of(view.language);
    let mut page = Page::new(&mut out, width, view.color, words);
    page.text(0, &words.header(source, answer.seen()))?;
    for warning in &source.warnings {
        page.text(0, &words.warning(warning.text(view.language)))?;
    }
    let shown = answer.directions();
    let mut told = HashSet::new();
    for ranked in &shown {
        page.blank()?;
        detail::write(&mut page, ranked, source.began, view.verbose)?;
        // Findings belong to the connection: said once, with the first of its directions.
        if told.insert(ranked.connection.id) {
            detail::findings(&mut page, ranked.connection)?;
        }
    }
    if answer.are_many() {
        answer.overview.write(&mut page)?;
    }
    let line = summary(answer.hidden(&shown), words);
    match line.or_else(|| shown.is_empty().then(|| words.no_data(answer.quiet))) {
        Some(line) => page.blank().and_then(|()| page.text(0, &line)),
        None => Ok(()),
    }
}

/// One line for what is not shown.
fn summary(hidden: Sum, words: &dyn Words) -> Option<String> {
    (hidden.directions > 0).then(|| words.hidden(hidden.directions, hidden.bytes))
}
