//! The first header of a frame, by the link type of the capture.

use super::cursor::{Cursor, Encapsulation};
use super::{Decoded, Header, Step, names, serial, wlan};

/// A `LINKTYPE_` value (<https://www.tcpdump.org/linktypes.html>).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LinkType(pub u32);

impl LinkType {
    /// IEEE 802.3 Ethernet.
    pub const ETHERNET: Self = Self(1);

    /// The registered name without `LINKTYPE_`, also of types that are not supported.
    pub fn name(self) -> Option<&'static str> {
        names::of(self.0)
    }

    /// Whether frames of this type can be decoded.
    pub fn is_supported(self) -> bool {
        enter(self, &mut Cursor::empty()) != Err(Decoded::UnsupportedLink)
    }
}

/// Reads what frames of type `link` begin with.
pub(super) fn enter(link: LinkType, c: &mut Cursor<'_>) -> Step {
    match link.0 {
        0 | 108 => null(c),
        1 => Ok(Header::Ethernet),
        6 => token_ring(c),
        7 => arcnet(c),
        9 | 50 => Ok(Header::Ppp),
        10 => fddi(c),
        12 | 14 | 101 => Ok(Header::Ip),
        51 => serial::pppoe(c),
        100 => Ok(Header::Llc),
        104 => serial::cisco_hdlc(c),
        105 => Ok(Header::Wlan { padded: false, swapped: false }),
        106 => atm_classical_ip(c),
        107 => serial::frame_relay(c),
        109 => after(12, Header::Ip, c),
        113 => linux_cooked(c),
        117 => pflog(c),
        119 => wlan::prism(c),
        122 => after(16, Header::Llc, c),
        127 => wlan::radiotap(c),
        129 => arcnet_linux(c),
        138 => ip_over_1394(c),
        149 | 258 => pktap(c),
        163 => wlan::avs(c),
        166 => after(2, Header::Ppp, c),
        178 => juniper_ethernet(c),
        192 => wlan::ppi(c),
        204 => after(1, Header::Ppp, c),
        205 => after(1, Header::Link(LinkType(104)), c),
        206 => after(1, Header::Link(LinkType(107)), c),
        219 => Ok(Header::Mpls),
        226 => after(24, Header::Ip, c),
        228 => Ok(Header::Ipv4),
        229 => Ok(Header::Ipv6),
        239 => nflog(c),
        240 => after(4, Header::Ethernet, c),
        241 => after(12, Header::Ethernet, c),
        242 => ip_over_infiniband(c),
        274 => after(8, Header::Ethernet, c),
        276 => linux_cooked_v2(c),
        _ => Err(Decoded::UnsupportedLink),
    }
}

/// `header` after `n` bytes that do not matter.
fn after(n: usize, header: Header, c: &mut Cursor<'_>) -> Step {
    c.skip(n)?;
    Ok(header)
}

/// BSD loopback: the address family, in the byte order of the capturing host (NULL) or of the
/// network (LOOP). The families of IPv6 differ between systems.
fn null(c: &mut Cursor<'_>) -> Step {
    let family = c.be32()?;
    let family = if family > 0xffff { family.swap_bytes() } else { family };
    match family {
        2 => Ok(Header::Ipv4),
        10 | 24 | 28 | 30 => Ok(Header::Ipv6),
        _ => Err(Decoded::NotTcp),
    }
}

/// Access and frame control, addresses, and a source route where the source address says so.
fn token_ring(c: &mut Cursor<'_>) -> Step {
    let routed = c.take::<14>()?[8] & 0x80 != 0;
    if routed {
        let len = usize::from(c.peek::<1>()?[0] & 0x1f);
        c.skip(len)?;
    }
    Ok(Header::Llc)
}

/// Frame control, addresses; LLC only in data frames.
fn fddi(c: &mut Cursor<'_>) -> Step {
    match c.take::<13>()?[0] & 0x30 {
        0x10 => Ok(Header::Llc),
        _ => Err(Decoded::NotTcp),
    }
}

