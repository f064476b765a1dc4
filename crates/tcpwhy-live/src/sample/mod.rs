//! Samples of every TCP socket of a network namespace, by a dump of `sock_diag(7)`.

mod diag;
mod request;
mod wire;

pub use diag::Dump;
pub use request::Selection;
pub use wire::View;

use std::net::SocketAddr;

/// One socket at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// This end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// Inode of the socket's file, which `/proc/PID/fd` names; 0 once no process has it open.
    pub inode: u32,
    /// Owner of the socket's file.
    pub uid: u32,
    /// Congestion control.
    pub congestion: String,
    /// Cgroup in which the socket was made: the inode of its folder; 0 before Linux 5.9.
    pub cgroup: u64,
    /// The kernel's socket cookie: no two sockets share it while the machine runs.
    pub cookie: u64,
    /// Bytes received and not read.
    pub rqueue: u32,
    /// Bytes written and not acknowledged.
    pub wqueue: u32,
    /// Raw `struct tcp_info`, as long as this kernel's is.
    pub tcp_info: Vec<u8>,
    /// `SK_MEMINFO_*` in the kernel's order: rmem_alloc, rcvbuf, wmem_alloc, sndbuf, fwd_alloc, wmem_queued, optmem, backlog, drops.
    pub skmem: Vec<u32>,
}

impl Sample {
    /// Takes over a later look at the same socket, in the memory that this one has.
    pub fn renew(&mut self, view: &View<'_>) {
        self.congestion.clear();
        self.congestion.push_str(view.congestion);
        self.tcp_info.clear();
        self.tcp_info.extend_from_slice(view.tcp_info);
        self.skmem.clear();
        self.skmem.extend(view.skmem());
        let View { local, remote, inode, uid, cgroup, cookie, rqueue, wqueue, .. } = *view;
        (self.local, self.remote, self.inode, self.uid) = (local, remote, inode, uid);
        (self.cgroup, self.cookie, self.rqueue, self.wqueue) = (cgroup, cookie, rqueue, wqueue);
    }
}

impl From<&View<'_>> for Sample {
    fn from(view: &View<'_>) -> Self {
        let View { local, remote, inode, uid, cgroup, cookie, rqueue, wqueue, .. } = *view;
        Self {
            local,
            remote,
            inode,
            uid,
            congestion: view.congestion.to_owned(),
            cgroup,
            cookie,
            rqueue,
            wqueue,
            tcp_info: view.tcp_info.to_vec(),
            skmem: view.skmem().collect(),
        }
    }
}
