//! IEEE 802.11 data frames, and the radio metadata that captures put before them.

use super::cursor::Cursor;
use super::{Decoded, Header, LinkType, Step};

/// Destination, source and length of a subframe.
const SUBFRAME: usize = 14;

const PLAIN: Header = Header::Wlan { padded: false, swapped: false };

/// An 802.11 frame (IEEE 802.11-2020 section 9.2): only data frames go on, with LLC.
///
/// Several packets may be aggregated in one frame (A-MSDU): `rest` is where those after the first
/// begin. `padded`: the header is filled up to four bytes; `swapped`: the frame control bytes are,
/// by a controller that has put the fragments together and leaves their numbers as they were.
pub(super) fn frame<'a>(
    padded: bool,
    swapped: bool,
    c: &mut Cursor<'a>,
    rest: &mut Option<Cursor<'a>>,
) -> Step {
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
        *rest = end_subframe(c);
        c.skip(SUBFRAME)?;
    }
    Ok(Header::Llc)
}

/// Ends the subframe of an A-MSDU that begins here, and says where the next one begins. A subframe is destination, source, length and LLC,
/// as an Ethernet frame of 802.3 is, and all but the last are padded to four bytes (IEEE 802.11-2020 section 9.3.2.2.2).
pub(super) fn end_subframe<'a>(c: &mut Cursor<'a>) -> Option<Cursor<'a>> {
    let [.., l0, l1] = *c.peek::<SUBFRAME>().ok()?;
    let len = SUBFRAME + usize::from(u16::from_be_bytes([l0, l1]));
    let mut next = *c;
    let more = next.skip(len.next_multiple_of(4)).is_ok() && !next.bytes().is_empty();
    c.end_at(len);
    more.then_some(next)
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

#[cfg(test)]
mod tests {
    use super::super::tests::{ethernet, ipv4, linked, segment_of, tcp};
    use super::super::{Frame, decode_each};
    use super::*;

    const PLAIN_LINK: u32 = 105;

    /// A data frame whose frame control is `f0`, `f1`, with `extra` between addresses and LLC.
    fn data(f0: u8, f1: u8, extra: &[u8]) -> Vec<u8> {
        let mut frame = vec![f0, f1];
        frame.extend([0; 22]);
        frame.extend(extra);
        frame.extend([0xaa, 0xaa, 3, 0, 0, 0, 8, 0]);
        frame.extend(ipv4(6, &tcp(&[], b"abc")));
        frame
    }

    fn answer(frame: &[u8]) -> Decoded {
        linked(PLAIN_LINK, frame, frame.len()).0
    }

    #[test]
    fn every_layout_of_a_data_frame() {
        segment_of(PLAIN_LINK, &data(0x08, 0x01, &[]));
        segment_of(PLAIN_LINK, &data(0x88, 0x02, &[0, 0]));
        segment_of(PLAIN_LINK, &data(0x88, 0x81, &[0; 6]));
        segment_of(PLAIN_LINK, &data(0x08, 0x03, &[0; 6]));
        segment_of(PLAIN_LINK, &data(0x88, 0x03, &[0; 8]));
        segment_of(PLAIN_LINK, &aggregate(&[3]));
    }

    /// A frame that aggregates packets of so many bytes.
    fn aggregate(lens: &[usize]) -> Vec<u8> {
        let mut frame = vec![0x88, 0x02];
        frame.extend([0; 22]);
        frame.extend([0x80, 0]);
        for (k, len) in lens.iter().enumerate() {
            let packet = ipv4(6, &tcp(&[], &vec![k as u8; *len]));
            let llc = [&[0xaa, 0xaa, 3, 0, 0, 0, 8, 0][..], &packet].concat();
            let subframe = ethernet(llc.len() as u16, &llc);
            frame.resize(26 + (frame.len() - 26).next_multiple_of(4), 0xee);
            frame.extend(subframe);
        }
        frame
    }

    fn lengths(data: &[u8]) -> (Decoded, Vec<u32>) {
        let (mut out, mut lens) = (Default::default(), Vec::new());
        let link = LinkType(PLAIN_LINK);
        let wire_len = data.len() as u32;
        let frame =
            Frame { time: Default::default(), number: 1, interface: 0, link, wire_len, data };
        let decoded = decode_each(&frame, &mut out, |segment| lens.push(segment.len));
        (decoded, lens)
    }

    #[test]
    fn every_packet_of_an_aggregate_counts() {
        let frame = aggregate(&[100, 33, 7]);
        assert_eq!(lengths(&frame), (Decoded::Segment, vec![100, 33, 7]));
        // Cut in the last one's payload, header, and in the second's.
        let cut = |bytes: usize| lengths(&frame[..frame.len() - bytes]).1;
        assert_eq!(cut(5), [100, 33, 7]);
        assert_eq!(cut(20), [100, 33]);
        assert_eq!(cut(120), [100]);
        // A first one that is no TCP (its protocol, 17), and one that claims more than there is.
        let mut other = frame.clone();
        other[26 + SUBFRAME + 8 + 9] = 17;
        assert_eq!(lengths(&other), (Decoded::Segment, vec![33, 7]));
        other = frame.clone();
        other[26 + 12] = 0xff;
        assert_eq!(lengths(&other).1, [100]);
    }

    #[test]
    fn frames_without_a_packet_say_why() {
        assert_eq!(answer(&data(0x08, 0x41, &[])), Decoded::Encrypted);
        for control in [0x80, 0xd4, 0x48, 0xc8, 0x09] {
            assert_eq!(answer(&data(control, 0x01, &[])), Decoded::NotTcp, "{control:#x}");
        }
    }

    #[test]
    fn the_first_fragment_counts() {
        let mut frame = data(0x08, 0x05, &[]);
        assert!(segment_of(PLAIN_LINK, &frame).fragment);
        frame[22] = 1;
        assert_eq!(answer(&frame), Decoded::LaterFragment);
    }

    #[test]
    fn radiotap_with_padding_and_bad_checksum() {
        let header = |flags| {
            [0, 0, 24, 0, 0x03, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, flags]
        };
        let with = |flags, frame: Vec<u8>| {
            let mut h = header(flags);
            h[2] = h.len() as u8;
            [&h[..], &frame].concat()
        };
        segment_of(127, &with(0x00, data(0x88, 0x01, &[0, 0])));
        segment_of(127, &with(0x20, data(0x88, 0x01, &[0, 0, 9, 9])));
        let bad = with(0x40, data(0x88, 0x01, &[0, 0]));
        assert_eq!(linked(127, &bad, bad.len()).0, Decoded::Malformed);
        assert_eq!(linked(127, &[0; 60], 60).0, Decoded::Malformed);
    }

    #[test]
    fn other_metadata_headers() {
        let frame = data(0x08, 0x01, &[]);
        segment_of(192, &[&[0, 0, 10, 0, 105, 0, 0, 0, 1, 2][..], &frame].concat());
        segment_of(119, &[&[0; 144][..], &frame].concat());
        let avs = [&[0x80, 0x21, 0x10, 1, 0, 0, 0, 12, 0, 0, 0, 0][..], &frame].concat();
        segment_of(119, &avs);
        segment_of(163, &avs);
    }

    #[test]
    fn metadata_that_names_itself_ends() {
        let ppi = [0, 0, 8, 0, 192, 0, 0, 0].repeat(100);
        assert_eq!(linked(192, &ppi, ppi.len()).0, Decoded::Malformed);
    }
}
