//! Ethernet, what its types name (tags, label stacks, network headers), and IEEE 802.2 LLC/SNAP.

use super::cursor::{Cursor, Encapsulation};
use super::{Decoded, Header, Step, serial};

/// EtherTypes (IEEE 802 Numbers).
pub(super) mod kind {
    pub(in crate::decode) const IPV4: u16 = 0x0800;
    pub(in crate::decode) const ARP: u16 = 0x0806;
    pub(in crate::decode) const TRILL: u16 = 0x22f3;
    pub(in crate::decode) const BRIDGED_ETHERNET: u16 = 0x6558;
    pub(in crate::decode) const VLAN: u16 = 0x8100;
    pub(in crate::decode) const IPV6: u16 = 0x86dd;
    pub(in crate::decode) const PPP: u16 = 0x880b;
    pub(in crate::decode) const MPLS: u16 = 0x8847;
    pub(in crate::decode) const MPLS_UPSTREAM: u16 = 0x8848;
    pub(in crate::decode) const PPPOE_SESSION: u16 = 0x8864;
    pub(in crate::decode) const SERVICE_VLAN: u16 = 0x88a8;
    pub(in crate::decode) const MACSEC: u16 = 0x88e5;
    pub(in crate::decode) const PROVIDER_BACKBONE: u16 = 0x88e7;
    pub(in crate::decode) const VN_TAG: u16 = 0x8926;
    pub(in crate::decode) const E_TAG: u16 = 0x893f;
    pub(in crate::decode) const NSH: u16 = 0x894f;
    /// Never registered, used for stacked VLANs all the same.
    pub(in crate::decode) const OLD_QINQ: [u16; 3] = [0x9100, 0x9200, 0x9300];
}

/// Smallest value of the type field that is a type; below it is an 802.3 length.
const FIRST_TYPE: u16 = 0x600;

/// Two addresses, then a type or a length.
#[inline(always)]
pub(super) fn ethernet(c: &mut Cursor<'_>) -> Step {
    let h = c.take::<14>()?;
    typed(u16::from_be_bytes([h[12], h[13]]))
}

/// The header after a field that holds a type or an 802.3 length.
#[inline(always)]
fn typed(kind: u16) -> Step {
    match kind {
        kind::IPV4 => Ok(Header::Ipv4),
        kind::IPV6 => Ok(Header::Ipv6),
        kind if kind < FIRST_TYPE => Ok(Header::Llc),
        kind => Ok(Header::EtherType(kind)),
    }
}

/// What follows `kind`.
pub(super) fn ether_type(kind: u16, c: &mut Cursor<'_>) -> Step {
    match kind {
        kind::IPV4 => Ok(Header::Ipv4),
        kind::IPV6 => Ok(Header::Ipv6),
        kind::VLAN | kind::SERVICE_VLAN => vlan(c),
        kind if kind::OLD_QINQ.contains(&kind) => vlan(c),
        kind::MPLS | kind::MPLS_UPSTREAM => Ok(Header::Mpls),
        kind::PPPOE_SESSION => serial::pppoe(c),
        kind::PPP => Ok(Header::Ppp),
        kind::BRIDGED_ETHERNET => Ok(Header::Ethernet),
        kind::E_TAG => e_tag(c),
        kind::VN_TAG => vn_tag(c),
        kind::PROVIDER_BACKBONE => {
            let tag = c.be32()?;
            c.enter(Encapsulation::ServiceInstance, tag & 0x00ff_ffff);
            Ok(Header::Ethernet)
        }
        kind::TRILL => trill(c),
        kind::MACSEC => macsec(c),
        kind::NSH => nsh(c),
        _ => Err(Decoded::NotTcp),
    }
}

/// IEEE 802.1Q: priority and VLAN identifier, then the next type.
fn vlan(c: &mut Cursor<'_>) -> Step {
    let [t0, t1, k0, k1] = *c.take()?;
    c.enter(Encapsulation::Vlan, u32::from(u16::from_be_bytes([t0, t1]) & 0x0fff));
    typed(u16::from_be_bytes([k0, k1]))
}

/// IEEE 802.1BR E-TAG: six bytes, then the next type.
fn e_tag(c: &mut Cursor<'_>) -> Step {
    let [_, _, c0, c1, ingress, extension, k0, k1] = *c.take()?;
    c.enter(Encapsulation::ETag, u32::from_be_bytes([c0 & 0x3f, c1, ingress, extension]));
    typed(u16::from_be_bytes([k0, k1]))
}

/// Cisco VN-Tag: four bytes (the direction bit is left out of the scope), then the next type.
fn vn_tag(c: &mut Cursor<'_>) -> Step {
    let [t0, t1, t2, t3, k0, k1] = *c.take()?;
    c.enter(Encapsulation::VnTag, u32::from_be_bytes([t0 & 0x7f, t1, t2, t3]));
    typed(u16::from_be_bytes([k0, k1]))
}

