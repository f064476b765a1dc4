//! The kernel calls that have no safe wrapper: TUN's ioctls and the real-time scheduler.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// A TUN device without packet information in front of its packets.
pub(super) const IFF_TUN: i16 = libc::IFF_TUN as i16 | libc::IFF_NO_PI as i16;
/// With a virtio header in front of each packet.
pub(super) const IFF_VNET_HDR: i16 = libc::IFF_VNET_HDR as i16;

/// Gives the open `/dev/net/tun` the device `name`, which is made in the calling thread's network namespace.
pub(super) fn tun_set_iff(fd: BorrowedFd<'_>, name: &str, flags: i16) -> io::Result<()> {
    // SAFETY: all zeros is a valid `ifreq`; it is plain old data.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    if name.len() >= request.ifr_name.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
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

/// Puts the calling thread under SCHED_FIFO, priority 1; EPERM without CAP_SYS_NICE (or RLIMIT_RTPRIO).
pub(super) fn schedule_first() -> io::Result<()> {
    let parameter = libc::sched_param { sched_priority: 1 };
    // SAFETY: the kernel reads one `sched_param`; thread 0 is the caller.
    check(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameter) })
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
