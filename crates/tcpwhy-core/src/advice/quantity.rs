//! Quantities for human eyes: three digits or so and a unit.
//!
//! Buffers and windows are powers of two in practice and get binary units; data that was moved and
//! rates get decimal ones, as file managers and links are labelled.

use crate::units::Nanos;

/// No two TCP stacks answer each other within less, on one machine neither: a shorter round trip is what the clock of a capture makes of
/// one that it cannot measure (stamps of 10 ms, or none at all).
pub const SHORTEST_ROUND_TRIP: Nanos = Nanos(1_000);

/// What so many round trips take, one after the other.
pub fn round_trips(count: u64, rtt: Nanos) -> Nanos {
    rtt.scale(i64::try_from(count).unwrap_or(i64::MAX), 1)
}

/// A buffer, window or flight in bytes, as `16.0 KiB`.
pub fn buffer(bytes: u64) -> String {
    scaled(bytes as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB"])
}

/// An amount of data in bytes, as `22.0 MB`.
pub fn data(bytes: u64) -> String {
    scaled(bytes as f64, 1000.0, &["B", "kB", "MB", "GB", "TB"])
}

/// A rate in bits per second, as `98.3 Mbit/s`.
pub fn rate(bps: u64) -> String {
    scaled(bps as f64, 1000.0, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"])
}

/// A span of time, as `20.1 ms`, `25.1 s` or `31 min 43 s`.
pub fn span(span: Nanos) -> String {
    if span < Nanos::ZERO {
        return format!("-{}", self::span(Nanos(span.0.saturating_neg())));
    }
    let seconds = span.secs();
    if seconds < 99.95 {
        return scaled_down(span);
    }
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0 | 1, _) => format!("{whole} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A part of a whole (0 to 1), as `97 %`; small parts keep a digit, so that they do not vanish.
pub fn percent(part: f64) -> String {
    let percent = if part.is_finite() { part.clamp(0.0, 1.0) * 100.0 } else { 0.0 };
    match percent {
        0.0 => "0 %".to_owned(),
        p if p < 0.1 => "<0.1 %".to_owned(),
        p if p < 1.95 => format!("{p:.1} %"),
        p if p > 99.0 && p < 99.95 => format!("{p:.1} %"),
        p => format!("{p:.0} %"),
    }
}

/// A count with its thousands set apart, as `31,402`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `n` in the first unit that keeps it under `base`; the last unit takes whatever is left.
fn scaled(n: f64, base: f64, units: &[&str]) -> String {
    let mut n = n;
    let mut unit = 0;
    // Not `base` itself: what rounds up to it belongs to the next unit.
    while n >= base - 0.5 && unit + 1 < units.len() {
        n /= base;
        unit += 1;
    }
    let name = units.get(unit).copied().unwrap_or_default();
    if unit == 0 { format!("{n:.0} {name}") } else { format!("{} {name}", digits(n)) }
}

/// A span under 100 s in s, ms, us or ns.
fn scaled_down(span: Nanos) -> String {
    match span.0 {
        0 => "0 s".to_owned(),
        ns if ns < 1_000 => format!("{ns} ns"),
        ns if ns < 999_500 => format!("{} us", digits(ns as f64 / 1e3)),
        ns if ns < 999_500_000 => format!("{} ms", digits(span.millis())),
        _ => format!("{} s", digits(span.secs())),
    }
}

/// One decimal below 100, none above.
fn digits(n: f64) -> String {
    if n < 99.95 { format!("{n:.1}") } else { format!("{n:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_binary_and_data_is_decimal() {
        assert_eq!(buffer(0), "0 B");
        assert_eq!(buffer(1_023), "1023 B");
        assert_eq!(buffer(16_384), "16.0 KiB");
        assert_eq!(buffer(4 << 20), "4.0 MiB");
        assert_eq!(buffer(1_048_575), "1.0 MiB");
        assert_eq!(data(999), "999 B");
        assert_eq!(data(376_000), "376 kB");
        assert_eq!(data(22_000_000), "22.0 MB");
        assert_eq!(data(u64::MAX), "18446744 TB");
    }

    #[test]
    fn rates_are_decimal() {
        assert_eq!(rate(98_300_000), "98.3 Mbit/s");
        assert_eq!(rate(800), "800 bit/s");
        assert_eq!(rate(999_600), "1.0 Mbit/s");
    }

    #[test]
    fn spans_choose_their_unit() {
        assert_eq!(span(Nanos::ZERO), "0 s");
        assert_eq!(span(Nanos::from_micros(40)), "40.0 us");
        assert_eq!(span(Nanos(999_700)), "1.0 ms");
        assert_eq!(span(Nanos(20_100_000)), "20.1 ms");
        assert_eq!(span(Nanos(999_700_000)), "1.0 s");
        assert_eq!(span(Nanos(25_100_000_000)), "25.1 s");
        assert_eq!(span(Nanos::from_secs(100)), "100 s");
        assert_eq!(span(Nanos::from_secs(1903)), "31 min 43 s");
        assert_eq!(span(Nanos::from_secs(3600)), "1 h");
        assert_eq!(span(Nanos::from_secs(9000)), "2 h 30 min");
        assert_eq!(span(Nanos::from_millis(-5)), "-5.0 ms");
        assert_eq!(span(Nanos(i64::MIN)), format!("-{}", span(Nanos::MAX)));
    }

    #[test]
    fn small_and_large_parts_do_not_round_to_nothing_or_all() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.0004), "<0.1 %");
        assert_eq!(percent(0.004), "0.4 %");
        assert_eq!(percent(0.97), "97 %");
        assert_eq!(percent(0.9951), "99.5 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(f64::NAN), "0 %");
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(count(7), "7");
        assert_eq!(count(31_402), "31,402");
        assert_eq!(count(1_000_000), "1,000,000");
    }
}
