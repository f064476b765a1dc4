//! Does what a network card does for a host with offloads: cuts large TCP packets into packets of the MTU (kernel:
//! `tcp_gso_segment`) and fills in the checksums that the host left undone.

use super::buffer::{Packet, Pool};
use super::checksum;
use super::device::VNET_BYTES;
use super::view::View;

const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;
const TCP: u8 = 6;

/// Cuts `packet`, whose IP packet begins behind `framing` bytes, into packets with `mss` bytes of payload each.
///
/// In order; ends early when the pool is used up.
pub(super) fn cut(
    packet: &Packet,
    view: &View,
    mss: usize,
    framing: usize,
    pool: &Pool,
) -> Vec<Packet> {
    let headers = framing + view.headers();
    let mss = mss.max(1);
    let count = view.payload().div_ceil(mss).max(1);
    let mut segments = Vec::with_capacity(count);
    for index in 0..count {
        let offset = index * mss;
        let payload = mss.min(view.payload() - offset);
        let Some(mut segment) = pool.blank(headers + payload) else { return segments };
        segment.copy(0, packet, 0, headers);
        segment.copy(headers, packet, headers + offset, payload);
        let ip = segment.head_mut().get_mut(framing..).unwrap_or_default();
        place(ip, view, index, offset, index + 1 == count);
        finish(&mut segment, view, framing);
        segments.push(segment);
    }
    segments
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
    // The block behind the head begins at an even position of the packet: sums may be added.
    let tail = checksum::sum(packet.tail());
    let Some((virtio, ip)) = packet.head_mut().split_at_mut_checked(framing) else { return };
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
    let sum = checksum::finish(pseudo + checksum::sum(tcp) + tail);
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