/// ARCnet as BSD captures it: addresses, type.
fn arcnet(c: &mut Cursor<'_>) -> Step {
    c.skip(2)?;
    arcnet_type(c)
}

/// ARCnet as Linux captures it: addresses, an offset, type.
fn arcnet_linux(c: &mut Cursor<'_>) -> Step {
    c.skip(4)?;
    arcnet_type(c)
}

/// RFC 1051 types are followed by the packet, RFC 1201 types by a split flag and a sequence number.
fn arcnet_type(c: &mut Cursor<'_>) -> Step {
    const EXCEPTION: u8 = 0xff;
    let kind = c.u8()?;
    if kind == 240 {
        return Ok(Header::Ipv4);
    }
    let mut split = c.take::<3>()?[0];
    if split == EXCEPTION {
        split = c.take::<4>()?[1];
    }
    match (kind, split) {
        (212 | 196, 0) => {}
        // Odd: the first part, and how many follow. Even: a later one.
        (212 | 196, first) if first & 1 == 1 => c.fragment = true,
        (212 | 196, _) => return Err(Decoded::LaterFragment),
        _ => return Err(Decoded::NotTcp),
    }
    Ok(if kind == 212 { Header::Ipv4 } else { Header::Ipv6 })
}

/// RFC 1577 with LLC, or bare IP.
fn atm_classical_ip(c: &mut Cursor<'_>) -> Step {
    Ok(if c.bytes().first() == Some(&0xaa) { Header::Llc } else { Header::Ip })
}

/// The EtherType of a cooked capture, which also tells frames that have none.
fn cooked_type(kind: u16, hardware: u16) -> Step {
    const WLAN: u16 = 801;
    const RADIOTAP: u16 = 803;
    const NETLINK: u16 = 824;
    const LLC: u16 = 4;
    match (hardware, kind) {
        (NETLINK, _) => Err(Decoded::NotTcp),
        (WLAN, _) => Ok(Header::Wlan { padded: false, swapped: false }),
        (RADIOTAP, _) => Ok(Header::Link(LinkType(127))),
        (_, LLC) => Ok(Header::Llc),
        (_, kind) => Ok(Header::EtherType(kind)),
    }
}

/// Linux cooked capture: packet type, hardware type, address, EtherType.
fn linux_cooked(c: &mut Cursor<'_>) -> Step {
    let h = c.take::<16>()?;
    cooked_type(u16::from_be_bytes([h[14], h[15]]), u16::from_be_bytes([h[2], h[3]]))
}

/// Linux cooked capture, version 2: EtherType, interface, hardware type, packet type, address.
fn linux_cooked_v2(c: &mut Cursor<'_>) -> Step {
    let h = c.take::<20>()?;
    c.enter(Encapsulation::Interface, u32::from_be_bytes([h[4], h[5], h[6], h[7]]));
    cooked_type(u16::from_be_bytes([h[0], h[1]]), u16::from_be_bytes([h[8], h[9]]))
}

/// OpenBSD packet filter log: a header that begins with its length, filled up to four bytes.
fn pflog(c: &mut Cursor<'_>) -> Step {
    let len = usize::from(c.peek::<1>()?[0]);
    c.skip(len.next_multiple_of(4).max(4))?;
    Ok(Header::Ip)
}

/// Apple's cooked header: two addresses of eight bytes, EtherType.
fn ip_over_1394(c: &mut Cursor<'_>) -> Step {
    c.skip(16)?;
    Ok(Header::EtherType(c.be16()?))
}

