//! The sender's round-trip estimate and retransmission timeout (RFC 6298 with Linux's bounds).

use crate::kernel::RTO_MIN;
use crate::units::Nanos;

/// Linux `TCP_RTO_MAX`.
const RTO_MAX: Nanos = Nanos::from_secs(120);

#[derive(Debug, Clone)]
pub(super) struct Rtt {
    pub(super) smoothed: Nanos,
    variation: Nanos,
    pub(super) min: Nanos,
}

impl Rtt {
    pub(super) fn new(handshake: Nanos) -> Self {
        Self { smoothed: handshake, variation: handshake.scale(1, 2), min: handshake }
    }

    pub(super) fn sample(&mut self, rtt: Nanos) {
        let error = Nanos((rtt - self.smoothed).0.abs());
        self.variation = self.variation.scale(3, 4) + error.scale(1, 4);
        self.smoothed = self.smoothed.scale(7, 8) + rtt.scale(1, 8);
        self.min = self.min.min(rtt);
    }

    /// The timeout after `backoff` doublings.
    pub(super) fn timeout(&self, backoff: u32) -> Nanos {
        let base = self.smoothed + self.variation.scale(4, 1).max(RTO_MIN);
        base.scale(1 << backoff.min(20), 1).min(RTO_MAX)
    }
}
