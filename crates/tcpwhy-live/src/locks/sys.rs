//! The socket options for which no safe wrapper exists: getsockopt(2) and setsockopt(2) with plain integers.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// `include/uapi/asm-generic/socket.h`; Linux 5.14.
pub(super) const SO_BUF_LOCK: libc::c_int = 72;
/// `include/uapi/asm-generic/socket.h`; Linux 5.14.
pub(super) const SO_NETNS_COOKIE: libc::c_int = 71;
/// `include/uapi/linux/sockios.h`; Linux 4.10.
const SIOCGSKNS: u16 = 0x894c;
/// More than any kernel's `struct tcp_info`.
const TCP_INFO: usize = 1024;

/// An integer that the kernel writes whole: any bytes are a value.
pub(super) trait Plain: Default {}
impl Plain for u32 {}
impl Plain for u64 {}

pub(super) fn get<T: Plain>(socket: BorrowedFd<'_>, level: i32, name: i32) -> io::Result<T> {
    let mut value = T::default();
    let mut length = size_of::<T>() as libc::socklen_t;
    // SAFETY: `value` and `length` live through the call, the kernel writes at most `length` bytes, and every bit pattern is a `T`.
    let code = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            level,
            name,
            std::ptr::from_mut(&mut value).cast(),
            &raw mut length,
        )
    };
    if code == 0 { Ok(value) } else { Err(io::Error::last_os_error()) }
}

pub(super) fn tcp_info(socket: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
    let mut raw = vec![0_u8; TCP_INFO];
    let mut length = TCP_INFO as libc::socklen_t;
    // SAFETY: `raw` has `length` bytes, of which the kernel writes at most as many and says how many.
    let code = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            raw.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if code != 0 {
        return Err(io::Error::last_os_error());
    }
    raw.truncate(length as usize);
    Ok(raw)
}

pub(super) fn set(socket: BorrowedFd<'_>, level: i32, name: i32, value: u32) -> io::Result<()> {
    let length = size_of::<u32>() as libc::socklen_t;
    // SAFETY: the kernel reads `length` bytes of `value`, which lives through the call.
    let code = unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, name, std::ptr::from_ref(&value).cast(), length)
    };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The network namespace that it was made in.
pub(super) fn namespace(socket: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    // SAFETY: this request has no argument; it touches no memory of ours.
    let fd = unsafe { libc::ioctl(socket.as_raw_fd(), SIOCGSKNS.into()) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just opened it for us, and nobody else knows of it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
