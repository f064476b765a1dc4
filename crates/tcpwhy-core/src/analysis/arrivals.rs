//! Packets on their way from the decoder to the sorter, a few at a time.
//!
//! The state of the connections that they belong to lies all over memory. A few packets are looked up before the first of them is
//! sorted: so what they need is fetched at the same time and not one after the other.

use super::seen::print_of;
use super::table::{Place, Table};
use crate::decode::plain::{Plain, Way};
use crate::decode::{Decoded, Frame, decode};
use crate::flow::packet::Packet;
use crate::observe::Segment;

/// A plain packet of a connection that was open when it was looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) packet: Packet,
    /// See [`Seen`](super::seen::Seen).
    pub(super) print: u64,
    /// The connection: its place may have been given away when the packet's turn comes.
    pub(super) id: u64,
    pub(super) place: Place,
    pub(super) scope: u32,
    way: Way,
}

impl Known {
    /// The segment that it was, as far as the sorter asks.
    #[cold]
    pub(super) fn segment(&self) -> Segment {
        let [src, dst] = self.way.ends();
        Segment { src, dst, scope: self.scope, ..self.packet.segment() }
    }
}

/// A packet that was decoded.
#[derive(Debug, Clone, Copy)]
pub(super) enum Arrival {
    Known(Known),
    /// Any other: which of the segments, and where its connection probably is.
    Other(usize, Place),
}

/// The packets that were decoded.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    pub(super) list: Vec<Arrival>,
    pub(super) segments: Vec<Segment>,
    /// Where the newest was found: packets come in bursts.
    near: Place,
}

impl Arrivals {
    /// Decodes `frame`; keeps its segment, if it has one.
    #[inline(always)]
    pub(super) fn read(&mut self, frame: &Frame<'_>, table: &mut Table) -> Decoded {
        let Some(plain) = Plain::of(frame) else { return self.read_other(frame, table) };
        let way = plain.way();
        let Some((place, side)) = table.find_plain(way, self.near) else {
            return self.read_other(frame, table);
        };
        let Some(open) = table.get(place) else { return self.read_other(frame, table) };
        self.near = place;
        let segment = plain.segment();
        self.list.push(Arrival::Known(Known {
            packet: Packet::of(&segment, side, false),
            print: print_of(&segment) ^ open.prints[side as usize],
            id: open.id,
            place,
            scope: segment.scope,
            way,
        }));
        Decoded::Segment
    }

    /// As `read`, without looking for what is plain.
    #[inline(never)]
    pub(super) fn read_other(&mut self, frame: &Frame<'_>, table: &Table) -> Decoded {
        let mut segment = Segment::default();
        let decoded = decode(frame, &mut segment);
        if decoded == Decoded::Segment {
            if let Some((place, _)) = table.find(&segment, self.near) {
                self.near = place;
            }
            self.list.push(Arrival::Other(self.segments.len(), self.near));
            self.segments.push(segment);
        }
        decoded
    }

    /// All were sorted.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.segments.clear();
    }
}
