//! A timeline drawn as one row of cells: each cell shows the limit that held longest within it.

use super::page::Page;
use super::style::{color, letter};
use std::io;
use tcpwhy_core::advice::quantity::span;
use tcpwhy_core::model::{Interval, Limit};
use tcpwhy_core::units::Nanos;

/// The limit of each of `cells` equal parts of the timeline; empty for an empty one.
pub(super) fn cells(timeline: &[Interval], cells: usize) -> Vec<Limit> {
    let (Some(first), Some(last)) = (timeline.first(), timeline.last()) else {
        return Vec::new();
    };
    let whole = last.to - first.from;
    let edge = |i: usize| first.from + whole.scale(i as i64, cells as i64);
    let mut begin = 0;
    let mut out = Vec::with_capacity(cells);
    for i in 0..cells {
        let (from, to) = (edge(i), edge(i + 1));
        while timeline.get(begin).is_some_and(|t| t.to <= from && begin + 1 < timeline.len()) {
            begin += 1;
        }
        out.push(longest(timeline.get(begin..).unwrap_or_default(), from, to));
    }
    out
}

/// The limit that held longest between `from` and `to`.
fn longest(timeline: &[Interval], from: Nanos, to: Nanos) -> Limit {
    let mut held = [Nanos::ZERO; Limit::ALL.len()];
    for t in timeline.iter().take_while(|t| t.from < to) {
        if let Some(sum) =
            Limit::ALL.iter().position(|l| *l == t.limit).and_then(|n| held.get_mut(n))
        {
            *sum += t.to.min(to) - t.from.max(from);
        }
    }
    let most = Limit::ALL.into_iter().zip(held).max_by_key(|(_, time)| *time);
    match most {
        Some((limit, time)) if time > Nanos::ZERO => limit,
        // Cells shorter than a nanosecond: whatever begins there.
        _ => timeline.first().map_or(Limit::Unknown, |t| t.limit),
    }
}

/// Writes the strip and its time axis, which counts from `origin`.
pub(super) fn write(page: &mut Page<'_>, timeline: &[Interval], origin: Nanos) -> io::Result<()> {
    let (Some(first), Some(last)) = (timeline.first(), timeline.last()) else {
        return Ok(());
    };
    let cells = cells(timeline, page.width.saturating_sub(4));
    let mut row = String::from("  ");
    for run in cells.chunk_by(|a, b| a == b) {
        let limit = run.first().copied().unwrap_or(Limit::Unknown);
        let mark = if page.color { '█' } else { letter(limit) };
        row.push_str(&page.paint(color(limit), &mark.to_string().repeat(run.len())));
    }
    page.line(&row)?;
    let (from, to) = (first.from - origin, last.to - origin);
    let middle = span(from + (to - from).scale(1, 2));
    let (left, right) = (span(from.max(Nanos::ZERO)), span(to));
    let room = cells.len().saturating_sub(left.len() + right.len());
    page.line(&format!("  {left}{middle:^room$}{right}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcpwhy_core::model::{Cause, Evidence, Source};

    fn interval(from: i64, to: i64, limit: Limit) -> Interval {
        let (from, to) = (Nanos(from), Nanos(to));
        Interval {
            from,
            to,
            limit,
            cause: Cause::None,
            confidence: 90,
            source: Source::Packets,
            first_frame: 1,
            last_frame: 2,
            evidence: Evidence::default(),
        }
    }

    #[test]
    fn each_cell_shows_what_held_longest() {
        let timeline = [
            interval(0, 40, Limit::SendBuffer),
            interval(40, 41, Limit::LossRecovery),
            interval(41, 100, Limit::PathBandwidth),
        ];
        let drawn: String = cells(&timeline, 10).into_iter().map(letter).collect();
        assert_eq!(drawn, "SSSSPPPPPP");
    }

    #[test]
    fn more_cells_than_nanoseconds_and_no_timeline_at_all() {
        assert_eq!(cells(&[interval(0, 1, Limit::Application)], 5), [Limit::Application; 5]);
        assert_eq!(cells(&[interval(3, 3, Limit::Application)], 2), [Limit::Application; 2]);
        assert!(cells(&[], 5).is_empty());
    }
}
