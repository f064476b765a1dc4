//! Whether what is lost had found a queue full: what was sent just before it has waited in that queue.
//!
//! A queue that overflows is as long before each loss, and whatever passed just before has waited for all of it. A policer, and chance,
//! take what they take whether anything waits or not.

use super::BUSY_HOST;
use super::spread::Spread;
use crate::units::Nanos;

/// Losses that show how long the queue before them is.
const FEWEST: u32 = 3;
/// Part of the queue by which it may differ from one loss to the next: a full one differs by what arrives while a loss is noticed.
const ALIKE: f64 = 4.0;

/// Round trips of what was sent just before a loss.
#[derive(Debug, Clone, Default)]
pub(crate) struct Overflow {
    /// Of what the last ACK before the first duplicate acknowledged; zero if none was measured.
    last: Nanos,
    /// Most connections lose nothing.
    before_losses: Option<Box<Spread>>,
}

impl Overflow {
    /// Something may be lost behind what took `rtt`.
    pub(crate) fn suspects(&mut self, rtt: Nanos) {
        self.last = rtt;
    }

    /// It was sent again.
    pub(crate) fn confirms(&mut self) {
        let rtt = std::mem::take(&mut self.last);
        if rtt > Nanos::ZERO {
            self.before_losses.get_or_insert_default().add(rtt.0.unsigned_abs());
        }
    }

    /// Most losses came behind a queue of one length, which shows above the `floor` of the round trip and what hosts are late by.
    pub(crate) fn was_a_full_queues(&self, floor: Nanos) -> bool {
        let Some(rtts) = self.before_losses.as_deref() else { return false };
        let queue = rtts.mean() - floor.0 as f64;
        rtts.count() >= FEWEST
            && queue >= 2.0 * BUSY_HOST.0 as f64
            && rtts.deviation() <= queue / ALIKE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Losses behind what took so many milliseconds on a path of 100.
    fn full(rtts: &[i64]) -> bool {
        let mut overflow = Overflow::default();
        for &ms in rtts {
            overflow.suspects(Nanos::from_millis(ms));
            overflow.confirms();
        }
        overflow.was_a_full_queues(Nanos::from_millis(100))
    }

    #[test]
    fn a_full_queue_is_as_long_before_each_loss() {
        assert!(full(&[118, 121, 122, 119]));
        assert!(!full(&[118, 121]), "two may be chance");
        assert!(!full(&[101, 101, 102, 101]), "nothing waited");
        assert!(!full(&[101, 140, 101, 112]), "now and then something waited");
    }

    #[test]
    fn what_was_not_measured_or_not_lost_says_nothing() {
        let mut overflow = Overflow::default();
        for _ in 0..8 {
            overflow.suspects(Nanos::from_millis(120));
            overflow.suspects(Nanos::ZERO);
            overflow.confirms();
        }
        assert!(overflow.before_losses.is_none());
    }
}
