//! All directions by what held them longest: of many transfers, which kind is worth looking at, and where an example of it is.

use super::detail::widest;
use super::page::Page;
use super::style::{DIM, color, letter};
use super::words::{Section, Words, finest};
use crate::printable::{columns, padded};
use crate::rank::{Importance, Ranked};
use std::cmp::Reverse;
use std::io;
use tcpwhy_core::advice::quantity::{count, data, span};
use tcpwhy_core::model::{Cause, Limit, Verdict};
use tcpwhy_core::units::Nanos;

/// Kinds that get a row.
const ROWS: usize = 12;

/// The directions that matter, by verdict.
#[derive(Debug, Default)]
pub(super) struct Overview {
    /// No more than there are pairs of limit and cause.
    kinds: Vec<Kind>,
}

/// Directions with the same verdict.
#[derive(Debug)]
struct Kind {
    limit: Limit,
    cause: Cause,
    directions: u64,
    bytes: u64,
    saving: Nanos,
    /// The connection of that which comes first.
    foremost: Option<(Importance, u64)>,
}

impl Overview {
    /// One more direction.
    pub(super) fn add(&mut self, ranked: &Ranked<'_>) {
        if !ranked.matters() {
            return;
        }
        let place = (ranked.importance(), ranked.connection.id);
        let kind = self.kind(ranked.direction.verdict);
        kind.directions += 1;
        kind.bytes = kind.bytes.saturating_add(ranked.direction.bytes);
        kind.saving = Nanos(kind.saving.0.saturating_add(ranked.saving().0));
        kind.foremost = Some(kind.foremost.map_or(place, |first| first.min(place)));
    }

    /// One of the foremost less: better predictions of it and of all others that come before the rest will be added.
    pub(super) fn forget(&mut self, ranked: &Ranked<'_>) {
        if !ranked.matters() {
            return;
        }
        let kind = self.kind(ranked.direction.verdict);
        kind.directions -= 1;
        kind.bytes = kind.bytes.saturating_sub(ranked.direction.bytes);
        kind.saving = Nanos(kind.saving.0.saturating_sub(ranked.saving().0));
        kind.foremost = None;
    }

    fn kind(&mut self, verdict: Verdict) -> &mut Kind {
        let Verdict { limit, cause, .. } = verdict;
        let at = self.kinds.iter().position(|kind| (kind.limit, kind.cause) == (limit, cause));
        let at = at.unwrap_or(self.kinds.len());
        if at == self.kinds.len() {
            let (directions, bytes, saving, foremost) = (0, 0, Nanos::ZERO, None);
            self.kinds.push(Kind { limit, cause, directions, bytes, saving, foremost });
        }
        &mut self.kinds[at]
    }

    /// Directions in it.
    pub(super) fn directions(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.directions).sum()
    }

    /// A row for each verdict, that with most time to save first; what is beyond the last row is summed up in one more.
    pub(super) fn write(&self, page: &mut Page<'_>) -> io::Result<()> {
        let mut kinds: Vec<&Kind> = self.kinds.iter().filter(|k| k.directions > 0).collect();
        kinds.sort_by_key(|k| (Reverse((k.saving, k.bytes)), k.example()));
        let words = page.words;
        page.blank()?;
        page.rule(words.section(Section::Overview))?;
        let full = |kind: &Kind| words.limit(kind.limit, kind.cause);
        let fine = |kind: &Kind| finest(kind.limit, kind.cause, words.language()).to_owned();
        let tables = [Table::new(&kinds, words, &full), Table::new(&kinds, words, &fine)];
        match tables.iter().find(|table| table.width() <= page.width) {
            Some(table) => table.write(page),
            None => tables[0].rows.iter().try_for_each(|(limit, row)| {
                page.item(4, &format!("{} ", limit.map_or(' ', letter)), &words.kind(row))
            }),
        }
    }
}

impl Kind {
    /// The connection that shows it best.
    fn example(&self) -> Option<u64> {
        self.foremost.map(|(_, id)| id)
    }
}

/// What held them, how many they are, their data, the time to save, and an example.
type Row = [String; 5];

/// The verdicts' rows as a table.
struct Table {
    heads: Row,
    rows: Vec<(Option<Limit>, Row)>,
    /// Columns of the terminal that each column takes.
    wide: [usize; 5],
}

impl Table {
    fn new(kinds: &[&Kind], words: &dyn Words, name: &dyn Fn(&Kind) -> String) -> Self {
        // A sum of one would only hide its name.
        let own = if kinds.len() <= ROWS + 1 { kinds.len() } else { ROWS };
        let (own, rest) = kinds.split_at(own);
        let mut rows: Vec<_> = own
            .iter()
            .map(|kind| (Some(kind.limit), row(name(kind), &[kind], kind.example())))
            .collect();
        if !rest.is_empty() {
            rows.push((None, row(words.others(rest.len()), rest, None)));
        }
        let heads = words.overview().map(str::to_owned);
        let wide =
            |n: usize| widest(rows.iter().map(|(_, row)| row).chain([&heads]).map(|r| &r[n]));
        let wide = std::array::from_fn(wide);
        Self { heads, rows, wide }
    }

    /// With indent, letter, and two spaces between columns.
    fn width(&self) -> usize {
        self.wide.iter().sum::<usize>() + 14
    }

    fn write(&self, page: &mut Page<'_>) -> io::Result<()> {
        let heads = page.paint(DIM, &self.line(&self.heads));
        page.line(&format!("      {heads}"))?;
        self.rows.iter().try_for_each(|(limit, row)| {
            let (style, mark) = limit.map_or((DIM, ' '), |limit| (color(limit), letter(limit)));
            let mark = page.paint(style, &mark.to_string());
            page.line(&format!("    {mark} {}", self.line(row)))
        })
    }

    /// The name, and the others behind it, each at the right end of its column.
    fn line(&self, row: &Row) -> String {
        let [name, cells @ ..] = row;
        let [first, wide @ ..] = self.wide;
        cells.iter().zip(wide).fold(padded(name, first), |line, (cell, wide)| {
            format!("{line}  {:1$}{cell}", "", wide.saturating_sub(columns(cell)))
        })
    }
}

/// The sums of `kinds`.
fn row(name: String, kinds: &[&Kind], example: Option<u64>) -> Row {
    let bytes = kinds.iter().fold(0, |sum: u64, kind| sum.saturating_add(kind.bytes));
    let saving = kinds.iter().fold(0, |sum: i64, kind| sum.saturating_add(kind.saving.0));
    let example = example.map(|id| id.to_string()).unwrap_or_default();
    let directions = kinds.iter().map(|kind| kind.directions).sum();
    [name, count(directions), data(bytes), span(Nanos(saving)), example]
}
