//! The answer, written out: terminal text, JSON, NDJSON, CSV, a page.
//!
//! Every format is written connection by connection to a [`std::io::Write`]; none builds the whole
//! text in memory. The words come from `tcpwhy_core::advice`.
#![forbid(unsafe_code)]

pub mod chart;
pub mod check;
pub mod csv;
mod foremost;
pub mod json;
pub mod page;
mod phase;
mod printable;
mod rank;
mod source;
pub mod terminal;
mod wrap;

pub use foremost::refine_all;
pub use phase::{phase_in_words, phase_label};
pub use printable::{columns, padded, printable};
pub use rank::{keep_most_telling, most_telling};
pub use source::{Source, Warning};
pub use terminal::{limit_color, limit_letter};
pub use wrap::paragraph;
