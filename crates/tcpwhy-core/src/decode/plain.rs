//! The usual packet, read in one go.
//!
//! Nearly every packet of a transfer looks the same: Ethernet, IPv4 without options, whole; TCP with aligned timestamps or without
//! options, in the middle of its connection. Van Jacobson's observation (RFC 1144 section 3.2, and the header prediction of every TCP since) is that
//! such a packet is recognised by comparing a few words of its header with what they nearly always are; then all fields lie at known offsets.
//! Whatever differs is left to [`decode`](super::decode), which gives the same answer for what is plain, only later.

use super::{Frame, LinkType};
use crate::model::Side;
use crate::observe::{Endpoint, Options, Segment};
use crate::units::Seq;
use std::net::IpAddr;

/// Ethernet, IPv4 and TCP headers without options.
const HEADERS: usize = 14 + 20 + 20;
/// EtherType, version, header length: IPv4 without options. The type of service may be any.
const IPV4: (u32, u32) = (0xffff_ff00, 0x0800_4500);
/// Flags, fragment offset, protocol: TCP in one piece. The time to live may be any.
const WHOLE_TCP: (u32, u32) = (0x3fff_00ff, 0x0000_0006);
/// Header length and flags: in the middle of the connection (no SYN, FIN or RST), with room for timestamps or for no options.
const MIDDLE: u16 = 0xf107;
const STAMPED: u16 = 0x8000;
const BARE: u16 = 0x5000;
/// Two no-operations, then timestamps of ten bytes (RFC 7323 appendix A).
const TIMESTAMPS: u32 = 0x0101_080a;

/// From where to where: both ends, each of an IPv4 address and a port.
///
/// They are held in the same order for both directions: who sends a packet cannot be foreseen, so nothing should be decided by it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Way {
    low: u64,
    high: u64,
    /// From the higher one to the lower one.
    down: bool,
}

/// An end as one number, by the bytes of the headers. Which of two is the higher one means nothing.
#[inline(always)]
fn end([a, b, c, d]: [u8; 4], [e, f]: [u8; 2]) -> u64 {
    u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
}

impl Way {
    #[inline(always)]
    fn new(src: u64, dst: u64) -> Self {
        Self { low: src.min(dst), high: src.max(dst), down: dst < src }
    }

    /// Between two ends, if both are IPv4.
    pub(crate) fn between(src: &Endpoint, dst: &Endpoint) -> Option<Self> {
        let four = |of: &Endpoint| match of.addr() {
            IpAddr::V4(v4) => Some(end(v4.octets(), of.port.to_be_bytes())),
            IpAddr::V6(_) => None,
        };
        Some(Self::new(four(src)?, four(dst)?))
    }

    /// Which side goes this way, where the client goes `forth`.
    #[inline(always)]
    pub(crate) fn side(&self, forth: &Self) -> Option<Side> {
        let differs = (self.low ^ forth.low) | (self.high ^ forth.high) != 0;
        let side = if self.down == forth.down { Side::Client } else { Side::Server };
        (!differs).then_some(side)
    }

    /// A number that is the same for both directions; all there is to tell is in its upper bits.
    #[inline(always)]
    pub(crate) fn mixed(&self) -> u64 {
        (self.low.rotate_left(16) ^ self.high).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// Source and destination.
    pub(crate) fn ends(&self) -> [Endpoint; 2] {
        let ends = if self.down { [self.high, self.low] } else { [self.low, self.high] };
        ends.map(|end| {
            let [a, b, c, d, e, f, ..] = end.to_le_bytes();
            Endpoint::new(IpAddr::from([a, b, c, d]), u16::from_be_bytes([e, f]))
        })
    }
}

/// A plain packet, still in its frame.
#[derive(Clone, Copy)]
pub(crate) struct Plain<'a> {
    frame: &'a Frame<'a>,
    headers: &'a [u8; HEADERS],
    /// The timestamps, where there are any.
    stamps: Option<&'a [u8; 12]>,
}

impl<'a> Plain<'a> {
    /// The packet in `frame`, if it is plain.
    #[inline(always)]
    pub(crate) fn of(frame: &'a Frame<'a>) -> Option<Self> {
        let (headers, rest) = frame.data.split_first_chunk::<HEADERS>()?;
        let h = headers;
        let tcp = be16(h, 46) & MIDDLE;
        let usual = frame.link == LinkType::ETHERNET
            && be32(h, 12) & IPV4.0 == IPV4.1
            && be32(h, 20) & WHOLE_TCP.0 == WHOLE_TCP.1
            && (tcp == STAMPED || tcp == BARE);
        if !usual {
            return None;
        }
        let stamps = if tcp == STAMPED {
            Some(rest.first_chunk().filter(|&options| be32(options, 0) == TIMESTAMPS)?)
        } else {
            None
        };
        let plain = Self { frame, headers, stamps };
        let wire = frame.data.len().max(frame.wire_len as usize);
        let total = usize::from(be16(h, 16));
        (plain.headers_len() as usize <= total && total + 14 <= wire).then_some(plain)
    }

    /// Bytes of the IP and TCP headers.
    #[inline(always)]
    fn headers_len(&self) -> u32 {
        if self.stamps.is_some() { 52 } else { 40 }
    }

