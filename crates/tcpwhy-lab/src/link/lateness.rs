//! How late packets left against the time that the link had planned for them.

use hdrhistogram::Histogram;
use serde::Serialize;

/// Every packet's lateness, to two digits: with three the counters would fill the processor's nearest cache.
#[derive(Debug)]
pub(super) struct Lateness {
    histogram: Histogram<u64>,
}

/// Lateness of all packets in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct LatenessReport {
    /// Half of the packets were later than this.
    pub p50: u64,
    /// One in a hundred was later than this.
    pub p99: u64,
    /// The latest.
    pub max: u64,
}

impl Lateness {
    pub(super) fn new() -> Result<Self, hdrhistogram::CreationError> {
        // Up to one hour; above that the value is what counts least.
        Ok(Self { histogram: Histogram::new_with_bounds(1, 3_600_000_000_000, 2)? })
    }

    pub(super) fn record(&mut self, ns: i64) {
        self.histogram.saturating_record(u64::try_from(ns).unwrap_or(0));
    }

    pub(super) fn report(&self) -> LatenessReport {
        LatenessReport {
            p50: self.histogram.value_at_quantile(0.5),
            p99: self.histogram.value_at_quantile(0.99),
            max: self.histogram.max(),
        }
    }
}