/// RFC 6325: version, option length in words, hop count, egress and ingress nickname, options.
fn trill(c: &mut Cursor<'_>) -> Step {
    let [h0, h1, e0, e1, i0, i1] = *c.take()?;
    c.enter(Encapsulation::Trill, u32::from_be_bytes([e0, e1, i0, i1]));
    let words = (u16::from_be_bytes([h0, h1]) >> 6) & 0x1f;
    c.skip(usize::from(words) * 4)?;
    Ok(Header::Ethernet)
}

/// IEEE 802.1AE: a security tag, then the frame where only its integrity is protected.
fn macsec(c: &mut Cursor<'_>) -> Step {
    const ENCRYPTED_OR_CHANGED: u8 = 0x0c;
    const CHANNEL_IDENTIFIER: u8 = 0x20;
    let [control, ..] = *c.take::<6>()?;
    if control & ENCRYPTED_OR_CHANGED != 0 {
        return Err(Decoded::Encrypted);
    }
    if control & CHANNEL_IDENTIFIER != 0 {
        c.skip(8)?;
    }
    typed(c.be16()?)
}

/// Network service header (RFC 8300).
pub(super) fn nsh(c: &mut Cursor<'_>) -> Step {
    let [_, length, _, next, p0, p1, p2, p3] = *c.take()?;
    let words = usize::from(length & 0x3f);
    c.enter(Encapsulation::ServicePath, u32::from_be_bytes([p0, p1, p2, p3]));
    c.skip((words * 4).checked_sub(8).ok_or(Decoded::Malformed)?)?;
    match next {
        1 => Ok(Header::Ipv4),
        2 => Ok(Header::Ipv6),
        3 => Ok(Header::Ethernet),
        5 => Ok(Header::Mpls),
        _ => Err(Decoded::NotTcp),
    }
}

/// A label stack (RFC 3032). Nothing says what follows it, so the first four bits decide, as in
/// equal-cost routing (RFC 4928): IP, or Ethernet with or without a control word (RFC 4448).
pub(super) fn mpls(c: &mut Cursor<'_>) -> Step {
    const BOTTOM: u32 = 0x100;
    loop {
        let entry = c.be32()?;
        c.enter(Encapsulation::Mpls, entry >> 12);
        if entry & BOTTOM != 0 {
            break;
        }
    }
    let rest = c.bytes();
    match c.peek::<1>()?[0] >> 4 {
        4 => Ok(Header::Ipv4),
        6 => Ok(Header::Ipv6),
        0 if rest.starts_with(&[0, 0]) && looks_like_ethernet(rest.get(4..)) => {
            c.skip(4)?;
            Ok(Header::Ethernet)
        }
        _ if looks_like_ethernet(Some(rest)) => Ok(Header::Ethernet),
        _ => Err(Decoded::NotTcp),
    }
}

/// Whether `bytes` could be an Ethernet frame with something of interest: for encapsulations that do
/// not say what they carry.
pub(super) fn looks_like_ethernet(bytes: Option<&[u8]>) -> bool {
    let Some([k0, k1, first]) = bytes.and_then(|b| b.get(12..)?.first_chunk()) else {
        return false;
    };
    match u16::from_be_bytes([*k0, *k1]) {
        kind::IPV4 => first >> 4 == 4,
        kind::IPV6 => first >> 4 == 6,
        kind => [kind::ARP, kind::VLAN, kind::SERVICE_VLAN, kind::MPLS, kind::PPPOE_SESSION]
            .contains(&kind),
    }
}

/// IEEE 802.2: SNAP, or the few service access points that mean IP.
pub(super) fn llc(c: &mut Cursor<'_>) -> Step {
    match *c.take::<3>()? {
        [0xaa, 0xaa, 0x03] => snap(c),
        [0x06, 0x06, 0x03] => Ok(Header::Ip),
        [0xfe, 0xfe, 0x03] => serial::network_layer(c),
        _ => Err(Decoded::NotTcp),
    }
}

