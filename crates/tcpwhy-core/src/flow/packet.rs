//! What a connection needs to know of one of its segments.

use crate::model::Side;
use crate::observe::{Options, Segment, flags};
use crate::units::{Nanos, Seq};
use std::cmp::Ordering;

/// A segment without addresses, its options reduced to what they say: a third of its size, because
/// many of them wait for their turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packet {
    /// When the capture point saw it.
    pub(crate) time: Nanos,
    pub(crate) frame: u64,
    pub(crate) seq: Seq,
    pub(crate) ack: Seq,
    /// Payload bytes.
    pub(crate) len: u32,
    tsval: u32,
    tsecr: u32,
    /// As in the header, unscaled.
    pub(crate) window: u16,
    pub(crate) ip_id: u16,
    /// Of a SYN the maximum segment size, 0 where it is absent; of others the lower bits of [`Packet::newest_reported`].
    low: u16,
    /// Of a SYN the window scale; of others the upper bits.
    high: u8,
    flags: u8,
    notes: u8,
    /// Who sent it.
    pub(crate) side: Side,
    /// What lies beside it: see [`Placed`](super::placed::Placed).
    pub(crate) beside: u8,
    /// More bits of its own, see `rare`.
    rare: u8,
}

/// Bits of [`Packet::notes`].
mod note {
    pub(super) const STAMPED: u8 = 0x01;
    pub(super) const SCALED: u8 = 0x02;
    pub(super) const OPTIONS_CUT: u8 = 0x04;
    pub(super) const COPY: u8 = 0x08;
    pub(super) const MARKED: u8 = 0x10;
    pub(super) const FRAGMENT: u8 = 0x20;
    pub(super) const SACK: u8 = 0x40;
    pub(super) const DUPLICATE: u8 = 0x80;
}

/// Bits of [`Packet::rare`].
mod rare {
    pub(super) const LATE: u8 = 0x01;
    pub(super) const AE: u8 = 0x02;
    pub(super) const FRESH: u8 = 0x04;
    /// Above this: SACK blocks.
    pub(super) const BLOCKS: u8 = 3;
}

/// The time to live that most hosts send packets with: Linux, BSD and macOS.
const USUAL_TTL: u8 = 64;

/// Whether hosts send packets with this time to live: 64, 128 (Windows) and 255 (network gear). Asked of every packet; neither 0 nor 192 is
/// seen.
#[inline(always)]
fn is_initial(ttl: u8) -> bool {
    ttl.is_multiple_of(USUAL_TTL) | (ttl == u8::MAX)
}

impl Packet {
    /// `segment` as one of the connection's, sent by `side`.
    ///
    /// Inlined, so that it is built where it will lie: what was just written in pieces cannot be read
    /// as a whole until all of it has reached the cache.
    #[inline(always)]
    pub(crate) fn of(segment: &Segment, side: Side) -> Self {
        let options = &segment.options;
        let (tsval, tsecr) = options.timestamps.unwrap_or_default();
        let sack = options.sack_count > 0;
        let duplicate = sack && reports_duplicate(options, segment.ack);
        let note = |said: bool, bit: u8| if said { bit } else { 0 };
        let fresh = is_initial(segment.ttl);
        let (low, high) = match options.sack_blocks().first().filter(|_| !duplicate) {
            Some(newest) => halves(newest.1.distance(segment.ack)),
            None => (options.mss.unwrap_or(0), options.window_scale.unwrap_or(0)),
        };
        Self {
            time: segment.time,
            frame: segment.frame,
            seq: segment.seq,
            ack: segment.ack,
            len: segment.len,
            tsval,
            tsecr,
            window: segment.window,
            ip_id: segment.ip_id,
            low,
            high,
            flags: segment.flags as u8,
            notes: note(options.timestamps.is_some(), note::STAMPED)
                | note(options.window_scale.is_some(), note::SCALED)
                | note(segment.options_cut, note::OPTIONS_CUT)
                | note(segment.ce, note::MARKED)
                | note(segment.fragment, note::FRAGMENT)
                | note(sack && !duplicate, note::SACK)
                | note(duplicate, note::DUPLICATE),
            side,
            beside: 0,
            rare: note(segment.flags & flags::AE != 0, rare::AE)
                | note(fresh, rare::FRESH)
                | options.sack_count << rare::BLOCKS,
        }
    }

