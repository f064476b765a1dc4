//! The first header of a frame, by the link type of the capture.

use super::cursor::Cursor;
use super::{Decoded, Header, Step, cooked, lan, names, serial, wlan};

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
        6 => lan::token_ring(c),
        7 => lan::arcnet(c),
        9 | 50 => Ok(Header::Ppp),
        10 => lan::fddi(c),
        12 | 14 | 101 => Ok(Header::Ip),
        51 => serial::pppoe(c),
        100 => Ok(Header::Llc),
        104 => serial::cisco_hdlc(c),
        105 => Ok(Header::Wlan { padded: false, swapped: false }),
        106 => lan::atm_classical_ip(c),
        107 => serial::frame_relay(c),
        109 => after(12, Header::Ip, c),
        113 => cooked::linux_cooked(c),
        117 => cooked::pflog(c),
        119 => wlan::prism(c),
        122 => after(16, Header::Llc, c),
        127 => wlan::radiotap(c),
        129 => lan::arcnet_linux(c),
        138 => lan::ip_over_1394(c),
        149 | 258 => cooked::pktap(c),
        163 => wlan::avs(c),
        166 => after(2, Header::Ppp, c),
        178 => cooked::juniper_ethernet(c),
        192 => wlan::ppi(c),
        204 => after(1, Header::Ppp, c),
        205 => after(1, Header::Link(LinkType(104)), c),
        206 => after(1, Header::Link(LinkType(107)), c),
        219 => Ok(Header::Mpls),
        226 => after(24, Header::Ip, c),
        228 => Ok(Header::Ipv4),
        229 => Ok(Header::Ipv6),
        239 => cooked::nflog(c),
        240 => after(4, Header::Ethernet, c),
        241 => after(12, Header::Ethernet, c),
        242 => lan::ip_over_infiniband(c),
        274 => after(8, Header::Ethernet, c),
        276 => cooked::linux_cooked_v2(c),
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

#[cfg(test)]
mod tests {
    use super::super::tests::{after, ethernet, ipv6, linked, packet, segment_of, tcp};
    use super::*;

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
}
