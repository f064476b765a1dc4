//! The decoder against captures made by others, where they are at hand.

use pcap_parser::{Block, PcapBlockOwned, PcapError, create_reader};
use std::fs::File;
use std::path::{Path, PathBuf};
use tcpwhy_core::decode::{Decoded, Frame, LinkType, decode};
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;

/// Frames with a TCP segment of their own (not one that an ICMP error quotes), as tshark 4.0 counts
/// them. Where we differ, on purpose: the AH-IPcomp files hold segments that are compressed, which
/// tshark inflates (10 and 15 in all), and sFlow quotes a sample of a frame (1).
const SEGMENTS: &[(&str, usize)] = &[
    ("001-PcapPlusPlus-pcapng-example.pcapng", 1),
    ("002-zeek-ipv6-http-atomic-frag.pcap", 36),
    ("004-pcapsql-nflog-ebtables.pcapng", 6),
    ("005-etl-ndt-nnwk2_1611335823_00000000000C2DFE.pcap", 336),
    ("006-tcpdump-ipoib.pcap", 20),
    ("009-zeek-irc-353.pcap", 12),
    ("010-tcpdump-arcnet-rfc1051-arp-icmp-http.pcap", 14),
    ("013-PcapPlusPlus-CiscoHDLC.pcap", 1),
    ("014-zeek-telnet-auth-missing-name.pcap", 8),
    ("016-libpcap-AH-IPcomp-IPv4.pcap", 6),
    ("017-PcapPlusPlus-nanosecs_big_endian.pcap", 10),
    ("018-libpcap-AH-IPcomp-IPv6.pcap", 8),
    ("020-dpkt-nb6-http.pcap", 30),
    ("021-tcpdump-timestamp_invalid_nano.pcap", 3),
    ("022-moloch-80211http.pcap", 26),
    ("024-ipfixprobe-smtp.pcap", 53),
    ("026-PcapPlusPlus-linktype_ipv6.pcap", 1),
    ("028-tcpdump-bgp-aigp.pcap", 1),
    ("029-libpcap-http_PPI.pcap", 1),
    ("030-zeek-vlan-pcp-dei.pcapng", 9),
    ("032-zeek-snap-tcp.pcap", 8),
    ("033-suricata-verify-bug-814.pcap", 7),
    ("036-zeek-tunnel-direct-bypass.pcap", 20),
    ("037-etl-ndt-nnwk2_1611335823_00000000000C2DA8.pcap", 15),
    ("038-suricata-verify-vxlan-non-zero-reserved-fields.pcap", 10),
    ("040-trex-core-hlt_4vlans.pcap", 20),
    ("041-suricata-verify-bug-6402-01.pcap", 12),
    ("042-libpcap-geneve.pcap", 8),
    ("044-PcapPlusPlus-Ftp.pcap", 10),
    ("045-suricata-verify-kill_router6.pcap", 5),
    ("046-MPTCProxy-mptcp.pcap", 19),
    ("048-zeek-gtp6_gtp_0x32.pcap", 31),
    ("050-zeek-vlan-qinqinq.pcap", 14),
    ("052-suricata-verify-hdlc-http_1tx.pcap", 17),
    ("053-zeek-ayiya3.pcap", 21),
    ("054-tcpreplay-test.rewrite_vlan802.1ad", 116),
    ("056-tcpdump-heap-overflow-2.pcap", 0),
    ("057-tcpdump-atm-heapoverflow.pcap", 0),
    ("058-tcpdump-hoobr_juniper.pcap", 0),
    ("060-tcpdump-heapoverflow-sl_if_print.pcap", 0),
    ("061-tcpdump-llc-xid-heapoverflow.pcap", 0),
    ("062-tcpdump-unsupported-link-type-160.pcap", 0),
    ("064-zeek-ieee80211.15.4.pcap", 0),
    ("065-suricata-verify-decode-etag-01.pcap", 1),
    ("066-zeek-vntag_vlan_sandwich_clean.pcap", 1),
    ("068-zeek-4in6.pcap", 1),
    ("069-trex-core-tunnel_prepend_with_vlan.pcap", 1),
    ("070-trex-core-tunnel_prepend_ipv4_with_ipv6.pcap", 1),
    ("072-suricata-verify-ipv4_over_ipv4.pcap", 1),
    ("073-trex-core-tunnel_prepend_ipv6_with_ipv4.pcap", 1),
    ("074-tcpdump-geneve-gcp.pcap", 1),
    ("076-trex-core-tunnel_prepend_ipv4_with_vlan_ipv6.pcap", 1),
    ("078-trex-core-tunnel_prepend_ipv6.pcap", 1),
    ("080-zeek-arp-who-has-wlanmon.pcap", 0),
    ("081-tcpdump-LINKTYPE_USER2_PKTAP.pcap", 0),
    ("082-tcpdump-LINKTYPE_PKTAP.pcap", 0),
    ("084-libpcap-isup_load_generator.pcap", 0),
    ("085-tcpdump-sflow_expanded.pcap", 0),
    ("086-tcpdump-unsupported-link-type-dbus.pcap", 0),
    ("088-zeek-gre-aruba-amsdu.pcap", 1),
    ("089-PcapPlusPlus-MplsPackets.pcap", 1),
    ("090-tcpdump-lspping-fec-ldp.pcap", 3),
    ("092-suricata-verify-frag-ppp-ipv6-tcp.pcap", 1),
    ("093-suricata-verify-frag-eth-vlan-ipv6-tcp.pcap", 1),
    ("094-tcpdump-vsock-1.pcapng", 0),
    ("096-tcpdump-e1000g.pcap", 0),
    ("097-zeek-mpls-in-vlan.pcap", 3),
    ("098-tcpdump-gso-ipv6-vxlan-ipv6.pcap", 1),
    ("100-tcpdump-gso-ipv4-vxlan-ipv6.pcap", 1),
    ("101-tcpdump-gso-ipv6-geneve-ipv6.pcap", 1),
    ("102-tcpdump-gso-ipv6-vxlan-ipv4.pcap", 1),
    ("104-nDPI-BGP_Cisco_hdlc_slarp.pcap", 14),
    ("105-nDPI-tls_invalid_reads.pcap", 12),
    ("106-nDPI-capwap_data.pcapng", 14),
    ("108-nDPI-6in4tunnel.pcap", 75),
    ("109-zeek-request-line.pcap", 12),
    ("113-tcpreplay-test.rewrite_dltuser", 116),
    ("114-PcapPlusPlus-raw_ip.pcap", 92),
    ("117-jnetpcap-legacy-test-l2tp.pcap", 38),
    ("120-suricata-verify-detect-ipopts.pcap", 8),
    ("121-nDPI-synscan.pcap", 2011),
    ("122-tcpdump-arcnet-rfc1201-arp-icmp-http.pcap", 14),
    ("124-zeek-geneve-many-options.pcap", 10),
    ("125-moloch-pppoe.pcap", 10),
    ("126-moloch-twovlan.pcap", 6),
    ("128-suricata-verify-temp1.pcap", 17),
    ("132-zeek-gtp9_unknown_or_too_short_payload.pcap", 11),
    ("133-zeek-gap-data-missing.pcapng", 18),
    ("134-PcapPlusPlus-pcapng-example.from-zst.pcapng", 159),
    ("137-suricata-verify-frag-22.pcap", 1),
    ("138-trex-core-tcp2_http_vlan_gtpu_s.pcap", 34),
    ("141-zeek-gre-aruba.pcap", 2407),
    ("142-nDPI-tls_change_cipher.pcap", 14),
];

