//! Round-trip times: the floor and the smoothed value.

use super::distribution::Distribution;
use crate::units::Nanos;

/// One sender's view of its path: floor and smoothed RTT (RFC 6298 section 2).
#[derive(Debug, Clone)]
pub(crate) struct RttMeter {
    /// Smallest sample; `Nanos::MAX` before the first.
    pub(crate) floor: Nanos,
    /// Zero before the first sample.
    average: Nanos,
    /// As `average`; a guess of 1 ms before the first sample.
    smoothed: Nanos,
    pub(crate) distribution: Distribution,
}

impl RttMeter {
    /// Starts from the handshake's round trip, when there was one.
    pub(crate) fn new(handshake: Option<Nanos>) -> Self {
        let start = handshake.unwrap_or(Nanos::MAX);
        let average = handshake.unwrap_or_default();
        let distribution = Distribution::default();
        Self { floor: start, average, smoothed: or_guess(average), distribution }
    }

    /// Adds one sample; whether it is the smallest so far.
    pub(crate) fn add(&mut self, rtt: Nanos) -> bool {
        let lower = rtt < self.floor;
        if lower {
            self.floor = rtt;
        }
        self.distribution.add(rtt);
        self.average = if self.average.0 == 0 {
            rtt
        } else {
            self.average + Nanos((rtt - self.average).0 / 8)
        };
        self.smoothed = or_guess(self.average);
        lower
    }

    /// Smoothed RTT; a guess of 1 ms before the first sample.
    pub(crate) fn smoothed(&self) -> Nanos {
        self.smoothed
    }

    /// The floor, or zero when nothing was measured.
    pub(crate) fn floor_or_zero(&self) -> Nanos {
        if self.floor == Nanos::MAX { Nanos::ZERO } else { self.floor }
    }
}

fn or_guess(average: Nanos) -> Nanos {
    if average.0 > 0 { average } else { Nanos::from_millis(1) }
}
