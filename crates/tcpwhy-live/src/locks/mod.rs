//! What only the socket itself tells, and what it lets be changed: another process's descriptor, duplicated by `pidfd_getfd(2)`.
//!
//! The other process is not stopped and does not notice. It takes the right to trace it: the same user (and a `ptrace_scope` that
//! allows it), or CAP_SYS_PTRACE.

mod sys;

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};

use rustix::net::{AddressFamily, SocketType};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use crate::namespaces::inside;
use crate::process::Owner;
use crate::settings::Settings;

/// `SOCK_SNDBUF_LOCK` (`include/net/sock.h`): the application set SO_SNDBUF.
pub const SEND_LOCK: u32 = 1;
/// `SOCK_RCVBUF_LOCK`: the application set SO_RCVBUF.
pub const RECEIVE_LOCK: u32 = 2;
/// `sk_userlocks` carries other bits, too.
const LOCKS: u32 = SEND_LOCK | RECEIVE_LOCK;

/// What an application set on a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locks {
    /// SO_SNDBUF was set: autotuning is off.
    pub send: bool,
    /// SO_RCVBUF was set: autotuning is off.
    pub receive: bool,
    /// `sk_sndbuf`, bytes: twice of what was asked for.
    pub sndbuf: u32,
    /// `sk_rcvbuf`, bytes.
    pub rcvbuf: u32,
    /// TCP_WINDOW_CLAMP, bytes: no window will be larger.
    pub window_clamp: u32,
    /// TCP_NOTSENT_LOWAT, bytes; `None` where the application did not set it.
    pub notsent_lowat: Option<u32>,
}

impl Locks {
    /// Of the kernel's value: 0 stands for the system's, which is no bound by itself.
    pub(crate) fn lowat(bytes: u32) -> Option<u32> {
        Some(bytes).filter(|bytes| *bytes != 0 && *bytes != u32::MAX)
    }
}

/// A duplicate of another process's socket.
#[derive(Debug)]
pub struct Borrowed(OwnedFd);

