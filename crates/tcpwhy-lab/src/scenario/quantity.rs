//! Quantities in a scenario file: text with a unit, or a bare number where it cannot be misread.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;
use tcpwhy_core::quantity;
use tcpwhy_core::units::Nanos;

macro_rules! quantity {
    ($name:ident, $value:ty, $parse:expr, $wants:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(super) struct $name(pub(super) $value);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_any(Text($wants))
                    .and_then(|text| $parse(&text).map(Self).map_err(D::Error::custom))
            }
        }
    };
}

quantity!(Bytes, u64, quantity::bytes, "a size as \"16K\"", "Bytes: `\"16K\"`, `\"22MB\"`, 1448.");
quantity!(Rate, u64, quantity::rate, "a rate as \"100mbit\"", "Bits per second: `\"100mbit\"`.");
quantity!(Span, Nanos, quantity::span, "a time as \"20ms\"", "A time: `\"20ms\"`, 0.");
quantity!(Share, f64, quantity::share, "a share as \"1%\"", "A part of a whole: `\"1%\"`, 0.01.");

/// A kernel setting's value: text, or a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting(pub(super) String);

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Text("a value as \"4096 131072 6291456\" or 1")).map(Self)
    }
}

/// Text, or a number as its text.
struct Text(&'static str);

impl Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<String, E> {
        Ok(number.to_string())
    }
}
