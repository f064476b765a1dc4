//! Packet buffers, used again and again: a small block for what most packets are, with a large one instead for the rest.

use std::cell::RefCell;
use std::os::fd::BorrowedFd;
use std::rc::Rc;

/// Any packet of an MTU of 1500 with its framing fits.
pub(super) const SMALL: usize = 2_048;
/// The largest IP packet with its framing fits.
const LARGE: usize = 65_600;

/// One packet with its framing, small to pass on; its blocks go back to the pool when it is dropped.
#[derive(Debug)]
pub(super) struct Packet {
    /// `None` only while it is dropped.
    block: Option<Box<Block>>,
    pool: Rc<RefCell<Blocks>>,
}

/// In this order, so that what is looked at of a packet is close together in memory.
#[derive(Debug)]
#[repr(C)]
struct Block {
    len: usize,
    /// The packet, when it is longer than `small`.
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
    /// Framing and IP packet.
    pub(super) fn bytes(&self) -> &[u8] {
        let Some(block) = self.block.as_deref() else { return &[] };
        let bytes = block.large.as_deref().unwrap_or(&block.small);
        bytes.get(..block.len).unwrap_or_default()
    }

    /// The same, to be changed.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        let Some(block) = self.block.as_deref_mut() else { return &mut [] };
        let bytes = block.large.as_deref_mut().unwrap_or(&mut block.small);
        bytes.get_mut(..block.len).unwrap_or_default()
    }

    /// Bytes in all, with framing.
    pub(super) fn len(&self) -> usize {
        self.block.as_deref().map_or(0, |block| block.len)
    }

    /// Writes it as one packet.
    pub(super) fn write(&self, fd: BorrowedFd<'_>) -> rustix::io::Result<()> {
        let written = rustix::io::write(fd, self.bytes())?;
        if written == self.len() { Ok(()) } else { Err(rustix::io::Errno::IO) }
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
            self.read_large(fd, &mut block)
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

    /// Into a large block, which stays with the packet only if it has to: most of what is read beside large packets are ACKs.
    fn read_large(&self, fd: BorrowedFd<'_>, block: &mut Block) -> rustix::io::Result<usize> {
        let mut large = self.blocks.borrow_mut().take_large();
        let read = rustix::io::read(fd, &mut *large);
        let len = read.unwrap_or(0);
        if let (Some(small), Some(bytes)) = (block.small.get_mut(..len), large.get(..len)) {
            small.copy_from_slice(bytes);
            self.blocks.borrow_mut().large.push(large);
        } else {
            block.large = Some(large);
        }
        read
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
        block.len = len;
        let mut blocks = self.blocks.borrow_mut();
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
        packet.bytes_mut().copy_from_slice(bytes);
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
            assert_eq!(packet.bytes().len(), 60_000);
            assert!(pool.blank(100).is_none(), "the memory is used up");
        }
        assert_eq!(pool.blocks.borrow().large.len(), 1);
    }

    #[test]
    fn a_packet_is_read_whole_or_fills_its_block() {
        let pool = Pool::new(1 << 20);
        let read = |len: usize, jumbo| {
            let (one, other) = std::os::unix::net::UnixDatagram::pair().unwrap();
            let sent: Vec<u8> = (0..len).map(|n| (n % 251) as u8).collect();
            one.send(&sent).unwrap();
            let packet = pool.read(std::os::fd::AsFd::as_fd(&other), jumbo).unwrap().unwrap();
            assert!(sent.starts_with(packet.bytes()));
            packet.len()
        };
        assert_eq!((read(1500, false), read(1500, true)), (1500, 1500));
        assert_eq!((read(9000, false), read(9000, true)), (SMALL, 9000));
        assert_eq!((read(SMALL, true), read(SMALL + 1, true)), (SMALL, SMALL + 1));
        assert_eq!(pool.blocks.borrow().large.len(), 1, "all have used the same one");
    }
}
