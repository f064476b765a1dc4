//! One round as a table.

use super::row::{Role, Row};
use super::told;
use std::io::{self, Write};
use tcpwhy_core::advice::quantity;
use tcpwhy_core::advice::{Language, cause_label, limit_label};
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;

const HEADER: [&str; 8] =
    ["PROCESS", "LOCAL", "PEER", "OUT", "IN", "RTT", "LIMIT", "KERNEL'S STOPWATCH"];

/// Writes the table, the sockets with the most time lost first.
pub(super) fn write(to: &mut impl Write, rows: &[Row], verbose: bool) -> io::Result<()> {
    if rows.is_empty() {
        return writeln!(to, "No socket sent, received or waited (--all shows the idle ones).");
    }
    let table: Vec<[String; 8]> = rows.iter().map(cells).collect();
    let mut widths = HEADER.map(str::len);
    for row in &table {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    line(to, &HEADER.map(str::to_owned), &widths)?;
    for (cells, row) in table.iter().zip(rows) {
        line(to, cells, &widths)?;
        if let Some(why) = row.difference.filter(|_| verbose) {
            writeln!(to, "    the kernel's stopwatch differs: {why}")?;
        }
        for told in told::lines(row).iter().filter(|_| verbose) {
            writeln!(to, "    {told}")?;
        }
    }
    Ok(())
}

fn line(to: &mut impl Write, cells: &[String; 8], widths: &[usize; 8]) -> io::Result<()> {
    let padded: Vec<String> =
        cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
    writeln!(to, "{}", padded.join("  ").trim_end())
}

fn cells(row: &Row) -> [String; 8] {
    let sample = &row.seen.sample;
    let mut process = match &row.seen.owner {
        Some(owner) => format!("{} {}/{}", row.process(), owner.pid, owner.fd),
        None => row.process(),
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
        verdict(row),
        stopwatch(row),
    ]
}

/// A rate, or a dash for none.
pub(super) fn rate(bps: u64) -> String {
    if bps == 0 { "-".to_owned() } else { quantity::rate(bps) }
}

/// `send buffer 98 %: locked by the application at 16.0 KiB`.
pub(super) fn verdict(row: &Row) -> String {
    let Some(limit) = row.limit else { return row.role.name().to_owned() };
    let mut text = limit_label(limit, Language::En).to_owned();
    if row.role == Role::Sends {
        text += &format!(" {}", quantity::percent(row.account.share(limit)));
    }
    if let Some(cause) = cause_label(row.cause, Language::En) {
        text += &format!(", {cause}");
    }
    if let Some(holder) = row.holder() {
        text += &format!(": {holder}");
    }
    text
}

pub(super) fn stopwatch(row: &Row) -> String {
    let Some(watch) = row.stopwatch.filter(|_| row.role == Role::Sends) else {
        return "-".to_owned();
    };
    let percent = |us: u64| {
        let span = row.span.max(Nanos(1)).secs() * 1e6;
        quantity::percent((us as f64 / span).min(1.0))
    };
    let (busy, rwnd, sndbuf) =
        (percent(watch.busy_us), percent(watch.rwnd_limited_us), percent(watch.sndbuf_limited_us));
    let mark = if row.difference.is_some() { " (differs)" } else { "" };
    format!("busy {busy} rwnd {rwnd} sndbuf {sndbuf}{mark}")
}

/// The letter of a limit, as in `explain`'s strip.
pub(super) fn letter(limit: Option<Limit>) -> char {
    match limit {
        Some(limit) => tcpwhy_report::limit_letter(limit),
        None => '·',
    }
}
