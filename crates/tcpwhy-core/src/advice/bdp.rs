//! Bandwidth-delay product: the bytes that must be in flight to keep a path full.

use super::figures::Figures;
use crate::units::{Nanos, bytes_at};

/// Rates in bit/s, one of which stands in for the path's where the capture cannot show it.
const COMMON_BPS: [u64; 3] = [100_000_000, 1_000_000_000, 10_000_000_000];
/// Largest buffer advised, in bytes: Linux keeps these sysctls in a signed 32-bit integer.
const LARGEST_BUFFER: u64 = 1 << 30;
/// Linux's default maximum of `tcp_wmem`, in bytes (net/ipv4/tcp.c, `tcp_init`).
const WMEM_MAX: u64 = 4 << 20;
/// Linux's default maximum of `tcp_rmem`, in bytes (net/ipv4/tcp.c, `tcp_init`).
const RMEM_MAX: u64 = 6 << 20;

/// A bandwidth-delay product with the numbers that it was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bdp {
    /// Path rate in bit/s.
    pub rate: u64,
    /// Round trip.
    pub rtt: Nanos,
    /// Their product, in bytes.
    pub bytes: u64,
    /// The capture shows the rate; else it is an example to put one's own link rate into.
    pub measured: bool,
    /// Bytes that were in flight at most.
    pub in_flight: u64,
    /// The capture shows that at times as much is in flight as the path holds without queues.
    pub is_reached: bool,
}

impl Bdp {
    /// From the path's rate, or one that stands in for it, and the RTT floor; `None` without an RTT. Where as much as that is in
    /// flight and something else than the path holds the sender, its ACKs take longer (they wait in a queue of their own, or are delayed): the mean
    /// counts.
    pub(crate) fn of(figures: &Figures) -> Option<Self> {
        let floor = figures.rtt_floor;
        if floor <= Nanos::ZERO {
            return None;
        }
        let measured = figures.path_bps > 0;
        let rate = if measured { figures.path_bps } else { assumed(figures.peak_bps) };
        let in_flight = figures.flight;
        let is_reached = measured && in_flight >= bytes_at(rate, floor);
        let rtt = if is_reached { floor.max(figures.rtt_mean) } else { floor };
        Some(Self { rate, rtt, bytes: bytes_at(rate, rtt), measured, in_flight, is_reached })
    }

    /// SO_SNDBUF that covers the product, in bytes, and what was in flight with a smaller one (large writes overshoot it). Linux doubles it for
    /// its own bookkeeping.
    pub(crate) fn sndbuf(&self) -> u64 {
        self.bytes.max(self.in_flight).min(LARGEST_BUFFER).next_power_of_two()
    }

    /// SO_RCVBUF whose window covers the product, in bytes.
    pub(crate) fn rcvbuf(&self) -> u64 {
        self.twice_or_more()
    }

    /// Maximum of `tcp_wmem` that lets autotuning cover the product twice: Linux counts the
    /// bookkeeping of each packet against the buffer, too. Never below Linux's default.
    pub(crate) fn wmem_max(&self) -> u64 {
        self.twice_or_more().max(WMEM_MAX)
    }

    /// The same for `tcp_rmem`, of which Linux advertises about a half as window.
    pub(crate) fn rmem_max(&self) -> u64 {
        self.twice_or_more().max(RMEM_MAX)
    }

    fn twice_or_more(&self) -> u64 {
        self.bytes.saturating_mul(2).min(LARGEST_BUFFER).next_power_of_two()
    }
}

/// A link's rate well above the peak that something else than the link set.
fn assumed(peak_bps: u64) -> u64 {
    let above = peak_bps.saturating_mul(4);
    COMMON_BPS.into_iter().find(|rate| *rate >= above).unwrap_or(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advised_maxima_never_fall_below_the_defaults_nor_overflow() {
        let bdp = |bytes| Bdp {
            rate: 0,
            rtt: Nanos(1),
            bytes,
            measured: true,
            in_flight: 0,
            is_reached: false,
        };
        assert_eq!(bdp(250_000).wmem_max(), 4 << 20);
        assert_eq!(bdp(250_000).rmem_max(), 6 << 20);
        assert_eq!(bdp(50_000_000).rmem_max(), 128 << 20);
        assert_eq!((bdp(250_000).sndbuf(), bdp(250_000).rcvbuf()), (262_144, 524_288));
        assert_eq!(bdp(u64::MAX).wmem_max(), 1 << 30);
    }
}
