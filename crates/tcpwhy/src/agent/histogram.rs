//! A histogram with bounds that are known when it is compiled.

/// Counts by upper bound, as Prometheus and OTLP have them.
#[derive(Debug, Clone)]
pub(super) struct Histogram {
    bounds: &'static [f64],
    /// One for each bound, and one for what is above the last.
    counts: Vec<u64>,
    sum: f64,
}

impl Histogram {
    /// `bounds` rise; a value that equals one belongs to it.
    pub(super) fn new(bounds: &'static [f64]) -> Self {
        Self { bounds, counts: vec![0; bounds.len() + 1], sum: 0.0 }
    }

    /// Adds one value.
    pub(super) fn add(&mut self, value: f64) {
        let place = self.bounds.partition_point(|bound| *bound < value);
        if let Some(count) = self.counts.get_mut(place) {
            *count += 1;
            self.sum += value;
        }
    }

    /// Upper bounds; the last count has none.
    pub(super) fn bounds(&self) -> &'static [f64] {
        self.bounds
    }

    /// Values of each bound alone, not added up.
    pub(super) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// All values together.
    pub(super) fn sum(&self) -> f64 {
        self.sum
    }

    /// How many values.
    pub(super) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_belongs_to_the_least_bound_that_is_not_below_it() {
        let mut histogram = Histogram::new(&[0.1, 0.5, 1.0]);
        for value in [0.0, 0.1, 0.3, 0.5, 1.0, 7.0] {
            histogram.add(value);
        }
        assert_eq!(histogram.counts(), [2, 2, 1, 1]);
        assert_eq!(histogram.count(), 6);
        assert!((histogram.sum() - 8.9).abs() < 1e-9);
    }
}
