//! A connection that is not over, as far as the sorter has to know it.

use super::runs::{Runs, Step};
use super::seen;
use super::table::Place;
use super::waiting::{Queue, Waiting};
use crate::decode::plain::Way;
use crate::flow::packet::Packet;
use crate::model::Side;
use crate::observe::{Endpoint, Segment, flags};
use crate::units::{Nanos, Seq};

/// A connection that is not over.
///
/// What each packet asks for comes first and fills one line of the cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Open {
    /// From the client to the server, where plain packets go that way.
    pub(super) way: Option<Way>,
    /// When its last packet passed.
    pub(super) last: Nanos,
    pub(super) id: u64,
    /// What its ends add to the print of each packet, by the packet's sender.
    pub(super) prints: [u64; 2],
    /// Its packets that wait.
    queue: Queue,
    fin: [bool; 2],
    reset: bool,
    /// The judge knows of it.
    begun: bool,
    /// Client and server.
    pub(super) ends: [Endpoint; 2],
    /// Sequence numbers of the last SYN, by side.
    syn: [Option<Seq>; 2],
}

impl Open {
    /// Opened by `segment`.
    pub(super) fn new(id: u64, segment: &Segment) -> Self {
        let from_client = match (segment.has(flags::SYN), segment.has(flags::ACK)) {
            (true, false) => true,
            (true, true) => false,
            (false, _) => segment.src.port >= segment.dst.port,
        };
        let (src, dst) = (segment.src, segment.dst);
        let [client, server] = if from_client { [src, dst] } else { [dst, src] };
        Self {
            way: Way::between(&client, &server),
            prints: [seen::of_ends(&client, &server), seen::of_ends(&server, &client)],
            ends: [client, server],
            id,
            last: segment.time,
            queue: Queue::default(),
            syn: [None; 2],
            fin: [false; 2],
            reset: false,
            begun: false,
        }
    }

    /// Whether both ends have closed, or one has reset.
    pub(super) fn is_closed(&self) -> bool {
        self.reset || self.fin == [true; 2]
    }

    /// Whether a SYN of `side` with this number opens another connection between the same ends.
    pub(super) fn is_reopened_by(&self, side: Side, seq: Seq) -> bool {
        self.syn[side as usize].is_none_or(|known| known != seq)
    }

    /// The next packet; how many wait now.
    #[inline(always)]
    pub(super) fn push(&mut self, packet: Packet, waiting: &mut Waiting) -> usize {
        self.last = self.last.max(packet.time);
        if packet.has_any(flags::SYN | flags::FIN | flags::RST) {
            self.note(packet);
        }
        waiting.push(&mut self.queue, packet);
        self.queue.len()
    }

    /// How it begins and ends.
    fn note(&mut self, packet: Packet) {
        if packet.is_copy() {
            return;
        }
        let side = packet.side as usize;
        if packet.has(flags::SYN) {
            self.syn[side] = Some(packet.seq);
        }
        self.fin[side] |= packet.has(flags::FIN);
        self.reset |= packet.has(flags::RST);
    }

    /// Hands over what waits.
    pub(super) fn hand_over(&mut self, place: Place, waiting: &mut Waiting, runs: &mut Runs) {
        let Some(&first) = waiting.first(&self.queue) else { return };
        if !self.begun {
            runs.step(Step::Begin { place, id: self.id, ends: self.ends, first });
            self.begun = true;
        }
        waiting.hand_over(&mut self.queue, place, runs);
    }
}
