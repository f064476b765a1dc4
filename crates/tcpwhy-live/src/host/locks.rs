//! Whether programs fixed their sockets' buffers; they do not notice being asked.

use std::io;
use std::time::Duration;

use tcpwhy_core::check::Locks;

use crate::locks::Borrowed;
use crate::process::Owners;

/// A process with a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The kernel's cookie of the socket.
    pub cookie: u64,
    /// Process.
    pub pid: u32,
    /// Its descriptor.
    pub fd: u32,
    /// Program and process, as `mariadbd (712)`.
    pub name: String,
    /// Its buffers.
    pub locks: Locks,
}

/// Whether SO_SNDBUF or SO_RCVBUF was set on descriptor `fd` of process `pid`.
///
/// # Errors
/// No such process or descriptor, not permitted (another user's, or ptrace is restricted), or a kernel before 5.14.
pub fn buffer_locks(pid: u32, fd: u32) -> io::Result<Locks> {
    locks(&Borrowed::new(pid, fd)?)
}

fn locks(socket: &Borrowed) -> io::Result<Locks> {
    let locks = socket.locks()?;
    Ok(Locks { send: locks.send, receive: locks.receive })
}

/// Who holds the sockets with these inodes and cookies, as far as permitted. All descriptors of all processes are looked at once.
#[must_use]
pub fn holders(sockets: &[(u32, u64)]) -> Vec<Holder> {
    let mut owners = Owners::default();
    owners.update(&sockets.iter().map(|(inode, _)| *inode).collect(), Duration::MAX);
    sockets.iter().filter_map(|(inode, cookie)| holder(&owners, *inode, *cookie)).collect()
}

fn holder(owners: &Owners, inode: u32, cookie: u64) -> Option<Holder> {
    let owner = owners.of(inode)?;
    let socket = Borrowed::new(owner.pid, owner.fd).ok()?;
    // The descriptor may have become another socket since `/proc` was read.
    socket.cookie().ok().filter(|found| *found == cookie)?;
    let name = format!("{} ({})", owner.command, owner.pid);
    Some(Holder { cookie, pid: owner.pid, fd: owner.fd, name, locks: locks(&socket).ok()? })
}
