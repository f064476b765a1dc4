//! Packets that wait for one another, of all open connections.
//!
//! They lie in blocks of one size, which pass from connection to connection: nothing is allocated
//! for a connection, and nothing is copied as its queue grows.
//!
//! Among many connections every packet would fetch the block of another one from memory. So the packets of connections whose places
//! leave the same remainder are first written one behind the other into a bin; when it is full, they go to their blocks, several for
//! each, while the blocks of so few connections are in the cache.

use super::table::Place;
use crate::flow::packet::Packet;
use crate::model::Side;
use crate::observe::Segment;

/// Packets in a block.
const BLOCK: usize = 16;
/// Bins: one line of the cache each, where the next packet goes, is a third of the smallest first cache.
const BINS: usize = 256;
/// Packets in a full bin: a dozen of each connection, where ten thousand send at a time. No power of two, so that the bins do not begin in
/// the same set of the cache.
const FULL: usize = 500;
/// Connections whose blocks stay in the cache without bins.
const FEW: usize = 1024;

/// A packet on its way to its connection's blocks.
#[derive(Debug, Clone, Copy)]
struct Binned {
    packet: Packet,
    place: Place,
}

/// The packets of all connections that wait.
#[derive(Debug)]
pub(super) struct Waiting {
    blocks: Blocks,
    /// By the connection's place.
    queues: Vec<Queue>,
    /// The bins, one behind the other, by the remainder of the connection's place; empty while there never were many connections.
    bins: Vec<Binned>,
    /// How many each holds.
    filled: [u16; BINS],
    binned: bool,
}

/// Room for packets.
#[derive(Debug, Default)]
struct Blocks {
    /// Of all blocks.
    packets: Vec<Packet>,
    /// Which block follows each, where it is not the last of its queue.
    next: Vec<u32>,
    free: Vec<u32>,
    /// Blocks that are not free.
    taken: usize,
}

/// One connection's blocks.
#[derive(Debug, Clone, Copy, Default)]
struct Queue {
    /// The first block.
    first: u32,
    /// Where the next packet goes, among all; at the beginning of a block another block has to be found for it.
    end: u32,
    len: u32,
}

impl Default for Waiting {
    fn default() -> Self {
        Self {
            blocks: Blocks::default(),
            queues: Vec::new(),
            bins: Vec::new(),
            filled: [0; BINS],
            binned: false,
        }
    }
}

/// What lies where no packet was put.
fn nothing() -> Packet {
    Packet::of(&Segment::default(), Side::Client)
}

impl Waiting {
    /// Packets that may wait altogether, of 48 bytes each; beyond it each connection should have its part of this number at most.
    pub(super) const MOST: usize = 3 << 20;

    /// Packets for which room is taken in blocks.
    pub(super) fn taken(&self) -> usize {
        self.blocks.taken * BLOCK
    }

    /// Whether no more should wait.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.blocks.taken >= Self::MOST / BLOCK
    }

    /// So many connections are open now, in places below `places`.
    pub(super) fn expect(&mut self, open: usize, places: usize) {
        if self.queues.len() < places {
            self.queues.resize(places, Queue::default());
        }
        let binned = open > FEW;
        if self.binned && !binned {
            (0..BINS).for_each(|bin| self.empty(bin));
        }
        if binned && self.bins.is_empty() {
            self.bins = vec![Binned { packet: nothing(), place: 0 }; BINS * FULL];
        }
        self.binned = binned;
    }

    /// Whether there are so many connections that their packets go through bins.
    pub(super) fn is_binned(&self) -> bool {
        self.binned
    }

    /// Adds a packet to the queue of the connection in `place`.
    #[inline(always)]
    pub(super) fn push(&mut self, place: Place, packet: &Packet) {
        if !self.binned {
            if let Some(queue) = self.queues.get_mut(place as usize) {
                self.blocks.store(queue, packet);
            }
            return;
        }
        let at = place as usize % BINS;
        let filled = &mut self.filled[at];
        if let Some(next) = self.bins.get_mut(at * FULL + usize::from(*filled)) {
            next.packet = *packet;
            next.place = place;
        }
        *filled += 1;
        if usize::from(*filled) == FULL {
            self.empty(at);
        }
    }

    /// Brings what lies in a bin to the blocks.
    #[inline(never)]
    fn empty(&mut self, at: usize) {
        let bin = self.bins.get(at * FULL..).unwrap_or_default();
        for Binned { packet, place } in bin.iter().take(self.filled[at].into()) {
            if let Some(queue) = self.queues.get_mut(*place as usize) {
                self.blocks.store(queue, packet);
            }
        }
        self.filled[at] = 0;
    }

    /// All packets that wait for the connection in `place`, `queued` of them, are in its blocks then; the first of them.
    pub(super) fn gather(&mut self, place: Place, queued: usize) -> Option<&Packet> {
        if self.queues.get(place as usize)?.len as usize != queued {
            self.empty(place as usize % BINS);
        }
        let queue = self.queues.get(place as usize)?;
        self.blocks.block(queue.first).first().filter(|_| queue.len > 0)
    }

    /// Empties the queue of a connection, whose packets are gathered: `take` gets them in order, some at a time.
    pub(super) fn hand_over(&mut self, place: Place, take: impl FnMut(&[Packet])) {
        let Some(queue) = self.queues.get_mut(place as usize) else { return };
        let queue = std::mem::take(queue);
        if self.binned {
            self.blocks.fetch(&queue);
        }
        self.blocks.give_back(&queue, take);
    }
}

