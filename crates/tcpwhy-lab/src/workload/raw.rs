//! Socket options that the safe libraries do not carry: TCP_WINDOW_CLAMP, SO_MAX_PACING_RATE, SO_BUF_LOCK, TCP_INFO.
#![allow(unsafe_code)]

use socket2::Socket;
use std::io;
use std::os::fd::AsRawFd;

/// Name of an integer option: level and number.
pub(super) type Name = (libc::c_int, libc::c_int);

/// Upper bound of the advertised window, bytes (tcp(7)).
pub(super) const WINDOW_CLAMP: Name = (libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP);
/// Bytes per second (socket(7)); 8 bytes wide since Linux 4.20.
pub(super) const MAX_PACING_RATE: Name = (libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE);
/// Which buffers the application fixed: bit 0 SO_SNDBUF, bit 1 SO_RCVBUF (Linux 5.14, include/uapi/linux/socket.h).
pub(super) const BUF_LOCK: Name = (libc::SOL_SOCKET, 72);

/// Room for any kernel's `struct tcp_info` (280 bytes in Linux 6.18).
const TCP_INFO_ROOM: usize = 1024;

/// An integer option's value.
pub(super) fn get_u32(socket: &Socket, name: Name) -> io::Result<u32> {
    let bytes = get(socket, name, 4)?;
    bytes
        .try_into()
        .map(u32::from_ne_bytes)
        .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
}

/// A 64-bit option's value; kernels that know it as 32 bits answer with 4 bytes.
pub(super) fn get_u64(socket: &Socket, name: Name) -> io::Result<u64> {
    let bytes = get(socket, name, 8)?;
    match (<[u8; 8]>::try_from(bytes.as_slice()), <[u8; 4]>::try_from(bytes.as_slice())) {
        (Ok(wide), _) => Ok(u64::from_ne_bytes(wide)),
        (_, Ok(narrow)) => Ok(u64::from(u32::from_ne_bytes(narrow))),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The kernel's `struct tcp_info`, as long as this kernel's is.
pub(super) fn tcp_info(socket: &Socket) -> io::Result<Vec<u8>> {
    get(socket, (libc::IPPROTO_TCP, libc::TCP_INFO), TCP_INFO_ROOM)
}

fn get(socket: &Socket, (level, option): Name, room: usize) -> io::Result<Vec<u8>> {
    let mut value = vec![0_u8; room];
    let mut len = room as libc::socklen_t;
    // SAFETY: `value` has `len` writable bytes, `len` is a valid socklen_t; the kernel writes at most `len` bytes and sets it.
    let result = unsafe {
        libc::getsockopt(socket.as_raw_fd(), level, option, value.as_mut_ptr().cast(), &raw mut len)
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    value.truncate(len as usize);
    Ok(value)
}

/// Sets an option to these bytes.
pub(super) fn set(socket: &Socket, (level, option): Name, value: &[u8]) -> io::Result<()> {
    let len = value.len() as libc::socklen_t;
    // SAFETY: `value` has `len` readable bytes, which the kernel only reads.
    let result =
        unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, value.as_ptr().cast(), len) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
