//! What a reader of the answer should know about the files it came from.

mod gathered;
pub(crate) mod zh;

use crate::damage::Damage;
pub use gathered::gathered;
use std::fmt;
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::{count, span};
use tcpwhy_core::units::Nanos;

/// Something worth saying about one file. Displays as one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Display name of the file, as in [`crate::Capture::files`]; of the directory for
    /// [`NoteKind::NotCaptures`].
    pub file: String,
    /// Files of which the same could be said, where their notes are [`gathered`].
    pub others: usize,
    /// What there is to say.
    pub kind: NoteKind,
}

/// What a [`Note`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteKind {
    /// The file could not be read at all; the sentence says why.
    NotRead(String),
    /// Reading stopped at this byte; everything before it was delivered.
    Damaged {
        /// Where the record starts that could not be read.
        offset: u64,
        /// The compression, when `offset` counts decompressed bytes.
        compression: Option<&'static str>,
        /// What is wrong there.
        damage: Damage,
    },
    /// Bytes behind the end of a gzip stream that are no gzip and were passed over. Zeros, which pad a tape's blocks, are not told.
    BehindGzip {
        /// How many.
        bytes: u64,
    },
    /// A file of no bytes, like the latest of a rotation before it is first flushed.
    Empty,
    /// A capture without a single packet that could be read.
    NoPackets,
    /// The capture itself lost packets, as an interface's last statistics say.
    Drops {
        /// Name of the interface, or its number.
        interface: String,
        /// Packets the interface received (`isb_ifrecv`), if told.
        received: Option<u64>,
        /// Packets dropped by the interface for lack of resources (`isb_ifdrop`, or the sum of
        /// `epb_dropcount`).
        by_interface: u64,
        /// Packets dropped by the operating system (`isb_osdrop`).
        by_system: u64,
    },
    /// The same of more interfaces than anybody reads one by one.
    DropsOfMany {
        /// How many of them lost packets.
        interfaces: u64,
        /// Packets dropped by them for lack of resources.
        by_interface: u64,
        /// Packets dropped by the operating system.
        by_system: u64,
        /// Name of the one with the most, and how many those are.
        worst: (String, u64),
    },
    /// Packets stamped earlier than the packet before them.
    TimeBackwards {
        /// How many.
        count: u64,
        /// The largest step back.
        most: Nanos,
    },
    /// Packets whose fraction of a second is a second or more; it was added all the same.
    InvalidTimes {
        /// How many.
        count: u64,
    },
    /// Packets without any time (simple packet blocks): given the time of the packet before.
    NoTimes {
        /// How many.
        count: u64,
    },
    /// Packets with a time that 64 bits of nanoseconds since 1970 do not reach: the times between them are right, their dates are not.
    WrongDates {
        /// How many.
        count: u64,
    },
    /// The clock of the capture is ahead of another one's, by packets that both have; its times are taken back by as much.
    Clock {
        /// Display name of the other one.
        of: String,
        /// By how much; negative if it is behind.
        ahead: Nanos,
    },
    /// Comments that somebody left in the file.
    Comments {
        /// How many.
        count: u64,
    },
    /// Blocks of a kind that carries no packets that we know of.
    UnknownBlocks {
        /// How many.
        count: u64,
        /// Block type of the first.
        first: u32,
    },
    /// Decryption secrets, which were ignored.
    Secrets {
        /// How many blocks.
        count: u64,
    },
    /// The same file was named more than once; it was read once.
    GivenTwice,
    /// Files of a directory that are not captures and were passed over.
    NotCaptures {
        /// How many.
        count: u64,
        /// Name of one of them.
        example: String,
    },
}

impl NoteKind {
    /// Whether this means that a part of the input was not read: the answer is partial.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::NotRead(_) | Self::Damaged { .. })
    }
}

impl Note {
    /// Of one file.
    pub(crate) fn new(file: String, kind: NoteKind) -> Self {
        Self { file, others: 0, kind }
    }

