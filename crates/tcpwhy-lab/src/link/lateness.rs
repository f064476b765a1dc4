//! How late packets left against the time that the link had planned for them.

use hdrhistogram::Histogram;
use serde::Serialize;
use tcpwhy_core::units::Nanos;

/// Every packet's lateness, to two digits: with three the counters would fill the processor's nearest cache.
#[derive(Debug)]
pub(super) struct Lateness {
    histogram: Histogram<u64>,
    /// The last packets, equally late: those of a batch that the clock was read once for.
    last: u64,
    count: u64,
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
        let histogram = Histogram::new_with_bounds(1, 3_600_000_000_000, 2)?;
        Ok(Self { histogram, last: 0, count: 0 })
    }

    /// So many packets were late by so much. One that waited outside because the link was behind counts twice: when it is read, with
    /// the longest that it may have waited, and when it is written.
    pub(super) fn record(&mut self, late: Nanos, packets: u64) {
        let ns = u64::try_from(late.0).unwrap_or(0);
        if ns != self.last {
            self.settle();
            self.last = ns;
        }
        self.count += packets;
    }

    fn settle(&mut self) {
        self.histogram.saturating_record_n(self.last, self.count);
        self.count = 0;
    }

    pub(super) fn report(mut self) -> LatenessReport {
        self.settle();
        LatenessReport {
            p50: self.histogram.value_at_quantile(0.5),
            p99: self.histogram.value_at_quantile(0.99),
            max: self.histogram.max(),
        }
    }
}
