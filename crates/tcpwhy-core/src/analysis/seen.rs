//! The same packet captured twice: on two interfaces, or on a mirror port that copies both ways in.

use crate::observe::{Endpoint, Segment};
use crate::units::Nanos;

/// Packets that are remembered, the newest; a power of two.
const MANY: usize = 1 << 12;
/// Places in the table, a power of two. Of those with the same place the newest four are found again.
const PLACES: usize = 1 << 10;
/// A copy crosses the host or the switch in less than this.
pub(super) const APART: Nanos = Nanos::from_millis(20);
/// As `APART`, where the IP identification tells that it is the same packet: a router behind a long queue or an emulated path shows it again.
/// No timer sends a segment again so soon (Linux's `TCP_RTO_MIN`), and what is sent again has another identification.
const IDENTIFIED_APART: Nanos = Nanos::from_millis(200);
/// A copy that another capture point took has crossed a part of the path, and has the time of another clock. Where both captures were merged into
/// one the timestamp tells, too, for what is sent again later has another (RFC 7323 section 5.4: its clock ticks once a second at least).
pub(super) const ELSEWHERE: Nanos = Nanos::from_secs(2);

/// In how much time an identified packet, stamped or not, comes once more from the same scope.
pub(super) fn copied_within(stamped: bool) -> Nanos {
    if stamped { ELSEWHERE } else { IDENTIFIED_APART }
}

/// When and in which scope a packet was seen.
pub(super) type Seeing = (Nanos, u32);

/// What a packet is to those seen before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sight {
    /// None of them is equal.
    New,
    /// One of the same scope is equal, a moment ago, and no IP identification tells whether it was this very packet. See [`Twins`](super::copies::Twins).
    Again,
    /// It was this very packet.
    Copy,
    /// It was this very packet, and this scope has shown it.
    Elsewhere(u32),
}

/// The newest packets of one place: four numbers of 16 bits each, the newest one in the lowest bits.
#[derive(Debug, Clone, Copy, Default)]
struct Recent {
    /// The upper bits of their prints.
    marks: u64,
    /// Where they are in the ring.
    at: u64,
}

/// The last packets of the capture.
#[derive(Debug)]
pub(super) struct Seen {
    /// By the lower bits of the print. Nearly always nothing else is read: it is small enough to stay in the first cache.
    recent: Box<[Recent; PLACES]>,
    /// A ring, so that what is written lies where the packet before was written.
    ring: Box<[(u64, Seeing); MANY]>,
    /// How many have been written there.
    written: usize,
    /// Whether a scope has shown a packet of any connection twice.
    pub(super) any_twice: bool,
}

impl Default for Seen {
    fn default() -> Self {
        let nothing = (0, (Nanos(i64::MIN), 0));
        let recent = Box::new([Recent::default(); PLACES]);
        Self { recent, ring: Box::new([nothing; MANY]), written: 0, any_twice: false }
    }
}

impl Seen {
    /// Remembers a packet and says what it is to the recent ones. Equal packets of one scope are one packet if it is `identified`, within that time;
    /// if not they may be two, and only another scope proves a copy.
    #[inline(always)]
    pub(super) fn look(
        &mut self,
        print: u64,
        seeing: Seeing,
        identified: impl FnOnce() -> Option<Nanos>,
    ) -> Sight {
        let recent = &mut self.recent[print as usize % PLACES];
        let mark = (print >> 48) as u16;
        if recent.has(mark) {
            let sight = recent.compare(&self.ring, print, seeing, identified());
            if sight != Sight::New {
                return sight;
            }
        }
        let at = self.written % MANY;
        self.ring[at] = (print, seeing);
        self.written = self.written.wrapping_add(1);
        recent.marks = recent.marks << 16 | u64::from(mark);
        recent.at = recent.at << 16 | at as u64;
        Sight::New
    }
}

impl Recent {
    /// Whether one of the marks is this one: whether one of four numbers is zero (Hacker's Delight, section 6-1).
    #[inline(always)]
    fn has(&self, mark: u16) -> bool {
        const ONES: u64 = 0x0001_0001_0001_0001;
        let differ = self.marks ^ (u64::from(mark) * ONES);
        differ.wrapping_sub(ONES) & !differ & (ONES << 15) != 0
    }

