//! Why nothing could be read at all.

mod zh;

use crate::damage::Damage;
use crate::foreign::Foreign;
use std::fmt;
use std::io;
use tcpwhy_core::advice::Language;

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

impl Error {
    /// The error as one sentence of that language; [`fmt::Display`] is English.
    pub fn text(&self, language: Language) -> String {
        match language {
            Language::En => self.to_string(),
            Language::Zh => zh::error(self),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_names_the_file_and_the_command_that_helps() {
        let file = "slow.pcap".to_owned();
        let foreign = [
            Foreign::Capture("Solaris snoop"),
            Foreign::WindowsTrace,
            Foreign::Erf,
            Foreign::Compressed("gzip once more", "gzip -d"),
            Foreign::Archive("zip"),
            Foreign::HexDump,
            Foreign::Json,
            Foreign::Html,
            Foreign::GitLfsPointer,
            Foreign::Text,
        ];
        let not = |foreign| Error::NotCapture { file: file.clone(), first: vec![0x3c], foreign };
        let mut errors: Vec<_> = foreign.map(|f| not(Some(f))).into();
        errors.extend([
            not(None),
            Error::Open { file: file.clone(), source: io::ErrorKind::NotFound.into() },
            Error::Empty { file: file.clone() },
            Error::Version { file: file.clone(), format: "pcap", major: 9, minor: 1 },
            Error::Header { file: file.clone(), damage: Damage::Malformed("it is odd") },
            Error::Header {
                file: file.clone(),
                damage: Damage::WindowTooLarge { bits: 31, limit: 1 << 27 },
            },
            Error::NoCaptures { directory: file.clone() },
        ]);
        for error in errors {
            let (en, zh) = (error.text(Language::En), error.text(Language::Zh));
            assert!(zh.starts_with("slow.pcap：") && en.starts_with("slow.pcap: "), "{zh}");
            let command = |text: &str| text.split('`').nth(1).map(str::to_owned);
            assert_eq!(command(&en), command(&zh));
            assert!(!zh.contains(", ") && !zh.contains("; "), "{zh}");
        }
    }
}