/// Apple's packet tap: length of this header, record type, link type, interface name, ...; `USER2`
/// stands for it in older files.
fn pktap(c: &mut Cursor<'_>) -> Step {
    const PACKET: u32 = 1;
    let h = c.peek::<36>()?;
    let le = |at: usize| h[at..].first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
    if le(0) < 36 || le(4) != PACKET {
        return Err(Decoded::UnsupportedLink);
    }
    for word in 3..9 {
        c.enter(Encapsulation::Interface, le(word * 4));
    }
    c.skip(le(0) as usize)?;
    Ok(Header::Link(LinkType(le(8))))
}

/// Juniper's metadata before Ethernet: magic, flags, extensions of a stated length.
fn juniper_ethernet(c: &mut Cursor<'_>) -> Step {
    const MAGIC: [u8; 3] = *b"MGC";
    const NO_LINK_LAYER: u8 = 0x02;
    const EXTENSIONS: u8 = 0x80;
    let [m0, m1, m2, flags] = *c.take()?;
    if [m0, m1, m2] != MAGIC {
        return Err(Decoded::Malformed);
    }
    if flags & EXTENSIONS != 0 {
        let len = c.be16()?;
        c.skip(usize::from(len))?;
    }
    if flags & NO_LINK_LAYER != 0 { after(4, Header::Ip, c) } else { Ok(Header::Ethernet) }
}

/// Netfilter log: attributes with length and type in the capturing host's byte order (libpcap's
/// `nflog.h`); one of them is the packet.
fn nflog(c: &mut Cursor<'_>) -> Step {
    const PAYLOAD: u16 = 9;
    c.skip(4)?;
    loop {
        let [l0, l1, t0, t1] = *c.peek()?;
        // Types are small: the order in which this one is small is the host's.
        let little = t1 == 0;
        let read = if little { u16::from_le_bytes } else { u16::from_be_bytes };
        let len = usize::from(read([l0, l1]));
        if len < 4 {
            return Err(Decoded::Malformed);
        }
        if read([t0, t1]) == PAYLOAD {
            c.skip(4)?;
            return Ok(Header::Ip);
        }
        c.skip(len.next_multiple_of(4))?;
    }
}

