//! SO_BUF_LOCK, which no wrapper has.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, AsRawFd};

const SO_BUF_LOCK: libc::c_int = 72;

/// SO_BUF_LOCK (`sk_userlocks`, Linux 5.15) of a socket.
pub(super) fn buf_lock(socket: impl AsFd) -> io::Result<u32> {
    let mut value: u32 = 0;
    let mut length = size_of::<u32>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes to `value`, which is as long.
    let answer = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            SO_BUF_LOCK,
            (&raw mut value).cast(),
            &raw mut length,
        )
    };
    if answer == 0 { Ok(value) } else { Err(io::Error::last_os_error()) }
}
