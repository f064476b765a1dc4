//! The narrowest link: a rate behind a drop-tail queue, half the round trip each way.

use super::Transfer;
use crate::units::Nanos;

/// Ethernet, IPv4 and TCP headers with timestamps.
const HEADERS: u64 = 66;

#[derive(Debug)]
pub(super) struct Path {
    rate_bps: u64,
    queue: u64,
    forward: Nanos,
    pub(super) backward: Nanos,
    /// A loss when the generator's next 53 bits, as a share, lie below.
    loss: f64,
    state: u64,
    pub(super) free_at: Nanos,
}

impl Path {
    pub(super) fn new(t: &Transfer) -> Self {
        let forward = t.rtt.scale(1, 2);
        Self {
            rate_bps: t.rate_bps,
            queue: t.queue,
            forward,
            backward: t.rtt - forward,
            loss: t.loss,
            state: t.seed,
            free_at: Nanos::ZERO,
        }
    }

    /// When a data packet arrives, and whether it is lost on the way.
    pub(super) fn send(&mut self, now: Nanos, len: u64) -> (Nanos, bool) {
        let size = len + HEADERS;
        let begin = self.free_at.max(now);
        let full = self.waiting(now) + size > self.queue.max(size);
        if full {
            return (begin + self.forward, true);
        }
        self.free_at = begin + span(size, self.rate_bps);
        (self.free_at + self.forward, self.loss > 0.0 && self.random() < self.loss)
    }

    fn waiting(&self, now: Nanos) -> u64 {
        let span = (self.free_at - now).0.max(0) as u128;
        (span * u128::from(self.rate_bps) / 8_000_000_000) as u64
    }

    /// splitmix64 as a share of 1.
    fn random(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Time that `bytes` take at a rate; none where it has no limit (0).
pub(super) fn span(bytes: u64, rate_bps: u64) -> Nanos {
    if rate_bps == 0 {
        return Nanos::ZERO;
    }
    let ns = u128::from(bytes) * 8_000_000_000 / u128::from(rate_bps);
    Nanos(i64::try_from(ns).unwrap_or(i64::MAX))
}
