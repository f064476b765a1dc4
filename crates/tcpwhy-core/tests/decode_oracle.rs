//! The decoder against `etherparse`, and against any bytes at all.

use etherparse::{
    IpFragOffset, IpHeaders, IpNumber, Ipv4Extensions, Ipv4Header, Ipv6Extensions,
    Ipv6FragmentHeader, Ipv6Header, Ipv6RawExtHeader, PacketBuilder, TcpHeader, TcpOptionElement,
    VlanId,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::net::IpAddr;
use tcpwhy_core::decode::{Decoded, Frame, LinkType, decode};
use tcpwhy_core::observe::{Endpoint, Options, Segment};
use tcpwhy_core::units::{Nanos, Seq};

/// Bytes before the TCP options: ports, numbers, flags, window.
const NEEDED_OF_TCP: usize = 16;

/// A packet as it was meant, and its bytes.
#[derive(Debug, Clone)]
struct Packet {
    bytes: Vec<u8>,
    tcp: TcpHeader,
    meant: Segment,
}

fn link(link: u32, wire_len: usize, data: &[u8]) -> (Decoded, Segment) {
    let frame = Frame {
        time: Nanos(5),
        number: 6,
        interface: 0,
        link: LinkType(link),
        wire_len: wire_len as u32,
        data,
    };
    let mut out = Segment::default();
    (decode(&frame, &mut out), out)
}

fn any_option() -> impl Strategy<Value = TcpOptionElement> {
    use TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted,
        Timestamp, WindowScale,
    };
    let block = || any::<(u32, u32)>();
    prop_oneof![
        Just(Noop),
        any::<u16>().prop_map(MaximumSegmentSize),
        any::<u8>().prop_map(WindowScale),
        Just(SelectiveAcknowledgementPermitted),
        any::<(u32, u32)>().prop_map(|(v, e)| Timestamp(v, e)),
        (block(), vec(block(), 0..=3)).prop_map(|(first, more)| {
            let more = std::array::from_fn(|i| more.get(i).copied());
            SelectiveAcknowledgement(first, more)
        }),
    ]
}

fn any_tcp() -> impl Strategy<Value = TcpHeader> {
    let numbers = any::<(u16, u16, u32, u32, u16, u16)>();
    (numbers, any::<[bool; 9]>(), vec(any_option(), 0..5)).prop_map(
        |((source, destination, seq, ack, window, urgent), bits, options)| {
            let mut h = TcpHeader::new(source, destination, seq, window);
            h.acknowledgment_number = ack;
            h.urgent_pointer = urgent;
            [h.fin, h.syn, h.rst, h.psh, h.ack, h.urg, h.ece, h.cwr, h.ns] = bits;
            // Options that do not fit are left out.
            let _ = h.set_options(&options);
            h
        },
    )
}

fn any_ipv4() -> impl Strategy<Value = IpHeaders> {
    let addresses = any::<([u8; 4], [u8; 4])>();
    (addresses, any::<(u16, u8, u8, bool)>(), 0..=10_usize).prop_map(
        |((source, destination), (id, ttl, tos, more), option_words)| {
            let mut h =
                Ipv4Header::new(0, ttl, IpNumber::TCP, source, destination).unwrap_or_default();
            h.identification = id;
            h.dscp = (tos >> 2).try_into().unwrap_or_default();
            h.ecn = (tos & 3).try_into().unwrap_or_default();
            h.more_fragments = more;
            h.options = [1; 40][..option_words * 4].try_into().unwrap_or_default();
            IpHeaders::Ipv4(h, Ipv4Extensions::default())
        },
    )
}

fn any_ipv6() -> impl Strategy<Value = IpHeaders> {
    let raw = || {
        option::of(vec(any::<u8>(), 0..4).prop_map(|units| {
            let payload = [&[0; 6][..], &units.iter().flat_map(|u| [*u; 8]).collect::<Vec<_>>()];
            Ipv6RawExtHeader::new_raw(IpNumber::TCP, &payload.concat()).ok()
        }))
    };
    let addresses = any::<([u8; 16], [u8; 16])>();
    (addresses, any::<(u8, u8)>(), raw(), raw(), option::of(any::<bool>())).prop_map(
        |((source, destination), (hop_limit, traffic_class), hop_by_hop, options, more)| {
            let header = Ipv6Header {
                traffic_class,
                hop_limit,
                source,
                destination,
                ..Ipv6Header::default()
            };
            let fragment = more
                .map(|more| Ipv6FragmentHeader::new(IpNumber::TCP, IpFragOffset::ZERO, more, 7));
            let extensions = Ipv6Extensions {
                hop_by_hop_options: hop_by_hop.flatten(),
                destination_options: options.flatten(),
                fragment,
                ..Ipv6Extensions::default()
            };
            IpHeaders::Ipv6(header, extensions)
        },
    )
}

