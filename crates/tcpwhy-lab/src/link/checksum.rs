//! The Internet checksum (RFC 1071).

/// Sum of 16-bit words in one's complement, not folded to the end; an odd last byte is the high half of a word.
///
/// Added up in the machine's byte order and turned round once, which gives the same (RFC 1071 section 2 (B)).
pub(super) fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<4>();
    let mut sum = words.iter().map(|word| u64::from(u32::from_ne_bytes(*word))).sum::<u64>();
    let mut last = [0; 4];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    sum += u64::from(u32::from_ne_bytes(last));
    u64::from(u16::from_be(fold(sum)))
}

/// Folds a sum into the value that stands in a header.
pub(super) fn finish(sum: u64) -> u16 {
    !fold(sum)
}

fn fold(mut sum: u64) -> u16 {
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// The checksum after the words that it covers changed from one sum to another (RFC 1624 equation 3).
pub(super) fn update(old: u16, before: u64, after: u64) -> u16 {
    finish(u64::from(!old) + u64::from(finish(before)) + after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_rfc() {
        // RFC 1071 section 3.
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(finish(sum(&bytes)), !0xddf2);
        assert_eq!(finish(sum(&[1, 2, 3])), !(0x0102 + 0x0300));
    }

    #[test]
    fn an_update_gives_what_a_new_sum_gives() {
        let (old, new) = ([0x12, 0x34, 0xff, 0xff, 0x01], [0x12, 0x35, 0x00, 0x01, 0xfe]);
        assert_eq!(update(finish(sum(&old)), sum(&old), sum(&new)), finish(sum(&new)));
    }
}
