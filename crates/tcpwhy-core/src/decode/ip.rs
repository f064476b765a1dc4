//! IPv4 (RFC 791) and IPv6 (RFC 8200, 2675).

use super::cursor::Cursor;
use super::protocol::{later_fragment, number};
use super::{Decoded, Header, Step};
use crate::observe::Segment;
use std::net::Ipv4Addr;

/// The largest explicit congestion notification codepoint: congestion experienced (RFC 3168).
const CONGESTION_EXPERIENCED: u8 = 3;

/// IP of the version that the first four bits name.
pub(super) fn either(c: &mut Cursor<'_>) -> Step {
    match c.peek::<1>()?[0] >> 4 {
        4 => Ok(Header::Ipv4),
        6 => Ok(Header::Ipv6),
        _ => Err(Decoded::NotTcp),
    }
}

/// An IPv4 header and its options.
///
/// A header of version 6 is taken for what it is, whatever announced it. Total length 0 is what a capture sees of a packet that the network card will segment (TSO, and
/// Linux BIG TCP above 64 KiB): then the packet ends where the frame does.
#[inline(always)]
pub(super) fn v4(c: &mut Cursor<'_>, out: &mut Segment) -> Step {
    let h = c.peek::<20>()?;
    let header_len = usize::from(h[0] & 0x0f) * 4;
    let total_len = usize::from(u16::from_be_bytes([h[2], h[3]]));
    if h[0] >> 4 == 6 {
        return Ok(Header::Ipv6);
    }
    if h[0] >> 4 != 4 || header_len < 20 || (total_len != 0 && total_len < header_len) {
        return Err(Decoded::Malformed);
    }
    if total_len > c.wire() {
        if c.bytes().get(..header_len).is_some_and(is_intact) {
            c.extend_to(total_len);
        }
    } else if total_len != 0 {
        c.end_at(total_len);
    }
    c.skip(header_len)?;
    out.src.ip = mapped([h[12], h[13], h[14], h[15]]);
    out.dst.ip = mapped([h[16], h[17], h[18], h[19]]);
    out.ip_id = u16::from_be_bytes([h[4], h[5]]);
    out.ttl = h[8];
    out.ce = h[1] & 3 == CONGESTION_EXPERIENCED;
    let fragment = u16::from_be_bytes([h[6], h[7]]);
    if fragment & 0x1fff != 0 {
        return Err(later_fragment(h[9]));
    }
    c.fragment |= fragment & 0x2000 != 0;
    if h[9] == number::TCP { Ok(Header::Tcp) } else { Ok(Header::IpProtocol(h[9])) }
}

/// Whether the length in this header counts although the frame does not hold as much. Nobody forwards
/// such a packet, so either a mirror port sliced it or a tool stored the captured length as the
/// original one, and the header tells the truth, or it is damaged. Its checksum decides (0: left to
/// the network card).
#[cold]
fn is_intact(header: &[u8]) -> bool {
    let sum: u32 = header.chunks_exact(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1])).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    folded == 0xffff || header.get(10..12) == Some(&[0, 0])
}

fn mapped(address: [u8; 4]) -> [u8; 16] {
    Ipv4Addr::from(address).to_ipv6_mapped().octets()
}

/// An IPv6 header, without its extension headers.
///
/// Payload length 0 with a jumbo payload option is a jumbogram (RFC 2675; Linux BIG TCP); without
/// the option it is, as for IPv4, a packet that ends where the frame does. A length beyond the frame is
/// believed, as there is no checksum (see [`is_intact`]); a jumbo length is not: it could be 4 GiB.
#[inline(always)]
pub(super) fn v6(c: &mut Cursor<'_>, out: &mut Segment) -> Step {
    let h = c.take::<40>()?;
    if h[0] >> 4 != 6 {
        return Err(Decoded::Malformed);
    }
    let next = h[6];
    match u16::from_be_bytes([h[4], h[5]]) {
        0 if next == number::HOP_BY_HOP => {
            if let Some(len) = jumbo_len(c.bytes()) {
                c.end_at(len);
            }
        }
        0 => {}
        len if usize::from(len) > c.wire() => c.extend_to(usize::from(len)),
        len => c.end_at(usize::from(len)),
    }
    out.src.ip = *h[8..].first_chunk().ok_or(Decoded::Malformed)?;
    out.dst.ip = *h[24..].first_chunk().ok_or(Decoded::Malformed)?;
    out.ip_id = 0;
    out.ttl = h[7];
    out.ce = (h[1] >> 4) & 3 == CONGESTION_EXPERIENCED;
    if next == number::TCP { Ok(Header::Tcp) } else { Ok(Header::IpProtocol(next)) }
}

