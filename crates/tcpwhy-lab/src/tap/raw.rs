//! The packet socket, as far as no safe crate offers it: binding to a device, and the kernel's count of drops.
#![allow(unsafe_code)]

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Bytes of the socket's receive buffer: a burst of some ten thousand packets.
const BUFFER: libc::c_int = 32 << 20;

/// A socket that sees every IP packet of the device, in both directions, with the kernel's time of each.
///
/// # Errors
/// There is no such device, or CAP_NET_RAW is missing.
pub(super) fn open(device: &str) -> io::Result<OwnedFd> {
    let index = nix::net::if_::if_nametoindex(device)?;
    let protocol = (libc::ETH_P_ALL as u16).to_be();
    // SAFETY: plain system call; its result is checked below.
    let fd = unsafe {
        libc::socket(libc::AF_PACKET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, i32::from(protocol))
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `fd` is open and nobody else has it.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    // Beyond net.core.rmem_max only root of the whole machine may go; others get what that allows, and drops are counted.
    if set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, BUFFER).is_err() {
        set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUF, BUFFER)?;
    }
    set(&socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)?;
    // SAFETY: `sockaddr_ll` is plain data, all zeros is a valid one.
    let mut address: libc::sockaddr_ll = unsafe { mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = protocol;
    address.sll_ifindex = index.cast_signed();
    // SAFETY: the pointer and the length describe `address`, which outlives the call.
    let bound = unsafe {
        libc::bind(
            socket.as_raw_fd(),
            (&raw const address).cast(),
            mem::size_of::<libc::sockaddr_ll>() as libc::socklen_t,
        )
    };
    if bound == 0 { Ok(socket) } else { Err(io::Error::last_os_error()) }
}

fn set(socket: &OwnedFd, level: i32, option: i32, value: libc::c_int) -> io::Result<()> {
    // SAFETY: the pointer and the length describe `value`, which outlives the call.
    let done = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            (&raw const value).cast(),
            mem::size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Packets that found the buffer full since the last time this was asked (PACKET_STATISTICS, packet(7)).
pub(super) fn drops(socket: &OwnedFd) -> io::Result<u32> {
    let mut statistics = libc::tpacket_stats { tp_packets: 0, tp_drops: 0 };
    let mut length = mem::size_of::<libc::tpacket_stats>() as libc::socklen_t;
    // SAFETY: the pointers describe `statistics` and `length`, which outlive the call.
    let done = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_STATISTICS,
            (&raw mut statistics).cast(),
            &raw mut length,
        )
    };
    if done == 0 { Ok(statistics.tp_drops) } else { Err(io::Error::last_os_error()) }
}
