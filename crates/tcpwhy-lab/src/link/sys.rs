//! The kernel calls that have no safe wrapper: TUN's ioctls, packet sockets and the real-time scheduler.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// A TUN device without packet information in front of its packets.
pub(super) const IFF_TUN: i16 = libc::IFF_TUN as i16 | libc::IFF_NO_PI as i16;
/// With a virtio header in front of each packet.
pub(super) const IFF_VNET_HDR: i16 = libc::IFF_VNET_HDR as i16;

/// Gives the open `/dev/net/tun` the device `name`, which is made in the calling thread's network namespace.
pub(super) fn tun_set_iff(fd: BorrowedFd<'_>, name: &str, flags: i16) -> io::Result<()> {
    let mut request = request(name)?;
    request.ifr_ifru.ifru_flags = flags;
    // SAFETY: TUNSETIFF reads and writes one `ifreq`, which lives until the call returns.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), libc::TUNSETIFF, &raw mut request) })
}

/// States what this program takes from the device: segmentation and checksums left undone (`TUN_F_*`).
pub(super) fn tun_set_offload(fd: BorrowedFd<'_>, flags: libc::c_uint) -> io::Result<()> {
    let flags = libc::c_ulong::from(flags);
    // SAFETY: TUNSETOFFLOAD takes its argument by value.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), libc::TUNSETOFFLOAD, flags) })
}

/// Limits the kernel memory of what was written to the device and has not reached the protocols; beyond it a write fails with EAGAIN.
pub(super) fn tun_set_sndbuf(fd: BorrowedFd<'_>, bytes: libc::c_int) -> io::Result<()> {
    // SAFETY: TUNSETSNDBUF reads one int, which lives until the call returns.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), libc::TUNSETSNDBUF, &raw const bytes) })
}

/// MTU of a device of the network namespace in which `socket` was made.
pub(super) fn device_mtu(socket: BorrowedFd<'_>, name: &str) -> io::Result<usize> {
    let mut request = request(name)?;
    // SAFETY: SIOCGIFMTU reads the name and writes the MTU of one `ifreq`, which lives until the call returns.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFMTU, &raw mut request) })?;
    // SAFETY: the call succeeded, so the kernel has filled in this field of the union.
    usize::try_from(unsafe { request.ifr_ifru.ifru_mtu }).map_err(io::Error::other)
}

/// An `ifreq` about a device.
fn request(name: &str) -> io::Result<libc::ifreq> {
    // SAFETY: all zeros is a valid `ifreq`; it is plain old data.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    if name.len() >= request.ifr_name.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    Ok(request)
}

/// Puts the calling thread under SCHED_FIFO, priority 1; EPERM without CAP_SYS_NICE (or RLIMIT_RTPRIO).
pub(super) fn schedule_first() -> io::Result<()> {
    let parameter = libc::sched_param { sched_priority: 1 };
    // SAFETY: the kernel reads one `sched_param`; thread 0 is the caller.
    check(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameter) })
}

/// A packet socket that sees and sends whole frames of one device, each behind a virtio header, but not its own.
pub(super) fn packet_socket(index: libc::c_int) -> io::Result<OwnedFd> {
    let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: plain numbers; protocol 0 receives nothing until the socket is bound.
    let fd = unsafe { libc::socket(libc::AF_PACKET, kind, 0) };
    check(fd)?;
    // SAFETY: the kernel just gave us this descriptor, and nobody else has it.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    set_option(&socket, libc::SOL_PACKET, libc::PACKET_VNET_HDR, 1)?;
    set_option(&socket, libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, 1)?;
    // Room for bursts; the unforced one is limited by net.core.rmem_max.
    set_option(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, 64 << 20)
        .or_else(|_| set_option(&socket, libc::SOL_SOCKET, libc::SO_RCVBUF, 64 << 20))?;
    // SAFETY: all zeros is a valid `sockaddr_ll`; it is plain old data.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = index;
    let size = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: the kernel reads `size` bytes of `address`, which lives until the call returns.
    check(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), size) })?;
    Ok(socket)
}

/// Packets that a packet socket had no room for, since the last time this was asked (`PACKET_STATISTICS`).
pub(super) fn packet_drops(socket: BorrowedFd<'_>) -> io::Result<u32> {
    // SAFETY: all zeros is a valid `tpacket_stats`; it is plain old data.
    let mut stats: libc::tpacket_stats = unsafe { std::mem::zeroed() };
    let mut size = size_of::<libc::tpacket_stats>() as libc::socklen_t;
    let (level, name) = (libc::SOL_PACKET, libc::PACKET_STATISTICS);
    // SAFETY: the kernel writes at most `size` bytes to `stats`.
    check(unsafe {
        libc::getsockopt(socket.as_raw_fd(), level, name, (&raw mut stats).cast(), &raw mut size)
    })?;
    Ok(stats.tp_drops)
}

fn set_option(
    socket: &OwnedFd,
    level: libc::c_int,
    name: libc::c_int,
    value: libc::c_int,
) -> io::Result<()> {
    let size = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the kernel reads `size` bytes of `value`, which lives until the call returns.
    check(unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, name, (&raw const value).cast(), size)
    })
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