    /// The note as one sentence of that language; [`fmt::Display`] is English.
    pub fn text(&self, language: Language) -> String {
        match language {
            Language::En => self.to_string(),
            Language::Zh => zh::note(self),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let NoteKind::NotRead(sentence) = &self.kind {
            return f.write_str(sentence);
        }
        write!(f, "{}: {}", self.file, self.kind)?;
        if self.others > 0 {
            write!(f, "; likewise in {}", Count(self.others as u64, "more file"))?;
        }
        Ok(())
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRead(sentence) => f.write_str(sentence),
            Self::Damaged { offset, compression, damage } => {
                let of = compression.map(|kind| format!(" of the {kind}-decompressed data"));
                let of = of.unwrap_or_default();
                write!(f, "{damage} at byte {offset}{of}; all before it was read, nothing after")
            }
            Self::BehindGzip { bytes } => {
                let bytes = Count(*bytes, "byte");
                write!(f, "{bytes} ignored behind the end of the gzip stream, which are no gzip")
            }
            Self::Empty => f.write_str("the file is empty (0 bytes)"),
            Self::NoPackets => f.write_str("the capture holds no packets"),
            Self::Drops { interface, received, by_interface, by_system } => {
                let received = received.map(|n| format!(", of {} received", count(n)));
                let (device, system) = (count(*by_interface), count(*by_system));
                write!(f, "interface {interface} lost packets while capturing: {device} dropped ")?;
                write!(
                    f,
                    "by the interface, {system} by the system{}",
                    received.unwrap_or_default()
                )
            }
            Self::DropsOfMany { interfaces, by_interface, by_system, worst } => {
                let (interfaces, most) = (count(*interfaces), count(worst.1));
                let (device, system) = (count(*by_interface), count(*by_system));
                write!(
                    f,
                    "{interfaces} interfaces lost packets while capturing: {device} dropped "
                )?;
                write!(f, "by them, {system} by the system; most on {}: {most}", worst.0)
            }
            Self::TimeBackwards { count, most } => {
                write!(f, "{} stamped earlier than the one before, ", Count(*count, "packet"))?;
                write!(f, "by up to {}", span(*most))
            }
            Self::InvalidTimes { count } => {
                let times = Count(*count, "timestamp");
                write!(f, "{times} with a fraction of more than a second, which was added")
            }
            Self::NoTimes { count } => {
                let packets = Count(*count, "packet");
                write!(f, "{packets} without a timestamp, given that of the packet before")
            }
            Self::WrongDates { count } => {
                let packets = Count(*count, "packet");
                write!(
                    f,
                    "{packets} stamped before the year 1678 or after 2262; the times between them are used"
                )
            }
            Self::Clock { of, ahead } => {
                let by = span(Nanos(ahead.0.saturating_abs()));
                let (is, set) =
                    if ahead.0 > 0 { ("ahead of", "back") } else { ("behind", "forward") };
                write!(f, "its clock is {by} {is} that of {of}, by packets that both have: ")?;
                write!(f, "set {set} by as much")
            }
            Self::Comments { count } => write!(f, "{} in the file", Count(*count, "comment")),
            Self::UnknownBlocks { count, first } => {
                let blocks = Count(*count, "block");
                write!(f, "{blocks} of unknown type skipped, the first {first:#010x}")
            }
            Self::Secrets { count } => {
                write!(f, "{} of decryption secrets ignored", Count(*count, "block"))
            }
            Self::GivenTwice => f.write_str("named more than once, read once"),
            Self::NotCaptures { count, example } => {
                let files = Count(*count, "file");
                write!(f, "{files} passed over for being no captures, like {example}")
            }
        }
    }
}

/// A number of things, in words.
struct Count(u64, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", count(self.0), self.1, if self.0 == 1 { "" } else { "s" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped_as_everywhere_else() {
        let drops = NoteKind::Drops {
            interface: "eth0".to_owned(),
            received: Some(1_234_567),
            by_interface: 12_345,
            by_system: 0,
        };
        let late = NoteKind::TimeBackwards { count: 54_321, most: Nanos(1_000) };
        for (kind, numbers) in [(drops, &["1,234,567", "12,345"][..]), (late, &["54,321"])] {
            let note = Note::new("slow.pcap".to_owned(), kind);
            for language in [Language::En, Language::Zh] {
                let text = note.text(language);
                assert!(numbers.iter().all(|n| text.contains(n)), "{text}");
            }
        }
    }
}