    /// The segment that it was, for a packet without SYN: ends, SACK blocks and scope are not kept, and of the time to live only whether it
    /// is one that hosts begin with.
    pub(crate) fn segment(&self) -> Segment {
        Segment {
            time: self.time,
            frame: self.frame,
            seq: self.seq,
            ack: self.ack,
            len: self.len,
            window: self.window,
            ip_id: self.ip_id,
            ttl: if self.is_fresh() { USUAL_TTL } else { 1 },
            ce: self.is_marked(),
            flags: self.flags.into(),
            options: Options { timestamps: self.timestamps(), ..Options::default() },
            options_cut: self.options_cut(),
            fragment: self.is_fragment(),
            ..Segment::default()
        }
    }

    /// The same packet, captured before.
    #[cold]
    pub(crate) fn copied(mut self) -> Self {
        self.notes |= note::COPY;
        self
    }

    /// The same packet, which the capture has behind a later one of its connection.
    #[cold]
    pub(crate) fn delayed(mut self) -> Self {
        self.rare |= rare::LATE;
        self
    }

    /// The capture has it behind a later one of its connection.
    pub(crate) fn is_late(&self) -> bool {
        self.rare & rare::LATE != 0
    }

    /// No router has passed it on, by its time to live.
    pub(crate) fn is_fresh(&self) -> bool {
        self.rare & rare::FRESH != 0
    }

    /// The same packet at another time.
    pub(crate) fn at(&self, time: Nanos) -> Self {
        Self { time, ..*self }
    }

    /// Whether it was sent after `other` of the same end, by whatever tells: the stamps of an end never decrease (RFC 7323 section 4.2),
    /// nor does what it acknowledges (RFC 9293 section 3.4), and its data follows in order unless it is sent again.
    #[cold]
    pub(crate) fn sent_order(&self, other: &Self) -> Ordering {
        let stamps = self.stamp().zip(other.stamp()).map(|(own, other)| own.wrapping_sub(other));
        let acks =
            (self.acknowledges() && other.acknowledges()).then(|| self.ack.distance(other.ack));
        let data = (self.len > 0 && other.len > 0).then(|| self.seq.distance(other.seq));
        let told = [stamps.map(|ahead| ahead as i32), acks, data];
        told.into_iter().flatten().find(|ahead| *ahead != 0).unwrap_or(0).cmp(&0)
    }

    /// Whether all bits of `mask` are set; those of the header's last byte are known.
    pub(crate) fn has(&self, mask: u16) -> bool {
        u16::from(self.flags) & mask == mask
    }

    /// Whether any bit of `mask` is set; of those of the header's last byte.
    #[inline]
    pub(crate) fn has_any(&self, mask: u16) -> bool {
        u16::from(self.flags) & mask != 0
    }

    fn is_noted(&self, note: u8) -> bool {
        self.notes & note != 0
    }

    /// Its own timestamp, and the one that it echoes.
    pub(crate) fn timestamps(&self) -> Option<(u32, u32)> {
        self.is_noted(note::STAMPED).then_some((self.tsval, self.tsecr))
    }

    /// Its own timestamp.
    pub(crate) fn stamp(&self) -> Option<u32> {
        self.timestamps().map(|(own, _)| own)
    }

    /// The maximum segment size that a SYN announces, in bytes.
    pub(crate) fn mss(&self) -> Option<u16> {
        (self.low > 0 && self.has(flags::SYN)).then_some(self.low)
    }

    /// The window scale that a SYN announces.
    pub(crate) fn window_scale(&self) -> Option<u8> {
        self.is_noted(note::SCALED).then_some(self.high)
    }

    /// The snap length cut its options.
    pub(crate) fn options_cut(&self) -> bool {
        self.is_noted(note::OPTIONS_CUT)
    }

    /// It was captured before.
    pub(crate) fn is_copy(&self) -> bool {
        self.is_noted(note::COPY)
    }

    /// It experienced congestion.
    pub(crate) fn is_marked(&self) -> bool {
        self.is_noted(note::MARKED)
    }

    /// It is the first fragment of a datagram.
    pub(crate) fn is_fragment(&self) -> bool {
        self.is_noted(note::FRAGMENT)
    }

    /// Its SACK blocks say what is missing.
    pub(crate) fn reports_loss(&self) -> bool {
        self.is_noted(note::SACK)
    }

    /// How far beyond its acknowledgment the segment ended, in bytes, that this ACK was sent for: the right edge of the first SACK block
    /// (RFC 2018 section 4) when the acknowledgment itself does not move.
    pub(crate) fn newest_reported(&self) -> Option<u64> {
        let beyond = u64::from(self.high) << 16 | u64::from(self.low);
        (beyond > 0 && self.reports_loss() && !self.has(flags::SYN)).then_some(beyond)
    }

