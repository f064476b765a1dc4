//! What really held the sender, as the simulator knows it.

use crate::model::{Cause, Limit};
use crate::units::Nanos;

/// One stretch of the truth, on the data sender's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TruthInterval {
    /// Start, inclusive.
    pub from: Nanos,
    /// End, exclusive; the next interval's start.
    pub to: Nanos,
    /// What held the sender.
    pub limit: Limit,
    /// Why.
    pub cause: Cause,
}

/// The timeline being written.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    intervals: Vec<TruthInterval>,
}

impl Timeline {
    pub(super) fn new(start: Nanos, limit: Limit, cause: Cause) -> Self {
        Self { intervals: vec![TruthInterval { from: start, to: start, limit, cause }] }
    }

    /// From `at` on, `limit` holds. An `at` in the past rewrites what was said since.
    pub(super) fn set(&mut self, at: Nanos, limit: Limit, cause: Cause) {
        while self.intervals.len() > 1 && self.intervals.last().is_some_and(|i| i.from >= at) {
            self.intervals.pop();
        }
        let Some(last) = self.intervals.last_mut() else { return };
        if (last.limit, last.cause) == (limit, cause) {
            return;
        }
        last.to = at.max(last.from);
        let from = last.to;
        if last.from == last.to {
            (last.limit, last.cause) = (limit, cause);
        } else {
            self.intervals.push(TruthInterval { from, to: from, limit, cause });
        }
    }

    /// Ends the timeline and overlays the times when the bottleneck was busy for longer than a round trip:
    /// whatever the sender's own bound was then, lifting it would have brought nothing.
    pub(super) fn finish(
        mut self,
        end: Nanos,
        busy: &[(Nanos, Nanos)],
        cause: Cause,
    ) -> Vec<TruthInterval> {
        if let Some(last) = self.intervals.last_mut() {
            last.to = end.max(last.from);
        }
        let mut out = Vec::with_capacity(self.intervals.len());
        let mut periods = busy.iter().copied().peekable();
        for interval in self.intervals {
            let mut at = interval.from;
            let covered = !matches!(
                interval.limit,
                Limit::Application | Limit::Handshake | Limit::LossRecovery | Limit::SilentPath
            );
            while at < interval.to {
                while periods.peek().is_some_and(|p| p.1 <= at) {
                    periods.next();
                }
                let (from, to) = periods.peek().copied().unwrap_or((Nanos::MAX, Nanos::MAX));
                let inside = from <= at;
                let until = interval.to.min(if inside { to } else { from });
                let (limit, cause) = if inside && covered {
                    (Limit::PathBandwidth, cause)
                } else {
                    (interval.limit, interval.cause)
                };
                append(&mut out, TruthInterval { from: at, to: until, limit, cause });
                at = until;
            }
        }
        out
    }
}

/// Adds `next`, merged with the last one where they say the same.
fn append(out: &mut Vec<TruthInterval>, next: TruthInterval) {
    match out.last_mut() {
        Some(last) if (last.limit, last.cause) == (next.limit, next.cause) => last.to = next.to,
        _ => out.push(next),
    }
}
