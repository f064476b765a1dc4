//! A row of intervals without overlap; gaps are times of which nothing is known.

use super::What;
use crate::truth::Interval;

/// In order of time.
#[derive(Debug, Default)]
pub(super) struct Line(Vec<(i64, i64, What)>);

impl Line {
    /// Adds an interval after all others; none when it would have no length.
    pub(super) fn push(&mut self, from: i64, to: i64, what: What) {
        if from < to {
            self.0.push((from, to, what));
        }
    }

    /// Puts an interval in the place of whatever was there.
    pub(super) fn lay(&mut self, from: i64, to: i64, what: What) {
        if from >= to {
            return;
        }
        self.cut(from, to, |_| false);
        let at = self.0.partition_point(|(begin, ..)| *begin < from);
        self.0.insert(at, (from, to, what));
    }

    /// Takes out what lies in this time, except what `stays`.
    pub(super) fn cut(&mut self, from: i64, to: i64, stays: impl Fn(What) -> bool) {
        let pieces = self.0.drain(..).flat_map(|(begin, end, what)| {
            let before = (begin, end.min(from), what);
            let after = (begin.max(to), end, what);
            let kept = if stays(what) { vec![(begin, end, what)] } else { vec![before, after] };
            kept.into_iter().filter(|(begin, end, _)| begin < end)
        });
        self.0 = pieces.collect();
    }

    /// What is there at a moment.
    pub(super) fn at(&self, t: i64) -> Option<What> {
        self.0.iter().find(|(from, to, _)| (*from..*to).contains(&t)).map(|(.., what)| *what)
    }

    /// As the truth has it.
    pub(super) fn into_intervals(self) -> Vec<Interval> {
        let interval = |(from, to, (limit, cause)): (i64, i64, What)| Interval {
            from_ns: from.unsigned_abs(),
            to_ns: to.unsigned_abs(),
            limit: limit.name().into(),
            cause: cause.name().map(str::to_owned),
        };
        self.0.into_iter().map(interval).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcpwhy_core::model::{Cause, Limit};

    const BUFFER: What = (Limit::SendBuffer, Cause::None);
    const LOST: What = (Limit::LossRecovery, Cause::Timeout);

    #[test]
    fn what_is_laid_cuts_what_was_there() {
        let mut line = Line::default();
        line.push(0, 10, BUFFER);
        line.push(10, 10, LOST);
        line.push(10, 20, super::super::OWN);
        line.lay(5, 12, LOST);
        line.lay(7, 7, BUFFER);
        assert_eq!(line.0, [(0, 5, BUFFER), (5, 12, LOST), (12, 20, super::super::OWN)]);
        assert_eq!((line.at(4), line.at(5), line.at(20)), (Some(BUFFER), Some(LOST), None));
        line.cut(3, 100, |what| what == super::super::OWN);
        assert_eq!(line.0, [(0, 3, BUFFER), (12, 20, super::super::OWN)]);
    }
}
