//! The pcap format in all its variants (draft-ietf-opsawg-pcap, and those that came before it).
//!
//! Read by hand and not by `pcap-parser`, which knows neither the big-endian modified format, nor
//! Nokia's and IXIA's, nor the versions before 2.4.

use crate::counters::Counters;
use crate::damage::Damage;
use crate::error::Error;
use crate::interfaces::{Identity, Interfaces};
use crate::layout::extra_header_bytes;
use crate::reader::Record;
use crate::window::Window;
use tcpwhy_core::units::Nanos;

/// Length of the file header.
const FILE_HEADER: usize = 24;
/// Length of a standard record header.
pub(crate) const RECORD_HEADER: usize = 16;
/// The longest packet that is believed. Wireshark stops at 256 KiB, but BIG TCP makes packets of
/// about 600 KB.
pub(crate) const MAX_CAPTURED: usize = 1 << 20;

/// What the magic number says.
struct Variant {
    nanoseconds: bool,
    /// IXIA's header ends with the length of all records, in 4 more bytes.
    ixia: bool,
    /// Possible lengths of what follows the 16 standard bytes of each record header.
    extra: &'static [usize],
}

/// The file header, decoded.
pub(crate) struct FileHeader {
    big_endian: bool,
    nanoseconds: bool,
    lengths: Lengths,
    pub(crate) snaplen: u32,
    link: u32,
    extra: &'static [usize],
}

/// The order of the two lengths in a record header: turned round in version 2.3.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lengths {
    CapturedFirst,
    WireFirst,
    /// Version 2.3 was also written in the old order: the larger one is the wire's.
    Unsure,
}

/// A record header, decoded.
pub(crate) struct RecordHeader {
    seconds: u32,
    pub(crate) fraction: u32,
    pub(crate) captured: u32,
    pub(crate) wire: u32,
}

/// The state of reading one pcap file.
pub(crate) struct Pcap {
    header: FileHeader,
    lane: u32,
    /// Length of each record header, once the first record has told.
    record_header: Option<usize>,
    usual: Option<Usual>,
}

/// The records are as nearly every file has them: little-endian, with nothing beyond the standard header.
#[derive(Clone, Copy, Default)]
pub(crate) struct Usual {
    /// A fraction of a second of 1 in nanoseconds.
    unit: u32,
    max_fraction: u32,
}

impl Usual {
    /// Time, length on the wire and bytes of the packet that `rest` begins with, if it is sound and all there, and what follows.
    #[inline(always)]
    pub(crate) fn first(self, rest: &[u8]) -> Option<(Nanos, u32, &[u8], &[u8])> {
        let (h, rest) = rest.split_first_chunk::<RECORD_HEADER>()?;
        let word = |at: usize| u32::from_le_bytes([h[at], h[at + 1], h[at + 2], h[at + 3]]);
        let (seconds, fraction, captured, wire) = (word(0), word(4), word(8), word(12));
        let sound =
            (1..=MAX_CAPTURED).contains(&(captured as usize)) && fraction <= self.max_fraction;
        let (data, rest) = rest.split_at_checked(captured as usize).filter(|_| sound)?;
        // No sum of these exceeds 63 bits.
        let time = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * u64::from(self.unit);
        Some((Nanos(time as i64), wire.max(captured), data, rest))
    }
}

impl RecordHeader {
    /// Whether there is nothing in it: what a file system leaves where data was still to be written as the power failed. No packet has
    /// neither time nor length.
    fn is_blank(&self) -> bool {
        [self.seconds, self.fraction, self.captured, self.wire] == [0; 4]
    }
}

fn variant(magic: u32) -> Option<Variant> {
    let variant = |nanoseconds, ixia, extra| Some(Variant { nanoseconds, ixia, extra });
    match magic {
        // Standard; Red Hat 6.1's (ss990417), Nokia's.
        0xa1b2_c3d4 => variant(false, false, &[0, 8, 4]),
        0xa1b2_3c4d => variant(true, false, &[0]),
        // Kuznetzov's modified format (ss991029); SuSE 6.3's (ss990915).
        0xa1b2_cd34 => variant(false, false, &[8, 12]),
        // IXIA lcap, by hardware and by software.
        0x1c00_01ac => variant(true, true, &[0]),
        0x1c00_01ab => variant(false, true, &[0]),
        _ => None,
    }
}

/// Whether these first four bytes are those of a pcap file.
pub(crate) fn is_pcap(magic: [u8; 4]) -> bool {
    variant(u32::from_le_bytes(magic)).or_else(|| variant(u32::from_be_bytes(magic))).is_some()
}

fn word(bytes: [u8; 4], big_endian: bool) -> u32 {
    if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
}

impl FileHeader {
    /// Decodes the header; also its length in the file.
    fn parse(h: &[u8; FILE_HEADER]) -> Option<(Self, u16, u16, usize)> {
        let magic = [h[0], h[1], h[2], h[3]];
        let big_endian = variant(u32::from_le_bytes(magic)).is_none();
        let Variant { nanoseconds, ixia, extra } = variant(word(magic, big_endian))?;
        let version = word([h[4], h[5], h[6], h[7]], big_endian);
        let (high, low) = ((version >> 16) as u16, version as u16);
        let (major, minor) = if big_endian { (high, low) } else { (low, high) };
        let lengths = match (major, minor) {
            (543, _) | (2, 0..=2) => Lengths::WireFirst,
            (2, 3) => Lengths::Unsure,
            _ => Lengths::CapturedFirst,
        };
        let snaplen = word([h[16], h[17], h[18], h[19]], big_endian);
        // The upper half holds the length of the frame check sequence and reserved bits.
        let link = word([h[20], h[21], h[22], h[23]], big_endian) & 0xffff;
        let (link, aix) = match aix_link(link).filter(|_| (major, minor) == (2, 2)) {
            Some(link) => (link, true),
            None => (link, false),
        };
        let nanoseconds = nanoseconds || aix;
        let header = Self { big_endian, nanoseconds, lengths, snaplen, link, extra };
        Some((header, major, minor, FILE_HEADER + if ixia { 4 } else { 0 }))
    }

