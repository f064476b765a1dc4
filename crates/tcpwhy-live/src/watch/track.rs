//! What was seen of one socket since the last round.

use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_core::socket::{Receiver, State, Stopwatch};

use super::{Counters, Observed};
use crate::locks::{Borrowed, Locks};
use crate::process::Owner;
use crate::sample::{Sample, View};

/// Samples kept of a socket in a round; later ones replace the last, so that memory has a bound.
const MOST_STATES: usize = 1024;

#[derive(Debug)]
pub(super) struct Track {
    pub(super) sample: Sample,
    /// Inode of its network namespace.
    netns: u32,
    /// Counters at the beginning of the round.
    first: Counters,
    states: Vec<State>,
    receivers: Vec<Receiver>,
    /// Number of the last dump that had it.
    dump: u64,
    locks: Option<Locks>,
    /// Buffers for which the locks were read.
    locks_of: Option<(u32, u32)>,
}

impl Track {
    pub(super) fn new(t_ns: u64, netns: u32, dump: u64, view: &View<'_>) -> Self {
        let sample = Sample::from(view);
        let mut track = Self {
            netns,
            first: counters(t_ns, &sample),
            states: Vec::new(),
            receivers: Vec::new(),
            dump,
            locks: None,
            locks_of: None,
            sample,
        };
        track.push(t_ns);
        track
    }

    pub(super) fn add(&mut self, t_ns: u64, dump: u64, view: &View<'_>) {
        self.sample.renew(view);
        self.dump = dump;
        self.push(t_ns);
    }

    /// Whether this dump had it.
    pub(super) fn is_in(&self, dump: u64) -> bool {
        self.dump == dump
    }

    fn push(&mut self, t_ns: u64) {
        let sample = &self.sample;
        let info = TcpInfo(&sample.tcp_info);
        if self.receivers.len() < MOST_STATES {
            self.receivers.push(Receiver {
                unread: sample.rqueue,
                rmem_alloc: sample.skmem.first().copied().unwrap_or(0),
                rcvbuf: sample.skmem.get(1).copied().unwrap_or(0),
            });
        }
        let Some(state) = State::from_sample(t_ns, info, sample.wqueue, &sample.skmem) else {
            return;
        };
        // A socket on which nothing happens is its first and its newest state: most sockets of a large machine are like that.
        let same = |s: &State| State { t_ns, ..*s } == state;
        let resting = self.states.iter().rev().take(2).filter(|s| same(s)).count() == 2;
        if resting || self.states.len() >= MOST_STATES {
            self.states.pop();
        }
        self.states.push(state);
    }

    fn last(&self) -> Counters {
        counters(self.states.last().map_or(self.first.t_ns, |s| s.t_ns), &self.sample)
    }

    /// What was told of them without asking the socket.
    pub(super) fn take_locks(&mut self, locks: Option<Locks>) {
        if let (Some(locks), Some(buffers)) = (locks, self.buffers()) {
            self.locks = Some(locks);
            self.locks_of = Some(buffers);
        }
    }

    /// Sizes of the send and the receive buffer.
    fn buffers(&self) -> Option<(u32, u32)> {
        let [_, rcvbuf, _, sndbuf, ..] = *self.sample.skmem.as_slice() else { return None };
        Some((sndbuf, rcvbuf))
    }

    /// The lock bits change only with a setsockopt, which changes the size with them nearly always. `false`: the owner's descriptor is
    /// another socket by now, or closed.
    pub(super) fn read_locks(&mut self, owner: Option<&Owner>) -> bool {
        let (Some(owner), Some(buffers)) = (owner, self.buffers()) else { return true };
        if self.locks_of == Some(buffers) {
            return true;
        }
        self.locks = None;
        self.locks_of = Some(buffers);
        match Borrowed::new(owner.pid, owner.fd) {
            Ok(socket) if socket.cookie().is_ok_and(|cookie| cookie == self.sample.cookie) => {
                self.locks = socket.locks().ok();
                true
            }
            // Another user's, or no descriptor is left here: asking again would be no better.
            Err(e) if !matches!(e.raw_os_error(), Some(libc::EBADF | libc::ESRCH)) => true,
            _ => {
                self.locks_of = None;
                false
            }
        }
    }

    pub(super) fn observed(&self, owner: Option<Owner>, closed: bool) -> Observed {
        Observed {
            sample: self.sample.clone(),
            netns: self.netns,
            states: self.states.clone(),
            receivers: self.receivers.clone(),
            first: self.first,
            last: self.last(),
            owner,
            locks: self.locks,
            closed,
        }
    }

    /// The newest state begins the next round.
    pub(super) fn start_round(&mut self) {
        self.first = self.last();
        self.states.drain(..self.states.len().saturating_sub(1));
        self.receivers.drain(..self.receivers.len().saturating_sub(1));
    }
}

fn counters(t_ns: u64, sample: &Sample) -> Counters {
    let info = TcpInfo(&sample.tcp_info);
    Counters {
        t_ns,
        acked: info.bytes_acked().unwrap_or(0),
        received: info.bytes_received().unwrap_or(0),
        resent: info.total_retrans().unwrap_or(0),
        stopwatch: Stopwatch::of(info),
    }
}
