//! Packet buffers, used again and again: a small block for what most packets are, a large one behind it for the rest.

use std::cell::RefCell;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::BorrowedFd;
use std::rc::Rc;

/// Any packet of an MTU of 1500 with its framing fits.
pub(super) const SMALL: usize = 2_048;
/// The largest IP packet, behind the small block.
const LARGE: usize = 65_536;

/// One packet with its framing, small to pass on; its blocks go back to the pool when it is dropped.
#[derive(Debug)]
pub(super) struct Packet {
    /// `None` only while it is dropped.
    block: Option<Box<Block>>,
    pool: Rc<RefCell<Blocks>>,
}

#[derive(Debug)]
struct Block {
    len: usize,
    large: Option<Box<[u8]>>,
    small: [u8; SMALL],
}

impl Drop for Packet {
    fn drop(&mut self) {
        let Some(block) = self.block.take() else { return };
        let mut blocks = self.pool.borrow_mut();
        blocks.held = blocks.held.saturating_sub(block.footprint());
        blocks.put(block);
    }
}

impl Packet {
    /// The packet's beginning: framing and headers, and all of it when it is short.
    pub(super) fn head(&self) -> &[u8] {
        let Some(block) = self.block.as_deref() else { return &[] };
        block.small.get(..block.len.min(SMALL)).unwrap_or_default()
    }

    /// The same, to be changed.
    pub(super) fn head_mut(&mut self) -> &mut [u8] {
        let Some(block) = self.block.as_deref_mut() else { return &mut [] };
        block.small.get_mut(..block.len.min(SMALL)).unwrap_or_default()
    }

    /// What follows the beginning.
    pub(super) fn tail(&self) -> &[u8] {
        let Some(block) = self.block.as_deref() else { return &[] };
        let length = block.len.saturating_sub(SMALL);
        block.large.as_deref().and_then(|large| large.get(..length)).unwrap_or_default()
    }

    /// Bytes in all, with framing.
    pub(super) fn len(&self) -> usize {
        self.block.as_deref().map_or(0, |block| block.len)
    }

    /// Writes it as one packet.
    pub(super) fn write(&self, fd: BorrowedFd<'_>) -> rustix::io::Result<()> {
        let written = match self.tail() {
            [] => rustix::io::write(fd, self.head())?,
            tail => rustix::io::writev(fd, &[IoSlice::new(self.head()), IoSlice::new(tail)])?,
        };
        if written == self.len() { Ok(()) } else { Err(rustix::io::Errno::IO) }
    }

    /// Copies `len` bytes from position `from` of another packet to position `at`.
    pub(super) fn copy(&mut self, at: usize, source: &Self, from: usize, len: usize) {
        let mut done = 0;
        while done < len {
            let (to, from) = (self.rest_mut(at + done), source.rest(from + done));
            let count = to.len().min(from.len()).min(len - done);
            let (Some(to), Some(from)) = (to.get_mut(..count), from.get(..count)) else { return };
            if count == 0 {
                return;
            }
            to.copy_from_slice(from);
            done += count;
        }
    }

    /// What follows a position in the block that it is in.
    fn rest(&self, at: usize) -> &[u8] {
        let Some(block) = self.block.as_deref() else { return &[] };
        match at.checked_sub(SMALL) {
            None => block.small.get(at..).unwrap_or_default(),
            Some(at) => block.large.as_deref().and_then(|b| b.get(at..)).unwrap_or_default(),
        }
    }

    fn rest_mut(&mut self, at: usize) -> &mut [u8] {
        let Some(block) = self.block.as_deref_mut() else { return &mut [] };
        match at.checked_sub(SMALL) {
            None => block.small.get_mut(at..).unwrap_or_default(),
            Some(at) => {
                block.large.as_deref_mut().and_then(|b| b.get_mut(at..)).unwrap_or_default()
            }
        }
    }
}

impl Block {
    fn footprint(&self) -> usize {
        SMALL + if self.large.is_some() { LARGE } else { 0 }
    }
}

/// Blocks that are free, and how many bytes are not.
#[derive(Debug, Default)]
struct Blocks {
    // Boxed: they are handed out, not what is in them.
    #[allow(clippy::vec_box)]
    small: Vec<Box<Block>>,
    large: Vec<Box<[u8]>>,
    held: usize,
}

impl Blocks {
    /// An empty one.
    fn take(&mut self) -> Box<Block> {
        let free = self.small.pop();
        free.unwrap_or_else(|| Box::new(Block { len: 0, large: None, small: [0; SMALL] }))
    }

