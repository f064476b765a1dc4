//! Tunnels directly over IP: GRE with all it carries, EtherIP, L2TPv3.

use super::cursor::{Cursor, Encapsulation};
use super::ethernet::{kind, looks_like_ethernet};
use super::{Decoded, Header, Step};

/// GRE (RFC 1701, 2784, 2890) and its enhanced form in PPTP (RFC 2637).
pub(super) fn gre(c: &mut Cursor<'_>) -> Step {
    let [f0, f1, k0, k1] = *c.take()?;
    let flags = u16::from_be_bytes([f0, f1]);
    let kind = u16::from_be_bytes([k0, k1]);
    match flags & 0x0007 {
        0 => plain_gre(flags, kind, c),
        1 => enhanced_gre(flags, kind, c),
        _ => Err(Decoded::NotTcp),
    }
}

mod bit {
    pub(super) const CHECKSUM: u16 = 0x8000;
    pub(super) const ROUTING: u16 = 0x4000;
    pub(super) const KEY: u16 = 0x2000;
    pub(super) const SEQUENCE: u16 = 0x1000;
    pub(super) const ACKNOWLEDGMENT: u16 = 0x0080;
}

fn plain_gre(flags: u16, kind: u16, c: &mut Cursor<'_>) -> Step {
    if flags & (bit::CHECKSUM | bit::ROUTING) != 0 {
        c.skip(4)?;
    }
    let key = if flags & bit::KEY != 0 { c.be32()? } else { 0 };
    c.enter(Encapsulation::Gre, key);
    if flags & bit::SEQUENCE != 0 {
        c.skip(4)?;
    }
    if flags & bit::ROUTING != 0 {
        source_routes(c)?;
    }
    gre_payload(kind, flags & bit::SEQUENCE != 0, c)
}

/// RFC 1701 source route entries, up to the empty one.
fn source_routes(c: &mut Cursor<'_>) -> Result<(), Decoded> {
    loop {
        let [f0, f1, _, length] = *c.take()?;
        if [f0, f1, length] == [0, 0, 0] {
            return Ok(());
        }
        c.skip(usize::from(length))?;
    }
}

/// What GRE carries: mostly EtherTypes, and a few numbers of its own.
fn gre_payload(kind: u16, sequenced: bool, c: &mut Cursor<'_>) -> Step {
    const WCCP: u16 = 0x883e;
    const ERSPAN: u16 = 0x88be;
    const ERSPAN_III: u16 = 0x22eb;
    match kind {
        WCCP => {
            // Version 2 puts a redirect header of four bytes before the IP header.
            if c.peek::<1>()?[0] >> 4 != 4 {
                c.skip(4)?;
            }
            Ok(Header::Ipv4)
        }
        // Type I has no header of its own; type II is known by the sequence number.
        ERSPAN if !sequenced => Ok(Header::Ethernet),
        ERSPAN => {
            let [_, _, s0, s1, ..] = *c.take::<8>()?;
            c.enter(Encapsulation::Erspan, u32::from(u16::from_be_bytes([s0, s1]) & 0x03ff));
            Ok(Header::Ethernet)
        }
        ERSPAN_III => erspan_iii(c),
        // Aruba's access points tunnel 802.11 frames; the number tells the queue.
        0x8200..=0x82ff | 0x9000 => Ok(Header::Wlan { padded: false, swapped: false }),
        kind => Ok(Header::EtherType(kind)),
    }
}

/// ERSPAN type III (draft-foschiano-erspan): twelve bytes, eight more for the platform.
fn erspan_iii(c: &mut Cursor<'_>) -> Step {
    let [_, _, s0, s1, _, _, _, _, _, _, h0, h1] = *c.take()?;
    c.enter(Encapsulation::Erspan, u32::from(u16::from_be_bytes([s0, s1]) & 0x03ff));
    let fields = u16::from_be_bytes([h0, h1]);
    if fields & 1 != 0 {
        c.skip(8)?;
    }
    match (fields >> 10) & 0x1f {
        0 => Ok(Header::Ethernet),
        2 => Ok(Header::Ip),
        _ => Err(Decoded::NotTcp),
    }
}

/// RFC 2637: the key is a payload length and the receiver's call number.
fn enhanced_gre(flags: u16, kind: u16, c: &mut Cursor<'_>) -> Step {
    if kind != kind::PPP {
        return Err(Decoded::NotTcp);
    }
    let [l0, l1, c0, c1] = *c.take()?;
    c.enter(Encapsulation::Gre, u32::from(u16::from_be_bytes([c0, c1])));
    if flags & bit::SEQUENCE == 0 || [l0, l1] == [0, 0] {
        return Err(Decoded::NotTcp);
    }
    c.skip(4)?;
    if flags & bit::ACKNOWLEDGMENT != 0 {
        c.skip(4)?;
    }
    Ok(Header::Ppp)
}

