//! Quantities as people write them: `16K`, `22MB`, `100mbit`, `12.5MB/s`, `20ms`, `1%`.
//!
//! A bare letter counts in 1024 as socket calls, `tc` buffers and iperf do (`16K` is 16,384 bytes); with a `B` it is decimal
//! (`16KB` is 16,000), `KiB` says so itself. Rates are decimal: `100mbit`, `100Mbit/s` and `100Mbps` are bits, `12.5MB/s` and `12.5MBps`
//! bytes. A small b behind a capital letter is a bit to some and a byte to others: `22Mb` and `100Mb/s` are refused.

use crate::units::Nanos;

/// What was wrong with a quantity, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadQuantity(pub String);

impl std::fmt::Display for BadQuantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadQuantity {}

/// Bytes: `1448`, `16K`, `22MB`, `4MiB`.
///
/// # Errors
/// No number, a negative or endless one, or a unit that is not one of bytes.
pub fn bytes(text: &str) -> Result<u64, BadQuantity> {
    let what = "a size (write 16K for 16,384 bytes, 22MB, 4MiB)";
    let (number, unit) = split(text, what)?;
    if small_b(unit) {
        return Err(ambiguous(text, "bits or bytes", "22MB; 22 megabits are 2.75MB"));
    }
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "tb" => 1e12,
        _ => return Err(bad(text, what)),
    };
    whole(number * factor, text)
}

/// Bits per second: `100mbit`, `1Gbit/s`, `12.5MB/s`, `800kbps` (bits).
///
/// # Errors
/// No number, a negative or endless one, or a unit that is not one of rate.
pub fn rate(text: &str) -> Result<u64, BadQuantity> {
    let what = "a rate (write 100mbit, 1gbit or 12.5MB/s)";
    let (number, unit) = split(text, what)?;
    let write = "100mbit, 1gbit or 12.5MB/s";
    if small_b(unit) {
        return Err(ambiguous(text, "bits or bytes a second", write));
    }
    if let Some(bytes) = unit.strip_suffix("Bps") {
        return rate(&format!("{number}{bytes}B/s"));
    }
    let factor = match unit.to_ascii_lowercase().as_str() {
        "bit" | "bit/s" | "bps" => 1.0,
        "kbit" | "kbit/s" | "kbps" => 1e3,
        "mbit" | "mbit/s" | "mbps" => 1e6,
        "gbit" | "gbit/s" | "gbps" => 1e9,
        "tbit" | "tbit/s" | "tbps" => 1e12,
        "b/s" => 8.0,
        "kb/s" => 8e3,
        "mb/s" => 8e6,
        "gb/s" => 8e9,
        "tb/s" => 8e12,
        "kib/s" => 8.0 * 1024.0,
        "mib/s" => 8.0 * 1024.0 * 1024.0,
        "gib/s" => 8.0 * 1024.0 * 1024.0 * 1024.0,
        "" | "b" | "k" | "kb" | "kib" | "m" | "mb" | "mib" | "g" | "gb" | "gib" | "t" | "tb"
        | "tib" => {
            return Err(ambiguous(text, "bits or bytes a second", write));
        }
        _ => return Err(bad(text, what)),
    };
    whole(number * factor, text)
}

/// A span of time: `20ms`, `1.5s`, `300us`, `2min`; never negative.
///
/// # Errors
/// No number, a negative or endless one, or a unit that is not one of time.
pub fn span(text: &str) -> Result<Nanos, BadQuantity> {
    let what = "a time (write 20ms, 1.5s or 300us)";
    let (number, unit) = split(text, what)?;
    let factor = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "min" => 60e9,
        "h" => 3600e9,
        "" if number == 0.0 => 1.0,
        "" => return Err(ambiguous(text, "of which unit", "20ms, 1.5s or 300us")),
        "m" => return Err(ambiguous(text, "minutes or milliseconds", "1min or 1ms")),
        _ => return Err(bad(text, what)),
    };
    let ns = whole(number * factor, text)?;
    i64::try_from(ns).map(Nanos).map_err(|_| too_large(text))
}

