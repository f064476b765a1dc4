//! Capture files, streams and directories in; frames in time order out.
//!
//! ```text
//! path, stdin -> bytes (gzip, zstd) -> window -> pcap | pcapng records -> merge -> Frame
//! ```
//!
//! A frame is lent, not copied: it points into the window of the file it came from, and is gone
//! with the next call. Damage ends a file, never the capture: what came before it is delivered and the
//! damage is a [`Note`].
#![forbid(unsafe_code)]

mod bytes;
mod capture;
mod clocks;
mod counters;
mod damage;
mod error;
mod foreign;
mod gzip;
mod inputs;
mod interfaces;
mod layout;
mod natural;
mod note;
mod opening;
mod pcap;
mod pcapng;
mod reader;
mod resolution;
mod source;
mod window;
mod zstd;

pub use capture::{Capture, open};
pub use damage::Damage;
pub use error::Error;
pub use foreign::Foreign;
pub use inputs::Input;
pub use note::{Note, NoteKind, gathered};
