//! Names in the order in which people count.

use std::cmp::Ordering;

/// `slow.pcap`, `slow.pcap2`, `slow.pcap10`: digits are compared as the number that they are. No two different names are equal.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    parts(a).cmp(parts(b)).then_with(|| a.cmp(b))
}

/// Numbers, however long, by their length and digits; everything else byte by byte, before any number.
fn parts(name: &str) -> impl Iterator<Item = (usize, &[u8])> {
    let both_digits = |a: &u8, b: &u8| a.is_ascii_digit() && b.is_ascii_digit();
    name.as_bytes().chunk_by(both_digits).map(|part| {
        let zeros = part.iter().take_while(|&&byte| byte == b'0').count();
        let digits = part.get(zeros..).unwrap_or_default();
        match part.first() {
            Some(first) if first.is_ascii_digit() => (1 + digits.len(), digits),
            _ => (0, part),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_and_names_that_differ_are_never_equal() {
        let names = [
            "slow.pcap",
            "slow.pcap0",
            "slow.pcap1",
            "slow.pcap02",
            "slow.pcap2",
            "slow.pcap10",
            "slow1.pcap",
            "slow99999999999999999999999.pcap",
        ];
        for (i, a) in names.iter().enumerate() {
            for (j, b) in names.iter().enumerate() {
                assert_eq!(compare(a, b), i.cmp(&j), "{a} {b}");
            }
        }
    }
}
