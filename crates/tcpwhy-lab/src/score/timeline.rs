//! What is compared: the time of one direction of one connection, cut into spans under one limit each.

use tcpwhy_core::model::{Cause, Direction, Limit};
use tcpwhy_core::units::Nanos;

/// A stretch of time under one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Start, inclusive.
    pub from: Nanos,
    /// End, exclusive.
    pub to: Nanos,
    /// What held the sender.
    pub limit: Limit,
    /// Why.
    pub cause: Cause,
    /// How sure, in percent; 100 for the truth.
    pub confidence: u8,
}

impl Span {
    /// How long.
    pub fn length(&self) -> Nanos {
        self.to - self.from
    }
}

/// Spans in order, without overlap; there may be gaps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Timeline(Vec<Span>);

impl Timeline {
    /// From spans in any order. Empty spans are left out; where two overlap, the later start wins.
    pub fn new(mut spans: Vec<Span>) -> Self {
        spans.retain(|s| s.from < s.to);
        spans.sort_by_key(|s| (s.from, s.to));
        let mut line: Vec<Span> = Vec::with_capacity(spans.len());
        for span in spans {
            if let Some(last) = line.last_mut() {
                last.to = last.to.min(span.from);
                if last.from >= last.to {
                    line.pop();
                }
            }
            line.push(span);
        }
        Self(line)
    }

    /// What the analysis says of a direction, `late` behind the sender's clock: a capture away from the sender
    /// sees everything that much later.
    pub fn of(direction: &Direction, late: Nanos) -> Self {
        let span = |i: &tcpwhy_core::model::Interval| Span {
            from: i.from - late,
            to: i.to - late,
            limit: i.limit,
            cause: i.cause,
            confidence: i.confidence.min(100),
        };
        Self::new(direction.timeline.iter().map(span).collect())
    }

    /// The spans.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// The part between `from` and `to`.
    pub fn clip(&self, from: Nanos, to: Nanos) -> Self {
        let cut = |s: &Span| Span { from: s.from.max(from), to: s.to.min(to), ..*s };
        Self(self.0.iter().map(cut).filter(|s| s.from < s.to).collect())
    }

    /// First start and last end; `None` when there is nothing.
    pub fn bounds(&self) -> Option<(Nanos, Nanos)> {
        Some((self.0.first()?.from, self.0.last()?.to))
    }

    /// The limit that holds longest, and its share of the time; `None` when there is nothing.
    pub fn longest(&self) -> Option<(Limit, f64)> {
        let time = |limit: Limit| -> i64 {
            self.0.iter().filter(|s| s.limit == limit).map(|s| s.length().0).sum()
        };
        let all: i64 = self.0.iter().map(|s| s.length().0).sum();
        // The first of the taxonomy where two are equal.
        let (most, limit) =
            Limit::ALL.into_iter().rev().map(|l| (time(l), l)).max_by_key(|(t, _)| *t)?;
        (all > 0).then(|| (limit, most as f64 / all as f64))
    }

    /// The cause that holds longest under `limit`.
    pub fn main_cause(&self, limit: Limit) -> Cause {
        let mut sums: Vec<(Cause, i64)> = Vec::new();
        for s in self.0.iter().filter(|s| s.limit == limit) {
            match sums.iter_mut().find(|(cause, _)| *cause == s.cause) {
                Some((_, sum)) => *sum += s.length().0,
                None => sums.push((s.cause, s.length().0)),
            }
        }
        sums.into_iter().max_by_key(|(_, sum)| *sum).map_or(Cause::None, |(cause, _)| cause)
    }

    /// Neighbours under the same limit joined, and what is shorter than `least` given to the span before it: the
    /// coarse course of events, in which a boundary means something.
    pub fn coarse(&self, least: Nanos) -> Self {
        let mut line = self.joined().0;
        let mut kept: Vec<Span> = Vec::with_capacity(line.len());
        for span in line.drain(..) {
            match kept.last_mut() {
                Some(last) if span.length() < least => last.to = span.to,
                _ => kept.push(span),
            }
        }
        // What was too short may have stood between two spans of one limit.
        Self(kept).joined()
    }

    /// Neighbours under the same limit as one span, whatever their causes.
    fn joined(&self) -> Self {
        let mut line = self.0.clone();
        line.dedup_by(|next, last| {
            let same = last.limit == next.limit;
            if same {
                last.to = next.to;
            }
            same
        });
        Self(line)
    }
}

/// Walks over the pieces of `from..to` in which none of `lines` changes: their length and what each line says.
pub fn pieces<const N: usize>(
    lines: [&Timeline; N],
    (from, to): (Nanos, Nanos),
    mut each: impl FnMut(Nanos, [Option<&Span>; N]),
) {
    let edges = lines.iter().flat_map(|l| &l.0).flat_map(|s| [s.from, s.to]);
    let mut cuts: Vec<Nanos> = edges.filter(|t| (from..=to).contains(t)).collect();
    cuts.extend([from, to]);
    cuts.sort_unstable();
    cuts.dedup();
    let mut next = [0_usize; N];
    for pair in cuts.windows(2) {
        let &[start, end] = pair else { continue };
        let mut said = [None; N];
        for ((line, i), said) in lines.iter().zip(&mut next).zip(&mut said) {
            while line.0.get(*i).is_some_and(|s| s.to <= start) {
                *i += 1;
            }
            *said = line.0.get(*i).filter(|s| s.from <= start);
        }
        each(end - start, said);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A timeline from (milliseconds, limit) pairs, each lasting up to the next one's start.
    pub(crate) fn line(parts: &[(i64, Limit)], end: i64) -> Timeline {
        let ends = parts.iter().skip(1).map(|p| p.0).chain([end]);
        let spans = parts.iter().zip(ends).map(|(&(from, limit), to)| Span {
            from: Nanos::from_millis(from),
            to: Nanos::from_millis(to),
            limit,
            cause: Cause::None,
            confidence: 100,
        });
        Timeline::new(spans.collect())
    }

    #[test]
    fn pieces_cover_the_window_once_and_name_gaps() {
        let a = line(&[(0, Limit::SendBuffer), (30, Limit::Application)], 100);
        let b = line(&[(20, Limit::SendBuffer)], 60);
        let (mut total, mut gap, mut same) = (0, 0, 0);
        pieces([&a, &b], (Nanos::ZERO, Nanos::from_millis(100)), |length, [a, b]| {
            total += length.0;
            match b {
                None => gap += length.0,
                Some(b) if a.is_some_and(|a| a.limit == b.limit) => same += length.0,
                Some(_) => {}
            }
        });
        assert_eq!((total, gap, same), (100_000_000, 60_000_000, 10_000_000));
    }

    #[test]
    fn the_coarse_course_forgets_what_is_shorter_than_a_round_trip() {
        let fine =
            line(&[(0, Limit::SendBuffer), (50, Limit::Application), (51, Limit::SendBuffer)], 100);
        let coarse = fine.coarse(Nanos::from_millis(10));
        assert_eq!(coarse.spans().len(), 1);
        assert_eq!(coarse.bounds(), fine.bounds());
    }

    #[test]
    fn overlaps_are_cut_and_nothing_is_empty() {
        let span = |from, to| Span {
            from: Nanos(from),
            to: Nanos(to),
            limit: Limit::Application,
            cause: Cause::None,
            confidence: 1,
        };
        let line = Timeline::new(vec![span(5, 9), span(0, 7), span(3, 3), span(5, 6)]);
        for pair in line.spans().windows(2) {
            assert!(pair[0].to <= pair[1].from);
        }
        assert!(line.spans().iter().all(|s| s.from < s.to));
    }
}
