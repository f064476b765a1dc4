//! Local networks other than Ethernet and 802.11.

use super::cursor::Cursor;
use super::{Decoded, Header, Step};

/// Access and frame control, addresses, and a source route where the source address says so.
pub(super) fn token_ring(c: &mut Cursor<'_>) -> Step {
    let routed = c.take::<14>()?[8] & 0x80 != 0;
    if routed {
        let len = usize::from(c.peek::<1>()?[0] & 0x1f);
        c.skip(len)?;
    }
    Ok(Header::Llc)
}

/// Frame control, addresses; LLC only in data frames.
pub(super) fn fddi(c: &mut Cursor<'_>) -> Step {
    match c.take::<13>()?[0] & 0x30 {
        0x10 => Ok(Header::Llc),
        _ => Err(Decoded::NotTcp),
    }
}

/// ARCnet as BSD captures it: addresses, type.
pub(super) fn arcnet(c: &mut Cursor<'_>) -> Step {
    c.skip(2)?;
    arcnet_type(c)
}

/// ARCnet as Linux captures it: addresses, an offset, type.
pub(super) fn arcnet_linux(c: &mut Cursor<'_>) -> Step {
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
pub(super) fn atm_classical_ip(c: &mut Cursor<'_>) -> Step {
    Ok(if c.bytes().first() == Some(&0xaa) { Header::Llc } else { Header::Ip })
}

/// Apple's cooked header: two addresses of eight bytes, EtherType.
pub(super) fn ip_over_1394(c: &mut Cursor<'_>) -> Step {
    c.skip(16)?;
    Ok(Header::EtherType(c.be16()?))
}

/// IP over InfiniBand: global routing header (40 bytes), EtherType, reserved (RFC 4391 section 6).
pub(super) fn ip_over_infiniband(c: &mut Cursor<'_>) -> Step {
    c.skip(40)?;
    let [k0, k1, _, _] = *c.take()?;
    Ok(Header::EtherType(u16::from_be_bytes([k0, k1])))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{after, linked, packet, segment_of};
    use super::*;

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
