//! IEEE 802.11 data frames, and the radio metadata that captures put before them.

use super::cursor::Cursor;
use super::{Decoded, Header, LinkType, Step};

const PLAIN: Header = Header::Wlan { padded: false, swapped: false };

/// An 802.11 frame (IEEE 802.11-2020 section 9.2): only data frames go on, with LLC.
///
/// Several packets may be aggregated in one frame (A-MSDU); the first one is taken. `padded`: the
/// header is filled up to four bytes; `swapped`: the frame control bytes are, by a controller that
/// has put the fragments together and leaves their numbers as they were.
pub(super) fn frame(padded: bool, swapped: bool, c: &mut Cursor<'_>) -> Step {
    let [f0, f1] = *c.peek()?;
    let control = if swapped { Control(f1, f0) } else { Control(f0, f1) };
    if !control.has_data() {
        return Err(Decoded::NotTcp);
    }
    let h = c.peek::<24>()?;
    if h[22] & 0x0f != 0 && !swapped {
        return Err(Decoded::LaterFragment);
    }
    if control.is_protected() {
        return Err(Decoded::Encrypted);
    }
    c.fragment |= control.more_fragments();
    let addresses = control.addresses_len();
    c.skip(addresses)?;
    let mut read = addresses;
    let mut aggregated = false;
    if control.has_qos() {
        aggregated = c.take::<2>()?[0] & 0x80 != 0;
        read += 2;
        if control.is_ordered() {
            c.skip(4)?;
            read += 4;
        }
    }
    if padded {
        c.skip(read.next_multiple_of(4) - read)?;
    }
    if aggregated {
        // Destination, source and length of the first subframe.
        c.skip(14)?;
    }
    Ok(Header::Llc)
}

/// The frame control field.
#[derive(Clone, Copy)]
struct Control(u8, u8);

impl Control {
    /// A data frame, of protocol version 0, that is not one of the "null" subtypes.
    fn has_data(self) -> bool {
        self.0 & 0x4f == 0x08
    }
    fn has_qos(self) -> bool {
        self.0 & 0x80 != 0
    }
    fn more_fragments(self) -> bool {
        self.1 & 0x04 != 0
    }
    fn is_protected(self) -> bool {
        self.1 & 0x40 != 0
    }
    /// In QoS frames: an HT control field follows.
    fn is_ordered(self) -> bool {
        self.1 & 0x80 != 0
    }
    /// Three addresses, or four between access points.
    fn addresses_len(self) -> usize {
        if self.1 & 0x03 == 0x03 { 30 } else { 24 }
    }
}

/// Radiotap (radiotap.org): version, padding, length, a chain of presence words, then the fields.
pub(super) fn radiotap(c: &mut Cursor<'_>) -> Step {
    const DATA_PAD: u8 = 0x20;
    const BAD_CHECKSUM: u8 = 0x40;
    let [_, _, l0, l1] = *c.peek()?;
    let len = usize::from(u16::from_le_bytes([l0, l1]));
    if len < 8 {
        return Err(Decoded::Malformed);
    }
    let flags = c.bytes().get(..len).and_then(radiotap_flags).unwrap_or(0);
    if flags & BAD_CHECKSUM != 0 {
        return Err(Decoded::Malformed);
    }
    c.skip(len)?;
    Ok(Header::Wlan { padded: flags & DATA_PAD != 0, swapped: false })
}

/// The flags field of a radiotap header; only the 64-bit timestamp can precede it.
fn radiotap_flags(header: &[u8]) -> Option<u8> {
    const TIMESTAMP: u32 = 1;
    const FLAGS: u32 = 2;
    const MORE: u32 = 1 << 31;
    let mut words = header.get(4..)?.chunks_exact(4);
    let mut word = || words.next().and_then(|w| w.first_chunk()).map(|w| u32::from_le_bytes(*w));
    let first = word()?;
    let mut fields = 8;
    let mut last = first;
    while last & MORE != 0 {
        last = word()?;
        fields += 4;
    }
    if first & FLAGS == 0 {
        return None;
    }
    if first & TIMESTAMP != 0 {
        fields = usize::next_multiple_of(fields, 8) + 8;
    }
    header.get(fields).copied()
}

/// Per-packet information (CACE PPI): version, flags, length, link type, fields.
pub(super) fn ppi(c: &mut Cursor<'_>) -> Step {
    let [_, _, l0, l1, t0, t1, t2, t3] = *c.peek()?;
    let len = usize::from(u16::from_le_bytes([l0, l1]));
    if len < 8 {
        return Err(Decoded::Malformed);
    }
    c.skip(len)?;
    Ok(Header::Link(LinkType(u32::from_le_bytes([t0, t1, t2, t3]))))
}

/// The Prism header of 144 bytes, or an AVS header in its place.
pub(super) fn prism(c: &mut Cursor<'_>) -> Step {
    if c.peek::<4>()?.starts_with(&[0x80, 0x21, 0x10]) {
        return avs(c);
    }
    c.skip(144)?;
    Ok(PLAIN)
}

/// The AVS header: version and its own length, big-endian.
pub(super) fn avs(c: &mut Cursor<'_>) -> Step {
    let [_, _, _, _, l0, l1, l2, l3] = *c.peek()?;
    let len = u32::from_be_bytes([l0, l1, l2, l3]) as usize;
    if len < 8 {
        return Err(Decoded::Malformed);
    }
    c.skip(len)?;
    Ok(PLAIN)
}
