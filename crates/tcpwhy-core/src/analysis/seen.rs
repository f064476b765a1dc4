//! The same packet captured twice: on two interfaces, or on a mirror port that copies both ways in.

use crate::observe::{Endpoint, Segment};
use crate::units::Nanos;

/// Packets with the same place in the table that are remembered, the newest.
const WAYS: usize = 4;
/// Places in the table, a power of two.
const PLACES: usize = 1 << 10;
/// A copy crosses the host or the switch in less than this.
const APART: Nanos = Nanos::from_millis(20);
/// A copy that another capture point took has crossed a part of the path.
const ELSEWHERE: Nanos = Nanos::from_secs(2);

/// One packet.
#[derive(Debug, Clone, Copy)]
struct Print {
    print: u64,
    time: Nanos,
    scope: u32,
}

/// The last packets of the capture.
#[derive(Debug)]
pub(super) struct Seen(Vec<[Print; WAYS]>);

impl Default for Seen {
    fn default() -> Self {
        Self(vec![[Print { print: 0, time: Nanos(i64::MIN), scope: 0 }; WAYS]; PLACES])
    }
}

impl Seen {
    /// Remembers `segment` and says whether it is a copy of a recent one. Without an IP
    /// identification two equal packets of one scope may be two packets: only another scope proves
    /// a copy then.
    pub(super) fn is_copy(&mut self, segment: &Segment) -> bool {
        let print = print_of(segment);
        let Some(place) = self.0.get_mut(print as usize % PLACES) else { return false };
        let copy = place.iter().any(|known| known.print == print && proves_copy(known, segment));
        if !copy {
            let [first, second, third, _] = *place;
            let newest = Print { print, time: segment.time, scope: segment.scope };
            *place = [newest, first, second, third];
        }
        copy
    }
}

fn proves_copy(known: &Print, segment: &Segment) -> bool {
    let elsewhere = known.scope != segment.scope;
    let apart = if elsewhere { ELSEWHERE } else { APART };
    segment.time - known.time <= apart && (elsewhere || segment.ip_id != 0)
}

/// Everything that a copy has in common; the time to live may have been counted down.
fn print_of(s: &Segment) -> u64 {
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let (val, ecr) = s.options.timestamps.unwrap_or_default();
    let block = s.options.sack[0];
    let header = u64::from(s.window) << 48 | u64::from(s.ip_id) << 32 | u64::from(s.len);
    let more = u64::from(s.flags) << 8 | u64::from(s.options.sack_count);
    mix(pair(s.seq.0, s.ack.0), header)
        ^ mix(pair(val, ecr), more ^ pair(block.0.0, block.1.0)).rotate_left(21)
        ^ mix(fold(&s.src), fold(&s.dst).rotate_left(1)).rotate_left(42)
}

/// An address and a port in one number; those of a network differ.
fn fold(end: &Endpoint) -> u64 {
    let [high, low] = [0, 8].map(|at| {
        let mut half = [0; 8];
        half.copy_from_slice(&end.ip[at..at + 8]);
        u64::from_le_bytes(half)
    });
    high.rotate_left(24) ^ low ^ u64::from(end.port)
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
        let mut r = Seen::default();
        assert!(!r.is_copy(&segment(7, 0, 0)));
        assert!(r.is_copy(&segment(7, 0, 30)));
        assert!(!r.is_copy(&segment(8, 0, 40)), "a retransmission has a new identification");
        assert!(!r.is_copy(&segment(7, 0, 50_000)));
    }

    #[test]
    fn without_identification_only_another_scope_proves_a_copy() {
        let mut r = Seen::default();
        assert!(!r.is_copy(&segment(0, 1, 0)));
        assert!(!r.is_copy(&segment(0, 1, 10)));
        assert!(r.is_copy(&segment(0, 2, 20)));
    }

    #[test]
    fn a_burst_is_remembered_as_a_whole() {
        let burst = |scope| {
            (0..100).map(move |i| Segment { seq: Seq(i * 10), ..segment(0, scope, i.into()) })
        };
        let mut seen = Seen::default();
        assert!(burst(0).all(|s| !seen.is_copy(&s)));
        assert!(burst(1).filter(|s| seen.is_copy(s)).count() > 90);
    }

    #[test]
    fn packets_of_different_ends_are_different() {
        let mut seen = Seen::default();
        let forth = segment(7, 0, 0);
        let back = Segment { src: Endpoint { port: 1, ..forth.src }, ..forth };
        assert!(!seen.is_copy(&forth) && !seen.is_copy(&back));
    }
}
