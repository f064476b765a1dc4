//! The same packet captured twice: on two interfaces, or on a mirror port that copies both ways in.

use crate::observe::Segment;
use crate::units::Nanos;

/// Packets compared with.
const REMEMBERED: usize = 8;
/// A copy crosses the host or the switch in less than this.
const APART: Nanos = Nanos::from_millis(20);

/// The last packets of one end. The prints lie side by side: all are compared at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recent {
    prints: [u64; REMEMBERED],
    times: [Nanos; REMEMBERED],
    scopes: [u32; REMEMBERED],
    next: u32,
}

impl Recent {
    pub(crate) fn new() -> Self {
        Self {
            prints: [0; REMEMBERED],
            times: [Nanos(i64::MIN); REMEMBERED],
            scopes: [0; REMEMBERED],
            next: 0,
        }
    }

    /// Reads what the next packet is compared with.
    pub(crate) fn touch(&self) -> u64 {
        self.prints[0] ^ self.times[0].0 as u64 ^ u64::from(self.scopes[0]) ^ u64::from(self.next)
    }

    /// Remembers `segment` and says whether it is a copy of a recent one. Without an IP
    /// identification two equal packets of one scope may be two packets: only another scope proves
    /// a copy then.
    pub(crate) fn is_copy(&mut self, segment: &Segment) -> bool {
        let print = print_of(segment);
        // No early end: without branches, this is a few vector instructions.
        let known = self.prints.iter().fold(false, |known, other| known | (*other == print));
        if known && self.proves_copy(print, segment) {
            return true;
        }
        let at = self.next as usize % REMEMBERED;
        self.prints[at] = print;
        self.times[at] = segment.time;
        self.scopes[at] = segment.scope;
        self.next = self.next.wrapping_add(1);
        false
    }

    fn proves_copy(&self, print: u64, segment: &Segment) -> bool {
        (0..REMEMBERED).any(|i| {
            self.prints[i] == print
                && segment.time - self.times[i] <= APART
                && (self.scopes[i] != segment.scope || segment.ip_id != 0)
        })
    }
}

/// Everything that a copy has in common; the time to live may have been counted down.
fn print_of(s: &Segment) -> u64 {
    let (val, ecr) = s.options.timestamps.unwrap_or_default();
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let block = s.options.sack[0];
    let more = u64::from(s.ip_id) << 8 | u64::from(s.options.sack_count);
    mix(
        pair(s.seq.0, s.ack.0),
        u64::from(s.window) << 48 | u64::from(s.flags) << 32 | u64::from(s.len),
    ) ^ mix(pair(val, ecr), more).rotate_left(21)
        ^ mix(pair(block.0.0, block.1.0), 0).rotate_left(42)
}

/// Both halves of a product: the three of a print do not wait for each other.
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9E37_79B9_7F4A_7C15) * u128::from(b ^ 0xD1B5_4A32_D192_ED03);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Seq;

    fn segment(ip_id: u16, scope: u32, micros: i64) -> Segment {
        Segment {
            seq: Seq(1),
            len: 10,
            ip_id,
            scope,
            time: Nanos::from_micros(micros),
            ..Default::default()
        }
    }

    #[test]
    fn a_copy_has_the_same_identification_and_comes_soon() {
        let mut r = Recent::new();
        assert!(!r.is_copy(&segment(7, 0, 0)));
        assert!(r.is_copy(&segment(7, 0, 30)));
        assert!(!r.is_copy(&segment(8, 0, 40)), "a retransmission has a new identification");
        assert!(!r.is_copy(&segment(7, 0, 50_000)));
    }

    #[test]
    fn without_identification_only_another_scope_proves_a_copy() {
        let mut r = Recent::new();
        assert!(!r.is_copy(&segment(0, 1, 0)));
        assert!(!r.is_copy(&segment(0, 1, 10)));
        assert!(r.is_copy(&segment(0, 2, 20)));
    }
}
