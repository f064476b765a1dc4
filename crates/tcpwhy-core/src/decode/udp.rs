//! Tunnels over UDP, which only the port tells.
//!
//! The UDP length is not read: it is 0 or wrong in large packets that the network card will segment,
//! and the inner packet has a length of its own.

use super::cursor::{Cursor, Encapsulation};
use super::{Decoded, Header, Step, ethernet, tunnel};

/// Well-known ports (IANA), and the one that Linux used for VXLAN before there was one.
mod port {
    pub(super) const L2TP: u16 = 1701;
    pub(super) const GTP_USER: u16 = 2152;
    pub(super) const TEREDO: u16 = 3544;
    pub(super) const ESP: u16 = 4500;
    pub(super) const VXLAN: u16 = 4789;
    pub(super) const VXLAN_GPE: u16 = 4790;
    pub(super) const AYIYA: u16 = 5072;
    pub(super) const CAPWAP_DATA: u16 = 5247;
    pub(super) const GENEVE: u16 = 6081;
    pub(super) const MPLS: u16 = 6635;
    pub(super) const VXLAN_LINUX: u16 = 8472;
}

/// A UDP header, and the tunnel that its ports name. Tunnels that spread flows over source ports are
/// known by the destination alone.
pub(super) fn tunnel(c: &mut Cursor<'_>) -> Step {
    let [s0, s1, d0, d1, ..] = *c.take::<8>()?;
    let source = u16::from_be_bytes([s0, s1]);
    let destination = u16::from_be_bytes([d0, d1]);
    c.guessed = true;
    match destination {
        port::VXLAN | port::VXLAN_LINUX => vxlan(c),
        port::VXLAN_GPE => vxlan_gpe(c),
        port::GENEVE => geneve(c),
        port::MPLS => Ok(Header::Mpls),
        _ => match [source, destination] {
            [port::GTP_USER, _] | [_, port::GTP_USER] => gtp(c),
            [port::L2TP, _] | [_, port::L2TP] => l2tp(c),
            [port::TEREDO, _] | [_, port::TEREDO] => teredo(c),
            [port::ESP, _] | [_, port::ESP] => esp(c),
            [port::AYIYA, _] | [_, port::AYIYA] => ayiya(c),
            [port::CAPWAP_DATA, _] | [_, port::CAPWAP_DATA] => capwap(c),
            _ => Err(Decoded::NotTcp),
        },
    }
}

/// ESP behind a NAT (RFC 3948): four bytes of zero are the key exchange's, a single one keeps the NAT's entry.
fn esp(c: &mut Cursor<'_>) -> Step {
    match c.be32()? {
        0 => Err(Decoded::NotTcp),
        _ => Err(Decoded::Encrypted),
    }
}

/// VXLAN (RFC 7348): flags, reserved, network identifier, reserved.
fn vxlan(c: &mut Cursor<'_>) -> Step {
    const IDENTIFIER_VALID: u8 = 0x08;
    let [flags, _, _, _, v0, v1, v2, _] = *c.take()?;
    if flags & IDENTIFIER_VALID == 0 {
        return Err(Decoded::NotTcp);
    }
    c.enter(Encapsulation::Vxlan, u32::from_be_bytes([0, v0, v1, v2]));
    Ok(Header::Ethernet)
}

/// VXLAN with the generic protocol extension (draft-ietf-nvo3-vxlan-gpe).
fn vxlan_gpe(c: &mut Cursor<'_>) -> Step {
    let [_, _, _, next, v0, v1, v2, _] = *c.take()?;
    c.enter(Encapsulation::Vxlan, u32::from_be_bytes([0, v0, v1, v2]));
    match next {
        1 => Ok(Header::Ipv4),
        2 => Ok(Header::Ipv6),
        3 => Ok(Header::Ethernet),
        4 => ethernet::nsh(c),
        5 => Ok(Header::Mpls),
        _ => Err(Decoded::NotTcp),
    }
}

/// Geneve (RFC 8926): version and option length in words, flags, type, network identifier.
fn geneve(c: &mut Cursor<'_>) -> Step {
    let [length, _, k0, k1, v0, v1, v2, _] = *c.take()?;
    if length >> 6 != 0 {
        return Err(Decoded::NotTcp);
    }
    c.enter(Encapsulation::Geneve, u32::from_be_bytes([0, v0, v1, v2]));
    c.skip(usize::from(length & 0x3f) * 4)?;
    Ok(Header::EtherType(u16::from_be_bytes([k0, k1])))
}

