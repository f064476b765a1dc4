//! The same packet captured twice: on two interfaces, or on a mirror port that copies both ways in.

use crate::observe::Segment;
use crate::units::Nanos;

/// Packets compared with.
const REMEMBERED: usize = 8;
/// A copy crosses the host or the switch in less than this.
const APART: Nanos = Nanos::from_millis(20);

/// The last packets of one end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recent {
    prints: [(u64, u32, Nanos); REMEMBERED],
    next: usize,
}

impl Recent {
    pub(crate) fn new() -> Self {
        Self { prints: [(0, 0, Nanos(i64::MIN)); REMEMBERED], next: 0 }
    }

    /// Remembers `segment` and says whether it is a copy of a recent one. Without an IP
    /// identification two equal packets of one scope may be two packets: only another scope proves
    /// a copy then.
    pub(crate) fn is_copy(&mut self, segment: &Segment) -> bool {
        let print = print_of(segment);
        let copy = self.prints.iter().any(|&(other, scope, time)| {
            other == print
                && segment.time - time <= APART
                && (scope != segment.scope || segment.ip_id != 0)
        });
        if !copy {
            self.prints[self.next] = (print, segment.scope, segment.time);
            self.next = (self.next + 1) % REMEMBERED;
        }
        copy
    }
}

/// Everything that a copy has in common; the time to live may have been counted down.
fn print_of(s: &Segment) -> u64 {
    let (val, ecr) = s.options.timestamps.unwrap_or_default();
    let mut h = u64::from(s.seq.0) << 32 | u64::from(s.ack.0);
    for word in [
        u64::from(s.window) << 48 | u64::from(s.flags) << 32 | u64::from(s.len),
        u64::from(val) << 32 | u64::from(ecr),
        u64::from(s.ip_id) << 8 | u64::from(s.options.sack_count),
        u64::from(s.options.sack[0].0.0) << 32 | u64::from(s.options.sack[0].1.0),
    ] {
        h = (h ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
    h
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
