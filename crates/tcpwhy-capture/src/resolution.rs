//! From a pcapng interface's time units to nanoseconds.

use tcpwhy_core::units::Nanos;

/// What one unit of an interface's timestamps is worth, and where they start
/// (`if_tsresol` and `if_tsoffset`, draft-ietf-opsawg-pcapng section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Resolution {
    unit: Unit,
    offset: Nanos,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// A unit is this many nanoseconds.
    Multiply(u64),
    /// This many units are a nanosecond.
    Divide(u64),
    /// Two to this many units are a second.
    Shift(u8),
}

impl Resolution {
    /// `resolution` as in `if_tsresol`: a negative power of 10, or of 2 if the highest bit is set;
    /// `offset` in seconds.
    pub(crate) fn new(resolution: u8, offset: i64) -> Self {
        let exponent = resolution & 0x7f;
        let unit = if resolution & 0x80 != 0 {
            Unit::Shift(exponent)
        } else if exponent <= 9 {
            Unit::Multiply(10_u64.pow(9 - u32::from(exponent)))
        } else {
            // Finer than 10^-28 s, no 64-bit count of units amounts to a nanosecond.
            Unit::Divide(10_u64.checked_pow(u32::from(exponent) - 9).unwrap_or(u64::MAX))
        };
        Self { unit, offset: Nanos::from_secs(offset) }
    }

    /// The time of a timestamp; saturates instead of overflowing.
    #[inline]
    pub(crate) fn time(self, units: u64) -> Nanos {
        let ns = match self.unit {
            Unit::Multiply(factor) => units.saturating_mul(factor),
            Unit::Divide(divisor) => units / divisor,
            Unit::Shift(bits) => {
                let ns = (u128::from(units) * 1_000_000_000) >> bits;
                u64::try_from(ns).unwrap_or(u64::MAX)
            }
        };
        Nanos(i64::try_from(ns).unwrap_or(i64::MAX)) + self.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_units() {
        assert_eq!(Resolution::new(6, 0).time(1_500_000), Nanos::from_millis(1_500));
        assert_eq!(Resolution::new(0, 0).time(3), Nanos::from_secs(3));
        assert_eq!(Resolution::new(9, 0).time(7), Nanos(7));
        assert_eq!(Resolution::new(12, 0).time(7_999), Nanos(7));
    }

    #[test]
    fn binary_units() {
        assert_eq!(Resolution::new(0x80, 0).time(3), Nanos::from_secs(3));
        assert_eq!(Resolution::new(0x80 | 10, 0).time(1_536), Nanos::from_millis(1_500));
        assert_eq!(Resolution::new(0x80 | 32, 0).time(1 << 31), Nanos::from_millis(500));
    }

    #[test]
    fn offsets_shift_whole_seconds() {
        assert_eq!(Resolution::new(9, -1).time(5), Nanos(-999_999_995));
        assert_eq!(Resolution::new(6, 1_000).time(1), Nanos::from_secs(1_000) + Nanos(1_000));
    }

    #[test]
    fn no_value_of_resolution_or_offset_overflows() {
        for resolution in 0..=u8::MAX {
            for offset in [i64::MIN, -1, 0, 1, i64::MAX] {
                for units in [0, 1, u64::MAX / 2, u64::MAX] {
                    Resolution::new(resolution, offset).time(units);
                }
            }
        }
        assert_eq!(Resolution::new(127, 0).time(u64::MAX), Nanos(1));
        assert_eq!(Resolution::new(0, i64::MAX).time(u64::MAX), Nanos::MAX);
    }
}
