//! The payload of one full segment on the wire.

use crate::flow::packet::Packet;
use crate::observe::flags;

/// Payload of a full segment on Ethernet with timestamps: a guess until something is known.
const USUAL: u32 = 1448;
/// Those of Ethernet: IPv4 and IPv6, with and without timestamps. What is a whole number of them, an offload has merged.
const ON_ETHERNET: [u32; 4] = [1448, 1460, 1428, 1440];
const LARGEST_ON_ETHERNET: u32 = 1460;
/// What every path is expected to carry (RFC 9293 section 3.7.1), less the timestamp option (RFC 7323 appendix A).
const LEAST: u32 = 536 - 12;
/// Larger segments are made by offloads (or jumbo frames announced in the SYN).
const LARGEST_GUESS: u32 = 8960;

/// Full segments that show the path's own size.
const WITNESSES: u32 = 8;

/// From the SYN, unless the path lets less pass (RFC 8899, RFC 1191) or options take room from the data; else the modal segment size, never
/// the largest, which offloads inflate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SegmentSize {
    announced: Option<u32>,
    /// Majority vote (Boyer and Moore) over the sizes of data segments.
    candidate: u32,
    votes: u32,
    /// A segment of that size had no PSH: it is no end of a write.
    whole: bool,
    /// The payload of a full segment, as these say.
    mss: u64,
}

impl SegmentSize {
    /// `announced`: the smaller MSS of the two SYNs, less the timestamp option where it is in use.
    pub(crate) fn new(announced: Option<u32>) -> Self {
        let announced = announced.filter(|&m| m >= 64);
        let mss = announced.unwrap_or(USUAL).into();
        Self { announced, candidate: 0, votes: 0, whole: false, mss }
    }

    /// A data segment.
    pub(crate) fn seen(&mut self, packet: &Packet) {
        let (len, pushed) = self.of(packet);
        self.note(len, pushed);
    }

    /// Its payload, and whether it has PSH, which ends what its sender had to send.
    #[inline(always)]
    fn of(&self, packet: &Packet) -> (u32, bool) {
        let len = u32::try_from(packet.size(self.mss)).unwrap_or(u32::MAX);
        (len, packet.has(flags::PSH))
    }

    /// A data segment of `len` bytes; `pushed`: it may be shorter.
    fn note(&mut self, len: u32, pushed: bool) {
        match self.announced {
            None if pushed && self.is_shorter(len) => {}
            None => self.note_any(len, pushed),
            Some(announced) if len <= announced && !pushed => self.note_full(len, announced),
            Some(_) => {}
        }
    }

    /// With PSH it says nothing against those that are larger without it, and that no offload has merged.
    fn is_shorter(&self, len: u32) -> bool {
        self.whole && len < self.candidate && self.candidate <= LARGEST_ON_ETHERNET
    }

    #[inline(never)]
    fn note_any(&mut self, len: u32, pushed: bool) {
        if (64..=LARGEST_GUESS).contains(&len) {
            let whole = !pushed && len <= LARGEST_ON_ETHERNET;
            if whole && !self.whole && len >= self.candidate {
                (self.candidate, self.votes, self.whole) = (len, 0, true);
            }
            let size = self.common_part(len).unwrap_or(len);
            self.vote(size);
            self.mss = on_the_wire(self.candidate).max(LEAST).into();
        }
    }

    fn note_full(&mut self, len: u32, announced: u32) {
        self.vote(len);
        if self.candidate == announced {
            self.mss = announced.into();
        } else if self.votes >= WITNESSES && self.candidate >= LEAST {
            self.mss = self.candidate.into();
        }
    }

    /// That of which `len` and the candidate are whole numbers, if an offload may have merged one of them.
    fn common_part(&mut self, len: u32) -> Option<u32> {
        let part = gcd(len, self.candidate);
        let merged = len.max(self.candidate) > LARGEST_ON_ETHERNET && part >= LEAST;
        merged.then(|| {
            self.candidate = part;
            part
        })
    }

    fn vote(&mut self, len: u32) {
        if len == self.candidate {
            self.votes = self.votes.saturating_add(1);
        } else if self.votes == 0 {
            (self.candidate, self.votes) = (len, 1);
        } else {
            self.votes -= 1;
        }
    }

