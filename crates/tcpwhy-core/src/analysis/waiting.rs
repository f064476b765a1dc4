//! Packets that wait for one another.
//!
//! Those of a connection lie in blocks of one size. What has waited goes to the judge in its blocks, and the empty blocks come back: a packet
//! is written once and read once, and among many connections it needs two lines of the cache, its connection's and its own.

use crate::flow::packet::Packet;
use crate::flow::placed::Taker;
use crate::flow::placing::Placing;
use crate::model::Side;
use crate::observe::Segment;
use prefetch_index::prefetch_index;

/// Packets in a block.
const BLOCK: usize = 16;

/// Room for some packets of one connection.
#[derive(Debug)]
struct Block(Box<[Packet; BLOCK]>);

/// Room that nobody needs any more.
#[derive(Debug, Default)]
pub(super) struct Spare {
    blocks: Vec<Block>,
    /// Empty lists.
    lists: Vec<Vec<Block>>,
}

/// One connection's packets that wait.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct Queue {
    newest: Option<Block>,
    len: u32,
    /// Full blocks, the oldest first.
    older: Vec<Block>,
}

/// The room of all packets that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) spare: Spare,
    /// Blocks in queues.
    taken: usize,
    /// There are so few connections that what is known of each stays in the cache.
    pub(super) few: bool,
}

impl Waiting {
    /// Packets that may wait altogether, of 48 bytes each; beyond it each connection should have its part of this number at most.
    pub(super) const MOST: usize = 3 << 20;

    /// Packets for which room is taken.
    pub(super) fn taken(&self) -> usize {
        self.taken * BLOCK
    }

    /// Whether no more should wait.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.taken >= Self::MOST / BLOCK
    }

    /// Adds a packet to a queue; how many are in it now.
    #[inline(always)]
    pub(super) fn push(&mut self, queue: &mut Queue, packet: &Packet) -> usize {
        let at = queue.len as usize % BLOCK;
        if at == 0 {
            self.extend(queue);
        }
        if let Some(newest) = &mut queue.newest {
            newest.0[at] = *packet;
        }
        queue.len += 1;
        queue.len as usize
    }

    /// One more block for a queue, whose blocks are full.
    #[inline(never)]
    fn extend(&mut self, queue: &mut Queue) {
        let block = self.spare.blocks.pop().unwrap_or_else(Block::empty);
        if let Some(full) = queue.newest.replace(block) {
            if queue.older.capacity() == 0 {
                queue.older = self.spare.lists.pop().unwrap_or_default();
            }
            queue.older.push(full);
        }
        self.taken += 1;
    }

    /// Takes out of a queue what waits. In exchange comes room that somebody is done with.
    pub(super) fn take(&mut self, queue: &mut Queue, done: &mut Spare) -> Queue {
        self.spare.append(done);
        self.taken -= queue.len().div_ceil(BLOCK);
        std::mem::take(queue)
    }
}

impl Block {
    /// Has its packets brought from memory.
    fn fetch(&self) {
        for at in 0..BLOCK {
            prefetch_index(&self.0[..], at);
        }
    }

    fn empty() -> Self {
        let nothing = Packet::of(&Segment::default(), Side::Client);
        Self(Box::new([nothing; BLOCK]))
    }
}

impl Spare {
    /// Blocks.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// So many blocks more.
    pub(super) fn make(&mut self, blocks: usize) {
        self.blocks.extend(std::iter::repeat_with(Block::empty).take(blocks));
    }

    /// Takes all of another one.
    pub(super) fn append(&mut self, other: &mut Self) {
        self.blocks.append(&mut other.blocks);
        self.lists.append(&mut other.lists);
    }
}

impl Queue {
    /// Whether the next packet takes another block.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.len().is_multiple_of(BLOCK)
    }

    /// Packets in it.
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    /// All of them, the last first.
    pub(super) fn last_first(&self) -> impl Iterator<Item = &Packet> {
        let left = self.len().saturating_sub(self.older.len() * BLOCK);
        let newest = self.newest.iter().flat_map(move |block| block.0.iter().take(left).rev());
        newest.chain(self.older.iter().rev().flat_map(|block| block.0.iter().rev()))
    }

    /// Has its first packets brought from memory, all at the same time: reading them one after the other would wait for each.
    pub(super) fn fetch(&self) {
        if let Some(first) = self.older.first().or(self.newest.as_ref()) {
            first.fetch();
        }
    }

    /// Places all packets in order, with a new `placing` if there is none yet; its room is `spare` then.
    pub(super) fn place(
        self,
        placing: &mut Option<Box<Placing>>,
        spare: &mut Spare,
        out: &mut impl Taker,
    ) {
        self.each(spare, |packets| {
            let Some(first) = packets.first() else { return };
            placing.get_or_insert_with(|| Box::new(Placing::new(first))).place(packets, out);
        });
    }

    /// All packets in order, some at a time; its room is `spare` then. The next block is brought from memory meanwhile: more than one would be
    /// more than a processor has under way.
    pub(super) fn each(mut self, spare: &mut Spare, mut take: impl FnMut(&[Packet])) {
        for (at, block) in self.older.iter().enumerate() {
            if let Some(next) = self.older.get(at + 1).or(self.newest.as_ref()) {
                next.fetch();
            }
            take(&block.0[..]);
        }
        let left = (self.len as usize).saturating_sub(self.older.len() * BLOCK);
        if let Some(newest) = self.newest {
            take(newest.0.get(..left).unwrap_or_default());
            spare.blocks.push(newest);
        }
        spare.blocks.append(&mut self.older);
        if self.older.capacity() > 0 {
            spare.lists.push(self.older);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(frame: u64) -> Packet {
        Packet::of(&Segment { frame, ..Segment::default() }, Side::Client)
    }

    #[test]
    fn queues_keep_their_order_and_give_their_room_back() {
        let mut waiting = Waiting::default();
        for packets in [1, BLOCK, 100, 1] {
            let mut queues = [Queue::default(), Queue::default(), Queue::default()];
            for frame in 0..packets as u64 {
                for (queue, first) in queues.iter_mut().zip([0, 1000, 2000]) {
                    assert_eq!(waiting.push(queue, &packet(first + frame)), frame as usize + 1);
                }
            }
            assert_eq!(waiting.taken(), 3 * packets.next_multiple_of(BLOCK));
            for (queue, first) in queues.iter_mut().zip([0, 1000, 2000]) {
                let mut frames = Vec::new();
                let queue = waiting.take(queue, &mut Spare::default());
                queue.each(&mut waiting.spare, |some| frames.extend(some.iter().map(|p| p.frame)));
                assert_eq!(frames, (first..first + packets as u64).collect::<Vec<_>>());
            }
            assert_eq!(waiting.taken(), 0);
        }
        assert_eq!(waiting.spare.blocks.len(), 3 * 100_usize.div_ceil(BLOCK));
    }
}