/// GTP-U version 1 (3GPP TS 29.281): only G-PDU messages carry user packets.
fn gtp(c: &mut Cursor<'_>) -> Step {
    const VERSION_1: u8 = 0x30;
    const OPTIONAL_FIELDS: u8 = 0x07;
    const EXTENSION: u8 = 0x04;
    const USER_PACKET: u8 = 0xff;
    let [flags, message, _, _, t0, t1, t2, t3] = *c.take()?;
    if flags & 0xf0 != VERSION_1 || message != USER_PACKET {
        return Err(Decoded::NotTcp);
    }
    c.enter(Encapsulation::Gtp, u32::from_be_bytes([t0, t1, t2, t3]));
    if flags & OPTIONAL_FIELDS != 0 {
        let [_, _, _, mut next] = *c.take()?;
        while flags & EXTENSION != 0 && next != 0 {
            let words = usize::from(c.peek::<1>()?[0]);
            c.skip((words * 4).checked_sub(1).ok_or(Decoded::Malformed)?)?;
            next = c.u8()?;
        }
    }
    Ok(Header::Ip)
}

/// L2TP version 2 (RFC 2661) and version 3 over UDP (RFC 3931).
fn l2tp(c: &mut Cursor<'_>) -> Step {
    const CONTROL: u16 = 0x8000;
    const LENGTH: u16 = 0x4000;
    const SEQUENCE: u16 = 0x0800;
    const OFFSET: u16 = 0x0200;
    let flags = c.be16()?;
    match flags & 0x000f {
        _ if flags & CONTROL != 0 => Err(Decoded::NotTcp),
        2 => {
            if flags & LENGTH != 0 {
                c.skip(2)?;
            }
            let tunnel_and_session = c.be32()?;
            c.enter(Encapsulation::L2tp, tunnel_and_session);
            if flags & SEQUENCE != 0 {
                c.skip(4)?;
            }
            if flags & OFFSET != 0 {
                let pad = c.be16()?;
                c.skip(usize::from(pad))?;
            }
            Ok(Header::Ppp)
        }
        3 => {
            c.skip(2)?;
            let session = c.be32()?;
            tunnel::l2tp_v3(session, c)
        }
        _ => Err(Decoded::NotTcp),
    }
}

/// Teredo (RFC 4380): optional authentication and origin, then IPv6.
fn teredo(c: &mut Cursor<'_>) -> Step {
    c.enter(Encapsulation::Teredo, 0);
    if let [0, 1, id, auth, ..] = *c.bytes() {
        // Nonce (8 bytes) and confirmation (1 byte) follow the identifiers.
        c.skip(4 + usize::from(id) + usize::from(auth) + 9)?;
    }
    if c.bytes().starts_with(&[0, 0]) {
        c.skip(8)?;
    }
    match c.peek::<1>()?[0] >> 4 {
        6 => Ok(Header::Ipv6),
        _ => Err(Decoded::NotTcp),
    }
}

/// AYIYA (draft-massar-v6ops-ayiya): lengths of identity and signature, operation, next header.
fn ayiya(c: &mut Cursor<'_>) -> Step {
    const FORWARD: u8 = 1;
    let [identity, signature, operation, next, ..] = *c.take::<8>()?;
    if operation & 0x0f != FORWARD {
        return Err(Decoded::NotTcp);
    }
    c.enter(Encapsulation::Ayiya, 0);
    c.skip((1_usize << (identity >> 4)) + usize::from(signature >> 4) * 4)?;
    Ok(Header::IpProtocol(next))
}

