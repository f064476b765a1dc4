//! Headers that no wire carries: the capturing system writes them in place of, or before, the link's.

use super::cursor::{Cursor, Encapsulation};
use super::{Decoded, Header, LinkType, Step};

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
pub(super) fn linux_cooked(c: &mut Cursor<'_>) -> Step {
    let h = c.take::<16>()?;
    cooked_type(u16::from_be_bytes([h[14], h[15]]), u16::from_be_bytes([h[2], h[3]]))
}

/// Linux cooked capture, version 2: EtherType, interface, hardware type, packet type, address.
pub(super) fn linux_cooked_v2(c: &mut Cursor<'_>) -> Step {
    let h = c.take::<20>()?;
    c.enter(Encapsulation::Interface, u32::from_be_bytes([h[4], h[5], h[6], h[7]]));
    cooked_type(u16::from_be_bytes([h[0], h[1]]), u16::from_be_bytes([h[8], h[9]]))
}

/// OpenBSD packet filter log: a header that begins with its length, filled up to four bytes.
pub(super) fn pflog(c: &mut Cursor<'_>) -> Step {
    let len = usize::from(c.peek::<1>()?[0]);
    c.skip(len.next_multiple_of(4).max(4))?;
    Ok(Header::Ip)
}

/// Apple's packet tap: length of this header, record type, link type, interface name, ...; `USER2`
/// stands for it in older files.
pub(super) fn pktap(c: &mut Cursor<'_>) -> Step {
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
pub(super) fn juniper_ethernet(c: &mut Cursor<'_>) -> Step {
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
    if flags & NO_LINK_LAYER != 0 {
        c.skip(4)?;
        return Ok(Header::Ip);
    }
    Ok(Header::Ethernet)
}

/// Netfilter log: attributes with length and type in the capturing host's byte order (libpcap's
/// `nflog.h`); one of them is the packet.
pub(super) fn nflog(c: &mut Cursor<'_>) -> Step {
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

#[cfg(test)]
mod tests {
    use super::super::tests::{after, ethernet, linked, packet, segment_of};
    use super::*;

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
}
