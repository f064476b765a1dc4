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

/// When and in which scope a packet was seen.
pub(super) type Seeing = (Nanos, u32);

/// The newest packets of one place.
#[derive(Debug, Clone, Copy)]
struct Recent {
    seeings: [Seeing; WAYS],
    /// The oldest.
    oldest: u8,
}

/// The last packets of the capture.
#[derive(Debug)]
pub(super) struct Seen {
    /// By themselves, because nearly always nothing else is asked for: they stay in the cache.
    prints: Box<[[u64; WAYS]; PLACES]>,
    recent: Box<[Recent; PLACES]>,
}

impl Default for Seen {
    fn default() -> Self {
        let nothing = Recent { seeings: [(Nanos(i64::MIN), 0); WAYS], oldest: 0 };
        Self { prints: Box::new([[0; WAYS]; PLACES]), recent: Box::new([nothing; PLACES]) }
    }
}

impl Seen {
    /// Remembers a packet and says whether it is a copy of a recent one. Without an IP identification two equal packets of one
    /// scope may be two packets: only another scope proves a copy then.
    #[inline(always)]
    pub(super) fn is_copy(&mut self, print: u64, seeing: Seeing, identified: bool) -> bool {
        let place = print as usize % PLACES;
        let (prints, recent) = (&mut self.prints[place], &mut self.recent[place]);
        let known = prints.iter().fold(false, |known, p| known | (*p == print));
        if known && recent.has_copy(prints, print, seeing, identified) {
            return true;
        }
        let oldest = usize::from(recent.oldest) % WAYS;
        prints[oldest] = print;
        recent.seeings[oldest] = seeing;
        recent.oldest = recent.oldest.wrapping_add(1);
        false
    }
}

impl Recent {
    #[cold]
    fn has_copy(&self, prints: &[u64; WAYS], print: u64, now: Seeing, identified: bool) -> bool {
        let known = prints.iter().zip(&self.seeings).filter(|(p, _)| **p == print);
        let mut known = known.map(|(_, seeing)| *seeing);
        known.any(|then| proves_copy(then, now, identified))
    }
}

fn proves_copy(then: Seeing, now: Seeing, identified: bool) -> bool {
    let elsewhere = then.1 != now.1;
    let apart = if elsewhere { ELSEWHERE } else { APART };
    now.0 - then.0 <= apart && (elsewhere || identified)
}

/// Everything that a copy has in common but the ends; the time to live may have been counted down.
#[inline(always)]
pub(super) fn print_of(s: &Segment) -> u64 {
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let (val, ecr) = s.options.timestamps.unwrap_or_default();
    let block = s.options.sack[0];
    let header = u64::from(s.window) << 48 | u64::from(s.ip_id) << 32 | u64::from(s.len);
    let more = u64::from(s.flags) << 8 | u64::from(s.options.sack_count);
    mix(pair(s.seq.0, s.ack.0), header)
        ^ mix(pair(val, ecr), more ^ pair(block.0.0, block.1.0)).rotate_left(21)
}

/// What the ends of a packet add to its print.
pub(super) fn of_ends(src: &Endpoint, dst: &Endpoint) -> u64 {
    mix(fold(src), fold(dst).rotate_left(1)).rotate_left(42)
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

    impl Seen {
        fn knows(&mut self, segment: &Segment) -> bool {
            let print = print_of(segment) ^ of_ends(&segment.src, &segment.dst);
            self.is_copy(print, (segment.time, segment.scope), segment.ip_id != 0)
        }
    }

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
        assert!(!r.knows(&segment(7, 0, 0)));
        assert!(r.knows(&segment(7, 0, 30)));
        assert!(!r.knows(&segment(8, 0, 40)), "a retransmission has a new identification");
        assert!(!r.knows(&segment(7, 0, 50_000)));
    }

    #[test]
    fn without_identification_only_another_scope_proves_a_copy() {
        let mut r = Seen::default();
        assert!(!r.knows(&segment(0, 1, 0)));
        assert!(!r.knows(&segment(0, 1, 10)));
        assert!(r.knows(&segment(0, 2, 20)));
    }

    #[test]
    fn a_burst_is_remembered_as_a_whole() {
        let burst = |scope| {
            (0..100).map(move |i| Segment { seq: Seq(i * 10), ..segment(0, scope, i.into()) })
        };
        let mut seen = Seen::default();
        assert!(burst(0).all(|s| !seen.knows(&s)));
        assert!(burst(1).filter(|s| seen.knows(s)).count() > 90);
    }

    #[test]
    fn packets_of_different_ends_are_different() {
        let mut seen = Seen::default();
        let forth = segment(7, 0, 0);
        let back = Segment { src: Endpoint { port: 1, ..forth.src }, ..forth };
        assert!(!seen.knows(&forth) && !seen.knows(&back));
    }
}
