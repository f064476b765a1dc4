//! Quantities that cannot be mixed up or overflow: time in nanoseconds and 32-bit sequence numbers.

use std::ops::{Add, AddAssign, Sub};

/// A point in time (since the Unix epoch) or a span of time, in nanoseconds.
///
/// Signed, because a capture's time offset may put packets before 1970, and saturating, because a
/// hostile capture may put them anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(pub i64);

impl Nanos {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The end of time: a minimum not yet measured.
    pub const MAX: Self = Self(i64::MAX);

    /// `n` microseconds.
    pub const fn from_micros(n: i64) -> Self {
        Self(n.saturating_mul(1_000))
    }

    /// `n` milliseconds.
    pub const fn from_millis(n: i64) -> Self {
        Self(n.saturating_mul(1_000_000))
    }

    /// `n` seconds.
    pub const fn from_secs(n: i64) -> Self {
        Self(n.saturating_mul(1_000_000_000))
    }

    /// In seconds.
    pub fn secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// In milliseconds.
    pub fn millis(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// This span multiplied by `num / den`, computed without overflow; 0 when `den` is 0.
    pub fn scale(self, num: i64, den: i64) -> Self {
        if den == 0 {
            return Self::ZERO;
        }
        // As in `mul_div`.
        if let Some(n) = self.0.checked_mul(num).and_then(|n| n.checked_div(den)) {
            return Self(n);
        }
        let n = i128::from(self.0) * i128::from(num) / i128::from(den);
        Self(n.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64)
    }
}

impl Nanos {
    /// The end of time on the side where this lies: a sum or a difference left it. A branch that is never taken costs less than
    /// saturating each result.
    #[cold]
    #[inline(never)]
    fn beyond(self) -> Self {
        Self(if self.0 < 0 { i64::MIN } else { i64::MAX })
    }
}

impl Add for Nanos {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        self.0.checked_add(other.0).map_or_else(|| self.beyond(), Self)
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self.0.checked_sub(other.0).map_or_else(|| self.beyond(), Self)
    }
}

/// The times of each key added up, in the order in which the keys come first. For a handful of keys.
pub fn time_by_key<K: PartialEq>(times: impl Iterator<Item = (K, Nanos)>) -> Vec<(K, Nanos)> {
    let mut sums: Vec<(K, Nanos)> = Vec::with_capacity(8);
    for (key, time) in times {
        match sums.iter_mut().find(|(known, _)| *known == key) {
            Some((_, sum)) => *sum += time,
            None => sums.push((key, time)),
        }
    }
    sums
}

/// `most` is at least `value` from now on. What seldom changes is not written: a branch costs half of that.
#[inline(always)]
pub(crate) fn raise<T: PartialOrd>(most: &mut T, value: T) {
    if value > *most {
        *most = value;
    }
}

/// As [`raise`], for what is at most `value`.
#[inline(always)]
pub(crate) fn lower<T: PartialOrd>(least: &mut T, value: T) {
    if value < *least {
        *least = value;
    }
}

/// A TCP sequence number: 32 bits that wrap (RFC 9293 section 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seq(pub u32);

impl Seq {
    /// How far `self` lies after `other`, in bytes; negative when it lies before.
    pub fn distance(self, other: Self) -> i32 {
        self.0.wrapping_sub(other.0) as i32
    }
}

impl Add<u32> for Seq {
    type Output = Self;
    fn add(self, bytes: u32) -> Self {
        Self(self.0.wrapping_add(bytes))
    }
}

/// Bits per second of `bytes` moved in `span`; 0 when the span is not positive.
pub fn bits_per_second(bytes: u64, span: Nanos) -> u64 {
    let span = u64::try_from(span.0).unwrap_or(0);
    if span == 0 { 0 } else { mul_div(bytes, 8 * 1_000_000_000, span) }
}

/// As [`bits_per_second`], in bytes.
pub(crate) fn bytes_per_second(bytes: u64, span: Nanos) -> u64 {
    bits_per_second(bytes, span) / 8
}

