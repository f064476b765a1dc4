//! Units of an axis: ticks in round numbers of the unit that fits the largest value.

/// A unit of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    /// What one of it is, in the series' own unit.
    pub(super) size: f64,
    /// How it is written.
    pub(super) name: &'static str,
}

/// What an axis counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// Nanoseconds.
    Time,
    /// Bytes of a buffer or window: powers of two.
    Buffer,
    /// Bytes of moved data: powers of ten.
    Data,
    /// Bits a second.
    Rate,
}

impl Measure {
    /// The unit for values up to `most`.
    pub(super) fn unit(self, most: f64) -> Unit {
        let (base, names): (f64, &[&'static str]) = match self {
            Self::Time => (1000.0, &["ns", "µs", "ms", "s"]),
            Self::Buffer => (1024.0, &["B", "KiB", "MiB", "GiB"]),
            Self::Data => (1000.0, &["B", "kB", "MB", "GB", "TB"]),
            Self::Rate => (1000.0, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]),
        };
        let (mut size, mut at) = (1.0, 0);
        // Two of the larger unit at least: one would leave no round numbers between it and zero.
        while most >= 2.0 * size * base && at + 1 < names.len() {
            size *= base;
            at += 1;
        }
        Unit { size, name: names.get(at).copied().unwrap_or_default() }
    }
}

impl Unit {
    /// A tick with its unit; zero has none.
    pub(super) fn tick(&self, value: f64) -> String {
        if value.abs() < 1e-9 {
            return "0".to_owned();
        }
        let text = format!("{value:.3}");
        format!("{} {}", text.trim_end_matches('0').trim_end_matches('.'), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_leaves_round_numbers() {
        let name = |m: Measure, most| m.unit(most).name;
        assert_eq!(name(Measure::Buffer, 20.0 * 1024.0), "KiB");
        assert_eq!(name(Measure::Time, 1.5e9), "ms");
        assert_eq!(name(Measure::Time, 2.5e9), "s");
        assert_eq!(name(Measure::Rate, 0.0), "bit/s");
        let unit = Measure::Time.unit(5e9);
        assert_eq!([0.0, 0.5, 2.0].map(|t| unit.tick(t)), ["0", "0.5 s", "2 s"]);
    }
}
