//! Whether "80 % sure" is right 80 % of the time.

use serde::{Deserialize, Serialize};

/// Bins of ten percent; 100 is in the last one.
const BINS: usize = 10;

/// Time by stated confidence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Calibration {
    bins: [Bin; BINS],
}

/// Answers of about the same confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bin {
    /// Nanoseconds.
    pub time: u64,
    /// Nanoseconds in which the limit was right.
    pub right: u64,
    /// Confidence in percent times nanoseconds: the mean is this over `time`.
    pub stated: u128,
}

impl Bin {
    /// Mean stated confidence, 0 to 1.
    pub fn confidence(&self) -> f64 {
        self.stated as f64 / 100.0 / self.time.max(1) as f64
    }

    /// Share of the time that was right, 0 to 1.
    pub fn accuracy(&self) -> f64 {
        self.right as f64 / self.time.max(1) as f64
    }
}

impl Calibration {
    /// Adds time that was judged with `confidence` percent.
    pub fn add(&mut self, confidence: u8, right: bool, time: u64) {
        let place = (usize::from(confidence) * BINS / 100).min(BINS - 1);
        if let Some(bin) = self.bins.get_mut(place) {
            bin.time += time;
            bin.right += if right { time } else { 0 };
            bin.stated += u128::from(confidence) * u128::from(time);
        }
    }

    /// Adds another run's.
    pub fn add_all(&mut self, other: &Self) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.time += more.time;
            bin.right += more.right;
            bin.stated += more.stated;
        }
    }

    /// The bins, from the least to the most confident.
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// Expected calibration error: the mean distance between stated confidence and accuracy, weighed by time;
    /// `None` without any time.
    pub fn error(&self) -> Option<f64> {
        let all: u64 = self.bins.iter().map(|b| b.time).sum();
        let off = |b: &Bin| (b.confidence() - b.accuracy()).abs() * b.time as f64;
        (all > 0).then(|| self.bins.iter().map(off).sum::<f64>() / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighty_percent_sure_and_right_eight_times_of_ten() {
        let mut c = Calibration::default();
        c.add(80, true, 8);
        c.add(80, false, 2);
        assert!(c.error().is_some_and(|e| e < 1e-12));
        c.add(100, false, 10);
        assert!(c.error().is_some_and(|e| (e - 0.5).abs() < 1e-12));
    }
}
