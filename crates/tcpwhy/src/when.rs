//! Points in time, as people give them: seconds into the capture, or a date.

use std::str::FromStr;
use tcpwhy_core::quantity;
use tcpwhy_core::units::Nanos;

/// A point in time on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Since the first packet of the capture.
    Elapsed(Nanos),
    /// Since 1970.
    Absolute(Nanos),
}

impl When {
    /// On the capture's clock, given the time of its first packet.
    pub(crate) fn at(self, start: Nanos) -> Nanos {
        match self {
            Self::Elapsed(elapsed) => start + elapsed,
            Self::Absolute(time) => time,
        }
    }

    /// Whether it is earlier than `other` in any capture: only times of one kind can be compared without one.
    pub(crate) fn is_before(self, other: Self) -> bool {
        match (self, other) {
            (Self::Elapsed(one), Self::Elapsed(two))
            | (Self::Absolute(one), Self::Absolute(two)) => one < two,
            _ => false,
        }
    }
}

impl FromStr for When {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const HINT: &str = "expected seconds into the capture (12.5, 12.5s, 300ms) or a time like 2026-01-02T03:04:05Z";
        const BEYOND: &str = "captures tell times within 292 years of 1970";
        if let Ok(span) = quantity::span(text) {
            return Ok(Self::Elapsed(span));
        }
        if let Ok(seconds) = text.parse::<f64>() {
            return match Nanos((seconds * 1e9).round() as i64) {
                _ if !seconds.is_finite() || seconds < 0.0 => Err(HINT),
                Nanos(i64::MAX) => Err(BEYOND),
                nanos => Ok(Self::Elapsed(nanos)),
            };
        }
        let time: jiff::Timestamp = text.parse().map_err(|_| HINT)?;
        i64::try_from(time.as_nanosecond()).map(|ns| Self::Absolute(Nanos(ns))).map_err(|_| BEYOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_into_the_capture() {
        assert_eq!("12.5".parse(), Ok(When::Elapsed(Nanos::from_millis(12_500))));
        assert_eq!("12.5s".parse(), Ok(When::Elapsed(Nanos::from_millis(12_500))));
        assert_eq!("500ms".parse(), Ok(When::Elapsed(Nanos::from_millis(500))));
        assert_eq!(When::Elapsed(Nanos(5)).at(Nanos(7)), Nanos(12));
    }

    #[test]
    fn only_times_of_one_kind_are_compared() {
        let [early, late] = [1, 2].map(|n| When::Elapsed(Nanos(n)));
        assert!(early.is_before(late) && !late.is_before(early) && !early.is_before(early));
        assert!(
            !When::Absolute(Nanos(1)).is_before(late) && !early.is_before(When::Absolute(Nanos(9)))
        );
    }

    #[test]
    fn dates_with_their_offset() {
        let time = When::Absolute(Nanos(1_767_323_045_500_000_000));
        assert_eq!("2026-01-02T03:04:05.5Z".parse(), Ok(time));
        assert_eq!("2026-01-02T05:04:05.5+02:00".parse(), Ok(time));
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "s",
            "-1",
            "nan",
            "inf",
            "1e300",
            "yesterday",
            "2026-01-02",
            "9999-01-01T00:00:00Z",
        ] {
            assert!(text.parse::<When>().is_err(), "{text}");
        }
        for text in ["1e300", "9323372036", "9999-01-01T00:00:00Z", "1600-01-01T00:00:00Z"] {
            assert!(text.parse::<When>().unwrap_err().contains("292 years"), "{text}");
        }
    }
}
