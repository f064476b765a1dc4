//! The TCP header (RFC 9293 section 3.1).

use super::Decoded;
use super::cursor::Cursor;
use super::options;
use crate::observe::Segment;
use crate::units::Seq;

/// Reads the TCP header at `c` into the TCP fields of `out`, and what `c` knows of the layers above.
///
/// Sixteen bytes suffice: up to the window. The checksum and the urgent pointer are not read.
#[inline(always)]
pub(super) fn read(c: &mut Cursor<'_>, out: &mut Segment) -> Result<(), Decoded> {
    let wire = c.wire();
    let h = c.take::<16>()?;
    let header_len = usize::from(h[12] >> 4) * 4;
    if header_len < 20 || header_len > wire {
        return Err(Decoded::Malformed);
    }
    out.scope = c.scope;
    out.fragment = c.fragment;
    out.src.port = u16::from_be_bytes([h[0], h[1]]);
    out.dst.port = u16::from_be_bytes([h[2], h[3]]);
    out.seq = Seq(u32::from_be_bytes([h[4], h[5], h[6], h[7]]));
    out.ack = Seq(u32::from_be_bytes([h[8], h[9], h[10], h[11]]));
    out.flags = u16::from_be_bytes([h[12] & 0x01, h[13]]);
    out.window = u16::from_be_bytes([h[14], h[15]]);
    out.len = u32::try_from(wire - header_len).unwrap_or(u32::MAX);
    let (captured, cut) = captured_options(c.bytes(), header_len);
    options::read(captured, &mut out.options);
    out.options_cut = cut;
    Ok(())
}

/// The options in `rest` (the header from its 17th byte on), and whether some are missing.
#[inline]
fn captured_options(rest: &[u8], header_len: usize) -> (&[u8], bool) {
    match rest.get(4..header_len - 16) {
        Some(all) => (all, false),
        None => (rest.get(4..).unwrap_or_default(), header_len > 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::tests::{ethernet, ipv4, segment, tcp};
    use crate::observe::flags;

    #[test]
    fn reads_every_field() {
        let s = segment(&ethernet(0x0800, &ipv4(6, &tcp(&[], b"hello"))));
        assert_eq!((s.src.port, s.dst.port), (443, 50_000));
        assert_eq!((s.seq, s.ack), (Seq(0x0102_0304), Seq(0x0506_0708)));
        assert_eq!((s.flags, s.window), (flags::ACK | flags::PSH, 0x1234));
        assert_eq!((s.len, s.options_cut), (5, false));
    }

    #[test]
    fn the_accurate_ecn_bit_is_the_ninth_flag() {
        let mut bytes = tcp(&[], &[]);
        bytes[12] |= 0x01;
        assert_eq!(segment(&ethernet(0x0800, &ipv4(6, &bytes))).flags & 0x100, 0x100);
    }

    #[test]
    fn a_header_shorter_than_twenty_or_longer_than_the_packet_is_malformed() {
        for offset in [0x00, 0x40, 0x60] {
            let mut bytes = tcp(&[], &[]);
            bytes[12] = offset;
            let frame = ethernet(0x0800, &ipv4(6, &bytes));
            assert_eq!(crate::decode::tests::answer(&frame), Decoded::Malformed, "{offset:#x}");
        }
    }

    #[test]
    fn a_cut_inside_the_options_keeps_the_segment_and_says_so() {
        let frame = ethernet(0x0800, &ipv4(6, &tcp(&[2, 4, 5, 0xb4, 3, 3, 7, 0], &[])));
        for cut in 1..=12 {
            let (answer, s) = crate::decode::tests::cut(&frame, frame.len() - cut);
            assert_eq!(answer, Decoded::Segment);
            assert!(s.options_cut);
            assert_eq!(s.options.mss.is_some(), cut <= 4, "{cut} bytes cut");
            assert_eq!(s.len, 0);
        }
        assert_eq!(crate::decode::tests::cut(&frame, frame.len() - 13).0, Decoded::Cut);
    }

    #[test]
    fn a_cut_before_the_options_of_a_bare_header_hides_nothing() {
        let frame = ethernet(0x0800, &ipv4(6, &tcp(&[], b"payload")));
        let (answer, s) = crate::decode::tests::cut(&frame, 14 + 20 + 16);
        assert_eq!((answer, s.options_cut, s.len), (Decoded::Segment, false, 7));
    }
}