/// IP over InfiniBand: global routing header (40 bytes), EtherType, reserved (RFC 4391 section 6).
fn ip_over_infiniband(c: &mut Cursor<'_>) -> Step {
    c.skip(40)?;
    let [k0, k1, _, _] = *c.take()?;
    Ok(Header::EtherType(u16::from_be_bytes([k0, k1])))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ethernet, ipv4, ipv6, linked, segment_of, tcp};
    use super::*;

    fn packet() -> Vec<u8> {
        ipv4(6, &tcp(&[], b"abc"))
    }

    fn after(header: &[u8]) -> Vec<u8> {
        [header, &packet()].concat()
    }

    #[test]
    fn every_supported_type_has_a_name_and_others_are_refused() {
        for number in 0..1000 {
            let link = LinkType(number);
            assert!(!link.is_supported() || link.name().is_some(), "{number}");
            let refused = linked(number, &[0; 64], 64).0 == Decoded::UnsupportedLink;
            assert!(!refused || !link.is_supported() || number == 149 || number == 258, "{number}");
        }
        assert_eq!(LinkType(271).name(), Some("VSOCK"));
        assert!(!LinkType(271).is_supported());
    }

    #[test]
    fn loopback_of_every_system() {
        for family in [2u32, 10, 24, 28, 30] {
            let packet = if family == 2 { packet() } else { ipv6(6, &tcp(&[], &[])) };
            for header in [family.to_le_bytes(), family.to_be_bytes()] {
                segment_of(0, &[&header[..], &packet].concat());
                segment_of(108, &[&header[..], &packet].concat());
            }
        }
    }

    #[test]
    fn bare_ip() {
        for link in [12, 14, 101, 228] {
            segment_of(link, &packet());
        }
        let six = ipv6(6, &tcp(&[], &[]));
        segment_of(101, &six);
        segment_of(229, &six);
    }

    #[test]
    fn linux_cooked_of_both_versions() {
        let mut one = vec![0; 16];
        one[3] = 1;
        one[14] = 8;
        segment_of(113, &after(&one));
        one[2..4].copy_from_slice(&824u16.to_be_bytes());
        assert_eq!(linked(113, &after(&one), 59).0, Decoded::NotTcp);
        let two = |interface| {
            let mut h = vec![0; 20];
            h[0] = 8;
            h[7] = interface;
            segment_of(276, &after(&h)).scope
        };
        assert_ne!(two(1), two(2));
    }

    #[test]
    fn netfilter_log_in_both_byte_orders() {
        let mut little = vec![2, 0, 0, 1, 7, 0, 10, 0, b'a', b'b', 0, 0, 47, 0, 9, 0];
        segment_of(239, &after(&little));
        little[4..8].copy_from_slice(&[0, 7, 0, 10]);
        little[12..16].copy_from_slice(&[0, 47, 0, 9]);
        segment_of(239, &after(&little));
        assert_eq!(linked(239, &[0; 40], 40).0, Decoded::Malformed);
    }

    #[test]
    fn headers_of_fixed_size() {
        let ether_type = [8, 0];
        segment_of(242, &after(&[&[0; 40][..], &ether_type, &[0, 0]].concat()));
        segment_of(138, &after(&[&[0; 16][..], &ether_type].concat()));
        segment_of(109, &after(&[0; 12]));
        segment_of(226, &after(&[0; 24]));
        segment_of(204, &after(&[1, 0xff, 3, 0, 0x21]));
        segment_of(166, &after(&[1, 3, 0, 0x21]));
        segment_of(205, &after(&[1, 0x0f, 0, 8, 0]));
        segment_of(206, &after(&[1, 0x18, 0x41, 3, 0xcc]));
        segment_of(219, &after(&[0, 1, 1, 64]));
        segment_of(240, &[&[0; 4][..], &ethernet(0x0800, &packet())].concat());
        segment_of(51, &after(&[0x11, 0, 0, 1, 0, 45, 0, 0x21]));
    }

    #[test]
    fn headers_of_their_own_size() {
        segment_of(117, &after(&[&[61][..], &[0; 63]].concat()));
        let juniper = [&b"MGC\x80\0\x02\x01\x02"[..], &ethernet(0x0800, &packet())].concat();
        segment_of(178, &juniper);
        let mut pktap = vec![0; 108];
        (pktap[0], pktap[4], pktap[8]) = (108, 1, 101);
        segment_of(258, &after(&pktap));
        segment_of(149, &after(&pktap));
        assert_eq!(linked(149, &packet(), 43).0, Decoded::UnsupportedLink);
    }

    #[test]
    fn local_networks_with_llc() {
        let snap = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
        segment_of(100, &after(&snap));
        segment_of(106, &after(&snap));
        segment_of(106, &packet());
        segment_of(122, &after(&[&[0; 16][..], &snap].concat()));
        segment_of(10, &after(&[&[0x50; 13][..], &snap].concat()));
        segment_of(6, &after(&[&[0; 14][..], &snap].concat()));
        let mut routed = [0; 14];
        routed[8] = 0x80;
        segment_of(6, &after(&[&routed[..], &[4, 0, 0, 0], &snap].concat()));
    }

    #[test]
    fn arcnet_of_both_systems_and_standards() {
        segment_of(7, &after(&[1, 2, 240]));
        segment_of(7, &after(&[1, 2, 212, 0, 0, 1]));
        segment_of(7, &after(&[1, 2, 212, 0xff, 0xff, 0xff, 212, 0, 0, 1]));
        segment_of(129, &after(&[1, 2, 0, 0, 240]));
        assert!(segment_of(129, &after(&[1, 2, 0, 0, 212, 1, 0, 1])).fragment);
        let later = after(&[1, 2, 0, 0, 212, 2, 0, 1]);
        assert_eq!(linked(129, &later, later.len()).0, Decoded::LaterFragment);
    }
}