/// Subnetwork access protocol: an organization and what the number means to it.
pub(super) fn snap(c: &mut Cursor<'_>) -> Step {
    const ENCAPSULATED_ETHERNET: [u8; 3] = [0, 0, 0];
    const BRIDGE_TUNNEL: [u8; 3] = [0, 0, 0xf8];
    const IEEE_802_1: [u8; 3] = [0, 0x80, 0xc2];
    let [o0, o1, o2, k0, k1] = *c.take()?;
    match ([o0, o1, o2], u16::from_be_bytes([k0, k1])) {
        (ENCAPSULATED_ETHERNET | BRIDGE_TUNNEL, kind) => Ok(Header::EtherType(kind)),
        // RFC 2684 and 2427: bridged Ethernet, with and without its checksum. On ATM two bytes of
        // padding come first.
        (IEEE_802_1, 1 | 7) => {
            if !looks_like_ethernet(Some(c.bytes())) && looks_like_ethernet(c.bytes().get(2..)) {
                c.skip(2)?;
            }
            Ok(Header::Ethernet)
        }
        _ => Err(Decoded::NotTcp),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{answer, ethernet as frame, ipv4, ipv6, segment, tcp};
    use super::*;

    fn packet() -> Vec<u8> {
        ipv4(6, &tcp(&[], b"abc"))
    }

    /// `header` between an Ethernet header of `kind` and `rest`.
    fn tagged(kind: u16, header: &[u8], rest: &[u8]) -> Vec<u8> {
        frame(kind, &[header, rest].concat())
    }

    #[test]
    fn the_plain_path_has_the_interface_as_its_scope() {
        assert_eq!(segment(&frame(kind::IPV4, &packet())).scope, 3);
    }

    #[test]
    fn vlan_tags_of_every_type_are_entered_and_told_apart() {
        let scope = |kind, vlan| segment(&tagged(kind, &[0xe0, vlan, 8, 0], &packet())).scope;
        for kind in [0x8100, 0x88a8, 0x9100, 0x9200] {
            assert_ne!(scope(kind, 1), scope(kind, 2));
        }
        let stacked = tagged(0x88a8, &[0, 1, 0x81, 0, 0, 2, 0x86, 0xdd], &ipv6(6, &tcp(&[], b"a")));
        assert_eq!(segment(&stacked).len, 1);
    }

    #[test]
    fn the_priority_of_a_vlan_does_not_change_the_scope() {
        let scope = |priority| segment(&tagged(0x8100, &[priority, 7, 8, 0], &packet())).scope;
        assert_eq!(scope(0x00), scope(0xe0));
    }

    #[test]
    fn bridge_tags_are_entered() {
        segment(&tagged(kind::E_TAG, &[0, 0, 0, 5, 0, 0, 8, 0], &packet()));
        segment(&tagged(kind::VN_TAG, &[0, 1, 0, 5, 8, 0], &packet()));
        let inner = frame(kind::IPV4, &packet());
        segment(&tagged(kind::PROVIDER_BACKBONE, &[0, 0, 0, 9], &inner));
        segment(&tagged(kind::TRILL, &[0, 0x40, 0, 1, 0, 2, 9, 9, 9, 9], &inner));
    }

    #[test]
    fn macsec_without_encryption_is_read() {
        let clear = [0x00, 0, 0, 0, 0, 1, 8, 0];
        segment(&tagged(kind::MACSEC, &clear, &packet()));
        let with_channel = [0x20, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0];
        segment(&tagged(kind::MACSEC, &with_channel, &packet()));
        let encrypted = [0x0c, 0, 0, 0, 0, 1, 8, 0];
        assert_eq!(answer(&tagged(kind::MACSEC, &encrypted, &packet())), Decoded::Encrypted);
    }

    #[test]
    fn service_headers_name_the_next_one() {
        let header = |next| [0, 2, 1, next, 0, 0, 1, 255];
        segment(&tagged(kind::NSH, &header(1), &packet()));
        segment(&tagged(kind::NSH, &header(3), &frame(kind::IPV4, &packet())));
        assert_eq!(answer(&tagged(kind::NSH, &[0; 8], &packet())), Decoded::Malformed);
    }

    #[test]
    fn labels_carry_ip_or_ethernet_with_or_without_control_word() {
        let inner = frame(kind::IPV4, &packet());
        let labels = [0, 1, 0x00, 9, 0, 2, 0x01, 9];
        segment(&tagged(kind::MPLS, &labels, &packet()));
        segment(&tagged(kind::MPLS, &labels, &ipv6(6, &tcp(&[], &[]))));
        segment(&tagged(kind::MPLS, &labels, &inner));
        segment(&tagged(kind::MPLS, &labels, &[&[0, 0, 0, 7][..], &inner].concat()));
        let channel = tagged(kind::MPLS, &labels, &[&[0x10, 0, 0, 0x21][..], &[0; 40]].concat());
        assert_eq!(answer(&channel), Decoded::NotTcp);
    }

    #[test]
    fn a_length_instead_of_a_type_leads_to_llc() {
        let snap = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
        segment(&tagged(0x0040, &snap, &packet()));
        segment(&tagged(0x0040, &[6, 6, 3], &packet()));
        let bridged = [0xaa, 0xaa, 3, 0, 0x80, 0xc2, 0, 7];
        segment(&tagged(0x0060, &bridged, &frame(kind::IPV4, &packet())));
        segment(&tagged(0x0060, &bridged, &[&[0, 0][..], &frame(0x800, &packet())].concat()));
        assert_eq!(answer(&tagged(0x0026, &[0x42, 0x42, 3], &packet())), Decoded::NotTcp);
    }

    #[test]
    fn what_cannot_hold_tcp_says_so() {
        assert_eq!(answer(&frame(kind::ARP, &[0; 46])), Decoded::NotTcp);
        assert_eq!(answer(&frame(0x8863, &[0; 46])), Decoded::NotTcp);
    }
}
