//! What follows an IP header: extension headers (RFC 8200, 4302), tunnels, TCP.

use super::cursor::{Cursor, Encapsulation};
use super::{Decoded, Header, Step, tunnel, udp};

/// Assigned internet protocol numbers, as far as they matter here.
pub(super) mod number {
    pub(in crate::decode) const HOP_BY_HOP: u8 = 0;
    pub(in crate::decode) const IPV4: u8 = 4;
    pub(in crate::decode) const TCP: u8 = 6;
    pub(in crate::decode) const UDP: u8 = 17;
    pub(in crate::decode) const IPV6: u8 = 41;
    pub(in crate::decode) const ROUTING: u8 = 43;
    pub(in crate::decode) const FRAGMENT: u8 = 44;
    pub(in crate::decode) const GRE: u8 = 47;
    pub(in crate::decode) const ESP: u8 = 50;
    pub(in crate::decode) const AUTHENTICATION: u8 = 51;
    pub(in crate::decode) const DESTINATION_OPTIONS: u8 = 60;
    pub(in crate::decode) const ETHER_IP: u8 = 97;
    pub(in crate::decode) const COMPRESSED: u8 = 108;
    pub(in crate::decode) const L2TP: u8 = 115;
    pub(in crate::decode) const MOBILITY: u8 = 135;
    pub(in crate::decode) const MPLS: u8 = 137;
    pub(in crate::decode) const HOST_IDENTITY: u8 = 139;
    pub(in crate::decode) const SHIM6: u8 = 140;
}

/// What follows an IP header or an extension header.
pub(super) fn follow(protocol: u8, c: &mut Cursor<'_>) -> Step {
    match protocol {
        number::TCP => Ok(Header::Tcp),
        number::UDP => udp::tunnel(c),
        number::IPV4 | number::IPV6 => {
            c.enter(Encapsulation::Ip, 0);
            Ok(if protocol == number::IPV4 { Header::Ipv4 } else { Header::Ipv6 })
        }
        number::GRE => tunnel::gre(c),
        number::HOP_BY_HOP
        | number::ROUTING
        | number::DESTINATION_OPTIONS
        | number::MOBILITY
        | number::HOST_IDENTITY
        | number::SHIM6 => extension(c, 8, 8),
        number::AUTHENTICATION => extension(c, 8, 4),
        number::FRAGMENT => fragment(c),
        number::ESP | number::COMPRESSED => Err(Decoded::Encrypted),
        number::L2TP => tunnel::l2tp_over_ip(c),
        number::MPLS => Ok(Header::Mpls),
        number::ETHER_IP => tunnel::ether_ip(c),
        _ => Err(Decoded::NotTcp),
    }
}

/// An extension header: next header, then its own length in `unit` bytes beyond `base`.
fn extension(c: &mut Cursor<'_>, base: usize, unit: usize) -> Step {
    let [next, len] = *c.peek::<2>()?;
    c.skip(base + usize::from(len) * unit)?;
    Ok(Header::IpProtocol(next))
}

/// The fragment header. One that neither follows nor precedes another fragment ("atomic", RFC 6946)
/// is a whole packet.
fn fragment(c: &mut Cursor<'_>) -> Step {
    let [next, _, hi, lo, ..] = *c.take::<8>()?;
    let field = u16::from_be_bytes([hi, lo]);
    if field & 0xfff8 != 0 {
        return Err(later_fragment(next));
    }
    c.fragment |= field & 1 != 0;
    Ok(Header::IpProtocol(next))
}

/// A later fragment matters only where the datagram can hold TCP. UDP is left out: nearly all of it
/// is no tunnel.
pub(super) fn later_fragment(protocol: u8) -> Decoded {
    match protocol {
        number::TCP
        | number::IPV4
        | number::IPV6
        | number::GRE
        | number::AUTHENTICATION
        | number::DESTINATION_OPTIONS
        | number::L2TP
        | number::MPLS
        | number::ETHER_IP => Decoded::LaterFragment,
        number::ESP | number::COMPRESSED => Decoded::Encrypted,
        _ => Decoded::NotTcp,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{answer, ethernet, ipv4, ipv6, segment, tcp};
    use super::*;

    const V4: u16 = 0x0800;
    const V6: u16 = 0x86dd;

    #[test]
    fn ipv6_fragments_and_the_atomic_one() {
        let packet = |field: u8| {
            let header = [6, 0, 0, field, 0, 0, 0, 9];
            ethernet(V6, &ipv6(number::FRAGMENT, &[&header[..], &tcp(&[], b"ab")].concat()))
        };
        assert!(!segment(&packet(0)).fragment);
        assert!(segment(&packet(1)).fragment);
        assert_eq!(answer(&packet(8)), Decoded::LaterFragment);
    }

    #[test]
    fn extension_headers_are_passed_over() {
        let mut payload = vec![number::ROUTING, 0, 1, 4, 0, 0, 0, 0];
        payload.extend([number::DESTINATION_OPTIONS, 1]);
        payload.extend([0; 14]);
        payload.extend([number::AUTHENTICATION, 0, 1, 4, 0, 0, 0, 0]);
        payload.extend([6, 4]);
        payload.extend([0; 22]);
        payload.extend(tcp(&[], b"payload"));
        assert_eq!(segment(&ethernet(V6, &ipv6(number::HOP_BY_HOP, &payload))).len, 7);
    }

    #[test]
    fn encrypted_and_other_protocols_are_named() {
        let quoted = [&[3, 4, 0, 0, 0, 0, 5, 0][..], &ipv4(6, &tcp(&[], &[]))].concat();
        let hidden = [number::ESP, number::COMPRESSED].map(|p| (p, Decoded::Encrypted));
        let others = [1, 59].map(|p| (p, Decoded::NotTcp));
        for (protocol, expected) in hidden.into_iter().chain(others) {
            assert_eq!(answer(&ethernet(V4, &ipv4(protocol, &quoted))), expected);
        }
        assert_eq!(answer(&ethernet(V6, &ipv6(58, &quoted))), Decoded::NotTcp);
    }

    #[test]
    fn nesting_is_bounded() {
        let nest = |times: usize| {
            let tcp = ipv4(6, &tcp(&[], &[]));
            ethernet(V4, &(0..times).fold(tcp, |inner, _| ipv4(number::IPV4, &inner)))
        };
        assert_eq!(answer(&nest(10)), Decoded::Segment);
        assert_eq!(answer(&nest(1000)), Decoded::Malformed);
    }

    #[test]
    fn ip_in_ip_takes_the_inner_header_and_changes_the_scope() {
        let inner = ipv6(6, &tcp(&[], b"abc"));
        let s = segment(&ethernet(V4, &ipv4(number::IPV6, &inner)));
        assert_eq!((s.src.addr(), s.ip_id), ("fd00::1".parse().unwrap(), 0));
        assert_ne!(s.scope, segment(&ethernet(V6, &inner)).scope);
    }
}
