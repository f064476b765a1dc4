//! The least that cuts a large packet of TCP over IPv4 without options of IP.

/// Length of the header in front of each packet.
pub(crate) const VIRTIO: usize = 10;
const IP: usize = 20;

/// Calls `done` with each segment of a packet behind its virtio header, and returns how many there were.
pub(crate) fn each(packet: &[u8], mut done: impl FnMut(&[u8])) -> u64 {
    if packet.len() < VIRTIO + 2 * IP || packet[VIRTIO] != 0x45 || packet[VIRTIO + 9] != 6 {
        done(packet);
        return 1;
    }
    let tcp = usize::from(packet[VIRTIO + IP + 12] >> 4) * 4;
    let headers = VIRTIO + IP + tcp;
    let (head, payload) = packet.split_at(headers);
    let large = head[1] != 0;
    let size = if large { usize::from(u16::from_le_bytes([head[4], head[5]])) } else { 65_536 };
    // The devices have an MTU of 1500.
    let mut segment = [0; 2_048];
    let sequence = u32::from_be_bytes([head[34], head[35], head[36], head[37]]);
    let count = payload.len().div_ceil(size).max(1);
    for index in 0..count {
        let part = &payload[index * size..payload.len().min((index + 1) * size)];
        let segment = &mut segment[..headers + part.len()];
        segment[VIRTIO..headers].copy_from_slice(&head[VIRTIO..]);
        segment[headers..].copy_from_slice(part);
        let ip = &mut segment[VIRTIO..];
        let length = ip.len() as u16;
        ip[2..4].copy_from_slice(&length.to_be_bytes());
        ip[24..28].copy_from_slice(&sequence.wrapping_add((index * size) as u32).to_be_bytes());
        if index + 1 < count {
            ip[33] &= !9;
        }
        ip[10..12].fill(0);
        let check = fold(sum(&ip[..IP]));
        ip[10..12].copy_from_slice(&check.to_be_bytes());
        ip[36..38].fill(0);
        let pseudo = sum(&ip[12..IP]) + u64::from(length) - IP as u64 + 6;
        let check = fold(pseudo + sum(&ip[IP..]));
        ip[36..38].copy_from_slice(&check.to_be_bytes());
        done(segment);
    }
    count as u64
}

/// Sum in one's complement (RFC 1071).
fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<4>();
    let sum = words.iter().map(|word| u64::from(u32::from_be_bytes(*word))).sum::<u64>();
    rest.iter().zip([24, 16, 8]).fold(sum, |sum, (byte, shift)| sum + (u64::from(*byte) << shift))
}

fn fold(mut sum: u64) -> u16 {
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}
