//! The screen: a line above, the table, the chosen socket's details, keys below.

use super::app::App;
use super::{detail, table};
use crate::live::words::{Headline, Line as Text};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};
use tcpwhy_core::model::Limit;

/// Draws it all.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App) {
    let rows = app.visible();
    let place = app.place(&rows);
    let chosen = place.and_then(|place| rows.get(place)).filter(|_| app.details && !app.help);
    let details = chosen.map_or(0, |row| detail::height(app, row));
    let [top, notice, middle, bottom, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(notice_height(frame.area(), &app.notice)),
        Constraint::Min(3),
        Constraint::Length(details),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(headline(app, rows.len())), top);
    frame.render_widget(Paragraph::new(app.notice.as_str()).wrap(Wrap { trim: true }), notice);
    if app.help {
        frame.render_widget(Paragraph::new(app.words.line(Text::AllKeys)), middle);
    } else if rows.is_empty() {
        frame.render_widget(Paragraph::new(nothing(app)), middle);
    } else {
        table::draw(frame, middle, app, &rows, place);
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
    line
}

/// Lines of the notice: what it takes, as far as the table can spare them.
fn notice_height(area: Rect, notice: &str) -> u16 {
    // A line that breaks between words holds a little less than it has columns.
    let width = usize::from(area.width.saturating_sub(8).max(1));
    let lines = tcpwhy_report::columns(notice).div_ceil(width);
    u16::try_from(lines).unwrap_or(u16::MAX).min(area.height / 6)
}

fn nothing(app: &App) -> String {
    let line = match (app.started, app.filter.is_empty()) {
        _ if app.is_unmatched() => return app.words.unmatched(&app.asked),
        (false, _) => Text::Sampling,
        (true, true) => Text::NothingYet,
        (true, false) => Text::NothingFits,
    };
    app.words.line(line).to_owned()
}

fn footer(app: &App) -> String {
    if app.typing {
        return app.words.typing(&app.filter);
    }
    let keys = match (app.help || app.details, app.filter.is_empty()) {
        (false, true) => Text::Keys,
        (false, false) => Text::KeysOfFilter,
        (true, _) => Text::KeysToClose,
    };
    app.words.line(keys).to_owned()
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
