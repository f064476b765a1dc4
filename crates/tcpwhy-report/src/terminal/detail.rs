//! One direction in full.

use super::page::Page;
use super::style::{DIM, color, letter};
use super::words::Section;
use super::{strip, words};
use crate::printable::{columns, padded};
use crate::rank::Ranked;
use std::io;
use tcpwhy_core::advice::quantity::span;
use tcpwhy_core::advice::{finding_sentence, sentence, steps};
use tcpwhy_core::model::{Connection, Direction, Interval, Limit, Share};
use tcpwhy_core::units::Nanos;

/// Limits whose evidence is shown, and smallest part of the time that deserves it.
const EVIDENCE: (usize, f64) = (3, 0.05);
/// Rows of the what-if table.
const WHAT_IFS: usize = 5;
/// Smallest part of the time that gets a row of its own.
const SMALL: f64 = 0.01;
/// Fewest and most columns of a bar.
const BARS: (usize, usize) = (8, 24);

/// Connections that begin later than this in their capture are said to.
const LATER: Nanos = Nanos::from_millis(1);

/// Writes heading, verdict, strip, shares, evidence, what-if and advice of a direction in a capture that `began` then.
pub(super) fn write(
    page: &mut Page<'_>,
    ranked: &Ranked<'_>,
    began: Option<Nanos>,
    verbose: bool,
) -> io::Result<()> {
    let (c, d) = (ranked.connection, ranked.direction);
    let words = page.words;
    let (from, to) = (c.endpoint(d.from), c.endpoint(d.from.other()));
    page.rule(&words.title(c.id, &words::end(&from), &words::end(&to)))?;
    let origin = began.unwrap_or(c.opened);
    let later = Some(c.opened - origin).filter(|later| *later >= LATER);
    page.text(2, &words.amount(d, later, words::stuck(d)))?;
    if c.rtt.min > Nanos::ZERO {
        page.text(2, &words.path(&c.rtt, words::captured(c)))?;
    }
    page.blank()?;
    page.text(2, &sentence(c, d, words.language()))?;
    if !d.timeline.is_empty() {
        page.blank()?;
        strip::write(page, &d.timeline, c.start)?;
        shares(page, d, verbose)?;
        evidence(page, d)?;
    }
    what_if(page, d)?;
    advice(page, &steps(c, d, words.language()))?;
    if verbose && !d.timeline.is_empty() {
        page.section(Section::Intervals)?;
        d.timeline.iter().try_for_each(|i| interval(page, i, origin))?;
    }
    Ok(())
}

/// What else was noticed on the connection.
pub(super) fn findings(page: &mut Page<'_>, c: &Connection) -> io::Result<()> {
    if !c.findings.is_empty() {
        page.section(Section::Findings)?;
    }
    c.findings.iter().try_for_each(|f| {
        let text = finding_sentence(c, f, page.words.language());
        page.item(4, "- ", &page.words.finding(&text, f.frame))
    })
}

/// One row of the shares.
struct Row {
    limit: Option<Limit>,
    name: String,
    part: f64,
    time: Nanos,
}

/// Time by limit; what is too small for a row of its own is summed up in the last.
fn rows(d: &Direction, all: bool, words: &dyn words::Words) -> Vec<Row> {
    let shares = d.limits();
    let large = shares.iter().take_while(|s| all || part(s, d) >= SMALL).count().max(1);
    // A sum of one would only hide its name.
    let large = if shares.len() <= large + 1 { shares.len() } else { large };
    let (own, summed) = shares.split_at(large);
    let row = |s: &Share| Row {
        limit: Some(s.limit),
        name: words.limit(s.limit, s.cause),
        part: part(s, d),
        time: s.duration,
    };
    let mut rows: Vec<_> = own.iter().map(row).collect();
    if !summed.is_empty() {
        rows.push(Row {
            limit: None,
            name: words.others(summed.len()),
            part: summed.iter().map(|s| part(s, d)).sum(),
            time: summed.iter().fold(Nanos::ZERO, |sum, s| sum + s.duration),
        });
    }
    rows
}