    #[cold]
    fn compare(
        &self,
        ring: &[(u64, Seeing); MANY],
        print: u64,
        now: Seeing,
        identified: Option<Nanos>,
    ) -> Sight {
        let places = [0, 16, 32, 48].map(|bits| (self.at >> bits) as usize % MANY);
        let known = places.iter().map(|&at| ring[at]).filter(|(p, _)| *p == print);
        let sights = known.map(|(_, then)| sight_of(then, now, identified));
        sights.max().unwrap_or(Sight::New)
    }
}

fn sight_of(then: Seeing, now: Seeing, identified: Option<Nanos>) -> Sight {
    let elsewhere = then.1 != now.1;
    let apart = match (elsewhere, identified) {
        (true, _) => ELSEWHERE,
        (false, Some(within)) => within,
        (false, None) => APART,
    };
    match now.0 - then.0 <= apart {
        true if elsewhere => Sight::Elsewhere(then.1),
        true if identified.is_some() => Sight::Copy,
        true => Sight::Again,
        false => Sight::New,
    }
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

/// What the ends of a connection add to the prints of its packets.
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
    use proptest::prelude::*;

    impl Seen {
        fn sight(&mut self, segment: &Segment) -> Sight {
            let print = print_of(segment) ^ of_ends(&segment.src, &segment.dst);
            let identified = (segment.ip_id != 0).then_some(copied_within(false));
            self.look(print, (segment.time, segment.scope), || identified)
        }

        fn knows(&mut self, segment: &Segment) -> bool {
            self.sight(segment) >= Sight::Copy
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
        assert!(r.knows(&segment(7, 0, 150_000)));
        assert!(!r.knows(&segment(8, 0, 40)), "a retransmission has a new identification");
        assert!(!r.knows(&segment(7, 0, 250_000)));
    }

    #[test]
    fn without_identification_only_another_scope_proves_a_copy() {
        let mut r = Seen::default();
        assert_eq!(r.sight(&segment(0, 1, 0)), Sight::New);
        assert_eq!(r.sight(&segment(0, 1, 10)), Sight::Again);
        assert_eq!(r.sight(&segment(0, 2, 20)), Sight::Elsewhere(1));
        assert_eq!(r.sight(&segment(0, 1, 50_000)), Sight::New);
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
    fn the_newest_four_of_a_place_are_found_while_they_are_in_the_ring() {
        let mut seen = Seen::default();
        let at = |millis| (Nanos::from_millis(millis), 0);
        let same_place = |n: u64| n << 40 | 7;
        for n in 1..=5 {
            assert_eq!(seen.look(same_place(n), at(0), || Some(APART)), Sight::New);
        }
        assert_eq!(seen.look(same_place(2), at(1), || Some(APART)), Sight::Copy);
        assert_eq!(
            seen.look(same_place(1), at(1), || Some(APART)),
            Sight::New,
            "the fifth took its place"
        );
        for other in 0..MANY as u64 {
            seen.look(other << 20 | 8, at(1), || Some(APART));
        }
        assert_eq!(
            seen.look(same_place(5), at(1), || Some(APART)),
            Sight::New,
            "others lie there now"
        );
    }

    proptest! {
        #[test]
        fn a_mark_is_found_among_four(four: [u16; 4], other: u16, at in 0..4_usize) {
            let marks = four.iter().fold(0, |marks, &mark| marks << 16 | u64::from(mark));
            let recent = Recent { marks, at: 0 };
            prop_assert!(recent.has(four[at]));
            prop_assert_eq!(recent.has(other), four.contains(&other));
            let near = four[at].wrapping_add(1);
            prop_assert_eq!(recent.has(near), four.contains(&near));
        }
    }

    #[test]
    fn packets_of_different_ends_are_different() {
        let mut seen = Seen::default();
        let forth = segment(7, 0, 0);
        let back = Segment { src: Endpoint { port: 1, ..forth.src }, ..forth };
        assert!(!seen.knows(&forth) && !seen.knows(&back));
    }
}