/// Bytes that `rate_bps`, in bit/s, moves in `span`: of a round trip, the bandwidth-delay product. None when the span is not positive.
pub fn bytes_at(rate_bps: u64, span: Nanos) -> u64 {
    mul_div(rate_bps, u64::try_from(span.0).unwrap_or(0), 8_000_000_000)
}

/// Time that `bytes` take at a rate in bit/s, saturating; none where the rate has no limit (0).
pub fn time_at(bytes: u64, rate_bps: u64) -> Nanos {
    if rate_bps == 0 {
        return Nanos::ZERO;
    }
    let nanos = mul_div(bytes, 8_000_000_000, rate_bps);
    Nanos(i64::try_from(nanos).unwrap_or(i64::MAX))
}

/// Bytes that pass in `span` at a rate in bytes per second; none when the span is not positive.
pub(crate) fn bytes_in(rate: u64, span: Nanos) -> u64 {
    mul_div(rate, u64::try_from(span.0).unwrap_or(0), 1_000_000_000)
}

/// Time that `bytes` take at a rate in bytes per second, saturating.
pub(crate) fn time_for(bytes: u64, rate: u64) -> Nanos {
    let nanos = mul_div(bytes, 1_000_000_000, rate.max(1));
    Nanos(i64::try_from(nanos).unwrap_or(i64::MAX))
}

/// `n * num / den`, saturating; the largest number when `den` is 0.
pub(crate) fn mul_div(n: u64, num: u64, den: u64) -> u64 {
    // Nearly all products fit: dividing 128 bits costs ten times as much.
    if let Some(product) = n.checked_mul(num) {
        return product.checked_div(den).unwrap_or(u64::MAX);
    }
    let wide = (u128::from(n) * u128::from(num)).checked_div(u128::from(den));
    wide.and_then(|n| u64::try_from(n).ok()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_survives_the_wrap() {
        assert_eq!(Seq(5).distance(Seq(u32::MAX - 4)), 10);
        assert_eq!(Seq(u32::MAX - 4).distance(Seq(5)), -10);
    }

    #[test]
    fn spans_saturate_instead_of_overflowing() {
        for (a, b) in [
            (i64::MAX, 1),
            (i64::MIN, -1),
            (i64::MIN, 1),
            (i64::MAX, -1),
            (0, i64::MIN),
            (-1, i64::MIN),
            (5, -7),
        ] {
            assert_eq!(Nanos(a) + Nanos(b), Nanos(a.saturating_add(b)));
            assert_eq!(Nanos(a) - Nanos(b), Nanos(a.saturating_sub(b)));
        }
        assert_eq!(Nanos::MAX.scale(3, 1), Nanos::MAX);
        assert_eq!(Nanos(i64::MIN).scale(1, -1), Nanos::MAX);
        assert_eq!(Nanos(10).scale(1, 0), Nanos::ZERO);
    }

    #[test]
    fn rate_of_an_empty_span_is_zero() {
        assert_eq!(bits_per_second(1000, Nanos::ZERO), 0);
        assert_eq!(bits_per_second(12_500_000, Nanos::from_secs(1)), 100_000_000);
        assert_eq!(bits_per_second(1 << 40, Nanos::from_secs(1)), 1 << 43);
    }

    #[test]
    fn a_rate_and_a_span_make_bytes_and_bytes_and_a_rate_make_a_span() {
        assert_eq!(bytes_at(100_000_000, Nanos::from_millis(20)), 250_000);
        assert_eq!(bytes_at(u64::MAX, Nanos::MAX), u64::MAX);
        assert_eq!(bytes_at(1, Nanos(-1)), 0);
        assert_eq!(time_at(250_000, 100_000_000), Nanos::from_millis(20));
        assert_eq!(time_at(u64::MAX, 1), Nanos::MAX);
        assert_eq!(time_at(1, 0), Nanos::ZERO);
    }
}
