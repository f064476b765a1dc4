//! English.

mod finding;
mod label;
mod sentence;
mod step;

pub(super) use finding::finding;
pub(super) use label::{cause, limit};
pub(super) use sentence::sentence;
pub(super) use step::step;

use super::{FAIRLY_SURE, GUESS, address, fills_ethernet, known};
use crate::advice::figures::Place;
use crate::advice::quantity::count;

/// "the server (10.0.0.1:3306)".
fn place(at: &Place) -> String {
    format!("the {} ({})", at.side.name(), address(at))
}

/// "1,448 bytes": packet sizes are compared byte by byte.
fn bytes(n: u64) -> String {
    many(n, "byte", "bytes")
}

/// "1 loss", "1,448 losses".
fn many(n: u64, one: &str, more: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { more })
}

/// " (frames 120-188)", or nothing where no frame is known.
fn frames(first: u64, last: u64) -> String {
    match (first, last) {
        (0, _) => String::new(),
        (first, last) if last <= first => format!(" (frame {first})"),
        (first, last) => format!(" (frames {first}-{last})"),
    }
}
