//! Intervals and facts for tests.

use super::{Cause, Evidence, Facts, Interval, Limit, Source, WindowScale};
use crate::units::Nanos;

/// A sender with 16 KiB in flight over 20 ms, and a window with room.
pub(crate) fn facts() -> Facts {
    Facts {
        mss: 1448,
        rtt_floor: Nanos::from_millis(20),
        peak_bps: 6_400_000,
        path_bps: 0,
        max_flight: 16_384,
        first_flight: 0,
        resent: false,
        max_window: 4 << 20,
        min_window: 4 << 20,
        scale: WindowScale::Known(7),
        tail: Nanos::ZERO,
    }
}

/// So much of its time was held by `limit`, and so many bytes were acknowledged meanwhile.
pub(crate) fn interval(limit: Limit, (from, to): (Nanos, Nanos), acked: u64) -> Interval {
    Interval {
        from,
        to,
        limit,
        cause: Cause::None,
        confidence: 90,
        source: Source::Packets,
        first_frame: 1,
        last_frame: 2,
        evidence: Evidence { acked, flight: 16_384, ..Evidence::default() },
    }
}