    /// Decodes the 16 standard bytes of a record header.
    #[inline]
    pub(crate) fn record(&self, h: &[u8; RECORD_HEADER]) -> RecordHeader {
        let seconds = word([h[0], h[1], h[2], h[3]], self.big_endian);
        let fraction = word([h[4], h[5], h[6], h[7]], self.big_endian);
        let first = word([h[8], h[9], h[10], h[11]], self.big_endian);
        let second = word([h[12], h[13], h[14], h[15]], self.big_endian);
        let (captured, wire) = match self.lengths {
            Lengths::CapturedFirst => (first, second),
            Lengths::WireFirst => (second, first),
            Lengths::Unsure => (first.min(second), first.max(second)),
        };
        RecordHeader { seconds, fraction, captured, wire }
    }

    /// The largest fraction of a second that is one.
    pub(crate) fn max_fraction(&self) -> u32 {
        if self.nanoseconds { 999_999_999 } else { 999_999 }
    }

    /// The record's time; a fraction of more than a second is carried over.
    #[inline]
    fn time(&self, record: &RecordHeader) -> Nanos {
        let unit = if self.nanoseconds { 1 } else { 1_000 };
        Nanos(i64::from(record.seconds) * 1_000_000_000 + i64::from(record.fraction) * unit)
    }
}

/// AIX's tcpdump writes version 2.2, interface types of RFC 1573 for link types, and nanoseconds.
fn aix_link(link: u32) -> Option<u32> {
    match link {
        6 => Some(1),
        9 => Some(6),
        15 => Some(10),
        24 => Some(0),
        _ => None,
    }
}

impl Pcap {
    /// Reads the file header from a window that starts with the magic of a pcap file.
    pub(crate) fn open(file: &str, lane: u32, window: &mut Window) -> Result<Self, Error> {
        let cut = |window: &Window, wanted: usize| Error::Header {
            file: file.to_owned(),
            damage: window.damage(wanted as u64),
        };
        if !window.need(FILE_HEADER) {
            return Err(cut(window, FILE_HEADER));
        }
        let parsed = window.at_hand().first_chunk().and_then(FileHeader::parse);
        let Some((header, major, minor, length)) = parsed else {
            return Err(cut(window, FILE_HEADER));
        };
        if !matches!((major, minor), (2, 0..=4) | (543, 0)) {
            return Err(Error::Version { file: file.to_owned(), format: "pcap", major, minor });
        }
        if !window.need(length) {
            return Err(cut(window, length));
        }
        window.lend(length);
        Ok(Self { header, lane, record_header: None, usual: None })
    }

    /// Moves to the next record, which the window lends; false at the end.
    #[inline]
    pub(crate) fn advance(
        &mut self,
        window: &mut Window,
        interfaces: &mut Interfaces,
        counters: &mut Counters,
        next: &mut Record,
    ) -> Result<bool, Damage> {
        window.release();
        if !window.need(RECORD_HEADER) {
            return window.ending(RECORD_HEADER as u64).map(|()| false);
        }
        let record_header = match self.record_header {
            Some(length) => length,
            None => self.start(window, interfaces, next)?,
        };
        let Some(chunk) = window.at_hand().first_chunk() else { return Ok(false) };
        let record = self.header.record(chunk);
        let len = record.captured as usize;
        if record.is_blank() {
            return Err(Damage::Malformed("zeros stand in place of a record"));
        }
        if len > MAX_CAPTURED {
            return Err(Damage::too_long(u64::from(record.captured)));
        }
        let total = record_header + len;
        if !window.need(total) {
            return Err(window.damage(total as u64));
        }
        if record.fraction > self.header.max_fraction() {
            counters.invalid_times += 1;
        }
        window.lend(total);
        next.time = self.header.time(&record);
        next.wire_len = record.wire.max(record.captured);
        next.start = record_header;
        next.len = len;
        Ok(true)
    }

    /// How to read what follows, if the file is a usual one.
    #[inline]
    pub(crate) fn usual(&self) -> Option<Usual> {
        self.usual
    }

    /// Settles what only the first record tells.
    #[cold]
    fn start(
        &mut self,
        window: &Window,
        interfaces: &mut Interfaces,
        next: &mut Record,
    ) -> Result<usize, Damage> {
        let extra = extra_header_bytes(&self.header, window.at_hand(), self.header.extra);
        let identity =
            Identity { lane: self.lane, index: 0, link: self.header.link, name: String::new() };
        next.interface = interfaces.number(identity).ok_or(Damage::TOO_MANY_INTERFACES)?;
        next.link = self.header.link;
        let record_header = RECORD_HEADER + extra;
        self.record_header = Some(record_header);
        let standard = record_header == RECORD_HEADER && !self.header.big_endian;
        let usual = standard && self.header.lengths == Lengths::CapturedFirst;
        let unit = if self.header.nanoseconds { 1 } else { 1_000 };
        self.usual = usual.then_some(Usual { unit, max_fraction: self.header.max_fraction() });
        Ok(record_header)
    }
}
