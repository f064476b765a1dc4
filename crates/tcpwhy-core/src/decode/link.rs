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