impl Borrowed {
    /// Duplicates descriptor `fd` of process `pid`.
    ///
    /// # Errors
    /// The process or descriptor is gone, or may not be traced by this user.
    pub fn new(pid: u32, fd: u32) -> io::Result<Self> {
        let (Ok(pid), Ok(fd)) = (i32::try_from(pid), i32::try_from(fd)) else {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        };
        let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::NotFound)?;
        let process = pidfd_open(pid, PidfdFlags::empty())?;
        Ok(Self(pidfd_getfd(process.as_fd(), fd, PidfdGetfdFlags::empty())?))
    }

    /// Duplicates the owner's descriptor of the socket with this cookie; `None` where it is gone, may not be touched, or has become another
    /// socket since.
    #[must_use]
    pub fn of(owner: &Owner, cookie: u64) -> Option<Self> {
        let borrowed = Self::new(owner.pid, owner.fd).ok()?;
        borrowed.cookie().is_ok_and(|found| found == cookie).then_some(borrowed)
    }

    /// `SO_COOKIE`: which socket it is.
    ///
    /// # Errors
    /// The descriptor is no socket.
    pub fn cookie(&self) -> io::Result<u64> {
        sys::get(self.0.as_fd(), libc::SOL_SOCKET, libc::SO_COOKIE)
    }

    /// This end and the other end.
    ///
    /// # Errors
    /// The descriptor is no connected internet socket.
    pub fn ends(&self) -> io::Result<(SocketAddr, SocketAddr)> {
        let local = rustix::net::getsockname(&self.0)?;
        let remote = rustix::net::getpeername(&self.0)?.ok_or(io::ErrorKind::NotConnected)?;
        Ok((local.try_into()?, remote.try_into()?))
    }

    /// What the application set.
    ///
    /// # Errors
    /// The descriptor is no TCP socket, or the kernel is older than 5.14 (SO_BUF_LOCK).
    pub fn locks(&self) -> io::Result<Locks> {
        let bits: u32 = sys::get(self.0.as_fd(), libc::SOL_SOCKET, sys::SO_BUF_LOCK)?;
        let lowat: u32 = sys::get(self.0.as_fd(), libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT)?;
        Ok(Locks {
            send: bits & SEND_LOCK != 0,
            receive: bits & RECEIVE_LOCK != 0,
            sndbuf: sys::get(self.0.as_fd(), libc::SOL_SOCKET, libc::SO_SNDBUF)?,
            rcvbuf: sys::get(self.0.as_fd(), libc::SOL_SOCKET, libc::SO_RCVBUF)?,
            window_clamp: sys::get(self.0.as_fd(), libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP)?,
            notsent_lowat: Locks::lowat(lowat),
        })
    }

    /// The settings that hold for it: those of the network namespace that it was made in. It takes CAP_NET_ADMIN and CAP_SYS_ADMIN to read
    /// those of another one than ours; without them they are 0.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let ours = Settings::read();
        if self.is_ours().unwrap_or(false) {
            return ours;
        }
        let theirs = sys::namespace(self.0.as_fd()).and_then(|file| inside(&file, Settings::read));
        // There is one value for all namespaces, and older kernels show it in the first one only (`net/core/sysctl_net_core.c`).
        Settings { rmem_max: ours.rmem_max, ..theirs.unwrap_or_default() }
    }

    /// Whether it was made in the caller's network namespace.
    fn is_ours(&self) -> io::Result<bool> {
        let ours = rustix::net::socket(AddressFamily::UNIX, SocketType::DGRAM, None)?;
        let cookie = |socket| sys::get::<u64>(socket, libc::SOL_SOCKET, sys::SO_NETNS_COOKIE);
        Ok(cookie(self.0.as_fd())? == cookie(ours.as_fd())?)
    }

    /// Raw `struct tcp_info`.
    ///
    /// # Errors
    /// The descriptor is no TCP socket.
    pub fn tcp_info(&self) -> io::Result<Vec<u8>> {
        sys::tcp_info(self.0.as_fd())
    }

    /// Both lock bits at once: [`SEND_LOCK`], [`RECEIVE_LOCK`].
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn set_lock_bits(&self, bits: u32) -> io::Result<()> {
        sys::set(self.0.as_fd(), libc::SOL_SOCKET, sys::SO_BUF_LOCK, bits & LOCKS)
    }

    /// SO_SNDBUF: the kernel doubles it, clamps it by `wmem_max`, and locks the buffer.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn set_send_buffer(&self, bytes: u32) -> io::Result<()> {
        sys::set(self.0.as_fd(), libc::SOL_SOCKET, libc::SO_SNDBUF, bytes)
    }

    /// SO_RCVBUF: the kernel doubles it, clamps it by `rmem_max`, and locks the buffer.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn set_receive_buffer(&self, bytes: u32) -> io::Result<()> {
        sys::set(self.0.as_fd(), libc::SOL_SOCKET, libc::SO_RCVBUF, bytes)
    }

    /// TCP_WINDOW_CLAMP.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn set_window_clamp(&self, bytes: u32) -> io::Result<()> {
        sys::set(self.0.as_fd(), libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    fn borrow(socket: &impl AsRawFd) -> Option<Borrowed> {
        let borrowed = Borrowed::new(std::process::id(), socket.as_raw_fd() as u32);
        borrowed.map_err(|why| println!("skipped: {why}")).ok()
    }

    #[test]
    fn a_lock_is_read_set_and_taken_off_through_the_duplicate() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let Some(borrowed) = borrow(&client) else { return };
        assert!(!borrowed.locks().unwrap().send);
        rustix::net::sockopt::set_socket_send_buffer_size(&client, 16_384).unwrap();
        let locks = borrowed.locks().unwrap();
        assert!(locks.send && !locks.receive);
        assert_eq!(locks.sndbuf, 32_768);
        assert_eq!(locks.notsent_lowat, None);
        borrowed.set_lock_bits(0).unwrap();
        assert!(!borrowed.locks().unwrap().send);
        let cookie = borrowed.cookie().unwrap();
        let fd = u32::try_from(client.as_raw_fd()).unwrap();
        let owner = Owner { pid: std::process::id(), command: "".into(), fd };
        assert!(Borrowed::of(&owner, cookie).is_some());
        assert!(Borrowed::of(&owner, cookie + 1).is_none(), "another socket by now");
        assert!(borrowed.tcp_info().unwrap().len() > 200);
    }

    #[test]
    fn what_is_gone_or_no_socket_is_an_error_and_not_a_panic() {
        assert!(Borrowed::new(u32::MAX, 0).is_err());
        assert!(Borrowed::new(0, 0).is_err());
        let file = std::fs::File::open("/proc/self/stat").unwrap();
        if let Some(borrowed) = borrow(&file) {
            assert!(borrowed.locks().is_err());
        }
    }
}