/// The jumbo payload length in the hop-by-hop options that `bytes` begins with.
fn jumbo_len(bytes: &[u8]) -> Option<usize> {
    const PAD1: u8 = 0;
    const JUMBO: u8 = 0xc2;
    let len = (usize::from(*bytes.get(1)?) + 1) * 8;
    let mut rest = bytes.get(2..len.min(bytes.len()))?;
    loop {
        match *rest {
            [PAD1, ref next @ ..] => rest = next,
            [JUMBO, 4, a, b, c, d, ..] => {
                return usize::try_from(u32::from_be_bytes([a, b, c, d])).ok();
            }
            [_, len, ..] => rest = rest.get(2 + usize::from(len)..)?,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{answer, cut, ethernet, ipv4, ipv6, segment, tcp, udp};
    use super::*;
    use crate::observe::Endpoint;

    const V4: u16 = 0x0800;
    const V6: u16 = 0x86dd;

    fn with(mut packet: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
        packet[at..at + bytes.len()].copy_from_slice(bytes);
        packet
    }

    #[test]
    fn reads_the_ipv4_fields() {
        let s = segment(&ethernet(V4, &with(ipv4(6, &tcp(&[], b"abc")), 1, &[0x03])));
        assert_eq!(s.src, Endpoint::new([10, 0, 0, 1].into(), 443));
        assert_eq!(s.dst, Endpoint::new([10, 0, 0, 2].into(), 50_000));
        assert_eq!((s.ip_id, s.ttl, s.ce, s.len, s.fragment), (0x1234, 61, true, 3, false));
    }

    #[test]
    fn reads_the_ipv6_fields() {
        let s = segment(&ethernet(V6, &with(ipv6(6, &tcp(&[], b"abc")), 1, &[0x30])));
        assert_eq!(s.src, Endpoint::new("fd00::1".parse().unwrap(), 443));
        assert_eq!(s.dst, Endpoint::new("fd00::2".parse().unwrap(), 50_000));
        assert_eq!((s.ip_id, s.ttl, s.ce, s.len, s.fragment), (0, 61, true, 3, false));
    }

    #[test]
    fn ethernet_padding_is_not_payload() {
        let mut frame = ethernet(V4, &ipv4(6, &tcp(&[], &[])));
        frame.extend([0; 6]);
        assert_eq!(segment(&frame).len, 0);
    }

    #[test]
    fn total_length_zero_ends_with_the_frame_even_above_64_kib() {
        let v4 = ethernet(V4, &with(ipv4(6, &tcp(&[], &[0; 100])), 2, &[0, 0]));
        assert_eq!(segment(&v4).len, 100);
        let v6 = ethernet(V6, &with(ipv6(6, &tcp(&[], &[0; 100])), 4, &[0, 0]));
        assert_eq!(segment(&v6).len, 100);
        let big = tcp(&[], &vec![0; 300_000]);
        let v4 = ethernet(V4, &with(ipv4(6, &big), 2, &[0, 0]));
        let (answer, s) = cut(&v4, 96);
        assert_eq!((answer, s.len), (Decoded::Segment, 300_000));
    }

    #[test]
    fn a_jumbo_payload_option_gives_the_length() {
        let tcp = tcp(&[], &vec![0; 200_000]);
        let mut jumbo = vec![6, 0, 0xc2, 4];
        jumbo.extend((8 + tcp.len() as u32 - 1000).to_be_bytes());
        jumbo.extend(tcp);
        let packet = with(ipv6(number::HOP_BY_HOP, &jumbo), 4, &[0, 0]);
        assert_eq!(segment(&ethernet(V6, &packet)).len, 199_000);
    }

    /// The checksum of the header built by `ipv4`, so that a sliced packet can be told from damage.
    fn checked(packet: Vec<u8>) -> Vec<u8> {
        let sum: u32 =
            packet[..20].chunks(2).map(|w| u32::from(u16::from_be_bytes([w[0], w[1]]))).sum();
        let folded = !((sum & 0xffff) + (sum >> 16)) as u16;
        with(packet, 10, &folded.to_be_bytes())
    }

    #[test]
    fn a_sliced_packet_keeps_its_length_where_the_checksum_proves_it() {
        let packet = checked(ipv4(6, &tcp(&[], &[0; 1000])));
        assert_eq!(segment(&ethernet(V4, &packet[..60])).len, 1000);
        let damaged = with(packet, 2, &[0x13]);
        assert_eq!(segment(&ethernet(V4, &damaged[..60])).len, 20);
    }

    #[test]
    fn ipv4_options_are_passed_over() {
        let plain = ipv4(6, &tcp(&[], b"xyz"));
        let mut packet = with(plain[..20].to_vec(), 0, &[0x47]);
        packet[3] += 8;
        packet.extend([0x94, 4, 0, 0, 1, 1, 1, 0]);
        packet.extend(&plain[20..]);
        assert_eq!(segment(&ethernet(V4, &packet)).len, 3);
    }

    #[test]
    fn bad_header_lengths_are_malformed() {
        for (at, byte) in [(0, 0x44), (3, 19), (0, 0x55)] {
            let mut packet = ipv4(6, &tcp(&[], &[]));
            packet[at] = byte;
            assert_eq!(answer(&ethernet(V4, &packet)), Decoded::Malformed, "{at} {byte:#x}");
        }
    }

    #[test]
    fn the_first_ipv4_fragment_counts_and_the_later_ones_do_not() {
        let packet = ipv4(6, &tcp(&[], b"abc"));
        assert!(segment(&ethernet(V4, &with(packet.clone(), 6, &[0x20, 0]))).fragment);
        let later = with(packet, 6, &[0x20, 100]);
        assert_eq!(answer(&ethernet(V4, &later)), Decoded::LaterFragment);
        let dns = with(ipv4(17, &udp(53, &[0; 40])), 6, &[0, 100]);
        assert_eq!(answer(&ethernet(V4, &dns)), Decoded::NotTcp);
    }

    #[test]
    fn inside_a_fragment_the_wire_holds_what_it_holds() {
        let inner = checked(ipv4(6, &tcp(&[], &[0; 1000])));
        let outer = with(ipv4(number::IPV4, &inner[..500]), 6, &[0x20, 0]);
        assert_eq!(segment(&ethernet(V4, &outer)).len, 460);
    }
}
