//! Answers after a quiet time.

use crate::units::Nanos;

/// How much shorter than the quiet before it an answer is, to be one.
const ANSWER: i64 = 8;
/// Answers that make a leg.
const WITNESSES: u32 = 4;
/// Longer than full segments of one burst are apart, but on links of less than 2.4 Mbit/s; longer, too, than a host takes to answer.
const APART: Nanos = Nanos::from_millis(5);

/// Pairs of packets, for connections without timestamps: when both ends were quiet, one speaks and
/// the other follows soon, again and again, then the second answers the first. Ends that speak of
/// their own will follow soon only now and then.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QuietPairs {
    /// After a quiet that parts bursts. Within a burst, what comes between two packets of the other end follows the one and comes before
    /// the other by chance, and that is the same for all of the burst.
    apart: Pairs,
    within: Pairs,
}

impl QuietPairs {
    /// The leg, once most pairs look like answers; those between bursts where there are some.
    pub(super) fn add(&mut self, answer: Nanos, quiet: Nanos) -> Option<Nanos> {
        if quiet >= APART {
            self.apart.add(answer, quiet);
        } else {
            self.within.add(answer, quiet);
        }
        if self.apart.all >= WITNESSES { self.apart.leg() } else { self.within.leg() }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Pairs {
    all: u32,
    answers: u32,
    least: Nanos,
}

impl Pairs {
    fn add(&mut self, answer: Nanos, quiet: Nanos) {
        self.all = self.all.saturating_add(1);
        if answer.0 <= quiet.0 / ANSWER {
            self.least = if self.answers == 0 { answer } else { self.least.min(answer) };
            self.answers += 1;
        }
    }

    fn leg(&self) -> Option<Nanos> {
        let mostly = self.answers >= WITNESSES && self.answers >= self.all / 2;
        mostly.then_some(self.least)
    }
}
