//! One round as a table.

use super::row::{Role, Row};
use super::told;
use super::words::{Line, Verdict, Watch, Words};
use std::io::{self, Write};
use tcpwhy_core::advice::quantity;
use tcpwhy_core::advice::{cause_label, limit_label};
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;

/// Writes the table, the sockets with the most time lost first.
pub(super) fn write(
    to: &mut impl Write,
    rows: &[Row],
    verbose: bool,
    words: &dyn Words,
) -> io::Result<()> {
    if rows.is_empty() {
        return writeln!(to, "{}", words.line(Line::Nothing));
    }
    let table: Vec<[String; 8]> = rows.iter().map(|row| cells(row, words)).collect();
    let header = words.header().map(str::to_owned);
    let mut widths = [0; 8];
    for row in table.iter().chain([&header]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(tcpwhy_report::columns(cell));
        }
    }
    line(to, &header, &widths)?;
    for (cells, row) in table.iter().zip(rows) {
        line(to, cells, &widths)?;
        if let Some(why) = row.difference.filter(|_| verbose) {
            writeln!(to, "    {}", words.differs(why))?;
        }
        for told in told::lines(row, words).iter().filter(|_| verbose) {
            writeln!(to, "    {told}")?;
        }
    }
    Ok(())
}

fn line(to: &mut impl Write, cells: &[String; 8], widths: &[usize; 8]) -> io::Result<()> {
    let padded = cells.iter().zip(widths).map(|(cell, width)| tcpwhy_report::padded(cell, *width));
    writeln!(to, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())
}

fn cells(row: &Row, words: &dyn Words) -> [String; 8] {
    let sample = &row.seen.sample;
    let mut process = match &row.seen.owner {
        Some(owner) => format!("{} {}/{}", row.process(words), owner.pid, owner.fd),
        None => row.process(words),
    };
    if let Some(place) = row.place.words() {
        process += &format!(" ({place})");
    }
    [
        process,
        sample.local.to_string(),
        sample.remote.to_string(),
        rate(row.out_bps),
        rate(row.in_bps),
        row.rtt().map_or_else(|| "-".to_owned(), quantity::span),
        verdict(row, words),
        stopwatch(row, words),
    ]
}

/// A rate, or a dash for none.
pub(super) fn rate(bps: u64) -> String {
    if bps == 0 { "-".to_owned() } else { quantity::rate(bps) }
}

/// `send buffer 98 %: locked by the application at 16.0 KiB`.
pub(super) fn verdict(row: &Row, words: &dyn Words) -> String {
    let Some(limit) = row.limit else { return words.role(row.role).to_owned() };
    words.verdict(&Verdict {
        limit: limit_label(limit, words.language()),
        share: (row.role == Role::Sends).then(|| row.account.share(limit)),
        cause: cause_label(row.cause, words.language()),
        held: row.held(),
    })
}

pub(super) fn stopwatch(row: &Row, words: &dyn Words) -> String {
    let Some(watch) = row.stopwatch.filter(|_| row.role == Role::Sends) else {
        return "-".to_owned();
    };
    let micros = row.span.max(Nanos(1)).secs() * 1e6;
    let part = |us: u64| (us as f64 / micros).min(1.0);
    words.watch(&Watch {
        busy: part(watch.busy_us),
        rwnd: part(watch.rwnd_limited_us),
        sndbuf: part(watch.sndbuf_limited_us),
        differs: row.difference.is_some(),
    })
}

/// The letter of a limit, as in `explain`'s strip.
pub(super) fn letter(limit: Option<Limit>) -> char {
    match limit {
        Some(limit) => tcpwhy_report::limit_letter(limit),
        None => '·',
    }
}