/// RFC 3378: a version, then an Ethernet frame.
pub(super) fn ether_ip(c: &mut Cursor<'_>) -> Step {
    if c.be16()? >> 12 != 3 {
        return Err(Decoded::NotTcp);
    }
    c.enter(Encapsulation::Ip, 1);
    Ok(Header::Ethernet)
}

/// L2TPv3 directly over IP (RFC 3931 section 4.1.1); session 0 is control.
pub(super) fn l2tp_over_ip(c: &mut Cursor<'_>) -> Step {
    match c.be32()? {
        0 => Err(Decoded::NotTcp),
        session => l2tp_v3(session, c),
    }
}

/// The payload of an L2TPv3 session. Only the control connection knows the sizes of the cookie (0, 4
/// or 8 bytes) and of the sublayer (0 or 4 bytes), and what is carried: the first fit is taken.
pub(super) fn l2tp_v3(session: u32, c: &mut Cursor<'_>) -> Step {
    c.enter(Encapsulation::L2tp, session);
    for skipped in [0, 4, 8, 12] {
        let rest = c.bytes().get(skipped..);
        let header = if looks_like_ethernet(rest) {
            Header::Ethernet
        } else if rest.is_some_and(|r| r.starts_with(&[0xff, 0x03, 0x00])) {
            Header::Ppp
        } else {
            continue;
        };
        c.skip(skipped)?;
        return Ok(header);
    }
    Err(Decoded::NotTcp)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{answer, ethernet, ipv4, segment, tcp};
    use super::*;

    fn packet() -> Vec<u8> {
        ipv4(6, &tcp(&[], b"abc"))
    }

    fn over(protocol: u8, header: &[u8], payload: &[u8]) -> Vec<u8> {
        ethernet(0x0800, &ipv4(protocol, &[header, payload].concat()))
    }

    #[test]
    fn gre_with_every_combination_of_flags() {
        for flags in 0..16u8 {
            let mut header = vec![flags << 4, 0, 8, 0];
            let fields = [flags & 0b1100 != 0, flags & 0b0010 != 0, flags & 0b0001 != 0];
            header.extend(vec![0; 4 * fields.into_iter().filter(|f| *f).count()]);
            if flags & 0b0100 != 0 {
                header.extend([0x08, 0x00, 0, 4, 10, 0, 0, 9, 0, 0, 0, 0]);
            }
            assert_eq!(segment(&over(47, &header, &packet())).len, 3, "{flags:04b}");
        }
    }

    #[test]
    fn the_gre_key_is_part_of_the_scope() {
        let scope = |key| segment(&over(47, &[0x20, 0, 8, 0, 0, 0, 0, key], &packet())).scope;
        assert_ne!(scope(1), scope(2));
    }

    #[test]
    fn pptp_data_is_ppp_and_a_bare_acknowledgment_is_nothing() {
        let data = [0x30, 0x81, 0x88, 0x0b, 0, 45, 0, 7, 0, 0, 0, 1, 0, 0, 0, 1, 0xff, 3, 0, 0x21];
        segment(&over(47, &data, &packet()));
        let bare = [0x20, 0x81, 0x88, 0x0b, 0, 0, 0, 7, 0, 0, 0, 1];
        assert_eq!(answer(&over(47, &bare, &[])), Decoded::NotTcp);
    }

    #[test]
    fn gre_carries_ethernet_wccp_and_erspan() {
        let inner = ethernet(0x0800, &packet());
        segment(&over(47, &[0, 0, 0x65, 0x58], &inner));
        segment(&over(47, &[0, 0, 0x88, 0x3e], &packet()));
        segment(&over(47, &[0, 0, 0x88, 0x3e, 0, 1, 2, 3], &packet()));
        segment(&over(47, &[0, 0, 0x88, 0xbe], &inner));
        let two = [0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x10, 0, 0, 7, 0, 0, 0, 0];
        segment(&over(47, &two, &inner));
        let mut three =
            vec![0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0];
        segment(&over(47, &three, &inner));
        three[19] = 1;
        three.extend([0; 8]);
        segment(&over(47, &three, &inner));
    }

    #[test]
    fn ether_ip_and_l2tp_v3_carry_ethernet() {
        let inner = ethernet(0x0800, &packet());
        segment(&over(97, &[0x30, 0], &inner));
        assert_eq!(answer(&over(97, &[0x40, 0], &inner)), Decoded::NotTcp);
        for cookie_and_sublayer in [0, 4, 8, 12] {
            let header = [&[0, 0, 0, 5][..], &vec![0; cookie_and_sublayer]].concat();
            segment(&over(115, &header, &inner));
        }
        assert_eq!(answer(&over(115, &[0; 4], &inner)), Decoded::NotTcp);
    }
}