impl Blocks {
    /// Adds a packet at the end of a queue.
    #[inline(always)]
    fn store(&mut self, queue: &mut Queue, packet: &Packet) {
        if (queue.end as usize).is_multiple_of(BLOCK) {
            self.extend(queue);
        }
        if let Some(next) = self.packets.get_mut(queue.end as usize) {
            *next = *packet;
        }
        queue.end += 1;
        queue.len += 1;
    }

    /// One more block at the end of a queue, whose blocks are full.
    #[inline(never)]
    fn extend(&mut self, queue: &mut Queue) {
        let block = self.free.pop().unwrap_or_else(|| {
            self.packets.resize(self.packets.len() + BLOCK, nothing());
            self.next.push(0);
            self.next.len() as u32 - 1
        });
        self.taken += 1;
        if queue.len == 0 {
            queue.first = block;
        } else if let Some(next) = self.next.get_mut(queue.end as usize / BLOCK - 1) {
            *next = block;
        }
        queue.end = block * BLOCK as u32;
    }

    fn block(&self, block: u32) -> &[Packet] {
        let start = block as usize * BLOCK;
        self.packets.get(start..start + BLOCK).unwrap_or_default()
    }

    fn after(&self, block: u32) -> u32 {
        self.next.get(block as usize).copied().unwrap_or(block)
    }

    /// Has the blocks of a queue brought from memory at the same time: reading them one after the other would wait for each. Those of few
    /// connections are in the cache.
    fn fetch(&self, queue: &Queue) {
        let mut at = queue.first;
        for _ in 0..(queue.len as usize).div_ceil(BLOCK) {
            for packet in self.block(at).iter().step_by(BLOCK / 4) {
                std::hint::black_box(packet.frame);
            }
            at = self.after(at);
        }
    }

    /// Frees the blocks of a queue, after `take` got the packets of each.
    fn give_back(&mut self, queue: &Queue, mut take: impl FnMut(&[Packet])) {
        let (mut left, mut at) = (queue.len as usize, queue.first);
        while left > 0 {
            let block = self.block(at);
            let packets = block.get(..left).unwrap_or(block);
            if packets.is_empty() {
                break;
            }
            take(packets);
            left -= packets.len();
            self.free.push(at);
            self.taken -= 1;
            at = self.after(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(frame: u64) -> Packet {
        Packet::of(&Segment { frame, ..Segment::default() }, Side::Client)
    }

    /// Queues of as many connections keep their order and give their room back.
    fn fill_and_empty(waiting: &mut Waiting, connections: usize) {
        waiting.expect(connections, connections);
        for frame in 0..100 {
            for place in 0..connections as u64 {
                waiting.push(place as Place, &packet(1000 * place + frame));
            }
        }
        for place in 0..connections as u64 {
            assert_eq!(waiting.gather(place as Place, 100), Some(&packet(1000 * place)));
            let mut frames = Vec::new();
            let take = |packets: &[Packet]| frames.extend(packets.iter().map(|p| p.frame));
            waiting.hand_over(place as Place, take);
            let first = 1000 * place;
            assert_eq!(frames, (first..first + 100).collect::<Vec<_>>());
        }
        assert_eq!(waiting.taken(), 0);
    }

    #[test]
    fn queues_keep_their_order_and_give_their_room_back() {
        let mut waiting = Waiting::default();
        for connections in [3, 3, 2 * FEW, 3] {
            fill_and_empty(&mut waiting, connections);
        }
        assert_eq!(waiting.taken(), 0);
    }

    #[test]
    fn what_lies_in_a_bin_is_found_when_there_are_few_connections_again() {
        let mut waiting = Waiting::default();
        waiting.expect(FEW + 1, FEW + 1);
        waiting.push(7, &packet(1));
        waiting.expect(FEW, FEW + 1);
        waiting.push(7, &packet(2));
        assert_eq!(waiting.gather(7, 2), Some(&packet(1)));
    }
}
