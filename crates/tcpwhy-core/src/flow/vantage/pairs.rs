//! Answers after a quiet time.

use crate::units::Nanos;

/// How much shorter than the quiet before it an answer is, to be one.
const ANSWER: i64 = 8;
/// Answers that make a leg.
const WITNESSES: u32 = 4;

/// Pairs of packets, for connections without timestamps: when both ends were quiet, one speaks and
/// the other follows soon, again and again, then the second answers the first. Ends that speak of
/// their own will follow soon only now and then.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QuietPairs {
    all: u32,
    answers: u32,
    least: Nanos,
}

impl QuietPairs {
    /// The leg, once most pairs look like answers.
    pub(super) fn add(&mut self, answer: Nanos, quiet: Nanos) -> Option<Nanos> {
        self.all = self.all.saturating_add(1);
        if answer.0 <= quiet.0 / ANSWER {
            self.least = if self.answers == 0 { answer } else { self.least.min(answer) };
            self.answers += 1;
        }
        let mostly = self.answers >= WITNESSES && self.answers >= self.all / 2;
        mostly.then_some(self.least)
    }
}