    /// This segment changes nothing of what is known.
    #[inline(always)]
    pub(crate) fn expects(&self, packet: &Packet) -> bool {
        let (len, pushed) = self.of(packet);
        match self.announced {
            None => self.whole && len == self.candidate,
            // It speaks for what is known already; or it ends a write, or an offload has merged it.
            Some(announced) => u64::from(len) == self.mss || pushed || len > announced,
        }
    }

    /// Segments on the wire that `len` bytes of payload make; an offload may have merged them.
    pub(crate) fn wire_segments(&self, len: u32) -> u32 {
        let mss = self.mss();
        if u64::from(len) <= mss {
            return u32::from(len > 0);
        }
        u32::try_from(u64::from(len).div_ceil(mss)).unwrap_or(u32::MAX)
    }

    /// The payload of a full segment, in bytes.
    pub(crate) fn mss(&self) -> u64 {
        self.mss
    }
}

/// The payload of one of the segments that `len` bytes are on the wire, as far as they tell.
fn on_the_wire(len: u32) -> u32 {
    ON_ETHERNET.into_iter().find(|one| len.is_multiple_of(*one)).unwrap_or(len)
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Side;
    use crate::observe::Segment;

    #[test]
    fn the_mode_wins_and_offloaded_segments_do_not_count() {
        let mut s = SegmentSize::new(None);
        for _ in 0..10 {
            for len in [1380, 64_000, 1380, 17] {
                s.note(len, false);
            }
        }
        assert_eq!(s.mss(), 1380);
    }

    #[test]
    fn ends_of_writes_say_nothing_against_what_is_full() {
        let mut s = SegmentSize::new(None);
        for _ in 0..10 {
            s.note(952, true);
            s.note(1_448, false);
            s.note(700, true);
        }
        assert_eq!(s.mss(), 1_448);
    }

    #[test]
    fn what_an_offload_has_merged_tells_what_it_was_made_of() {
        let of = |sizes: &[u32]| {
            let mut s = SegmentSize::new(None);
            (0..20).for_each(|_| sizes.iter().for_each(|&len| s.note(len, false)));
            s.mss()
        };
        assert_eq!(of(&[2 * 1398, 3 * 1398]), 1398);
        assert_eq!(of(&[6 * 1448]), 1448, "as usual");
        assert_eq!(of(&[8948]), 8948);
        assert_eq!(of(&[8948, 8948, 1000]), 8948);
    }

    #[test]
    fn the_least_that_every_path_carries_has_room_for_timestamps() {
        let mut s = SegmentSize::new(None);
        (0..20).for_each(|_| s.note(524, false));
        assert_eq!(s.mss(), 524);
    }

    /// A data segment with so many SACK blocks.
    fn data(len: u32, blocks: u8) -> Packet {
        let mut segment = Segment { flags: flags::ACK, len, ..Segment::default() };
        segment.options.sack_count = blocks;
        Packet::of(&segment, Side::Client)
    }

    #[test]
    fn segments_with_sack_blocks_are_full_though_shorter() {
        for announced in [Some(1448), None] {
            let mut s = SegmentSize::new(announced);
            (0..20).for_each(|_| s.seen(&data(1448, 0)));
            (0..40).for_each(|_| s.seen(&data(1436, 1)));
            assert_eq!(s.mss(), 1448);
            assert!(s.expects(&data(1428, 2)) && !s.expects(&data(1428, 0)));
        }
    }

    #[test]
    fn a_path_may_let_less_pass_than_was_announced() {
        let mut s = SegmentSize::new(Some(8948));
        for k in 0..20 {
            assert!(!s.expects(&data(1448, 0)) || k >= WITNESSES);
            s.note(1448, false);
        }
        assert_eq!(s.mss(), 1448);
        (0..40).for_each(|_| s.note(8948, false));
        assert_eq!(s.mss(), 8948, "and more again");
    }

    #[test]
    fn ends_of_writes_are_no_full_segments() {
        let mut s = SegmentSize::new(Some(1448));
        for _ in 0..20 {
            s.note(1000, true);
            s.note(14_480, false);
        }
        assert_eq!(s.mss(), 1448);
    }
}
