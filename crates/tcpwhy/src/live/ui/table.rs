//! The table: as many columns as the terminal has room for, the limit always among them.

use super::app::{App, History};
use super::draw::style;
use super::text;
use crate::live::row::Row;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Row as Cells, Table, TableState};
use std::collections::HashMap;
use tcpwhy_core::advice::{cause_label, limit_label, quantity};
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;

/// A column, in the order of `Words::screen`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Process,
    Peer,
    Rate,
    RoundTrip,
    Limit,
    Lost,
    Strip,
}

use Column::{Limit as Now, Lost, Peer, Process, Rate, RoundTrip, Strip};

/// Which columns, and how wide, from how many columns of the terminal on; the widest first.
const LAYOUTS: [(u16, &[(Column, Constraint)]); 3] = [
    (
        112,
        &[
            (Process, Constraint::Length(16)),
            (Peer, Constraint::Length(22)),
            (Rate, Constraint::Length(12)),
            (RoundTrip, Constraint::Length(8)),
            (Now, Constraint::Length(33)),
            (Lost, Constraint::Length(7)),
            (Strip, Constraint::Min(10)),
        ],
    ),
    (
        76,
        &[
            (Process, Constraint::Length(10)),
            (Peer, Constraint::Length(21)),
            (Rate, Constraint::Length(11)),
            (Now, Constraint::Min(22)),
            (Strip, Constraint::Length(8)),
        ],
    ),
    (
        0,
        &[
            (Process, Constraint::Length(8)),
            (Now, Constraint::Min(16)),
            (Strip, Constraint::Length(9)),
        ],
    ),
];

/// Draws the rows that are on the screen; `place` is the chosen one's.
pub(super) fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    app: &App,
    rows: &[&Row],
    place: Option<usize>,
) {
    let fits = |(from, _): &&(u16, _)| area.width >= *from;
    let Some((_, columns)) = LAYOUTS.iter().find(fits) else { return };
    let widths: Vec<Constraint> = columns.iter().map(|(_, width)| *width).collect();
    let strip = Layout::horizontal(&widths).spacing(1).split(area);
    let strip = strip.last().map_or(0, |last| usize::from(last.width));
    // What is not on the screen is not put into words: there may be 100,000 of them.
    let height = usize::from(area.height.saturating_sub(1)).max(1);
    let first = place.unwrap_or(0).saturating_sub(height - 1);
    let shown = rows.iter().skip(first).take(height).map(|row| {
        Cells::new(
            columns.iter().map(|(column, _)| cell(app, row, *column, strip)).collect::<Vec<_>>(),
        )
    });
    let titles = app.words.screen(app.long);
    let titles = columns.iter().map(|(column, _)| titles[*column as usize]);
    let head = Cells::new(titles.collect::<Vec<_>>());
    let table = Table::new(shown, widths)
        .header(head.style(Style::new().add_modifier(Modifier::BOLD)))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::new().with_selected(place.map(|place| place - first));
    frame.render_stateful_widget(table, area, &mut state);
}

fn cell(app: &App, row: &Row, column: Column, strip_width: usize) -> Cell<'static> {
    let lost = || match app.lost(row) {
        lost if lost > Nanos::ZERO => quantity::span(lost),
        _ => "-".to_owned(),
    };
    match column {
        Process => Cell::from(row.process(app.words)),
        Peer => Cell::from(row.seen.sample.remote.to_string()),
        Rate => Cell::from(text::rate(row.out_bps.max(row.in_bps))),
        RoundTrip => Cell::from(row.rtt().map_or_else(|| "-".to_owned(), quantity::span)),
        Now => Cell::from(Span::styled(now(app, row), style(app, row.limit))),
        Lost => Cell::from(lost()),
        Strip => {
            Cell::from(app.history(row).map(|h| strip(app, h, strip_width)).unwrap_or_default())
        }
    }
}

fn now(app: &App, row: &Row) -> String {
    let (words, language) = (app.words, app.words.language());
    match row.limit {
        None => words.role(row.role).to_owned(),
        Some(limit) => words.limit(limit_label(limit, language), cause_label(row.cause, language)),
    }
}

/// A letter a round, the newest at the right; where there is no room for a minute of them, a letter stands for several rounds, and tells
/// what held for most of them.
fn strip(app: &App, history: &History, width: usize) -> Line<'static> {
    let rounds: Vec<Option<Limit>> = history.limits.iter().copied().collect();
    let letters = rounds.chunks(rounds.len().div_ceil(width.max(1)).max(1)).map(most);
    let letter =
        |limit: Option<Limit>| Span::styled(text::letter(limit).to_string(), style(app, limit));
    Line::from(letters.map(letter).collect::<Vec<_>>())
}

/// What is there most often, the first of several.
fn most(rounds: &[Option<Limit>]) -> Option<Limit> {
    let mut counts: HashMap<Option<Limit>, usize> = HashMap::new();
    for limit in rounds {
        *counts.entry(*limit).or_default() += 1;
    }
    let count = |limit: &Option<Limit>| counts.get(limit).copied().unwrap_or(0);
    let best = rounds.iter().map(count).max();
    rounds.iter().find(|limit| Some(count(limit)) == best).copied().flatten()
}
