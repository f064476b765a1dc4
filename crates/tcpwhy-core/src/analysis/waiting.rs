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
/// Packets in a full bin: a dozen of each connection, where ten thousand send at a time.
const FULL: usize = 512;
/// Connections whose blocks stay in the cache without bins.
const FEW: usize = 1024;

#[derive(Debug)]
struct Block([Packet; BLOCK]);

/// Packets on their way to their blocks.
#[derive(Debug, Default)]
struct Bin {
    packets: Vec<Packet>,
    /// Of the connection of each.
    places: Vec<Place>,
}

/// The packets of all connections that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    blocks: Vec<Block>,
    /// Which block follows each, where it is not the last of its queue.
    next: Vec<u32>,
    free: Vec<u32>,
    /// By the connection's place.
    queues: Vec<Queue>,
    /// By the remainder of the connection's place; empty while there are few connections.
    bins: Vec<Bin>,
    binned: bool,
}

/// One connection's blocks.
#[derive(Debug, Clone, Copy, Default)]
struct Queue {
    first: u32,
    last: u32,
    len: u32,
}

impl Waiting {
    /// Packets for which room is taken in blocks.
    pub(super) fn taken(&self) -> usize {
        (self.blocks.len() - self.free.len()) * BLOCK
    }

    /// So many connections are open now, in places below `places`.
    pub(super) fn expect(&mut self, open: usize, places: usize) {
        if self.queues.len() < places {
            self.queues.resize(places, Queue::default());
        }
        let binned = open > FEW;
        if self.binned && !binned {
            (0..self.bins.len()).for_each(|bin| self.empty(bin));
        }
        if binned && self.bins.is_empty() {
            self.bins.resize_with(BINS, Bin::default);
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
            return self.store(place, packet);
        }
        let at = place as usize % BINS;
        let Some(bin) = self.bins.get_mut(at) else { return };
        bin.packets.push(*packet);
        bin.places.push(place);
        if bin.places.len() == FULL {
            self.empty(at);
        }
    }

    /// Brings what lies in a bin to the blocks.
    #[inline(never)]
    fn empty(&mut self, at: usize) {
        let Some(bin) = self.bins.get_mut(at) else { return };
        let mut bin = std::mem::take(bin);
        for (packet, place) in bin.packets.iter().zip(&bin.places) {
            self.store(*place, packet);
        }
        bin.packets.clear();
        bin.places.clear();
        self.bins[at] = bin;
    }

    #[inline(always)]
    fn store(&mut self, place: Place, packet: &Packet) {
        let Some(queue) = self.queues.get(place as usize) else { return };
        let at = queue.len as usize % BLOCK;
        if at == 0 {
            self.extend(place);
        }
        let Some(queue) = self.queues.get_mut(place as usize) else { return };
        if let Some(block) = self.blocks.get_mut(queue.last as usize) {
            block.0[at] = *packet;
        }
        queue.len += 1;
    }

    /// One more block at the end of the queue.
    #[inline(never)]
    fn extend(&mut self, place: Place) {
        let block = self.free.pop().unwrap_or_else(|| {
            let nothing = Packet::of(&Segment::default(), Side::Client);
            self.blocks.push(Block([nothing; BLOCK]));
            self.next.push(0);
            self.blocks.len() as u32 - 1
        });
        let Some(queue) = self.queues.get_mut(place as usize) else { return };
        if queue.len == 0 {
            queue.first = block;
        } else if let Some(next) = self.next.get_mut(queue.last as usize) {
            *next = block;
        }
        queue.last = block;
    }

    /// All packets that wait for the connection in `place`, `queued` of them, are in its blocks then; the first of them.
    pub(super) fn gather(&mut self, place: Place, queued: usize) -> Option<&Packet> {
        if self.queues.get(place as usize)?.len as usize != queued {
            self.empty(place as usize % BINS);
        }
        let queue = self.queues.get(place as usize)?;
        let block = self.blocks.get(queue.first as usize).filter(|_| queue.len > 0)?;
        block.0.first()
    }

    /// Has the next blocks brought from memory at the same time: reading them one after the other would wait for each. Those of few
    /// connections are in the cache.
    fn fetch(&self, first: u32, blocks: usize) {
        let mut at = first;
        for _ in 0..blocks {
            let Some(Block(packets)) = self.blocks.get(at as usize) else { return };
            for packet in packets.iter().step_by(BLOCK / 4) {
                std::hint::black_box(packet.frame);
            }
            at = self.next.get(at as usize).copied().unwrap_or(at);
        }
    }

    /// Empties the queue of a connection, whose packets are gathered: `take` gets them in order, some at a time.
    pub(super) fn hand_over(&mut self, place: Place, mut take: impl FnMut(&[Packet])) {
        let Some(queue) = self.queues.get_mut(place as usize) else { return };
        let Queue { first, len, .. } = std::mem::take(queue);
        let (mut left, mut at) = (len as usize, first);
        if self.binned {
            self.fetch(first, left.div_ceil(BLOCK));
        }
        while left > 0 {
            let Some(block) = self.blocks.get(at as usize) else { break };
            let packets = block.0.get(..left).unwrap_or(&block.0);
            take(packets);
            left -= packets.len();
            self.free.push(at);
            at = self.next.get(at as usize).copied().unwrap_or(at);
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