    /// From where to where.
    #[inline(always)]
    pub(crate) fn way(&self) -> Way {
        let h = self.headers;
        Way::new(end(part(h, 26), part(h, 34)), end(part(h, 30), part(h, 36)))
    }

    /// What [`decode`](super::decode) makes of the same frame, but for the ends: [`Plain::way`] tells them, and nobody asks.
    #[inline(always)]
    pub(crate) fn segment(&self) -> Segment {
        let h = self.headers;
        let timestamps = self.stamps.map(|options| (be32(options, 4), be32(options, 8)));
        Segment {
            time: self.frame.time,
            frame: self.frame.number,
            scope: self.frame.interface,
            ip_id: be16(h, 18),
            ttl: h[22],
            ce: h[15] & 3 == 3,
            seq: Seq(be32(h, 38)),
            ack: Seq(be32(h, 42)),
            flags: u16::from(h[47]),
            window: be16(h, 48),
            len: u32::from(be16(h, 16)) - self.headers_len(),
            options: Options { timestamps, ..Options::default() },
            ..Segment::default()
        }
    }
}

#[inline(always)]
fn be16<const N: usize>(bytes: &[u8; N], at: usize) -> u16 {
    u16::from_be_bytes(part(bytes, at))
}

#[inline(always)]
fn be32<const N: usize>(bytes: &[u8; N], at: usize) -> u32 {
    u32::from_be_bytes(part(bytes, at))
}

/// Some bytes in one piece: read one by one, those that a mask leaves out are not read, and the others cost more.
#[inline(always)]
fn part<const N: usize, const M: usize>(bytes: &[u8; N], at: usize) -> [u8; M] {
    bytes[at..].first_chunk().copied().unwrap_or([0; M])
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ethernet, ipv4, tcp};
    use super::super::{Decoded, decode};
    use super::*;
    use crate::units::Nanos;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// A plain packet with room to be damaged.
    fn frame_with(options: &[u8]) -> Vec<u8> {
        let mut bytes = ethernet(0x0800, &ipv4(6, &tcp(options, &[7; 40])));
        // The tests' segments carry ACK and PSH.
        bytes.extend([0; 6]);
        bytes
    }

    /// What this file says of a frame, and what the full decoder says.
    fn both(data: &[u8], wire_len: u32, link: u32) -> (Option<Segment>, Option<Segment>) {
        let link = LinkType(link);
        let frame = Frame { time: Nanos(5), number: 6, interface: 3, link, wire_len, data };
        let mut segment = Segment::default();
        let full = decode(&frame, &mut segment) == Decoded::Segment;
        (Plain::of(&frame).map(|plain| whole(&plain)), full.then_some(segment))
    }

    /// With its ends.
    fn whole(plain: &Plain<'_>) -> Segment {
        let [src, dst] = plain.way().ends();
        Segment { src, dst, ..plain.segment() }
    }

    const STAMPS: [u8; 12] = [1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8];

    #[test]
    fn usual_packets_are_plain() {
        for options in [&STAMPS[..], &[]] {
            let bytes = frame_with(options);
            let (plain, full) = both(&bytes, bytes.len() as u32, 1);
            assert!(plain.is_some());
            assert_eq!(plain, full);
        }
    }

    #[test]
    fn a_way_is_that_of_its_ends() {
        let bytes = frame_with(&[]);
        let frame = Frame {
            time: Nanos(5),
            number: 6,
            interface: 3,
            link: LinkType(1),
            wire_len: 100,
            data: &bytes,
        };
        let plain = Plain::of(&frame).unwrap();
        let segment = whole(&plain);
        let way = plain.way();
        let back = Way::between(&segment.dst, &segment.src).unwrap();
        assert_eq!(way.mixed(), back.mixed());
        assert_eq!(way.ends(), [segment.src, segment.dst]);
        assert_eq!(back.ends(), [segment.dst, segment.src]);
        for forth in [way, back] {
            let side = |way: Way| way.side(&forth);
            assert_eq!(side(forth), Some(Side::Client));
            assert_eq!([side(way), side(back)].iter().flatten().count(), 2);
            assert_ne!(side(way), side(back));
            assert_eq!(side(Way { low: 1, ..way }), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Whatever is done to a plain packet, it is not plain any more or the full decoder agrees.
        #[test]
        fn the_full_decoder_agrees(
            stamped: bool,
            changes in vec((0_usize..100, any::<u8>()), 0..4),
            flips in vec((12_usize..66, 0_u32..8), 0..3),
            captured in prop_oneof![Just(200_usize), 0..110_usize],
            wire in prop_oneof![Just(0_u32), 0..200_u32],
            link in prop_oneof![9 => Just(1_u32), 1 => 0..300_u32],
        ) {
            let mut bytes = frame_with(if stamped { &STAMPS } else { &[] });
            for (at, value) in changes {
                if let Some(byte) = bytes.get_mut(at) { *byte = value; }
            }
            for (at, bit) in flips {
                if let Some(byte) = bytes.get_mut(at) { *byte ^= 1 << bit; }
            }
            bytes.truncate(captured);
            let (plain, full) = both(&bytes, wire, link);
            prop_assert!(plain.is_none() || plain == full, "{plain:?} {full:?}");
        }
    }
}
