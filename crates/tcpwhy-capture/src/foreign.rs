//! What a file is that is no capture of ours, and how to turn it into one.

use std::fmt;

/// A recognised format that is not read. Displays as what it is and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// A capture of another kind, which Wireshark's `editcap` converts.
    Capture(&'static str),
    /// A Windows event trace (`netsh trace`, `pktmon`).
    WindowsTrace,
    /// Endace's extensible record format.
    Erf,
    /// Compressed by something that is not read; with the command that decompresses.
    Compressed(&'static str, &'static str),
    /// An archive of files.
    Archive(&'static str),
    /// Packets printed as hexadecimal text.
    HexDump,
    /// A JSON document.
    Json,
    /// A web page: often an error page saved under the capture's name.
    Html,
    /// The pointer that git keeps in place of a large file.
    GitLfsPointer,
    /// Some other text.
    Text,
}

/// Magic bytes at the start of a file.
const MAGICS: &[(&[u8], Foreign)] = &[
    (b"snoop\0\0\0", Foreign::Capture("Solaris snoop")),
    (b"GMBU", Foreign::Capture("Microsoft Network Monitor 2")),
    (b"RTSS", Foreign::Capture("Microsoft Network Monitor 1")),
    (b"TRSNIFF data    \x1a", Foreign::Capture("DOS Sniffer")),
    (b"XCP\0", Foreign::Capture("Windows Sniffer")),
    (b"iptrace ", Foreign::Capture("AIX iptrace")),
    (b"ObserverPktBuffer", Foreign::Capture("Network Instruments Observer")),
    (b"\x7fver", Foreign::Capture("OmniPeek")),
    (b"btsnoop\0", Foreign::Capture("Bluetooth btsnoop")),
    (b"\x05VNF", Foreign::Capture("Visual Networks")),
    // The first gzip or zstd is undone before anybody asks here.
    (b"\x1f\x8b", Foreign::Compressed("gzip once more", "gzip -d")),
    (b"\x28\xb5\x2f\xfd", Foreign::Compressed("zstd once more", "zstd -d")),
    (b"\xfd7zXZ\0", Foreign::Compressed("xz", "xz -d")),
    (b"BZh", Foreign::Compressed("bzip2", "bzip2 -d")),
    (b"\x04\x22\x4d\x18", Foreign::Compressed("lz4", "lz4 -d")),
    (b"LZIP", Foreign::Compressed("lzip", "lzip -d")),
    (b"\x1f\x9d", Foreign::Compressed("compress", "uncompress")),
    (b"PK\x03\x04", Foreign::Archive("zip")),
    (b"7z\xbc\xaf\x27\x1c", Foreign::Archive("7-Zip")),
    (b"Rar!\x1a\x07", Foreign::Archive("RAR")),
    (b"version https://git-lfs", Foreign::GitLfsPointer),
];

impl Foreign {
    /// Recognises a format by the first bytes of a file, as many as there are at hand.
    pub(crate) fn recognise(head: &[u8]) -> Option<Self> {
        let magic = MAGICS.iter().find(|(magic, _)| head.starts_with(magic));
        if let Some((_, foreign)) = magic {
            return Some(*foreign);
        }
        if head.get(257..262) == Some(b"ustar") {
            return Some(Self::Archive("tar"));
        }
        if let Some(text) = text(head) {
            return Some(Self::recognise_text(text));
        }
        if is_windows_trace(head) {
            return Some(Self::WindowsTrace);
        }
        is_erf(head).then_some(Self::Erf)
    }

    /// Whether it holds packets for certain, so that passing it over would hide them.
    pub(crate) fn is_capture(self) -> bool {
        matches!(self, Self::Capture(_) | Self::WindowsTrace)
    }

    fn recognise_text(text: &str) -> Self {
        let text = text.trim_start();
        let start = text.get(..16).unwrap_or(text).to_ascii_lowercase();
        if start.starts_with('{') || start.starts_with('[') {
            Self::Json
        } else if start.starts_with("<!doc") || start.starts_with("<html") {
            Self::Html
        } else if text.contains("0x0000:") || is_hex_dump_line(text.lines().next().unwrap_or("")) {
            Self::HexDump
        } else {
            Self::Text
        }
    }
}

/// The head as text, if it is printable UTF-8 throughout; its last character may be cut.
fn text(head: &[u8]) -> Option<&str> {
    let text = match str::from_utf8(head) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => str::from_utf8(head.get(..e.valid_up_to())?).ok()?,
        Err(_) => return None,
    };
    let printable = |c: char| !c.is_control() || c.is_ascii_whitespace();
    (!text.is_empty() && text.chars().all(printable)).then_some(text)
}

