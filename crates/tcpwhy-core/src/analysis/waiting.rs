//! Packets that wait for one another, of all open connections.
//!
//! They lie in blocks of one size, which pass from connection to connection: nothing is allocated
//! for a connection, and nothing is copied as its queue grows.

use super::runs::Runs;
use super::table::Place;
use crate::flow::packet::Packet;
use crate::model::Side;
use crate::observe::Segment;

/// Packets in a block.
const BLOCK: usize = 16;

#[derive(Debug)]
struct Block([Packet; BLOCK]);

/// The packets of all connections that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    blocks: Vec<Block>,
    /// Which block follows each, where it is not the last of its queue.
    next: Vec<u32>,
    free: Vec<u32>,
}

/// One connection's part of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Queue {
    first: u32,
    last: u32,
    len: u32,
}

impl Queue {
    /// Packets in it.
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }
}

impl Waiting {
    /// Packets for which room is taken.
    pub(super) fn taken(&self) -> usize {
        (self.blocks.len() - self.free.len()) * BLOCK
    }

    /// Adds a packet to a connection's queue.
    #[inline(always)]
    pub(super) fn push(&mut self, queue: &mut Queue, packet: Packet) {
        let at = queue.len() % BLOCK;
        if at == 0 {
            self.extend(queue);
        }
        if let Some(block) = self.blocks.get_mut(queue.last as usize) {
            block.0[at] = packet;
        }
        queue.len += 1;
    }

    /// One more block at the end of the queue.
    #[inline(never)]
    fn extend(&mut self, queue: &mut Queue) {
        let place = self.free.pop().unwrap_or_else(|| {
            let nothing = Packet::of(&Segment::default(), Side::Client, false);
            self.blocks.push(Block([nothing; BLOCK]));
            self.next.push(0);
            self.blocks.len() as u32 - 1
        });
        if queue.len == 0 {
            queue.first = place;
        } else if let Some(next) = self.next.get_mut(queue.last as usize) {
            *next = place;
        }
        queue.last = place;
    }

    /// Empties a connection's queue into `runs`, in order.
    pub(super) fn hand_over(&mut self, queue: &mut Queue, place: Place, runs: &mut Runs) {
        let mut left = queue.len();
        let mut at = queue.first;
        runs.start(place, left);
        while left > 0 {
            let Some(block) = self.blocks.get(at as usize) else { break };
            let packets = block.0.get(..left).unwrap_or(&block.0);
            runs.extend(packets);
            left -= packets.len();
            self.free.push(at);
            at = self.next.get(at as usize).copied().unwrap_or(at);
        }
        queue.len = 0;
    }

    /// The first packet of a connection's queue.
    pub(super) fn first(&self, queue: &Queue) -> Option<&Packet> {
        let block = self.blocks.get(queue.first as usize).filter(|_| queue.len > 0)?;
        block.0.first()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(frame: u64) -> Packet {
        Packet::of(&Segment { frame, ..Segment::default() }, Side::Client, false)
    }

    #[test]
    fn queues_keep_their_order_and_give_their_room_back() {
        let mut waiting = Waiting::default();
        let mut queues = [Queue::default(); 3];
        for round in 0..4 {
            for frame in 0..100 {
                for (i, queue) in queues.iter_mut().enumerate() {
                    waiting.push(queue, packet(1000 * i as u64 + frame));
                }
            }
            for (i, queue) in queues.iter_mut().enumerate() {
                let mut runs = Runs::default();
                waiting.hand_over(queue, 0, &mut runs);
                let mut frames = Vec::new();
                runs.each(|_, packets| frames.extend(packets.iter().map(|p| p.frame)));
                let first = 1000 * i as u64;
                assert_eq!(frames, (first..first + 100).collect::<Vec<_>>(), "round {round}");
            }
            assert_eq!(waiting.taken(), 0);
        }
        assert_eq!(waiting.blocks.len(), 3 * 100_usize.div_ceil(BLOCK));
    }
}
