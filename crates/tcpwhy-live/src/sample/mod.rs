//! Samples of every TCP socket of a network namespace, by a dump of `sock_diag(7)`.

mod diag;
mod request;
mod wire;

pub use diag::Dump;
pub use request::Selection;
pub use wire::View;

use std::net::SocketAddr;
use std::ops::Range;

/// Where `struct tcp_info` says how long ago data and ACKs were sent and received: these run on while nothing happens.
const AGES: Range<usize> = 44..60;

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
    /// Takes over a later look at the same socket, in the memory that this one has. `false`: it rested, and all is as it was but for the
    /// `AGES` of what happened last.
    pub fn renew(&mut self, view: &View<'_>) -> bool {
        if self.rested(view) {
            self.tcp_info.copy_from_slice(view.tcp_info);
            return false;
        }
        self.congestion.clear();
        self.congestion.push_str(view.congestion);
        self.tcp_info.clear();
        self.tcp_info.extend_from_slice(view.tcp_info);
        self.skmem.clear();
        self.skmem.extend(view.skmem());
        let View { local, remote, inode, uid, cgroup, cookie, rqueue, wqueue, .. } = *view;
        (self.local, self.remote, self.inode, self.uid) = (local, remote, inode, uid);
        (self.cgroup, self.cookie, self.rqueue, self.wqueue) = (cgroup, cookie, rqueue, wqueue);
        true
    }

    fn rested(&self, view: &View<'_>) -> bool {
        let View { local, remote, inode, uid, cgroup, cookie, rqueue, wqueue, .. } = *view;
        (self.rqueue, self.wqueue, self.inode) == (rqueue, wqueue, inode)
            && (self.uid, self.cgroup, self.cookie) == (uid, cgroup, cookie)
            && self.tcp_info.len() == view.tcp_info.len()
            && lasting(&self.tcp_info).is_some_and(|info| Some(info) == lasting(view.tcp_info))
            && view.skmem().eq(self.skmem.iter().copied())
            && self.congestion == view.congestion
            && (self.local, self.remote) == (local, remote)
    }
}

/// What of a `struct tcp_info` does not run on by itself: what comes before the ages, and after them.
fn lasting(info: &[u8]) -> Option<(&[u8], &[u8])> {
    Some((info.get(..AGES.start)?, info.get(AGES.end..)?))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `later` moved; the sample is what it would be without an earlier look.
    fn moved(first: &View<'_>, later: &View<'_>) -> bool {
        let mut sample = Sample::from(first);
        let moved = sample.renew(later);
        assert_eq!(sample, Sample::from(later));
        moved
    }

    #[test]
    fn all_but_the_ages_of_a_resting_socket_stays_as_it_is() {
        let (info, skmem) = ([7; 280], [9; 36]);
        let end: SocketAddr = "10.0.0.1:80".parse().unwrap();
        let view = View {
            local: end,
            remote: end,
            inode: 1,
            uid: 2,
            congestion: "cubic",
            cgroup: 3,
            cookie: 4,
            rqueue: 5,
            wqueue: 6,
            tcp_info: &info,
            skmem: &skmem,
        };
        assert!(!moved(&view, &view));
        for at in 0..info.len() {
            let mut other = info;
            other[at] = 8;
            assert_eq!(moved(&view, &View { tcp_info: &other, ..view }), !AGES.contains(&at));
        }
        for at in 0..skmem.len() {
            let mut other = skmem;
            other[at] = 8;
            assert!(moved(&view, &View { skmem: &other, ..view }));
        }
        let other = "10.0.0.1:81".parse().unwrap();
        for later in [
            View { local: other, ..view },
            View { remote: other, ..view },
            View { inode: 0, ..view },
            View { uid: 0, ..view },
            View { congestion: "bbr", ..view },
            View { cgroup: 0, ..view },
            View { rqueue: 0, ..view },
            View { wqueue: 0, ..view },
            View { tcp_info: &info[..232], ..view },
            View { skmem: &skmem[..32], ..view },
        ] {
            assert!(moved(&view, &later), "{later:?}");
        }
        // One that is too short to tell.
        let short = View { tcp_info: &info[..50], ..view };
        assert!(moved(&short, &short));
    }
}
