//! What stops the reading of a file.

use crate::note;
use crate::pcap::MAX_CAPTURED;
use std::fmt;
use tcpwhy_core::advice::quantity::buffer;

/// What stopped the reading of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// The file ends in the middle of a record.
    Cut {
        /// Length of the record, in bytes.
        wanted: u64,
        /// How much of it is there.
        found: u64,
    },
    /// The system could not read on.
    Unreadable(String),
    /// The compressed stream ends before its end mark.
    CompressedCut {
        /// `gzip` or `zstd`.
        kind: &'static str,
    },
    /// The compressed stream is corrupt.
    CompressedCorrupt {
        /// `gzip` or `zstd`.
        kind: &'static str,
        /// What the decompressor said.
        reason: String,
    },
    /// The zstd stream refers back to data that is further away than what is kept for it.
    WindowTooLarge {
        /// How far it may refer back: 2 to this many bytes.
        bits: u32,
        /// The most that is kept, in bytes.
        limit: u64,
    },
    /// A packet claims more captured bytes than any capture holds.
    TooLong {
        /// The claimed length in bytes.
        claimed: u64,
        /// The longest accepted.
        limit: u64,
    },
    /// A pcapng block that contradicts itself.
    Malformed(&'static str),
}

impl Damage {
    pub(crate) const TOO_MANY_INTERFACES: Self = Self::Malformed("there are too many interfaces");

    /// What a sentence in Chinese says of it.
    pub(crate) fn in_chinese(&self) -> String {
        note::zh::damage(self)
    }

    pub(crate) fn too_long(claimed: u64) -> Self {
        Self::TooLong { claimed, limit: MAX_CAPTURED as u64 }
    }
}

impl std::error::Error for Damage {}

/// The command that takes in a zstd stream with a window of 2 to the `bits` bytes.
pub(crate) fn unpack(bits: u32) -> String {
    format!("zstd -dc --long={bits} FILE | tcpwhy -")
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut { wanted, found } => {
                write!(f, "the file is cut: {found} of {wanted} bytes of a record are there")
            }
            Self::Unreadable(reason) => write!(f, "reading failed ({reason})"),
            Self::CompressedCut { kind } => write!(f, "the {kind} stream is cut"),
            Self::CompressedCorrupt { kind, reason } => {
                write!(f, "the {kind} stream is corrupt ({reason})")
            }
            Self::WindowTooLarge { bits, limit } => {
                let (limit, unpack) = (buffer(*limit), unpack(*bits));
                write!(
                    f,
                    "its zstd window is larger than the {limit} that are read (try `{unpack}`)"
                )
            }
            Self::TooLong { claimed, limit } => {
                write!(f, "a record claims {claimed} bytes, more than the {limit} possible,")
            }
            Self::Malformed(what) => f.write_str(what),
        }
    }
}
