//! Packet buffers, used again and again: a small block for what most packets are, a large one behind it for the rest.

use std::cell::RefCell;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::BorrowedFd;
use std::rc::Rc;

/// Any packet of an MTU of 1500 with its framing fits.
pub(super) const SMALL: usize = 2_048;
/// The largest IP packet, behind the small block.
const LARGE: usize = 65_536;

/// One packet with its framing; its blocks go back to the pool when it is dropped.
#[derive(Debug)]
pub(super) struct Packet {
    small: Box<[u8]>,
    large: Option<Box<[u8]>>,
    len: usize,
    pool: Rc<RefCell<Blocks>>,
}

impl Drop for Packet {
    fn drop(&mut self) {
        let footprint = self.footprint();
        let mut blocks = self.pool.borrow_mut();
        blocks.held = blocks.held.saturating_sub(footprint);
        blocks.small.push(std::mem::take(&mut self.small));
        blocks.large.extend(self.large.take());
    }
}

impl Packet {
    /// The packet's beginning: framing and headers, and all of it when it is short.
    pub(super) fn head(&self) -> &[u8] {
        self.small.get(..self.len.min(SMALL)).unwrap_or_default()
    }

    /// The same, to be changed.
    pub(super) fn head_mut(&mut self) -> &mut [u8] {
        self.small.get_mut(..self.len.min(SMALL)).unwrap_or_default()
    }

    /// What follows the beginning.
    pub(super) fn tail(&self) -> &[u8] {
        let length = self.len.saturating_sub(SMALL);
        self.large.as_deref().and_then(|large| large.get(..length)).unwrap_or_default()
    }

    /// Bytes in all, with framing.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Writes it as one packet.
    pub(super) fn write(&self, fd: BorrowedFd<'_>) -> rustix::io::Result<()> {
        let written = match self.tail() {
            [] => rustix::io::write(fd, self.head())?,
            tail => rustix::io::writev(fd, &[IoSlice::new(self.head()), IoSlice::new(tail)])?,
        };
        if written == self.len { Ok(()) } else { Err(rustix::io::Errno::IO) }
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
        match at.checked_sub(SMALL) {
            None => self.small.get(at..).unwrap_or_default(),
            Some(at) => self.large.as_deref().and_then(|b| b.get(at..)).unwrap_or_default(),
        }
    }

    fn rest_mut(&mut self, at: usize) -> &mut [u8] {
        match at.checked_sub(SMALL) {
            None => self.small.get_mut(at..).unwrap_or_default(),
            Some(at) => self.large.as_deref_mut().and_then(|b| b.get_mut(at..)).unwrap_or_default(),
        }
    }

    fn footprint(&self) -> usize {
        SMALL + if self.large.is_some() { LARGE } else { 0 }
    }
}

/// Blocks that are free, and how many bytes are not.
#[derive(Debug, Default)]
struct Blocks {
    small: Vec<Box<[u8]>>,
    large: Vec<Box<[u8]>>,
    held: usize,
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
        let mut small = self.small();
        if !jumbo {
            let result = rustix::io::read(fd, &mut *small);
            let packet = self.packet(small, None, *result.as_ref().unwrap_or(&0));
            return result.map(|_| packet);
        }
        let mut large = self.large();
        let mut both = [IoSliceMut::new(&mut small), IoSliceMut::new(&mut large)];
        let result = rustix::io::readv(fd, &mut both);
        let packet = self.packet(small, Some(large), *result.as_ref().unwrap_or(&0));
        result.map(|_| packet)
    }

    /// A packet of this length with old bytes in it; `None` when the memory is used up.
    pub(super) fn blank(&self, len: usize) -> Option<Packet> {
        let large = (len > SMALL).then(|| self.large());
        self.packet(self.small(), large, len)
    }

    fn packet(&self, small: Box<[u8]>, large: Option<Box<[u8]>>, len: usize) -> Option<Packet> {
        let mut blocks = self.blocks.borrow_mut();
        let large = if len > SMALL {
            large
        } else {
            blocks.large.extend(large);
            None
        };
        let packet = Packet { small, large, len, pool: Rc::clone(&self.blocks) };
        blocks.held += packet.footprint();
        let full = blocks.held > self.limit;
        // Dropping the packet gives its blocks back.
        drop(blocks);
        (!full).then_some(packet)
    }

    fn small(&self) -> Box<[u8]> {
        let free = self.blocks.borrow_mut().small.pop();
        free.unwrap_or_else(|| vec![0; SMALL].into_boxed_slice())
    }

    fn large(&self) -> Box<[u8]> {
        let free = self.blocks.borrow_mut().large.pop();
        free.unwrap_or_else(|| vec![0; LARGE].into_boxed_slice())
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