/// Ethernet with up to two VLAN tags, either IP, TCP, a payload, and padding.
fn any_packet() -> impl Strategy<Value = Packet> {
    let ip = prop_oneof![any_ipv4(), any_ipv6()];
    let vlans = vec(0..4096_u16, 0..=2);
    (vlans, ip, any_tcp(), 0..2000_usize, 0..20_usize).prop_filter_map(
        "headers fit",
        |(vlans, ip, tcp, len, padding)| {
            let meant = meant(&ip, &tcp, len);
            let start = PacketBuilder::ethernet2([2; 6], [4; 6]);
            let vlan = |at: usize| VlanId::try_new(vlans[at]).unwrap_or_default();
            let start = match vlans.len() {
                0 => start.ip(ip),
                1 => start.single_vlan(vlan(0)).ip(ip),
                _ => start.double_vlan(vlan(0), vlan(1)).ip(ip),
            };
            let builder = start.tcp_header(tcp.clone());
            let mut bytes = Vec::new();
            builder.write(&mut bytes, &vec![0; len]).ok()?;
            bytes.extend(vec![0; padding]);
            Some(Packet { bytes, tcp, meant })
        },
    )
}

/// The segment that these headers mean.
fn meant(ip: &IpHeaders, tcp: &TcpHeader, len: usize) -> Segment {
    let mut s = Segment { time: Nanos(5), frame: 6, len: len as u32, ..Segment::default() };
    let (source, destination): (IpAddr, IpAddr) = match ip {
        IpHeaders::Ipv4(h, _) => {
            s.ip_id = h.identification;
            s.ttl = h.time_to_live;
            s.ce = h.ecn.value() == 3;
            s.fragment = h.more_fragments;
            (h.source.into(), h.destination.into())
        }
        IpHeaders::Ipv6(h, extensions) => {
            s.ttl = h.hop_limit;
            s.ce = h.traffic_class & 3 == 3;
            s.fragment = extensions.fragment.as_ref().is_some_and(|f| f.more_fragments);
            (h.source.into(), h.destination.into())
        }
    };
    s.src = Endpoint::new(source, tcp.source_port);
    s.dst = Endpoint::new(destination, tcp.destination_port);
    s.seq = Seq(tcp.sequence_number);
    s.ack = Seq(tcp.acknowledgment_number);
    s.window = tcp.window_size;
    let bits = [tcp.fin, tcp.syn, tcp.rst, tcp.psh, tcp.ack, tcp.urg, tcp.ece, tcp.cwr, tcp.ns];
    s.flags = bits.iter().rev().fold(0, |flags, bit| flags << 1 | u16::from(*bit));
    s.options = meant_options(tcp);
    s
}

/// The options as `etherparse` reads them.
fn meant_options(tcp: &TcpHeader) -> Options {
    let mut options = Options::default();
    for element in tcp.options_iterator().map_while(Result::ok) {
        match element {
            TcpOptionElement::Noop => {}
            TcpOptionElement::MaximumSegmentSize(mss) => options.mss = Some(mss),
            TcpOptionElement::WindowScale(shift) => options.window_scale = Some(shift),
            TcpOptionElement::SelectiveAcknowledgementPermitted => options.sack_permitted = true,
            TcpOptionElement::Timestamp(value, echo) => options.timestamps = Some((value, echo)),
            TcpOptionElement::SelectiveAcknowledgement(first, more) => {
                let blocks = std::iter::once(first).chain(more.into_iter().flatten());
                options.sack_count = 0;
                for ((left, right), slot) in blocks.zip(&mut options.sack) {
                    *slot = (Seq(left), Seq(right));
                    options.sack_count += 1;
                }
            }
        }
    }
    options
}

proptest! {
    #[test]
    fn every_field_is_read_as_it_was_meant(packet in any_packet()) {
        let (answer, mut found) = link(1, packet.bytes.len(), &packet.bytes);
        prop_assert_eq!(answer, Decoded::Segment);
        found.scope = 0;
        prop_assert_eq!(found, packet.meant);
    }

    #[test]
    fn a_cut_hides_fields_and_never_changes_them(packet in any_packet()) {
        let headers = packet.bytes.len() - packet.tcp.header_len();
        for captured in 0..packet.bytes.len() {
            let (answer, mut found) = link(1, packet.bytes.len(), &packet.bytes[..captured]);
            if answer != Decoded::Segment {
                prop_assert_eq!(answer, Decoded::Cut);
                prop_assert!(captured < headers + NEEDED_OF_TCP);
                continue;
            }
            found.scope = 0;
            if found.options_cut {
                found.options = packet.meant.options;
                found.options_cut = false;
            }
            prop_assert_eq!(found, packet.meant);
        }
    }

    #[test]
    fn any_bytes_of_any_type_get_an_answer(
        number in 0..320_u32,
        extra in 0..70_000_usize,
        bytes in vec(any::<u8>(), 0..200),
    ) {
        let (answer, _) = link(number, bytes.len() + extra, &bytes);
        prop_assert!(LinkType(number).is_supported() || answer == Decoded::UnsupportedLink);
    }

    #[test]
    fn a_damaged_packet_gets_an_answer(
        packet in any_packet(),
        damage in vec((0..120_usize, any::<u8>()), 1..8),
        number in prop_oneof![Just(1_u32), Just(101), Just(113), Just(127), Just(239)],
    ) {
        let mut bytes = packet.bytes;
        for (at, byte) in damage {
            if let Some(slot) = bytes.get_mut(at) {
                *slot = byte;
            }
        }
        let (answer, found) = link(number, bytes.len(), &bytes);
        if answer == Decoded::Segment {
            prop_assert!(found.options.sack_count <= 4);
        }
    }
}
