//! One round as a table.

use super::row::{Role, Row};
use super::told;
use super::words::{Verdict, Watch, Words};
use std::io::{self, Write};
use tcpwhy_core::advice::quantity;
use tcpwhy_core::advice::{cause_label, limit_label};
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;
use tcpwhy_report::{columns, padded, paragraph};

/// What stands beside a socket where a line holds all of it. The rest, its limit and the kernel's stopwatch, stands below it elsewhere.
const BESIDE: usize = 6;
/// Before what stands below a socket.
const BELOW: &str = "    ";
/// Between two columns.
const GAP: &str = "  ";

/// Writes the table, the sockets with the most time lost first, in lines of `width` columns where its words allow it.
pub(super) fn write<W: Write>(
    to: &mut W,
    rows: &[Row],
    verbose: bool,
    words: &dyn Words,
    width: usize,
) -> io::Result<()> {
    let header = words.header().map(str::to_owned);
    let cells = |fits: bool| -> Vec<_> { rows.iter().map(|row| cells(row, words, fits)).collect() };
    let mut table = cells(true);
    let mut widths = columns_of(&header, &table);
    let fits = widths.iter().sum::<usize>() + (widths.len() - 1) * GAP.len() <= width;
    if !fits {
        table = cells(false);
        widths = columns_of(&header, &table);
    }
    let beside = if fits { widths.len() } else { BESIDE };
    let line = |to: &mut W, cells: &[String; 8]| {
        let (first, rest) = cells.split_at(beside);
        let padded = first.iter().zip(&widths).map(|(cell, width)| padded(cell, *width));
        writeln!(to, "{}", padded.collect::<Vec<_>>().join(GAP).trim_end())?;
        below(to, &rest.join(GAP), width)
    };
    line(to, &header)?;
    for (cells, row) in table.iter().zip(rows) {
        line(to, cells)?;
        if let Some(why) = row.difference.filter(|_| verbose) {
            below(to, &words.differs(why), width)?;
        }
        for told in told::lines(row, words).iter().filter(|_| verbose) {
            below(to, told, width)?;
        }
    }
    Ok(())
}

/// How wide each column is.
fn columns_of(header: &[String; 8], table: &[[String; 8]]) -> [usize; 8] {
    let rows = || table.iter().chain([header]);
    std::array::from_fn(|at| rows().map(|row| columns(&row[at])).max().unwrap_or(0))
}

/// What there is to say of the socket above; nothing, if that is nothing.
fn below(to: &mut impl Write, text: &str, width: usize) -> io::Result<()> {
    if text.is_empty() { Ok(()) } else { to.write_all(paragraph(BELOW, text, width).as_bytes()) }
}

/// Where the process runs is said last where a line does not hold all of it.
fn cells(row: &Row, words: &dyn Words, fits: bool) -> [String; 8] {
    let sample = &row.seen.sample;
    let mut stopwatch = stopwatch(row, words);
    let mut process = match &row.seen.owner {
        Some(owner) => format!("{} {}/{}", row.process(words), owner.pid, owner.fd),
        None => row.process(words),
    };
    if let Some(place) = row.place.words() {
        let to = if fits { &mut process } else { &mut stopwatch };
        *to += &format!(" ({place})");
    }
    [
        process,
        sample.local.to_string(),
        sample.remote.to_string(),
        rate(row.out_bps),
        rate(row.in_bps),
        row.rtt().map_or_else(|| "-".to_owned(), quantity::span),
        verdict(row, words),
        stopwatch,
    ]
}

/// A rate, or a dash for none.
pub(super) fn rate(bps: u64) -> String {
    if bps == 0 { "-".to_owned() } else { quantity::rate(bps) }
}

/// `send buffer 98 %: locked by the application at 16.0 KiB`.
pub(super) fn verdict(row: &Row, words: &dyn Words) -> String {
    let Some(limit) = row.limit else {
        let (limit, held) = (words.role(row.role), row.held());
        return words.verdict(&Verdict { limit, share: None, cause: None, held });
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::fixture;
    use crate::live::words;
    use tcpwhy_core::advice::Language;

    fn lines(language: Language, width: usize) -> Vec<String> {
        let rows = [fixture::row(1, "mysqld", fixture::starved())];
        let mut text = Vec::new();
        write(&mut text, &rows, true, words::of(language), width).unwrap();
        String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn where_a_line_does_not_hold_the_table_the_limit_stands_below_its_socket() {
        for language in [Language::En, Language::Zh] {
            let wide = lines(language, usize::MAX);
            let exactly = wide.iter().map(|line| columns(line)).max().unwrap();
            assert!(exactly > 80, "{wide:?}");
            let narrow = lines(language, 80);
            assert!(narrow.iter().all(|line| columns(line) <= 80), "{narrow:?}");
            assert!(narrow[1].starts_with(BELOW) && narrow[3].starts_with(BELOW), "{narrow:?}");
            let said = |lines: &[String]| lines.concat().replace(' ', "");
            assert_eq!(said(&narrow).len(), said(&wide).len());
        }
        let wide = lines(Language::En, usize::MAX);
        assert!(wide[0].contains("LIMIT") && wide[0].ends_with("KERNEL'S STOPWATCH"), "{wide:?}");
        assert!(
            wide[1].starts_with("mysqld 4711/12") && wide[1].contains("send buffer"),
            "{wide:?}"
        );
    }
}
