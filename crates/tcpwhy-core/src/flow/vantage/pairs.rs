//! Answers after a quiet time.

use crate::flow::NEAR;
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
    all: Pairs,
    /// After a quiet that parts bursts. Within a burst, what comes between two packets of the other end follows the one and comes before
    /// the other by chance, and that is the same for all of the burst.
    apart: Pairs,
}

impl QuietPairs {
    pub(super) fn add(&mut self, answer: Nanos, quiet: Nanos) {
        self.all.add(answer, answer.0 <= quiet.0 / ANSWER);
        if quiet >= APART {
            self.apart.add(answer, answer < NEAR);
        }
    }

    /// The leg, once most pairs look like answers.
    pub(super) fn leg(&self) -> Option<Nanos> {
        self.all.leg()
    }

    /// The leg by the pairs between bursts, which are enough where nothing else tells it if they come as soon as an end's that is near. (Of two
    /// bursts on their way, the ACKs of one may pass just before the other, round after round, but seldom so closely.)
    pub(super) fn leg_between_bursts(&self) -> Option<Nanos> {
        self.apart.leg()
    }

    /// Answers between bursts.
    pub(super) fn answers_between_bursts(&self) -> u32 {
        self.apart.answers
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Pairs {
    all: u32,
    answers: u32,
    least: Nanos,
}

impl Pairs {
    fn add(&mut self, time: Nanos, is_answer: bool) {
        self.all = self.all.saturating_add(1);
        if is_answer {
            self.least = if self.answers == 0 { time } else { self.least.min(time) };
            self.answers += 1;
        }
    }

    fn leg(&self) -> Option<Nanos> {
        let mostly = self.answers >= WITNESSES && self.answers >= self.all / 2;
        mostly.then_some(self.least)
    }
}
