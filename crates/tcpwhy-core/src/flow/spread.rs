//! How far some numbers lie apart.

/// Their mean and variance, from sums that can be joined: of bytes, or of nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spread {
    count: u32,
    sum: f64,
    squares: f64,
}

impl Spread {
    pub(crate) fn add(&mut self, number: u64) {
        let number = number as f64;
        self.count = self.count.saturating_add(1);
        self.sum += number;
        self.squares += number * number;
    }

    pub(crate) fn join(&mut self, other: &Self) {
        // Most stretches have none of most kinds.
        if other.count == 0 {
            return;
        }
        self.count = self.count.saturating_add(other.count);
        self.sum += other.sum;
        self.squares += other.squares;
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn sum(&self) -> f64 {
        self.sum
    }

    /// Zero of no numbers.
    pub(crate) fn mean(&self) -> f64 {
        self.sum / f64::from(self.count.max(1))
    }

    /// Standard deviation.
    pub(crate) fn deviation(&self) -> f64 {
        let mean = self.mean();
        (self.squares / f64::from(self.count.max(1)) - mean * mean).max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_are_joined_tell_the_same() {
        let numbers = [2, 4, 4, 4, 5, 5, 7, 9];
        let mut parts = [Spread::default(); 2];
        for (i, number) in numbers.into_iter().enumerate() {
            parts[i % 2].add(number);
        }
        let [mut all, other] = parts;
        all.join(&other);
        assert_eq!((all.count(), all.mean(), all.deviation()), (8, 5.0, 2.0));
        assert_eq!((Spread::default().mean(), Spread::default().deviation()), (0.0, 0.0));
    }
}