/// A part of a whole, 0 to 1: `1%`, `0.3 %` or `0.01`.
///
/// # Errors
/// No number, or one outside of 0 to 1.
pub fn share(text: &str) -> Result<f64, BadQuantity> {
    let what = "a share between 0 and 100 % (write 1% or 0.01)";
    let (number, unit) = split(text, what)?;
    let part = match unit {
        "%" => number / 100.0,
        "" => number,
        _ => return Err(bad(text, what)),
    };
    if part <= 1.0 { Ok(part) } else { Err(bad(text, what)) }
}

/// A unit as `Mb` or `Mb/s`.
fn small_b(unit: &str) -> bool {
    let unit = unit.strip_suffix("/s").unwrap_or(unit);
    unit.strip_suffix('b').is_some_and(|prefix| matches!(prefix, "K" | "M" | "G" | "T"))
}

/// The number and the unit behind it.
fn split<'a>(text: &'a str, what: &str) -> Result<(f64, &'a str), BadQuantity> {
    let text = text.trim();
    if text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        let text = shown(text);
        return Err(BadQuantity(format!("{text:?} is negative and so is not {what}")));
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number = number.parse::<f64>().map_err(|_| bad(text, what))?;
    Ok((number, unit.trim()))
}

/// `value` as a whole number; an endless one is refused.
fn whole(value: f64, text: &str) -> Result<u64, BadQuantity> {
    // 2^63: everything beyond is nonsense as bytes, bits or nanoseconds.
    if value.is_finite() && value < 9.2e18 {
        Ok(value.round() as u64)
    } else {
        Err(too_large(text))
    }
}

fn bad(text: &str, what: &str) -> BadQuantity {
    BadQuantity(format!("{:?} is not {what}", shown(text)))
}

fn too_large(text: &str) -> BadQuantity {
    BadQuantity(format!("{:?} is more than can be counted (the most is about 9e18)", shown(text)))
}

/// What may mean two things is not guessed.
fn ambiguous(text: &str, which: &str, write: &str) -> BadQuantity {
    BadQuantity(format!("{:?} does not say {which} (write {write})", shown(text)))
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_binary_and_units_say_what_they_are() {
        assert_eq!(bytes("1448"), Ok(1_448));
        assert_eq!(bytes("16K"), Ok(16_384));
        assert_eq!(bytes("16KB"), Ok(16_000));
        assert_eq!(bytes("1.5 MiB"), Ok(1_572_864));
        assert_eq!(rate("100mbit"), Ok(100_000_000));
        assert_eq!(rate("12.5MB/s"), Ok(100_000_000));
        assert_eq!([rate("12.5MBps"), rate("100Mbps")], [Ok(100_000_000), Ok(100_000_000)]);
        assert_eq!([bytes("1.5TB"), bytes("1TiB")], [Ok(1_500_000_000_000), Ok(1 << 40)]);
        assert_eq!([rate("1tbit"), rate("1TB/s")], [Ok(1_000_000_000_000), Ok(8_000_000_000_000)]);
        assert_eq!(span("20ms"), Ok(Nanos::from_millis(20)));
        assert_eq!(span("0"), Ok(Nanos::ZERO));
        assert_eq!(share("1%"), Ok(0.01));
    }

    #[test]
    fn nonsense_is_refused_in_one_sentence() {
        for text in ["", "-", "K", "16Q", "1e9", "NaN", "1.2.3", "inf"] {
            let said = bytes(text).expect_err(text).to_string();
            assert!(said.contains("is not a size"), "{said}");
        }
        assert!(share("101%").is_err());
        let said = |answer: Result<u64, BadQuantity>| answer.expect_err("refused").to_string();
        assert!(said(bytes("-5MB")).contains("is negative"));
        assert!(said(bytes("99999999999GB")).contains("is more than can be counted"));
        for text in ["100", "100M", "100MB", "100Mb"] {
            assert!(said(rate(text)).contains("does not say bits or bytes"), "{text}");
        }
        for text in ["100Mb/s", "1Gb", "1T", "1TB"] {
            assert!(said(rate(text)).contains("does not say bits or bytes"), "{text}");
        }
        assert!(said(bytes("22Mb")).contains("does not say bits or bytes"));
        assert!(span("-1ms").is_err());
        for text in ["5", "5m"] {
            let said = span(text).expect_err(text).to_string();
            assert!(said.contains("does not say"), "{said}");
        }
    }
}
