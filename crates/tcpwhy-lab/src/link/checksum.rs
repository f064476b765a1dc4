//! The Internet checksum (RFC 1071).

/// Sum of 16-bit words in one's complement, not folded; an odd last byte is the high half of a word.
pub(super) fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<4>();
    let mut sum = words.iter().map(|word| u64::from(u32::from_be_bytes(*word))).sum::<u64>();
    for (index, byte) in rest.iter().enumerate() {
        sum += u64::from(*byte) << (24 - 8 * index);
    }
    sum
}

/// Folds a sum into the value that stands in a header.
pub(super) fn finish(mut sum: u64) -> u16 {
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// The checksum `old_sum` after one word changed (RFC 1624 equation 3).
pub(super) fn update(old_sum: u16, old: u16, new: u16) -> u16 {
    finish(u64::from(!old_sum) + u64::from(!old) + u64::from(new))
}