/// Calls `each` with link type, original length and captured bytes of every packet up to the first
/// damage; `None` where the container is not pcap or pcapng.
fn packets(path: &Path, mut each: impl FnMut(u32, u32, &[u8])) -> Option<()> {
    let mut reader = create_reader(1 << 20, File::open(path).ok()?).ok()?;
    let mut links: Vec<u32> = Vec::new();
    loop {
        match reader.next() {
            Ok((used, block)) => {
                match block {
                    PcapBlockOwned::LegacyHeader(h) => links.push(h.network.0 as u32),
                    PcapBlockOwned::Legacy(b) => each(*links.first()?, b.origlen, b.data),
                    PcapBlockOwned::NG(Block::SectionHeader(_)) => links.clear(),
                    PcapBlockOwned::NG(Block::InterfaceDescription(i)) => {
                        links.push(i.linktype.0 as u32);
                    }
                    PcapBlockOwned::NG(Block::EnhancedPacket(b)) => {
                        let captured = b.data.get(..b.caplen as usize).unwrap_or(b.data);
                        each(*links.get(b.if_id as usize)?, b.origlen, captured);
                    }
                    PcapBlockOwned::NG(_) => {}
                }
                reader.consume(used);
            }
            Err(PcapError::Incomplete(_)) => reader.refill().ok()?,
            Err(_) => return Some(()),
        }
    }
}

/// How many frames of a capture hold a segment.
fn segments(path: &Path) -> usize {
    let mut count = 0;
    let mut out = Segment::default();
    packets(path, |link, wire_len, data| {
        let frame = Frame {
            time: Nanos::ZERO,
            number: 1,
            interface: 0,
            link: LinkType(link),
            wire_len,
            data,
        };
        count += usize::from(decode(&frame, &mut out) == Decoded::Segment);
    });
    count
}

/// The directory, or `None` (and a word on the terminal) where it is absent.
fn encodings() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures/encodings");
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

#[test]
fn as_many_segments_as_tshark_finds() {
    let Some(directory) = encodings() else { return };
    let wrong: Vec<_> = SEGMENTS
        .iter()
        .map(|&(name, expected)| (name, segments(&directory.join(name)), expected))
        .filter(|(_, found, expected)| found != expected)
        .collect();
    assert!(wrong.is_empty(), "file, found, expected: {wrong:#?}");
}
