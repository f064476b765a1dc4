//! One socket: its buffers, windows and queue, drawn.

use super::app::App;
use super::draw::style;
use super::text;
use crate::live::row::Row;
use crate::live::told;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};
use tcpwhy_core::advice::quantity;

/// Lines of the pane, its border included, that are always there.
const HEIGHT: u16 = 9;
/// Lines of what the kernel's programs told.
const TOLD: usize = 4;
/// Columns of a bar.
const BAR: usize = 30;

/// Lines of the pane.
pub(super) fn height(row: &Row) -> u16 {
    HEIGHT + told::lines(row).len().min(TOLD) as u16
}

/// Draws the pane.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App, row: &Row) {
    let sample = &row.seen.sample;
    let owner = row.seen.owner.as_ref();
    let title = format!(
        " {}{} {} → {} {} ",
        owner.map_or_else(|| row.process(), |o| format!("{} {}/{}", row.process(), o.pid, o.fd)),
        row.place.words().map_or_else(String::new, |place| format!(" ({place})")),
        sample.local,
        sample.remote,
        tcpwhy_report::printable(&sample.congestion),
    );
    let mut lines = vec![
        Line::from(Span::styled(text::verdict(row), style(app, row.limit))),
        Line::from(send_buffer(row)),
        Line::from(flight(row)),
        Line::from(window(row)),
        Line::from(receive_buffer(row)),
        Line::from(queues(row)),
        Line::from(stopwatch(row)),
    ];
    // The newest tell most.
    let told = told::lines(row);
    lines.extend(told.into_iter().rev().take(TOLD).rev().map(Line::from));
    let block = Block::new().borders(Borders::TOP | Borders::BOTTOM).title(title);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn send_buffer(row: &Row) -> String {
    let queued = row.seen.sample.skmem.get(5).copied().unwrap_or(0);
    gauge("send buffer", queued.into(), row.send.bytes, &row.send.words("tcp_wmem"))
}

fn flight(row: &Row) -> String {
    let state = row.seen.states.last().copied().unwrap_or_default();
    let words = format!("{} of {} packets (cwnd)", state.in_flight, state.cwnd);
    gauge("in flight", state.in_flight.into(), state.cwnd.into(), &words)
}

fn window(row: &Row) -> String {
    let state = row.seen.states.last().copied().unwrap_or_default();
    let words = format!(
        "{} of {} that the peer offers",
        quantity::buffer(state.outstanding.into()),
        quantity::buffer(state.snd_wnd.into())
    );
    gauge("peer's window", state.outstanding.into(), state.snd_wnd.into(), &words)
}

fn receive_buffer(row: &Row) -> String {
    let held = row.seen.sample.skmem.first().copied().unwrap_or(0);
    gauge("receive buffer", held.into(), row.receive.bytes, &row.receive.words("tcp_rmem"))
}

fn queues(row: &Row) -> String {
    let unsent = row.info().notsent_bytes().unwrap_or(0);
    let unread = row.seen.sample.rqueue;
    let words = |bytes: u32| quantity::buffer(bytes.into());
    let offered =
        row.info().rcv_wnd().map_or_else(String::new, |w| format!(", window offered {}", words(w)));
    format!("{:<15}unsent {}, unread {}{offered}", "queue", words(unsent), words(unread))
}

fn stopwatch(row: &Row) -> String {
    match row.difference {
        Some(why) => format!("{:<15}{}: {why}", "kernel's watch", text::stopwatch(row)),
        None => format!("{:<15}{}", "kernel's watch", text::stopwatch(row)),
    }
}

fn gauge(name: &str, part: u64, whole: u64, words: &str) -> String {
    let full = part.min(whole) as usize * BAR / (whole.max(1) as usize);
    format!("{name:<15}{}{} {words}", "█".repeat(full), "·".repeat(BAR - full))
}