/// Time by limit, with bars; doubles as the strip's legend.
fn shares(page: &mut Page<'_>, d: &Direction, all: bool) -> io::Result<()> {
    page.section(Section::Shares)?;
    let rows = rows(d, all, page.words);
    let wide = widest(rows.iter().map(|row| &row.name));
    // Indent, letter, percentage and time with their gaps; narrow terminals get no picture.
    let room = page.width.saturating_sub(wide + 28);
    let bars = if room < BARS.0 { 0 } else { room.min(BARS.1) };
    for Row { limit, name, part, time } in &rows {
        let (style, mark) = limit.map_or((DIM, None), |of| (color(of), Some(letter(of))));
        let (percent, time) = (page.words.percent(*part), span(*time));
        if wide + 26 > page.width {
            page.item(
                4,
                &format!("{} ", mark.unwrap_or('-')),
                &page.words.share(name, &percent, &time),
            )?;
            continue;
        }
        let mark = page.paint(style, &mark.unwrap_or(' ').to_string());
        let bar = page.paint(style, &format!("{:bars$}", bar(*part, bars)));
        let name = padded(name, wide);
        page.line(&format!("    {mark} {name} {percent:>7} {bar} {time:>9}"))?;
    }
    Ok(())
}

/// The part of the direction's time that a share takes.
fn part(share: &Share, d: &Direction) -> f64 {
    let whole = d.span().0;
    if whole > 0 { share.duration.0 as f64 / whole as f64 } else { 0.0 }
}

/// A bar of at most `columns`, to the half column; never nothing for something.
fn bar(part: f64, columns: usize) -> String {
    let halves = (part.clamp(0.0, 1.0) * (2 * columns) as f64).round() as usize;
    match (halves / 2, halves % 2) {
        _ if columns == 0 => String::new(),
        (0, 0) if part > 0.0 => "▏".to_owned(),
        (full, 0) => "█".repeat(full),
        (full, _) => format!("{}▌", "█".repeat(full)),
    }
}

/// The numbers of the longest interval of each limit that matters.
fn evidence(page: &mut Page<'_>, d: &Direction) -> io::Result<()> {
    page.section(Section::Evidence)?;
    let (most, least) = EVIDENCE;
    let shares = d.limits();
    let worth = shares.iter().enumerate().filter(|(n, s)| *n == 0 || part(s, d) >= least);
    for (_, share) in worth.take(most) {
        let held = |i: &&Interval| i.limit == share.limit && i.cause == share.cause;
        let Some(longest) = d.timeline.iter().filter(held).max_by_key(|i| i.duration()) else {
            continue;
        };
        let text = page.words.evidence(longest);
        page.item(4, &format!("{} ", letter(share.limit)), &text)?;
    }
    Ok(())
}

/// Predicted times, shortest first.
fn what_if(page: &mut Page<'_>, d: &Direction) -> io::Result<()> {
    let mut predictions = d.what_if.to_vec();
    predictions.retain(|w| words::gain(d.transfer, w.transfer).is_some());
    if predictions.is_empty() {
        return Ok(());
    }
    page.section(Section::WhatIf)?;
    predictions.truncate(WHAT_IFS);
    let lifted = predictions.iter().map(|w| words::row(page.words, d, w));
    let rows: Vec<_> = words::as_it_is(page.words, d).into_iter().chain(lifted).collect();
    let wide = |n: usize| widest(rows.iter().filter_map(|r| r.get(n)));
    let (a, b, c) = (wide(0), wide(1), wide(2));
    let is_table = a + b + c + wide(3) + 10 <= page.width;
    for row in &rows {
        let [lift, time, gain, next] = row;
        if !is_table {
            page.item(4, "- ", &page.words.what_if(row))?;
            continue;
        }
        let (lift, gain, next) = (padded(lift, a), padded(gain, c), page.paint(DIM, next));
        let room = " ".repeat(b - columns(time));
        page.line(&format!("    {lift}  {room}{time}  {gain}  {next}"))?;
    }
    Ok(())
}

/// Columns that the widest of the texts takes.
pub(super) fn widest<'a>(texts: impl Iterator<Item = &'a String>) -> usize {
    texts.map(|t| columns(t)).max().unwrap_or(0)
}

fn advice(page: &mut Page<'_>, steps: &[String]) -> io::Result<()> {
    if steps.is_empty() {
        return Ok(());
    }
    page.section(Section::Advice)?;
    for (n, step) in steps.iter().enumerate() {
        page.item(4, &format!("{}. ", n + 1), step)?;
    }
    Ok(())
}

/// One interval with its frames and numbers; times count from `origin`, the capture's first packet: those of `--since`, and of the column
/// of times beside the frame numbers in other programs.
fn interval(page: &mut Page<'_>, i: &Interval, origin: Nanos) -> io::Result<()> {
    let (from, to) = ((i.from - origin).secs(), (i.to - origin).secs());
    let text = page.words.interval(i, from, to);
    page.item(4, &format!("{} ", letter(i.limit)), &text)
}
