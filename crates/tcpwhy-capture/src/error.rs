//! Why nothing could be read at all.

use crate::foreign::Foreign;
use crate::note::Damage;
use std::fmt;
use std::io;

/// Nothing could be read. Displays as one sentence: what is wrong, where, what to do.
#[derive(Debug)]
pub enum Error {
    /// No input was named.
    NoInput,
    /// The system could not open or read the file.
    Open {
        /// Its name.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The file has no bytes.
    Empty {
        /// Its name.
        file: String,
    },
    /// The file is something else.
    NotCapture {
        /// Its name.
        file: String,
        /// Its first bytes, 16 at most.
        first: Vec<u8>,
        /// What it is, if that is known.
        foreign: Option<Foreign>,
    },
    /// A capture in a version of its format that nobody has defined yet, or long ago.
    Version {
        /// Its name.
        file: String,
        /// `pcap` or `pcapng`.
        format: &'static str,
        /// Major version.
        major: u16,
        /// Minor version.
        minor: u16,
    },
    /// A capture whose very header is damaged.
    Header {
        /// Its name.
        file: String,
        /// What is wrong with it.
        damage: Damage,
    },
    /// A directory without a capture in it.
    NoCaptures {
        /// Its name.
        directory: String,
    },
}

impl Error {
    /// The file or directory concerned; empty where there is none.
    pub fn file(&self) -> &str {
        match self {
            Self::NoInput => "",
            Self::Open { file, .. }
            | Self::Empty { file }
            | Self::NotCapture { file, .. }
            | Self::Version { file, .. }
            | Self::Header { file, .. }
            | Self::NoCaptures { directory: file } => file,
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Open { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoInput => f.write_str("no capture was named; name a file, a directory or -"),
            Self::Open { file, source } => write!(f, "{file}: cannot be read: {source}"),
            Self::Empty { file } => {
                write!(f, "{file}: is empty (0 bytes); was the capture flushed to disk?")
            }
            Self::NotCapture { file, first, foreign } => match foreign {
                Some(foreign) => write!(f, "{file}: {foreign}"),
                None => {
                    write!(f, "{file}: is not a capture file (it starts with")?;
                    first.iter().try_for_each(|byte| write!(f, " {byte:02x}"))?;
                    f.write_str("); pcap and pcapng are read, plain or with gzip or zstd")
                }
            },
            Self::Version { file, format, major, minor } => {
                write!(f, "{file}: is {format} version {major}.{minor}, which is not supported; ")?;
                f.write_str("try `editcap -F pcapng in out`")
            }
            Self::Header { file, damage } => {
                write!(f, "{file}: the capture's header at byte 0 cannot be read: {damage}")
            }
            Self::NoCaptures { directory } => {
                write!(f, "{directory}: holds no capture files (subdirectories are not searched)")
            }
        }
    }
}
