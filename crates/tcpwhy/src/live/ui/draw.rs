//! The screen: a line above, the table, the chosen socket's details, keys below.

use super::app::{App, History};
use super::{detail, text};
use crate::live::row::Row;
use crate::live::words::{Headline, Line as Text};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Paragraph, Row as Cells, Table, TableState};
use tcpwhy_core::advice::{cause_label, limit_label, quantity};
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;

/// Draws it all.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App) {
    let rows = app.visible();
    let place = app.place(&rows);
    let chosen = place.and_then(|place| rows.get(place)).filter(|_| app.details);
    let details = chosen.map_or(0, |row| detail::height(app, row));
    let [top, middle, bottom, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(3),
        Constraint::Length(details),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(headline(app, rows.len())), top);
    if rows.is_empty() {
        frame.render_widget(Paragraph::new(nothing(app)), middle);
    } else {
        table(frame, middle, app, &rows, place);
    }
    if let Some(row) = chosen {
        detail::draw(frame, bottom, app, row);
    }
    frame.render_widget(Paragraph::new(footer(app)), keys);
}

fn headline(app: &App, count: usize) -> Line<'static> {
    let headline = Headline { sockets: count, sort: app.sort, filter: &app.filter };
    let mut line = Line::from(app.words.headline(&headline));
    if app.frozen {
        let text = app.words.line(Text::Frozen);
        let frozen = Span::styled(text, Style::new().add_modifier(Modifier::REVERSED));
        line.push_span(Span::raw("  "));
        line.push_span(frozen);
    }
    if !app.notice.is_empty() {
        line.push_span(Span::raw(format!("  {}", app.notice)));
    }
    line
}

fn nothing(app: &App) -> &'static str {
    app.words.line(match (app.started, app.filter.is_empty()) {
        (false, _) => Text::Sampling,
        (true, true) => Text::NothingYet,
        (true, false) => Text::NothingFits,
    })
}

fn footer(app: &App) -> String {
    if app.typing {
        return app.words.typing(&app.filter);
    }
    app.words.line(Text::Keys).to_owned()
}

fn table(frame: &mut Frame<'_>, area: Rect, app: &App, rows: &[&Row], place: Option<usize>) {
    // What is not on the screen is not put into words: there may be 100,000 of them.
    let height = usize::from(area.height.saturating_sub(1)).max(1);
    let first = place.unwrap_or(0).saturating_sub(height - 1);
    let shown = rows.iter().skip(first).take(height).map(|row| cells(app, row));
    let widths = [
        Constraint::Length(16),
        Constraint::Length(22),
        Constraint::Length(12),
        Constraint::Length(8),
        Constraint::Length(33),
        Constraint::Length(7),
        Constraint::Min(10),
    ];
    let head = Cells::new(app.words.screen()).style(Style::new().add_modifier(Modifier::BOLD));
    let table = Table::new(shown, widths)
        .header(head)
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::new().with_selected(place.map(|place| place - first));
    frame.render_stateful_widget(table, area, &mut state);
}

fn cells(app: &App, row: &Row) -> Cells<'static> {
    let lost = app.lost(row);
    let lost = if lost > Nanos::ZERO { quantity::span(lost) } else { "-".to_owned() };
    Cells::new([
        Cell::from(row.process(app.words)),
        Cell::from(row.seen.sample.remote.to_string()),
        Cell::from(text::rate(row.out_bps.max(row.in_bps))),
        Cell::from(row.rtt().map_or_else(|| "-".to_owned(), quantity::span)),
        Cell::from(Span::styled(now(app, row), style(app, row.limit))),
        Cell::from(lost),
        Cell::from(app.history(row).map(|h| strip(app, h)).unwrap_or_default()),
    ])
}

fn now(app: &App, row: &Row) -> String {
    let (words, language) = (app.words, app.words.language());
    match row.limit {
        None => words.role(row.role).to_owned(),
        Some(limit) => words.limit(limit_label(limit, language), cause_label(row.cause, language)),
    }
}

/// A letter a round, the newest at the right.
fn strip(app: &App, history: &History) -> Line<'static> {
    let cell =
        |limit: &Option<Limit>| Span::styled(text::letter(*limit).to_string(), style(app, *limit));
    Line::from(history.limits.iter().map(cell).collect::<Vec<_>>())
}

/// The limit's colour, where colours are wanted.
pub(super) fn style(app: &App, limit: Option<Limit>) -> Style {
    match limit {
        Some(limit) if app.color => {
            Style::new().fg(Color::Indexed(tcpwhy_report::limit_color(limit)))
        }
        _ => Style::new(),
    }
}