    /// The payload that would take its place without SACK blocks, which leave less room for data (`tcp_established_options`): full segments of
    /// `mss` bytes are shorter by that, each of those that an offload has merged.
    #[inline(always)]
    pub(crate) fn size(&self, mss: u64) -> u64 {
        match self.rare >> rare::BLOCKS {
            0 => self.len.into(),
            blocks => self.size_without(blocks, mss),
        }
    }

    #[cold]
    fn size_without(&self, blocks: u8, mss: u64) -> u64 {
        let (len, taken) = (u64::from(self.len), 4 + 8 * u64::from(blocks));
        len + len.div_ceil(mss.saturating_sub(taken).max(1)) * taken
    }

    /// Its first SACK block says what came twice (RFC 2883).
    pub(crate) fn reports_duplicate(&self) -> bool {
        self.is_noted(note::DUPLICATE)
    }

    /// It neither opens nor closes its side, and its header says nothing of losses, copies or marks.
    #[inline]
    pub(crate) fn is_ordinary(&self) -> bool {
        !self.has_any(flags::SYN | flags::FIN | flags::ECE | flags::CWR)
            && self.rare & rare::AE == 0
            && self.notes & (note::SACK | note::DUPLICATE) == 0
    }

    /// It acknowledges in the middle of the connection, and is no sign of anything but what its numbers say: nearly every packet.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        const TELLING: u16 = flags::SYN | flags::FIN | flags::RST | flags::ECE | flags::ACK;
        u16::from(self.flags) & TELLING == flags::ACK
            && self.notes & !(note::STAMPED | note::SCALED | note::OPTIONS_CUT) == 0
    }

    /// It tells the other end what has arrived.
    pub(crate) fn acknowledges(&self) -> bool {
        self.has(flags::ACK) && !self.has(flags::RST)
    }

    /// The three bits of the header for ECN: AE, CWR and ECE (RFC 9768 section 3.2.1).
    pub(crate) fn congestion_bits(&self) -> u8 {
        let ae = if self.rare & rare::AE != 0 { 0b100 } else { 0 };
        ae | self.flags >> 6
    }

    /// The receiver echoes a congestion mark.
    pub(crate) fn echoes_mark(&self) -> bool {
        self.has(flags::ECE) && !self.has(flags::SYN)
    }
}

/// 24 bits of a distance; 0 for what they do not hold.
fn halves(distance: i32) -> (u16, u8) {
    let held = u32::try_from(distance).ok().filter(|d| *d < 1 << 24).unwrap_or(0);
    (held as u16, (held >> 16) as u8)
}

/// The first SACK block lies below the ACK or inside the second (RFC 2883 section 4).
fn reports_duplicate(options: &Options, ack: Seq) -> bool {
    match options.sack_blocks() {
        [first, rest @ ..] => {
            first.1.distance(ack) <= 0
                || rest.first().is_some_and(|outer| {
                    first.0.distance(outer.0) >= 0 && first.1.distance(outer.1) <= 0
                })
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_below_the_ack_reports_a_duplicate() {
        let mut s = Segment { flags: flags::ACK, ack: Seq(5000), ..Default::default() };
        s.options.sack_count = 1;
        s.options.sack[0] = (Seq(1000), Seq(2000));
        assert!(Packet::of(&s, Side::Client).reports_duplicate());
        s.options.sack[0] = (Seq(6000), Seq(7000));
        let p = Packet::of(&s, Side::Client);
        assert!(!p.reports_duplicate() && p.reports_loss());
        assert_eq!(p.newest_reported(), Some(2000));
        assert_eq!(p.mss(), None);
        s.options.sack[0] = (Seq(6000), Seq(5000 + (1 << 24)));
        assert_eq!(Packet::of(&s, Side::Client).newest_reported(), None);
        s.options.sack[0] = (Seq(6000), Seq(5000 + (1 << 24) - 1));
        assert_eq!(Packet::of(&s, Side::Client).newest_reported(), Some((1 << 24) - 1));
    }

    #[test]
    fn a_full_segment_with_sack_blocks_is_as_large_as_others() {
        let size = |len: u32, blocks: u8| {
            let mut s = Segment { flags: flags::ACK, len, ..Default::default() };
            s.options.sack_count = blocks;
            Packet::of(&s, Side::Client).size(1448)
        };
        assert_eq!([size(1448, 0), size(1436, 1), size(1428, 2), size(1412, 4)], [1448; 4]);
        assert_eq!(size(14_360, 1), 14_480, "merged by an offload");
        assert_eq!((size(100, 0), size(100, 1)), (100, 112));
    }

    #[test]
    fn it_stays_small() {
        assert_eq!(size_of::<Packet>(), 48);
    }
}
