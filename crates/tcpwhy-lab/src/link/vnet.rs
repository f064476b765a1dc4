//! The virtio header in front of a packet, and the few bytes of IP that the link itself changes.

/// `virtio_net_hdr.gso_type`: none.
const GSO_NONE: u8 = 0;
/// `virtio_net_hdr.flags`: the checksum field holds the pseudo header's sum only.
const NEEDS_CSUM: u8 = 1;

/// Payload of one segment, when a packet with this virtio header (of `framing` bytes; 0: none) is more than one.
pub(super) fn segment_size(head: &[u8], framing: usize) -> Option<usize> {
    if framing == 0 || *head.get(1)? == GSO_NONE {
        return None;
    }
    Some(usize::from(u16::from_le_bytes([*head.get(4)?, *head.get(5)?])))
}

/// Whether the transport checksum was left to the device.
pub(super) fn is_partial(head: &[u8], framing: usize) -> bool {
    framing > 0 && head.first().is_some_and(|flags| flags & NEEDS_CSUM != 0)
}

/// Sets Congestion Experienced in an IPv4 or IPv6 packet behind `framing` bytes (RFC 3168 section 5).
pub(super) fn mark_ce(head: &mut [u8], framing: usize) {
    let Some(ip) = head.get_mut(framing..).filter(|ip| ip.len() >= 20) else { return };
    match ip[0] >> 4 {
        4 => {
            let old = u16::from_be_bytes([ip[0], ip[1]]);
            ip[1] |= 3;
            let new = u16::from_be_bytes([ip[0], ip[1]]);
            let sum = u16::from_be_bytes([ip[10], ip[11]]);
            ip[10..12].copy_from_slice(
                &super::checksum::update(sum, old.into(), new.into()).to_be_bytes(),
            );
        }
        // IPv6 has no checksum; its ECN bits are bits 4 and 5 of the second byte.
        6 => ip[1] |= 0x30,
        _ => {}
    }
}