/// `0000  45 00 00 3c`: an offset, then at least two pairs of hexadecimal digits.
fn is_hex_dump_line(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_hex = |word: &str| word.bytes().all(|b| b.is_ascii_hexdigit());
    let offset = words.next().is_some_and(|w| is_hex(w.trim_end_matches(':')) && w.len() >= 3);
    offset && words.take(2).filter(|w| is_hex(w) && w.len() % 2 == 0).count() == 2
}

/// Little-endian `u32` at `at`.
fn u32_at(head: &[u8], at: usize) -> Option<u32> {
    head.get(at..)?.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes))
}

/// The header of an event trace's first buffer (`WMI_BUFFER_HEADER`): the buffer size, a multiple
/// of 4 KiB, and three offsets within it.
fn is_windows_trace(head: &[u8]) -> bool {
    let Some(size) = u32_at(head, 0) else { return false };
    let offsets = [4, 8, 12].map(|at| u32_at(head, at));
    (4096..=16 << 20).contains(&size)
        && size.is_multiple_of(4096)
        && offsets.iter().all(|offset| offset.is_some_and(|offset| offset <= size))
        && offsets.iter().any(|offset| offset.is_some_and(|offset| offset > 64))
}

/// ERF has no magic: a 64-bit little-endian fixed-point time, a type, flags, then big-endian record
/// length, loss counter and wire length.
fn is_erf(head: &[u8]) -> bool {
    let Some([a, b, c, d, kind, _, r1, r0, _, _, w1, w0]) =
        head.get(4..).and_then(|rest| rest.first_chunk::<12>())
    else {
        return false;
    };
    let seconds = u32::from_le_bytes([*a, *b, *c, *d]);
    let record = u16::from_be_bytes([*r1, *r0]);
    let wire = u16::from_be_bytes([*w1, *w0]);
    let since_1998_until_2060 = (883_612_800..2_840_140_800).contains(&seconds);
    since_1998_until_2060 && (1..=48).contains(&(kind & 0x7f)) && record >= 16 && wire > 0
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capture(name) => {
                write!(f, "is a {name} capture; convert it: `editcap -F pcapng in out`")
            }
            Self::WindowsTrace => {
                f.write_str("is a Windows event trace; convert it: `etl2pcapng in.etl out.pcapng`")
            }
            Self::Erf => f.write_str(
                "looks like an Endace ERF capture; convert it: `editcap -F pcapng in out`",
            ),
            Self::Compressed(name, command) => {
                write!(f, "is compressed with {name}; decompress it first: `{command}`")
            }
            Self::Archive(name) => write!(f, "is a {name} archive; unpack it first"),
            Self::HexDump => {
                f.write_str("is a hex dump in text; convert it: `text2pcap in out.pcapng`")
            }
            Self::Json => f.write_str("is JSON, not a capture file; packets themselves are needed"),
            Self::Html => f.write_str("is a web page, not a capture file; download it again"),
            Self::GitLfsPointer => {
                f.write_str("is only git's pointer to a large file; fetch it: `git lfs pull`")
            }
            Self::Text => f.write_str("is text, not a capture file"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_it_sees() {
        let erf = [0, 0, 0, 0, 0x59, 0x2e, 0x87, 0x54, 2, 4, 0, 96, 0, 0, 0, 74, 0, 0];
        let etl = [[0, 0, 1, 0], [0x48, 2, 0, 0], [0x48, 2, 0, 0], [0, 0, 0, 0]].concat();
        let cases: &[(&[u8], Option<Foreign>)] = &[
            (b"snoop\0\0\0\0\0\0\x02", Some(Foreign::Capture("Solaris snoop"))),
            (b"\xfd7zXZ\0\0\0", Some(Foreign::Compressed("xz", "xz -d"))),
            (b"\x1f\x8b\x08\0", Some(Foreign::Compressed("gzip once more", "gzip -d"))),
            (b"  {\"packets\": []}", Some(Foreign::Json)),
            (b"0000  45 00 00 3c 1c 46\n", Some(Foreign::HexDump)),
            (b"12:00:00 IP a > b\n\t0x0000:  4500 003c", Some(Foreign::HexDump)),
            (b"<!DOCTYPE html><html>", Some(Foreign::Html)),
            (b"dear all,\nsee attached", Some(Foreign::Text)),
            ("# tcpwhy\n\nWarum? \u{4e3a}\u{4ec0}".as_bytes(), Some(Foreign::Text)),
            ("Warum? \u{4e3a}".as_bytes().split_last().unwrap().1, Some(Foreign::Text)),
            (&erf, Some(Foreign::Erf)),
            (&etl, Some(Foreign::WindowsTrace)),
            (b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09", None),
            (b"", None),
        ];
        for (head, foreign) in cases {
            assert_eq!(Foreign::recognise(head), *foreign, "{head:02x?}");
        }
    }
}
