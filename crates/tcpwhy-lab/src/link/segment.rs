//! Does what a network card does for a host with offloads: cuts large TCP packets into packets of the MTU (kernel:
//! `tcp_gso_segment`) and fills in the checksums that the host left undone.

use std::rc::Rc;

use tcpwhy_core::link::Parcel;

use super::buffer::{Packet, Pool};
use super::checksum;
use super::device::VNET_BYTES;
use super::view::View;

const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;
const TCP: u8 = 6;

/// What waits inside the link.
#[derive(Debug)]
pub(super) enum Load {
    /// A packet as it is written.
    Whole(Packet),
    /// A segment of a large packet. It is cut off when it is due, because what was made just before it is written is still
    /// in the processor's cache, and what waits takes the memory of one packet.
    Part(Rc<Large>, usize),
}

impl Load {
    /// The packet to write; `None` when the pool is used up.
    pub(super) fn packet(self, pool: &Pool) -> Option<Packet> {
        match self {
            Self::Whole(packet) => Some(packet),
            Self::Part(large, index) => large.segment(index, pool),
        }
    }
}

/// A packet that is to be cut into packets with `mss` bytes of payload each.
#[derive(Debug)]
pub(super) struct Large {
    packet: Packet,
    view: View,
    mss: usize,
    framing: usize,
}

impl Large {
    /// The IP packet begins behind `framing` bytes.
    pub(super) fn new(packet: Packet, view: View, mss: usize, framing: usize) -> Self {
        Self { packet, view, mss: mss.max(1), framing }
    }

    /// How many segments it has.
    pub(super) fn count(&self) -> usize {
        self.view.payload().div_ceil(self.mss).max(1)
    }

    /// A segment as the queue sees it.
    pub(super) fn parcel(&self, index: usize) -> Parcel {
        let total = self.view.headers() + self.payload(index);
        View { total, ..self.view }.parcel(None)
    }

    /// Makes a segment; `None` when the pool is used up.
    pub(super) fn segment(&self, index: usize, pool: &Pool) -> Option<Packet> {
        let (view, framing) = (&self.view, self.framing);
        let headers = framing + view.headers();
        let offset = index * self.mss;
        let (head, all) = self.packet.bytes().split_at_checked(headers)?;
        let payload = all.get(offset..offset + self.payload(index))?;
        let mut segment = pool.blank(headers + payload.len())?;
        let (to_head, to_payload) = segment.bytes_mut().split_at_mut_checked(headers)?;
        to_head.copy_from_slice(head);
        to_payload.copy_from_slice(payload);
        let ip = to_head.get_mut(framing..).unwrap_or_default();
        place(ip, view, index, offset, index + 1 == self.count());
        finish(&mut segment, view, framing);
        Some(segment)
    }

    /// Bytes of payload of a segment.
    fn payload(&self, index: usize) -> usize {
        self.mss.min(self.view.payload().saturating_sub(index * self.mss))
    }
}

/// Sequence number, flags and IP identification of segment `index`.
fn place(ip: &mut [u8], view: &View, index: usize, offset: usize, last: bool) {
    if !view.v6 {
        add(ip, 4, index as u16);
    }
    let Some(tcp) = ip.get_mut(view.ip_bytes..).and_then(|tcp| tcp.first_chunk_mut::<20>()) else {
        return;
    };
    let seq = u32::from_be_bytes([tcp[4], tcp[5], tcp[6], tcp[7]]);
    tcp[4..8].copy_from_slice(&seq.wrapping_add(offset as u32).to_be_bytes());
    if !last {
        tcp[13] &= !(FIN | PSH);
    }
    if index > 0 {
        tcp[13] &= !CWR;
    }
}

/// Lengths and checksums of a whole TCP packet; clears the virtio header, as nothing is left to do.
///
/// Leaves packets that are not TCP alone.
pub(super) fn finish(packet: &mut Packet, view: &View, framing: usize) {
    if view.tcp_bytes.is_none() {
        return;
    }
    let total = packet.len().saturating_sub(framing);
    let Some((virtio, ip)) = packet.bytes_mut().split_at_mut_checked(framing) else { return };
    if let Some(virtio) = virtio.get_mut(..VNET_BYTES) {
        virtio.fill(0);
    }
    let Some((header, tcp)) = ip.split_at_mut_checked(view.ip_bytes) else { return };
    let length = total.saturating_sub(view.ip_bytes);
    let addresses = if view.v6 {
        set(header, 4, length as u16);
        header.get(8..40)
    } else {
        set(header, 2, total as u16);
        set(header, 10, 0);
        let sum = checksum::finish(checksum::sum(header));
        set(header, 10, sum);
        header.get(12..20)
    };
    let pseudo = checksum::sum(addresses.unwrap_or_default()) + length as u64 + u64::from(TCP);
    set(tcp, 16, 0);
    let sum = checksum::finish(pseudo + checksum::sum(tcp));
    set(tcp, 16, sum);
}