    fn take_large(&mut self) -> Box<[u8]> {
        self.large.pop().unwrap_or_else(|| vec![0; LARGE].into_boxed_slice())
    }

    fn put(&mut self, mut block: Box<Block>) {
        self.large.extend(block.large.take());
        self.small.push(block);
    }
}

/// Where packets are read into.
#[derive(Debug)]
pub(super) struct Pool {
    blocks: Rc<RefCell<Blocks>>,
    limit: usize,
}

impl Pool {
    /// At most `limit` bytes are ever in use.
    pub(super) fn new(limit: usize) -> Self {
        Self { blocks: Rc::default(), limit }
    }

    /// Reads one packet. `Ok(None)` when the memory is used up: the packet is lost then. Without `jumbo` only a small block is read
    /// into, which costs less; a longer packet is cut short, and fills the block.
    pub(super) fn read(
        &self,
        fd: BorrowedFd<'_>,
        jumbo: bool,
    ) -> rustix::io::Result<Option<Packet>> {
        let mut block = self.blocks.borrow_mut().take();
        let read = if jumbo {
            let large = block.large.insert(self.blocks.borrow_mut().take_large());
            rustix::io::readv(fd, &mut [IoSliceMut::new(&mut block.small), IoSliceMut::new(large)])
        } else {
            rustix::io::read(fd, &mut block.small)
        };
        match read {
            Ok(len) => Ok(self.packet(block, len)),
            Err(error) => {
                self.blocks.borrow_mut().put(block);
                Err(error)
            }
        }
    }

    /// A packet of this length with old bytes in it; `None` when the memory is used up.
    pub(super) fn blank(&self, len: usize) -> Option<Packet> {
        let mut blocks = self.blocks.borrow_mut();
        let mut block = blocks.take();
        block.large = (len > SMALL).then(|| blocks.take_large());
        drop(blocks);
        self.packet(block, len)
    }

    fn packet(&self, mut block: Box<Block>, len: usize) -> Option<Packet> {
        let mut blocks = self.blocks.borrow_mut();
        if len <= SMALL {
            blocks.large.extend(block.large.take());
        }
        block.len = len;
        blocks.held += block.footprint();
        let full = blocks.held > self.limit;
        // Dropping the packet gives its blocks back.
        drop(blocks);
        let packet = Packet { block: Some(block), pool: Rc::clone(&self.blocks) };
        (!full).then_some(packet)
    }
}

#[cfg(test)]
impl Pool {
    /// A packet with these bytes.
    pub(super) fn filled(&self, bytes: &[u8]) -> Packet {
        let mut packet = self.blank(bytes.len()).unwrap();
        let (head, tail) = bytes.split_at(bytes.len().min(SMALL));
        packet.head_mut().copy_from_slice(head);
        packet.rest_mut(SMALL)[..tail.len()].copy_from_slice(tail);
        packet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_used_again_and_bounded() {
        let pool = Pool::new(SMALL + LARGE);
        for _ in 0..3 {
            let packet = pool.blank(60_000).unwrap();
            assert_eq!(packet.head().len() + packet.tail().len(), 60_000);
            assert!(pool.blank(100).is_none(), "the memory is used up");
        }
        assert_eq!(pool.blocks.borrow().large.len(), 1);
    }

    #[test]
    fn a_packet_is_read_whole_or_fills_its_block() {
        let pool = Pool::new(1 << 20);
        let read = |len: usize, jumbo| {
            let (one, other) = std::os::unix::net::UnixDatagram::pair().unwrap();
            one.send(&vec![7; len]).unwrap();
            pool.read(std::os::fd::AsFd::as_fd(&other), jumbo).unwrap().unwrap().len()
        };
        assert_eq!((read(1500, false), read(1500, true)), (1500, 1500));
        assert_eq!((read(9000, false), read(9000, true)), (SMALL, 9000));
    }

    #[test]
    fn a_copy_crosses_blocks() {
        let pool = Pool::new(1 << 20);
        let bytes: Vec<u8> = (0..5_000).map(|n| (n % 251) as u8).collect();
        let source = pool.filled(&bytes);
        let mut target = pool.blank(4_000).unwrap();
        target.copy(10, &source, 1_000, 3_990);
        let all = [target.head(), target.tail()].concat();
        assert_eq!(all[10..], bytes[1_000..4_990]);
    }
}
