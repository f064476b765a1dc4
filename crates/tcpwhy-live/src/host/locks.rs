//! Whether programs fixed their sockets' buffers, asked of a duplicate of the descriptor; the program does not notice.

use std::fs;
use std::io;

use rustix::fd::OwnedFd;
use rustix::net::sockopt::socket_cookie;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use tcpwhy_core::check::Locks;

use super::option::buf_lock;

/// Other bits of `sk_userlocks` stand for bind() and connect() (`include/net/sock.h`).
const SNDBUF: u32 = 1;
const RCVBUF: u32 = 2;

/// A process with a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The kernel's cookie of the socket.
    pub cookie: u64,
    /// Process.
    pub pid: i32,
    /// Its descriptor.
    pub fd: i32,
    /// Program and process, as `mariadbd (712)`.
    pub name: String,
    /// Its buffers.
    pub locks: Locks,
}

/// Whether SO_SNDBUF or SO_RCVBUF was set on descriptor `fd` of process `pid`.
///
/// # Errors
/// No such process or descriptor, not permitted (another user's, or ptrace is restricted), or a kernel before 5.15.
pub fn buffer_locks(pid: i32, fd: i32) -> io::Result<Locks> {
    locks(&duplicate(pid, fd)?)
}

fn duplicate(pid: i32, fd: i32) -> io::Result<OwnedFd> {
    if pid <= 0 || fd < 0 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let process = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidInput)?;
    let process = pidfd_open(process, PidfdFlags::empty())?;
    Ok(pidfd_getfd(process, fd, PidfdGetfdFlags::empty())?)
}

fn locks(socket: &OwnedFd) -> io::Result<Locks> {
    let bits = buf_lock(socket)?;
    Ok(Locks { send: bits & SNDBUF != 0, receive: bits & RCVBUF != 0 })
}

/// Who holds the sockets with these cookies, as far as permitted. All descriptors of all processes are looked at once.
#[must_use]
pub fn holders(cookies: &[u64]) -> Vec<Holder> {
    let mut found = Vec::new();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    for pid in processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok()) {
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        for entry in descriptors {
            let Some(fd) = entry.file_name().to_str().and_then(|fd| fd.parse().ok()) else {
                continue;
            };
            let is_socket = fs::read_link(entry.path())
                .is_ok_and(|to| to.to_str().is_some_and(|to| to.starts_with("socket:[")));
            if is_socket {
                found.extend(holder(pid, fd, cookies));
            }
        }
    }
    found
}

fn holder(pid: i32, fd: i32, cookies: &[u64]) -> Option<Holder> {
    let socket = duplicate(pid, fd).ok()?;
    let cookie = socket_cookie(&socket).ok().filter(|cookie| cookies.contains(cookie))?;
    let comm = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let name = format!("{} ({pid})", comm.trim());
    Some(Holder { cookie, pid, fd, name, locks: locks(&socket).ok()? })
}
