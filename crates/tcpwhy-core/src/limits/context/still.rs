//! What stays as it is though a congestion control would have moved it, and since when: losses, and the rounds between them.

use super::Context;
use super::run::AROUND;
use crate::flow::stretch::Stretch;
use crate::limits::around::Around;
use crate::units::Nanos;

/// CUBIC stands still around its last maximum for at most about twice its period K, a few seconds
/// (RFC 9438 section 4.2); then it grows again.
const LONGER_THAN_CUBIC: Nanos = Nanos::from_secs(10);
/// BBR keeps to a constant rate for 48 rounds where it takes losses for a policer's (`bbr_lt_bw_max_rtts`), and then probes again for as
/// long as nothing is lost: twice that.
const POLICED_ROUNDS: i64 = 96;
/// Rounds in which any congestion control would have tried for more.
pub(crate) const CALM_ROUNDS: u32 = 8;
/// Linux's cubic looks at its window 32 times a second at most (`bictcp_update`): two looks.
pub(crate) const LONG_ENOUGH: Nanos = Nanos::from_millis(62);

impl Context<'_> {
    /// Nothing was lost before stretch `i`, or so long ago that the window would have grown back.
    pub(crate) fn settled(&self, i: usize) -> bool {
        !self.lost_before(i) || self.outlasts_cubic(i)
    }

    /// No loss for so long around stretch `i` that any congestion control would have tried for more, and the flight is no higher at the
    /// end than in the beginning.
    fn outlasts_cubic(&self, i: usize) -> bool {
        let part = &self.stretches[self.between_losses(i)];
        let (Some(first), Some(last)) = (part.first(), part.last()) else { return false };
        let (early, late) = part.split_at(part.len() / 2);
        let highest = |half: &[Stretch]| half.iter().map(|s| s.flight).max().unwrap_or(0);
        // Linux's cubic never falls behind Reno (`tcp_friendliness`, RFC 9438 section 4.3): half a segment a round makes good
        // the three tenths that a loss took within 0.6 rounds a segment.
        let segments = (highest(late) / self.mss) as i64;
        let friendly =
            (self.floor.scale(segments * 6 + 80, 10) + LONG_ENOUGH).min(LONGER_THAN_CUBIC);
        let long = friendly.max(self.floor.scale(POLICED_ROUNDS, 1));
        last.to - first.from >= long && highest(late) <= highest(early) + self.mss
    }

    /// Nothing changes for many rounds, neither flight nor RTT, and nothing is lost. No congestion control leaves it at that: Reno and
    /// CUBIC add to cwnd every round (RFC 5681 section 3.1, RFC 9438 section 4.3), BBR sends a quarter more in one round of eight
    /// (draft-ietf-ccwg-bbr section 4.3.3), and either the flight or a queue grows.
    pub(crate) fn calm(&self, i: usize) -> bool {
        self.is_calm(i, &self.around(i))
    }

    /// As `calm`, of some rounds, with stretch `i` among them.
    pub(crate) fn is_calm(&self, i: usize, rounds: &Around) -> bool {
        rounds.rounds >= CALM_ROUNDS
            && rounds.time >= LONG_ENOUGH
            && self.settled(i)
            && rounds.resent == 0
            && self.stands(rounds)
            && self.flat(rounds)
    }

    /// The flight neither grows nor varies by more than a quarter, but for one odd round.
    pub(crate) fn stands(&self, around: &Around) -> bool {
        !around.grows(self.mss) && around.flight_next <= around.flight() / 4 * 5
    }

    /// The stretches around `i` without a retransmission.
    pub(crate) fn between_losses(&self, i: usize) -> std::ops::Range<usize> {
        let lost = |k: &usize| self.stretches[*k].resent > 0;
        let from = (0..i).rev().find(lost).map_or(0, |k| k + 1);
        let to = (i..self.stretches.len()).find(lost).unwrap_or(self.stretches.len());
        from..to.max(from)
    }

    /// Something was resent in the rounds just before stretch `i`.
    pub(crate) fn lost_lately(&self, i: usize) -> bool {
        self.stretches[i.saturating_sub(AROUND)..i].iter().any(|s| s.resent > 0)
    }

    /// Something was resent before stretch `i`.
    pub(crate) fn lost_before(&self, i: usize) -> bool {
        self.first_loss.is_some_and(|first| first < i)
    }
}
