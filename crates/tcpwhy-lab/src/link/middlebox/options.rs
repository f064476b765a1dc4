//! Edits of the options of a SYN.

use super::super::checksum;
use super::Passing;

const SYN: u8 = 0x02;
const END: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;

/// Overwrites the window scale option (RFC 7323) with NOPs; returns whether there was one.
pub(super) fn strip_window_scale(packet: &mut Passing<'_>) -> bool {
    edit_option(packet, WINDOW_SCALE, 3, |option| {
        option.fill(NOP);
        true
    })
}

/// Lowers the MSS option to `limit`; returns whether it was higher.
pub(super) fn clamp_mss(packet: &mut Passing<'_>, limit: u16) -> bool {
    edit_option(packet, MSS, 4, |option| match option {
        [_, _, value @ ..] if u16::from_be_bytes([value[0], value[1]]) > limit => {
            value.copy_from_slice(&limit.to_be_bytes());
            true
        }
        _ => false,
    })
}

/// Changes the option of this kind and length in a SYN, and the checksum with it.
fn edit_option(
    packet: &mut Passing<'_>,
    kind: u8,
    length: usize,
    edit: impl FnOnce(&mut [u8]) -> bool,
) -> bool {
    let (Some(tcp_bytes), partial) = (packet.view.tcp_bytes, packet.partial) else { return false };
    let Some(tcp) = packet.ip.get_mut(packet.view.ip_bytes..packet.view.headers()) else {
        return false;
    };
    if tcp_bytes < 20 || tcp[13] & SYN == 0 {
        return false;
    }
    let Some(at) = find(tcp, kind, length) else { return false };
    let before = checksum::sum(tcp);
    let changed = edit(&mut tcp[at..at + length]);
    // The sum of the whole header changes by what the option changes (RFC 1624), at whatever parity it lies.
    let after = checksum::sum(tcp);
    if changed && !partial {
        let old = u16::from_be_bytes([tcp[16], tcp[17]]);
        let new = checksum::update(old, before, after);
        tcp[16..18].copy_from_slice(&new.to_be_bytes());
    }
    changed
}

/// Where in the header an option of this kind and length begins.
fn find(tcp: &[u8], kind: u8, length: usize) -> Option<usize> {
    let mut at = 20;
    loop {
        let size = match *tcp.get(at)? {
            END => return None,
            NOP => 1,
            _ => usize::from(*tcp.get(at + 1)?),
        };
        if tcp[at] == kind && size == length && at + length <= tcp.len() {
            return Some(at);
        }
        at += size.max(1);
    }
}

#[cfg(test)]
mod tests {
    use etherparse::{NetSlice, PacketBuilder, SlicedPacket, TcpOptionElement, TransportSlice};
    use tcpwhy_core::units::Nanos;

    use super::super::super::view::View;
    use super::*;

    fn syn(v6: bool) -> Vec<u8> {
        let options = [
            TcpOptionElement::MaximumSegmentSize(1460),
            TcpOptionElement::SelectiveAcknowledgementPermitted,
            TcpOptionElement::Timestamp(77, 0),
            TcpOptionElement::Noop,
            TcpOptionElement::WindowScale(7),
        ];
        let ip = if v6 {
            PacketBuilder::ipv6([1; 16], [2; 16], 64)
        } else {
            PacketBuilder::ipv4([10, 77, 0, 1], [10, 77, 0, 2], 64)
        };
        let builder = ip.tcp(40_000, 80, 12_345, 64_240).syn().options(&options).unwrap();
        let mut packet = Vec::new();
        builder.write(&mut packet, &[]).unwrap();
        packet
    }

    /// Applies an edit and checks the checksum with an independent implementation; returns the options.
    fn after(v6: bool, edit: fn(&mut Passing<'_>) -> bool) -> Vec<TcpOptionElement> {
        let mut ip = syn(v6);
        let view = View::new(&ip, ip.len()).unwrap();
        assert!(edit(&mut Passing {
            ip: &mut ip,
            view: &view,
            largest: 60,
            from_client: true,
            since: Nanos::ZERO,
            partial: false,
        }));
        let parsed = SlicedPacket::from_ip(&ip).unwrap();
        let Some(TransportSlice::Tcp(tcp)) = &parsed.transport else { panic!("no TCP") };
        let expected = match parsed.net.as_ref().unwrap() {
            NetSlice::Ipv4(ip) => tcp.to_header().calc_checksum_ipv4(&ip.header().to_header(), &[]),
            NetSlice::Ipv6(ip) => tcp.to_header().calc_checksum_ipv6(&ip.header().to_header(), &[]),
            NetSlice::Arp(_) => panic!("no IP"),
        };
        assert_eq!(tcp.checksum(), expected.unwrap());
        tcp.options_iterator().map(Result::unwrap).collect()
    }

    #[test]
    fn the_window_scale_becomes_padding() {
        for v6 in [false, true] {
            let options = after(v6, strip_window_scale);
            assert!(!options.iter().any(|o| matches!(o, TcpOptionElement::WindowScale(_))));
            assert!(options.contains(&TcpOptionElement::MaximumSegmentSize(1460)));
        }
    }

    #[test]
    fn the_mss_is_lowered_and_never_raised() {
        for v6 in [false, true] {
            let options = after(v6, |packet| clamp_mss(packet, 1200));
            assert_eq!(options[0], TcpOptionElement::MaximumSegmentSize(1200));
            let options = after(v6, |packet| !clamp_mss(packet, 9000));
            assert_eq!(options[0], TcpOptionElement::MaximumSegmentSize(1460));
        }
    }
}
