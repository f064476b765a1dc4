//! The packet socket and its ring (packet(7), Documentation/networking/packet_mmap.rst), as far as no safe crate offers them.
//!
//! Not by a crate: the only one for such rings (`af_packet`) is under the GPL.
#![allow(unsafe_code)]

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes of a block: some thousand headers.
const BLOCK: usize = 1 << 18;
/// Blocks of the ring: 32 MiB hold some 150,000 headers, a tenth of a second of the fastest links.
pub(super) const BLOCKS: usize = 128;
/// After so long a block is handed over though it is not full, milliseconds.
pub(super) const RETIRE_MS: u32 = 50;
const STATUS: usize = mem::offset_of!(libc::tpacket_block_desc, hdr);

/// A packet socket whose ring is mapped.
#[derive(Debug)]
pub(super) struct Ring {
    socket: OwnedFd,
    memory: NonNull<u8>,
    /// The block that comes next.
    next: usize,
}

// SAFETY: the memory belongs to this ring alone, and moves with it.
unsafe impl Send for Ring {}

impl Ring {
    /// Sees, from its return on, every packet that `program` keeps: of the interface with this index, or of all for 0.
    pub(super) fn open(interface: u32, program: &[libc::sock_filter]) -> io::Result<Self> {
        // Protocol 0: nothing is seen until the socket is bound, when filter and ring are there.
        // SAFETY: plain system call; its result is checked below.
        let fd = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: `fd` is open and nobody else has it.
        let socket = unsafe { OwnedFd::from_raw_fd(fd) };
        let filter = libc::sock_fprog {
            len: u16::try_from(program.len()).map_err(io::Error::other)?,
            // The kernel only reads it.
            filter: program.as_ptr().cast_mut(),
        };
        set(&socket, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, &filter)?;
        set(
            &socket,
            libc::SOL_PACKET,
            libc::PACKET_VERSION,
            &(libc::tpacket_versions::TPACKET_V3 as libc::c_int),
        )?;
        let frame = 2048;
        let wanted = libc::tpacket_req3 {
            tp_block_size: BLOCK as u32,
            tp_block_nr: BLOCKS as u32,
            tp_frame_size: frame as u32,
            tp_frame_nr: (BLOCK / frame * BLOCKS) as u32,
            tp_retire_blk_tov: RETIRE_MS,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        set(&socket, libc::SOL_PACKET, libc::PACKET_RX_RING, &wanted)?;
        // SAFETY: a new mapping of the length that was asked for; nothing else is there.
        let memory = unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(
                ptr::null_mut(),
                BLOCK * BLOCKS,
                access,
                libc::MAP_SHARED,
                socket.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = NonNull::new(memory.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        let ring = Self { socket, memory, next: 0 };
        ring.bind(interface)?;
        Ok(ring)
    }

    fn bind(&self, interface: u32) -> io::Result<()> {
        // SAFETY: `sockaddr_ll` is plain data, all zeros is a valid one.
        let mut address: libc::sockaddr_ll = unsafe { mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = interface.cast_signed();
        // SAFETY: the pointer and the length describe `address`, which outlives the call.
        let bound = unsafe {
            libc::bind(
                self.socket.as_raw_fd(),
                (&raw const address).cast(),
                mem::size_of::<libc::sockaddr_ll>() as libc::socklen_t,
            )
        };
        if bound == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// The socket, to be waited at.
    pub(super) fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    /// Lends the next block that the kernel has handed over and gives it back; false where there is none.
    pub(super) fn block(&mut self, take: impl FnOnce(&[u8])) -> bool {
        // SAFETY: `next` is below BLOCKS, so the block lies inside of the mapping, which lives as long as `self`.
        let block = unsafe { self.memory.add(self.next * BLOCK) };
        // SAFETY: the status is an aligned word of the block that the kernel and we change, both in one piece.
        let status = unsafe { AtomicU32::from_ptr(block.add(STATUS).as_ptr().cast()) };
        if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
            return false;
        }
        // SAFETY: with that status the kernel leaves the block alone until it is given back below. The status lies in what is lent, but
        // only that store changes it, when `take` has returned and can have kept nothing.
        take(unsafe { std::slice::from_raw_parts(block.as_ptr(), BLOCK) });
        status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.next = (self.next + 1) % BLOCKS;
        true
    }

    /// Packets that passed the filter, and those of them that found the ring full, since this was last asked.
    pub(super) fn statistics(&self) -> io::Result<(u32, u32)> {
        // SAFETY: plain data, all zeros is a valid one.
        let mut statistics: libc::tpacket_stats_v3 = unsafe { mem::zeroed() };
        let mut length = mem::size_of::<libc::tpacket_stats_v3>() as libc::socklen_t;
        // SAFETY: the pointers describe `statistics` and `length`, which outlive the call.
        let done = unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut statistics).cast(),
                &raw mut length,
            )
        };
        if done == 0 {
            Ok((statistics.tp_packets, statistics.tp_drops))
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, whole, and nothing of it is lent any more. It can only fail where there is none.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), BLOCK * BLOCKS) };
    }
}

fn set<T>(socket: &OwnedFd, level: i32, option: i32, value: &T) -> io::Result<()> {
    // SAFETY: the pointer and the length describe `value`, which outlives the call.
    let done = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            ptr::from_ref(value).cast(),
            mem::size_of::<T>() as libc::socklen_t,
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
