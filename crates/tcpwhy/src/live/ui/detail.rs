//! One socket: its buffers, windows and queue, drawn.

use super::app::App;
use super::draw::style;
use super::text;
use crate::live::row::Row;
use crate::live::told;
use crate::live::words::{Label, Words, labelled};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};
use tcpwhy_core::advice::quantity;

/// Lines of the pane, its border included, that are always there.
const HEIGHT: u16 = 9;
/// Lines of what the kernel's programs told.
const TOLD: usize = 4;
/// Columns of a bar, where there is room for it and its words.
const BAR: usize = 30;

/// Lines of the pane.
pub(super) fn height(app: &App, row: &Row) -> u16 {
    HEIGHT + told::lines(row, app.words).len().min(TOLD) as u16
}

/// Draws the pane.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App, row: &Row) {
    let sample = &row.seen.sample;
    let words = app.words;
    let owner = row.seen.owner.as_ref();
    let process = row.process(words);
    let title = format!(
        " {}{} {} → {} {} ",
        owner.map_or_else(|| process.clone(), |o| format!("{process} {}/{}", o.pid, o.fd)),
        row.place.words().map_or_else(String::new, |place| format!(" ({place})")),
        sample.local,
        sample.remote,
        tcpwhy_report::printable(&sample.congestion),
    );
    let rtt = row.rtt().map_or_else(String::new, |rtt| format!("  RTT {}", quantity::span(rtt)));
    let bar = (usize::from(area.width) / 4).min(BAR);
    let mut lines = vec![
        Line::from(vec![
            Span::styled(text::verdict(row, words), style(app, row.limit)),
            Span::raw(rtt),
        ]),
        Line::from(send_buffer(row, words, bar)),
        Line::from(flight(row, words, bar)),
        Line::from(window(row, words, bar)),
        Line::from(receive_buffer(row, words, bar)),
        Line::from(queues(row, words)),
        Line::from(stopwatch(row, words)),
    ];
    // The newest tell most.
    let told = told::lines(row, words);
    lines.extend(told.into_iter().rev().take(TOLD).rev().map(Line::from));
    let block = Block::new().borders(Borders::TOP | Borders::BOTTOM).title(title);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn send_buffer(row: &Row, words: &dyn Words, bar: usize) -> String {
    let queued = row.seen.sample.skmem.get(5).copied().unwrap_or(0);
    let text = gauge(bar, queued.into(), row.send.bytes, &words.buffer(&row.send, "tcp_wmem"));
    labelled(words, Label::SendBuffer, &text)
}

fn flight(row: &Row, words: &dyn Words, bar: usize) -> String {
    let state = row.seen.states.last().copied().unwrap_or_default();
    let (flight, cwnd) = (state.in_flight, state.cwnd);
    labelled(
        words,
        Label::Flight,
        &gauge(bar, flight.into(), cwnd.into(), &words.packets(flight, cwnd)),
    )
}

fn window(row: &Row, words: &dyn Words, bar: usize) -> String {
    let state = row.seen.states.last().copied().unwrap_or_default();
    let (part, whole) = (state.outstanding, state.snd_wnd);
    labelled(
        words,
        Label::PeerWindow,
        &gauge(bar, part.into(), whole.into(), &words.window(part, whole)),
    )
}

fn receive_buffer(row: &Row, words: &dyn Words, bar: usize) -> String {
    let held = row.seen.sample.skmem.first().copied().unwrap_or(0);
    let text = gauge(bar, held.into(), row.receive.bytes, &words.buffer(&row.receive, "tcp_rmem"));
    labelled(words, Label::ReceiveBuffer, &text)
}

fn queues(row: &Row, words: &dyn Words) -> String {
    let info = row.info();
    let unsent = info.notsent_bytes().unwrap_or(0);
    let text = words.queues(unsent, row.seen.sample.rqueue, info.rcv_wnd());
    labelled(words, Label::Queue, &text)
}

fn stopwatch(row: &Row, words: &dyn Words) -> String {
    let watch = text::stopwatch(row, words);
    let text = row.difference.map_or_else(|| watch.clone(), |d| words.explained(&watch, d));
    labelled(words, Label::Watch, &text)
}

fn gauge(bar: usize, part: u64, whole: u64, words: &str) -> String {
    let full = part.min(whole) as usize * bar / (whole.max(1) as usize);
    format!("{}{} {words}", "█".repeat(full), "·".repeat(bar - full))
}
