//! From a pcapng interface's time units to nanoseconds.

use tcpwhy_core::units::Nanos;

/// What one unit of an interface's timestamps is worth, and where they start
/// (`if_tsresol` and `if_tsoffset`, draft-ietf-opsawg-pcapng section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Resolution {
    unit: Unit,
    /// Nanoseconds; no sum with a count of units exceeds 128 bits.
    offset: i128,
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
    /// `resolution` as in `if_tsresol`: a negative power of 10, or of 2 if the highest bit is set; `offset` in seconds. `None` where a
    /// second has more units than 64 bits count, for then no timestamp can tell a time.
    pub(crate) fn new(resolution: u8, offset: i64) -> Option<Self> {
        let exponent = resolution & 0x7f;
        let unit = match (resolution & 0x80 != 0, exponent) {
            (true, 0..=63) => Unit::Shift(exponent),
            (false, 0..=9) => Unit::Multiply(10_u64.pow(9 - u32::from(exponent))),
            (false, 10..=19) => Unit::Divide(10_u64.pow(u32::from(exponent) - 9)),
            _ => return None,
        };
        Some(Self { unit, offset: i128::from(offset) * 1_000_000_000 })
    }

    /// The time of a timestamp, and whether its date is right: further from 1970 than nanoseconds in 64 bits reach, they begin anew, so that
    /// the times between packets are right all the same.
    #[inline]
    pub(crate) fn time(self, units: u64) -> (Nanos, bool) {
        let units = i128::from(units);
        let ns = match self.unit {
            Unit::Multiply(factor) => units * i128::from(factor),
            Unit::Divide(divisor) => (units as u64 / divisor).into(),
            Unit::Shift(bits) => (units * 1_000_000_000) >> bits,
        };
        let ns = ns + self.offset;
        (Nanos(ns as i64), i64::try_from(ns).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(resolution: u8, offset: i64, units: u64) -> Option<Nanos> {
        let (time, right) = Resolution::new(resolution, offset)?.time(units);
        right.then_some(time)
    }

    #[test]
    fn decimal_units() {
        assert_eq!(time(6, 0, 1_500_000), Some(Nanos::from_millis(1_500)));
        assert_eq!(time(0, 0, 3), Some(Nanos::from_secs(3)));
        assert_eq!(time(9, 0, 7), Some(Nanos(7)));
        assert_eq!(time(12, 0, 7_999), Some(Nanos(7)));
        assert_eq!(time(19, 0, 10_u64.pow(19)), Some(Nanos::from_secs(1)));
    }

    #[test]
    fn binary_units() {
        assert_eq!(time(0x80, 0, 3), Some(Nanos::from_secs(3)));
        assert_eq!(time(0x80 | 10, 0, 1_536), Some(Nanos::from_millis(1_500)));
        assert_eq!(time(0x80 | 32, 0, 1 << 31), Some(Nanos::from_millis(500)));
        assert_eq!(time(0x80 | 63, 0, 1 << 63), Some(Nanos::from_secs(1)));
    }

    #[test]
    fn offsets_shift_whole_seconds() {
        assert_eq!(time(9, -1, 5), Some(Nanos(-999_999_995)));
        assert_eq!(time(6, 1_000, 1), Some(Nanos::from_secs(1_000) + Nanos(1_000)));
        assert_eq!(time(0, i64::MIN, (1 << 63) + 5), Some(Nanos::from_secs(5)));
    }

    #[test]
    fn far_from_1970_the_times_between_packets_stay() {
        for resolution in [20, 127, 0x80 | 64, 0xff] {
            assert_eq!(Resolution::new(resolution, 0), None);
        }
        assert_eq!(time(9, 0, i64::MAX as u64), Some(Nanos::MAX));
        assert_eq!(time(9, 0, i64::MAX as u64 + 1), None);
        assert_eq!(time(6, 0, u64::MAX), None);
        assert_eq!(time(6, i64::MIN, 0), None);
        for (resolution, offset) in [(0, i64::MAX), (0, i64::MIN), (0x80, i64::MAX), (6, 0)] {
            let far = Resolution::new(resolution, offset).unwrap();
            for units in [1, u64::MAX / 2, u64::MAX] {
                let between = far.time(units).0.0.wrapping_sub(far.time(units - 1).0.0);
                assert_eq!(between, if resolution == 6 { 1_000 } else { 1_000_000_000 });
            }
        }
    }
}
