//! Round-trip time and retransmission timeout (`tcp_rtt_estimator`, `tcp_set_rto`; RFC 6298 with Linux's floor of the variance).

use crate::kernel::RTO_MIN;
use crate::units::Nanos;

/// `TCP_RTO_MAX`; `TCP_RTO_MIN` bounds the variance from below.
const RTO_MAX: Nanos = Nanos::from_secs(120);

#[derive(Debug)]
pub(super) struct Rtt {
    pub(super) smoothed: Nanos,
    deviation: Nanos,
    /// Largest deviation of this round, and the variance that follows it.
    worst: Nanos,
    variance: Nanos,
    round_end: u64,
}

impl Rtt {
    /// After the handshake's sample.
    pub(super) fn new(first: Nanos) -> Self {
        let variance = first.scale(2, 1).max(RTO_MIN);
        Self {
            smoothed: first,
            deviation: first.scale(1, 2),
            worst: variance,
            variance,
            round_end: 0,
        }
    }

    /// A sample. A falling round trip widens the deviation by an eighth of what another would.
    pub(super) fn add(&mut self, rtt: Nanos, una: u64, nxt: u64) {
        let error = rtt - self.smoothed;
        self.smoothed += error.scale(1, 8);
        let off = Nanos(error.0.abs()) - self.deviation;
        let falls = error.0 < 0 && off.0 > 0;
        self.deviation += off.scale(1, if falls { 32 } else { 4 });
        // Kept as four deviations, as the kernel's mdev is.
        let four = self.deviation.scale(4, 1);
        self.worst = self.worst.max(four);
        self.variance = self.variance.max(self.worst);
        if una > self.round_end {
            if self.worst < self.variance {
                self.variance = self.variance - (self.variance - self.worst).scale(1, 4);
            }
            self.round_end = nxt;
            self.worst = RTO_MIN;
        }
    }

    /// Timeout after `backoff` doublings.
    pub(super) fn timeout(&self, backoff: u32) -> Nanos {
        let once = (self.smoothed + self.variance).min(RTO_MAX);
        once.scale(1 << backoff.min(10), 1).min(RTO_MAX)
    }
}