/// CAPWAP data (RFC 5415 section 4.3): a header of its own length, then an 802.3 or 802.11 frame.
fn capwap(c: &mut Cursor<'_>) -> Step {
    const DTLS: u8 = 0x01;
    const NATIVE: u8 = 0x01;
    const FRAGMENT: u8 = 0x80;
    const KEEP_ALIVE: u8 = 0x08;
    let [preamble, h1, h2, h3, _, _, o0, o1] = *c.peek()?;
    if preamble & 0x0f == DTLS {
        return Err(Decoded::Encrypted);
    }
    if h3 & KEEP_ALIVE != 0 {
        return Err(Decoded::NotTcp);
    }
    if h3 & FRAGMENT != 0 {
        if u16::from_be_bytes([o0, o1]) >> 3 != 0 {
            return Err(Decoded::LaterFragment);
        }
        c.fragment = true;
    }
    c.enter(Encapsulation::Capwap, 0);
    c.skip(usize::from(h1 >> 3) * 4)?;
    if h2 & NATIVE == 0 {
        return Ok(Header::Ethernet);
    }
    // Cisco's controllers swap the two bytes of the frame control field: then the second one is that
    // of a data frame.
    let [control, second] = *c.peek()?;
    let swapped = control & 0x0f != 0x08 && second & 0x0f == 0x08;
    Ok(Header::Wlan { padded: false, swapped })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{answer, ethernet, ipv4, ipv6, segment, tcp, udp};
    use super::*;

    fn packet() -> Vec<u8> {
        ipv4(6, &tcp(&[], b"abc"))
    }

    fn frame() -> Vec<u8> {
        ethernet(0x0800, &packet())
    }

    fn over(port: u16, header: &[u8], payload: &[u8]) -> Vec<u8> {
        ethernet(0x0800, &ipv4(17, &udp(port, &[header, payload].concat())))
    }

    #[test]
    fn vxlan_and_its_network_identifier() {
        let scope = |vni| segment(&over(4789, &[8, 0, 0, 0, 0, 0, vni, 0], &frame())).scope;
        assert_ne!(scope(1), scope(2));
        segment(&over(8472, &[0x88, 0, 0, 5, 0, 0, 1, 9], &frame()));
    }

    #[test]
    fn vxlan_gpe_names_what_it_carries() {
        segment(&over(4790, &[0x0c, 0, 0, 1, 0, 0, 1, 0], &packet()));
        segment(&over(4790, &[0x0c, 0, 0, 3, 0, 0, 1, 0], &frame()));
        let nsh = [0x0c, 0, 0, 4, 0, 0, 1, 0, 0, 2, 1, 1, 0, 0, 1, 255];
        segment(&over(4790, &nsh, &packet()));
    }

    #[test]
    fn geneve_with_many_options() {
        segment(&over(6081, &[0, 0, 0x65, 0x58, 0, 0, 1, 0], &frame()));
        let mut header = vec![0x3f, 0, 0x08, 0x00, 0, 0, 1, 0];
        header.extend([0xee; 63 * 4]);
        segment(&over(6081, &header, &packet()));
    }

    #[test]
    fn gtp_with_optional_fields_and_extension_headers() {
        segment(&over(2152, &[0x30, 0xff, 0, 43, 0, 0, 0, 7], &packet()));
        segment(&over(2152, &[0x32, 0xff, 0, 47, 0, 0, 0, 7, 0, 1, 0, 0], &packet()));
        let mut extended = vec![0x34, 0xff, 0, 55, 0, 0, 0, 7, 0, 1, 0, 0x85];
        extended.extend([1, 0, 9, 0xc0, 1, 0, 0, 0]);
        segment(&over(2152, &extended, &packet()));
        assert_eq!(answer(&over(2152, &[0x30, 1, 0, 4, 0, 0, 0, 0], &packet())), Decoded::NotTcp);
        extended[12] = 0;
        assert_eq!(answer(&over(2152, &extended, &packet())), Decoded::NotTcp);
    }

    #[test]
    fn l2tp_of_both_versions() {
        let two = [0x40, 2, 0, 50, 0, 1, 0, 2, 0xff, 3, 0, 0x21];
        segment(&over(1701, &two, &packet()));
        let all = [0x4a, 2, 0, 60, 0, 1, 0, 2, 0, 0, 0, 0, 0, 2, 9, 9, 0, 0x21];
        segment(&over(1701, &all, &packet()));
        segment(&over(1701, &[0, 3, 0, 0, 0, 0, 0, 5], &frame()));
        assert_eq!(answer(&over(1701, &[0xc8, 2, 0, 50], &packet())), Decoded::NotTcp);
    }

    #[test]
    fn teredo_with_and_without_authentication_and_origin() {
        let six = ipv6(6, &tcp(&[], b"abc"));
        segment(&over(3544, &[], &six));
        let auth = [0, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0];
        let origin = [0, 0, 1, 2, 3, 4, 5, 6];
        segment(&over(3544, &origin, &six));
        segment(&over(3544, &[&auth[..], &origin].concat(), &six));
    }

    #[test]
    fn ayiya_with_identity_and_signature() {
        let mut header = vec![0x41, 0x52, 0x11, 41, 0, 0, 0, 0];
        header.extend([0; 16 + 20]);
        segment(&over(5072, &header, &ipv6(6, &tcp(&[], &[]))));
    }

    #[test]
    fn capwap_with_ethernet_and_with_a_swapped_802_11_header() {
        segment(&over(5247, &[0, 0x10, 0, 0, 0, 0, 0, 0], &frame()));
        let mut header = vec![0, 0x10, 0x03, 0, 0, 0, 0, 0, 0x01, 0x08];
        header.extend([0; 22]);
        header.extend([0xaa, 0xaa, 3, 0, 0, 0, 8, 0]);
        segment(&over(5247, &header, &packet()));
        assert_eq!(answer(&over(5247, &[1, 0x10, 0, 0, 0, 0, 0, 0], &frame())), Decoded::Encrypted);
    }

    #[test]
    fn esp_behind_a_nat_is_encrypted_and_its_key_exchange_is_not() {
        assert_eq!(answer(&over(4500, &[0, 0, 0, 9, 0, 0, 0, 1], &[7; 40])), Decoded::Encrypted);
        assert_eq!(answer(&over(4500, &[0, 0, 0, 0, 1, 2, 3, 4], &[7; 40])), Decoded::NotTcp);
        assert_eq!(answer(&over(4500, &[0xff], &[])), Decoded::NotTcp);
    }

    #[test]
    fn labels_over_udp() {
        segment(&over(6635, &[0, 1, 1, 64], &packet()));
    }

    #[test]
    fn what_only_uses_a_tunnel_port_is_not_damage() {
        assert_eq!(answer(&over(4789, &[8], &[])), Decoded::NotTcp);
        assert_eq!(answer(&over(53, &[], &packet())), Decoded::NotTcp);
    }
}