fn set(bytes: &mut [u8], at: usize, value: u16) {
    if let Some(word) = bytes.get_mut(at..at + 2) {
        word.copy_from_slice(&value.to_be_bytes());
    }
}

fn add(bytes: &mut [u8], at: usize, value: u16) {
    if let Some([high, low]) = bytes.get(at..at + 2) {
        let sum = u16::from_be_bytes([*high, *low]).wrapping_add(value);
        set(bytes, at, sum);
    }
}

#[cfg(test)]
mod tests {
    use etherparse::{NetSlice, PacketBuilder, SlicedPacket, TransportSlice};

    use super::*;

    const FRAMING: usize = VNET_BYTES;

    /// A packet as a host with offloads gives it: one header, much payload, checksum to be done.
    fn large(v6: bool, payload: &[u8]) -> Vec<u8> {
        let ip = if v6 {
            PacketBuilder::ipv6([1; 16], [2; 16], 64)
        } else {
            PacketBuilder::ipv4([10, 77, 0, 1], [10, 77, 0, 2], 64)
        };
        let builder = ip.tcp(40_000, 80, u32::MAX - 1_000, 64_240).ack(9).psh().fin().cwr();
        let mut packet = vec![1; FRAMING];
        builder.write(&mut packet, payload).unwrap();
        packet
    }

    /// Checks lengths and checksums independently; returns sequence number, FIN and CWR, payload.
    fn parse(packet: &Packet) -> (u32, bool, bool, Vec<u8>) {
        let bytes = packet.bytes();
        assert_eq!(bytes[..FRAMING], [0; FRAMING]);
        let parsed = SlicedPacket::from_ip(&bytes[FRAMING..]).unwrap();
        let Some(TransportSlice::Tcp(tcp)) = &parsed.transport else { panic!("no TCP") };
        let (header, payload) = (tcp.to_header(), tcp.payload());
        let sum = match parsed.net.as_ref().unwrap() {
            NetSlice::Ipv4(ip) => {
                let ip = ip.header().to_header();
                assert_eq!(ip.header_checksum, ip.calc_header_checksum());
                assert_eq!(usize::from(ip.total_len), bytes.len() - FRAMING);
                header.calc_checksum_ipv4(&ip, payload)
            }
            NetSlice::Ipv6(ip) => header.calc_checksum_ipv6(&ip.header().to_header(), payload),
            NetSlice::Arp(_) => panic!("no IP"),
        };
        assert_eq!(header.checksum, sum.unwrap());
        (header.sequence_number, header.fin, header.cwr, payload.to_vec())
    }

    #[test]
    fn segments_make_up_the_packet_with_right_headers_and_checksums() {
        let payload: Vec<u8> = (0..20_001_u32).map(|n| (n * 7 % 251) as u8).collect();
        let pool = Pool::new(1 << 27);
        for (v6, mss) in [(false, 1448), (true, 1428), (false, 9000), (true, 1), (false, 60_000)] {
            let packet = pool.filled(&large(v6, &payload));
            let view = View::new(&packet.bytes()[FRAMING..], packet.len() - FRAMING).unwrap();
            let large = Large::new(packet, view, mss, FRAMING);
            let segment = |index| large.segment(index, &pool).unwrap();
            for index in 0..large.count() {
                let made = segment(index);
                let again = View::new(&made.bytes()[FRAMING..], made.len() - FRAMING).unwrap();
                assert_eq!(large.parcel(index), again.parcel(None));
            }
            let segments: Vec<_> = (0..large.count()).map(|index| parse(&segment(index))).collect();
            assert_eq!(segments.len(), payload.len().div_ceil(mss));
            let joined: Vec<u8> = segments.iter().flat_map(|s| s.3.clone()).collect();
            assert!(joined == payload);
            for (index, (seq, fin, cwr, _)) in segments.iter().enumerate() {
                assert_eq!(*seq, (u32::MAX - 1_000).wrapping_add((index * mss) as u32));
                assert_eq!(*fin, index + 1 == segments.len());
                assert_eq!(*cwr, index == 0);
            }
        }
    }
}
