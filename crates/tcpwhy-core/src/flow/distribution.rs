//! How spans of time are distributed: round trips, paces, means of rounds.

use crate::model::RttSummary;
use crate::units::{Nanos, lower};

/// Bits below the highest that choose the bucket.
const BITS: u32 = 5;
/// Buckets per doubling: a percentile is exact to about 2 %.
const STEPS: u32 = 1 << BITS;
/// From 1 us (bucket 0) through 40 doublings.
const BUCKETS: usize = 40 * STEPS as usize;

/// Buckets kept ready below the first sample; there are more above, where queues lead.
const BESIDE: usize = 8;
/// Room made with the first: four doublings.
const ROOM: usize = 4 * STEPS as usize;

/// Spans of time, in logarithmic buckets. Made with the first sample: most connections of a scan never have one.
#[derive(Debug, Clone)]
pub(crate) struct Distribution {
    /// From the smallest bucket that has a sample: those of one connection lie close together.
    counts: Vec<u32>,
    first: usize,
    total: u64,
    /// `Nanos::MAX` before the first sample.
    min: Nanos,
}

impl Default for Distribution {
    fn default() -> Self {
        Self { counts: Vec::new(), first: 0, total: 0, min: Nanos::MAX }
    }
}

impl Distribution {
    /// Adds one sample.
    pub(crate) fn add(&mut self, sample: Nanos) {
        self.count(bucket_of(sample), 1);
        self.total += 1;
        lower(&mut self.min, sample);
    }

    #[inline]
    fn count(&mut self, bucket: usize, samples: u32) {
        match self.counts.get_mut(bucket.wrapping_sub(self.first)) {
            Some(count) => *count = count.saturating_add(samples),
            None => self.count_beyond(bucket, samples),
        }
    }

    /// Makes room for the bucket first.
    #[cold]
    fn count_beyond(&mut self, bucket: usize, samples: u32) {
        if self.counts.is_empty() {
            self.first = bucket.saturating_sub(BESIDE);
            self.counts.reserve(ROOM);
            self.counts.resize(4 * BESIDE, 0);
        }
        if bucket < self.first {
            let more = self.first - bucket;
            self.counts.splice(..0, std::iter::repeat_n(0, more));
            self.first = bucket;
        }
        let at = bucket - self.first;
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] = self.counts[at].saturating_add(samples);
    }

    /// Adds one sample that counts as `weight`.
    pub(crate) fn add_weighted(&mut self, sample: Nanos, weight: u32) {
        self.count(bucket_of(sample), weight);
        lower(&mut self.min, sample);
        self.total += u64::from(weight);
    }

    /// Whether there are no samples.
    pub(crate) fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Half of the samples are below it; zero without samples.
    pub(crate) fn median(&self) -> Nanos {
        self.quantile(50)
    }

    /// Takes in the samples of the other direction.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (i, &samples) in other.counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            self.count(other.first + i, samples);
        }
        self.total += other.total;
        self.min = self.min.min(other.min);
    }

    /// Minimum, median and 95th percentile; zeros without samples.
    pub(crate) fn summary(&self) -> RttSummary {
        let min = if self.total > 0 { self.min } else { Nanos::ZERO };
        let (median, p95) = (self.median().max(min), self.quantile(95).max(min));
        RttSummary { min, median, p95, hides_queues: false }
    }

    /// So many percent of the samples are below it; zero without samples.
    pub(crate) fn quantile(&self, percent: u64) -> Nanos {
        let wanted = (self.total * percent).div_ceil(100).max(1);
        let mut seen = 0;
        for (bucket, &n) in self.counts.iter().enumerate() {
            seen += u64::from(n);
            if seen >= wanted {
                return middle_of(self.first + bucket);
            }
        }
        Nanos::ZERO
    }
}

/// Logarithmic bucket by integer arithmetic: the position of the top bit, then the next bits.
fn bucket_of(sample: Nanos) -> usize {
    let micros = (sample.0.max(0) / 1_000) as u64;
    if micros == 0 {
        return 0;
    }
    let top = micros.ilog2();
    // The next bits, for less than 2^54 us leave room for them above.
    let step = ((micros << BITS) >> top) & u64::from(STEPS - 1);
    ((top * STEPS) as usize + step as usize).min(BUCKETS - 1)
}

fn middle_of(bucket: usize) -> Nanos {
    let (top, step) = (bucket as u32 / STEPS, bucket as u64 % u64::from(STEPS));
    let halves = 2 * u64::from(STEPS);
    let micros_in_halves = (1u64 << top) * (halves + 2 * step + 1);
    Nanos((u128::from(micros_in_halves) * 1_000 / u128::from(halves)) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_bucket() {
        let mut d = Distribution::default();
        for ms in 1..=100 {
            d.add(Nanos::from_millis(ms));
        }
        let s = d.summary();
        assert_eq!(s.min, Nanos::from_millis(1));
        assert!((s.median.millis() - 50.0).abs() < 1.6, "{}", s.median.millis());
        assert!((s.p95.millis() - 95.0).abs() < 3.0, "{}", s.p95.millis());
    }

    #[test]
    fn absurd_samples_stay_in_the_table() {
        let mut d = Distribution::default();
        d.add(Nanos::MAX);
        d.add(Nanos(-5));
        assert!(d.summary().p95 > Nanos::from_secs(1000));
    }
}
