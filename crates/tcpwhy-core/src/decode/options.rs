//! TCP options: those that the analysis reads.

use crate::observe::Options;
use crate::units::Seq;

/// End of option list, no-operation (RFC 9293).
const END: u8 = 0;
const NOP: u8 = 1;
/// Maximum segment size (RFC 9293).
const MSS: u8 = 2;
/// Window scale (RFC 7323).
const WINDOW_SCALE: u8 = 3;
/// SACK permitted and SACK (RFC 2018).
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
/// Timestamps (RFC 7323).
const TIMESTAMPS: u8 = 8;

/// Reads the options in `bytes`; those that are absent are cleared. An impossible length ends the list; what was read before it stands,
/// as in the Linux kernel's `tcp_parse_options`.
#[inline]
pub(super) fn read(bytes: &[u8], options: &mut Options) {
    *options = Options::default();
    // Nearly every segment carries just this, aligned by two no-operations (RFC 7323 appendix A).
    if let [NOP, NOP, TIMESTAMPS, 10, v0, v1, v2, v3, e0, e1, e2, e3] = *bytes {
        let value = u32::from_be_bytes([v0, v1, v2, v3]);
        options.timestamps = Some((value, u32::from_be_bytes([e0, e1, e2, e3])));
    } else if !bytes.is_empty() {
        parse_list(bytes, options);
    }
}

#[inline(never)]
fn parse_list(mut rest: &[u8], options: &mut Options) {
    loop {
        match *rest {
            [] | [END, ..] | [_] => return,
            [NOP, ref next @ ..] => rest = next,
            [kind, length, ..] => {
                let Some((option, next)) = rest.split_at_checked(usize::from(length)) else {
                    return;
                };
                let Some(value) = option.get(2..) else { return };
                apply(kind, value, options);
                rest = next;
            }
        }
    }
}

/// Stores one option; one of the wrong length is ignored.
fn apply(kind: u8, value: &[u8], options: &mut Options) {
    match (kind, value) {
        (MSS, &[hi, lo]) => options.mss = Some(u16::from_be_bytes([hi, lo])),
        (WINDOW_SCALE, &[shift]) => options.window_scale = Some(shift),
        (SACK_PERMITTED, []) => options.sack_permitted = true,
        (TIMESTAMPS, &[v0, v1, v2, v3, e0, e1, e2, e3]) => {
            let value = u32::from_be_bytes([v0, v1, v2, v3]);
            options.timestamps = Some((value, u32::from_be_bytes([e0, e1, e2, e3])));
        }
        (SACK, blocks) if blocks.len() % 8 == 0 => sack(blocks, options),
        _ => {}
    }
}

fn sack(blocks: &[u8], options: &mut Options) {
    options.sack_count = 0;
    for (block, slot) in blocks.chunks_exact(8).zip(&mut options.sack) {
        if let &[l0, l1, l2, l3, r0, r1, r2, r3] = block {
            let left = Seq(u32::from_be_bytes([l0, l1, l2, l3]));
            *slot = (left, Seq(u32::from_be_bytes([r0, r1, r2, r3])));
            options.sack_count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Options {
        let mut options = Options { sack_permitted: true, sack_count: 4, ..Options::default() };
        read(bytes, &mut options);
        options
    }

    #[test]
    fn timestamps_read_the_same_on_the_short_and_on_the_long_way() {
        let aligned = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
        let other = [8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0];
        assert_eq!(parse(&aligned), parse(&other));
        assert_eq!(parse(&aligned).timestamps, Some((1, 2)));
    }

    #[test]
    fn a_syn_as_linux_sends_it() {
        let syn = [2, 4, 0x05, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7];
        let o = parse(&syn);
        assert_eq!((o.mss, o.window_scale, o.sack_permitted), (Some(1460), Some(7), true));
        assert_eq!(o.timestamps, Some((0x0102_0304, 0)));
    }

    #[test]
    fn a_window_scale_above_the_legal_maximum_is_kept_as_sent() {
        assert_eq!(parse(&[3, 3, 200, 0]).window_scale, Some(200));
    }

    #[test]
    fn four_sack_blocks_and_never_a_fifth() {
        let mut bytes = vec![5, 2 + 5 * 8];
        for i in 1..=5u32 {
            bytes.extend((i * 10).to_be_bytes());
            bytes.extend((i * 10 + 5).to_be_bytes());
        }
        let o = parse(&bytes);
        assert_eq!(o.sack_count, 4);
        assert_eq!(o.sack_blocks()[0], (Seq(10), Seq(15)));
        assert_eq!(o.sack_blocks()[3], (Seq(40), Seq(45)));
    }

    #[test]
    fn unknown_options_are_passed_over() {
        // Multipath TCP (30) and a fast open cookie (34) before a window scale.
        let o = parse(&[30, 4, 0, 0, 34, 6, 1, 2, 3, 4, 3, 3, 9]);
        assert_eq!(o.window_scale, Some(9));
    }

    #[test]
    fn a_bad_length_ends_the_list_and_keeps_what_was_read() {
        for bad in [0, 1, 200] {
            let o = parse(&[3, 3, 5, 2, bad, 1, 1, 4, 2]);
            assert_eq!((o.window_scale, o.mss, o.sack_permitted), (Some(5), None, false));
        }
    }

    #[test]
    fn an_option_of_the_wrong_size_is_ignored() {
        let o = parse(&[2, 3, 9, 8, 4, 1, 1, 5, 6, 1, 2, 3, 4, 3, 3, 6]);
        assert_eq!(o, Options { window_scale: Some(6), ..Options::default() });
    }

    #[test]
    fn nothing_is_read_after_the_end_of_the_list() {
        assert_eq!(parse(&[0, 3, 3, 6]), Options::default());
    }
}
