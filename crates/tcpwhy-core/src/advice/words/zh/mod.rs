//! Simplified Chinese (简体中文).
//!
//! Sizes, rates and times keep their SI units ("20.1 ms", "16.0 KiB"), with a space between Chinese and
//! Latin text; names of calls, options and sysctls stay as they are.

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
use crate::advice::quantity::{self, count};
use crate::model::Side;

/// "服务器".
fn end(side: Side) -> &'static str {
    match side {
        Side::Client => "客户端",
        Side::Server => "服务器",
    }
}

/// "服务器（10.0.0.1:3306）".
fn place(at: &Place) -> String {
    format!("{}（{}）", end(at.side), address(at))
}

/// "1,448 字节"：包的大小要逐字节比较。
fn bytes(n: u64) -> String {
    format!("{} 字节", count(n))
}

/// "97%": Chinese sets no space before the sign.
fn percent(part: f64) -> String {
    quantity::percent(part).replace(' ', "")
}

/// "（帧 120-188）", or nothing where no frame is known.
fn frames(first: u64, last: u64) -> String {
    match (first, last) {
        (0, _) => String::new(),
        (first, last) if last <= first => format!("（帧 {first}）"),
        (first, last) => format!("（帧 {first}-{last}）"),
    }
}
