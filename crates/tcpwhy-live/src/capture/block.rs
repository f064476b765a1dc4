//! The packets of one block of the ring: `struct tpacket_block_desc`, `tpacket3_hdr` and `sockaddr_ll` (include/uapi/linux/if_packet.h).

use std::mem::offset_of;

use libc::{sockaddr_ll, tpacket_block_desc, tpacket_hdr_v1, tpacket3_hdr};

/// Of `struct tpacket_block_desc`.
const HEADER: usize = offset_of!(tpacket_block_desc, hdr);
/// `TPACKET_ALIGN(sizeof(struct tpacket3_hdr))`: the address follows the header.
const ADDRESS: usize = size_of::<tpacket3_hdr>().next_multiple_of(libc::TPACKET_ALIGNMENT);

/// One packet, from its IP header on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packet<'a> {
    /// Nanoseconds since the Unix epoch.
    pub(super) ns: u64,
    /// Its whole length in bytes.
    pub(super) length: u32,
    /// Index of its interface.
    pub(super) interface: u32,
    /// As much of it as was kept.
    pub(super) bytes: &'a [u8],
}

/// Gives `take` every packet. What does not fit into the block ends it.
pub(super) fn packets<'a>(block: &'a [u8], mut take: impl FnMut(Packet<'a>)) {
    let word = |at: usize| u32_at(block, HEADER + at).unwrap_or(0);
    let count = word(offset_of!(tpacket_hdr_v1, num_pkts));
    let mut at = word(offset_of!(tpacket_hdr_v1, offset_to_first_pkt)) as usize;
    for _ in 0..count {
        let Some(packet) = block.get(at..).and_then(packet) else { return };
        take(packet);
        match u32_at(block, at + offset_of!(tpacket3_hdr, tp_next_offset)) {
            Some(next) if next > 0 => at += next as usize,
            _ => return,
        }
    }
}

fn packet(raw: &[u8]) -> Option<Packet<'_>> {
    let field = |at| u32_at(raw, at);
    let seconds = u64::from(field(offset_of!(tpacket3_hdr, tp_sec))?);
    let kept = field(offset_of!(tpacket3_hdr, tp_snaplen))? as usize;
    let begin = offset_of!(tpacket3_hdr, tp_mac);
    let begin = u16::from_ne_bytes(raw.get(begin..begin + 2)?.try_into().ok()?);
    Some(Packet {
        ns: seconds * 1_000_000_000 + u64::from(field(offset_of!(tpacket3_hdr, tp_nsec))?),
        length: field(offset_of!(tpacket3_hdr, tp_len))?,
        interface: field(ADDRESS + offset_of!(sockaddr_ll, sll_ifindex))?,
        bytes: raw.get(usize::from(begin)..)?.get(..kept)?,
    })
}

fn u32_at(raw: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(raw.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_packets_inside_of_the_block_or_none(
            mut block in proptest::collection::vec(any::<u8>(), 0..400), first in 0_u32..64,
        ) {
            for (at, value) in [(HEADER + 4, 9), (HEADER + 8, first)] {
                if let Some(word) = block.get_mut(at..at + 4) {
                    word.copy_from_slice(&u32::to_ne_bytes(value));
                }
            }
            packets(&block, |packet| assert!(packet.bytes.len() <= block.len()));
        }
    }
}
