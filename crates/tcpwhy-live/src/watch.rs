//! Samples over time: what each socket did between two rounds.

use std::collections::HashMap;
use std::io;
use std::time::Instant;

use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_core::socket::{Receiver, State, Stopwatch};

use crate::locks::{Borrowed, Locks};
use crate::namespaces::Namespaces;
use crate::process::{Owner, Owners};
use crate::sample::Sample;

/// Samples kept of a socket in a round; later ones replace the last, so that memory has a bound.
const MOST_STATES: usize = 1024;

/// Watches the sockets of network namespaces.
#[derive(Debug)]
pub struct Watch {
    namespaces: Namespaces,
    began: Instant,
    tracks: HashMap<u64, Track>,
    owners: Owners,
}

/// What was seen of one socket since the last round.
#[derive(Debug)]
struct Track {
    sample: Sample,
    netns: u32,
    /// Counters at the beginning of the round.
    first: Counters,
    states: Vec<State>,
    receivers: Vec<Receiver>,
    /// Whether the newest dump had it.
    alive: bool,
    locks: Option<Locks>,
    /// Buffers for which the locks were read.
    locks_of: Option<(u32, u32)>,
}

/// Counters of a socket, that only grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Nanoseconds since the watch began.
    pub t_ns: u64,
    /// Bytes that the peer acknowledged.
    pub acked: u64,
    /// Bytes received.
    pub received: u64,
    /// Packets sent again.
    pub resent: u32,
    /// The kernel's own account; `None` before Linux 4.10.
    pub stopwatch: Option<Stopwatch>,
}

/// One socket over one round.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The newest sample.
    pub sample: Sample,
    /// Inode of its network namespace.
    pub netns: u32,
    /// The sender's states in order of time; the first is the last one of the round before.
    pub states: Vec<State>,
    /// The same moments as a receiver.
    pub receivers: Vec<Receiver>,
    /// Counters when the round began.
    pub first: Counters,
    /// Counters of the newest sample.
    pub last: Counters,
    /// Who has it open, as far as this user may know.
    pub owner: Option<Owner>,
    /// What its application set, where this user may read it.
    pub locks: Option<Locks>,
    /// It is gone.
    pub closed: bool,
}

impl Watch {
    /// Of the caller's network namespace.
    ///
    /// # Errors
    /// The kernel has no `sock_diag`, or no descriptor is left.
    pub fn open() -> io::Result<Self> {
        Namespaces::own().map(Self::of)
    }

    /// Of these network namespaces, and of those that they will find.
    #[must_use]
    pub fn of(namespaces: Namespaces) -> Self {
        Self {
            namespaces,
            began: Instant::now(),
            tracks: HashMap::new(),
            owners: Owners::default(),
        }
    }

    /// The network namespaces that are watched.
    #[must_use]
    pub fn namespaces(&self) -> &Namespaces {
        &self.namespaces
    }

    /// Takes one sample of every socket and returns how many there are. A sub-sample: a verdict wants several in a round.
    ///
    /// # Errors
    /// The kernel refused the dump.
    pub fn sample(&mut self) -> io::Result<usize> {
        self.tracks.values_mut().for_each(|track| track.alive = false);
        let mut count = 0;
        for namespace in self.namespaces.iter() {
            // Of each its own moment: where there are many, the first is long asked when the last one's turn comes.
            let t_ns = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
            let sockets = namespace.dump.sockets()?;
            count += sockets.len();
            for sample in sockets {
                match self.tracks.get_mut(&sample.cookie) {
                    Some(track) => track.add(t_ns, sample),
                    None => {
                        let track = Track::new(t_ns, namespace.inode, sample);
                        self.tracks.insert(track.sample.cookie, track);
                    }
                }
            }
        }
        Ok(count)
    }

    /// Ends the round: everything seen of the sockets that `wanted` takes since the last one. Those that closed are handed out a last time.
    pub fn round(&mut self, wanted: impl Fn(&Sample, Option<&Owner>) -> bool) -> Vec<Observed> {
        let unknown = |t: &Track| t.sample.inode != 0 && self.owners.of(t.sample.inode).is_none();
        if self.tracks.values().any(unknown) {
            self.owners = Owners::read();
        }
        let owners = &self.owners;
        let mut seen = Vec::new();
        for track in self.tracks.values_mut() {
            let owner = owners.of(track.sample.inode);
            if wanted(&track.sample, owner) {
                track.read_locks(owner);
                seen.push(track.observed(owner.cloned()));
            }
            track.start_round();
        }
        self.tracks.retain(|_, track| track.alive);
        self.namespaces.look();
        seen
    }
}

impl Track {
    fn new(t_ns: u64, netns: u32, sample: Sample) -> Self {
        let mut track = Self {
            netns,
            first: counters(t_ns, &sample),
            states: Vec::new(),
            receivers: Vec::new(),
            alive: true,
            locks: None,
            locks_of: None,
            sample,
        };
        track.push(t_ns);
        track
    }

    fn add(&mut self, t_ns: u64, sample: Sample) {
        self.sample = sample;
        self.alive = true;
        self.push(t_ns);
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

    /// The lock bits change only with a setsockopt, which changes the size with them nearly always.
    fn read_locks(&mut self, owner: Option<&Owner>) {
        let (Some(owner), [_, rcvbuf, _, sndbuf, ..]) = (owner, self.sample.skmem.as_slice())
        else {
            return;
        };
        let buffers = Some((*sndbuf, *rcvbuf));
        if self.locks_of != buffers && self.alive {
            self.locks_of = buffers;
            self.locks = locks(owner, self.sample.cookie);
        }
    }

    fn observed(&self, owner: Option<Owner>) -> Observed {
        Observed {
            sample: self.sample.clone(),
            netns: self.netns,
            states: self.states.clone(),
            receivers: self.receivers.clone(),
            first: self.first,
            last: self.last(),
            owner,
            locks: self.locks,
            closed: !self.alive,
        }
    }

    /// The newest state begins the next round.
    fn start_round(&mut self) {
        self.first = self.last();
        self.states.drain(..self.states.len().saturating_sub(1));
        self.receivers.drain(..self.receivers.len().saturating_sub(1));
    }
}

/// The descriptor may have become another socket since `/proc` was read: the cookie tells.
fn locks(owner: &Owner, cookie: u64) -> Option<Locks> {
    let borrowed = Borrowed::new(owner.pid, owner.fd).ok()?;
    borrowed.cookie().ok().filter(|c| *c == cookie)?;
    borrowed.locks().ok()
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    fn of(watch: &mut Watch, port: u16) -> Vec<Observed> {
        watch.sample().unwrap();
        watch.round(|sample, _| sample.local.port() == port || sample.remote.port() == port)
    }

    #[test]
    fn a_socket_is_seen_with_its_owner_and_what_it_carried() {
        let Ok(mut watch) = Watch::open() else { return println!("skipped: no sock_diag") };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let end = listener.local_addr().unwrap();
        let mut client = TcpStream::connect(end).unwrap();
        let _server = listener.accept().unwrap();
        watch.sample().unwrap();
        client.write_all(&[0; 1000]).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let seen = of(&mut watch, end.port());
        assert_eq!(seen.len(), 2);
        let sender = seen.iter().find(|s| s.sample.remote == end).unwrap();
        assert_eq!(sender.last.acked - sender.first.acked, 1000);
        assert_eq!(sender.owner.as_ref().unwrap().pid, std::process::id());
        assert!(!sender.sample.congestion.is_empty());
        let receiver = seen.iter().find(|s| s.sample.local == end).unwrap();
        assert_eq!(receiver.last.received - receiver.first.received, 1000);
    }

    #[test]
    fn a_closed_socket_is_handed_out_once_more_and_forgotten() {
        let Ok(mut watch) = Watch::open() else { return println!("skipped: no sock_diag") };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let end = listener.local_addr().unwrap();
        for _ in 0..50 {
            let client = TcpStream::connect(end).unwrap();
            let server = listener.accept().unwrap();
            watch.sample().unwrap();
            drop((client, server));
        }
        let closed = of(&mut watch, end.port());
        assert_eq!(closed.len(), 100);
        assert!(closed.iter().filter(|s| s.closed).count() >= 98);
        let left = |watch: &mut Watch| of(watch, end.port()).iter().filter(|s| s.closed).count();
        assert!(left(&mut watch) <= 2);
        assert_eq!(left(&mut watch), 0);
    }

    #[test]
    fn a_resting_socket_keeps_two_states() {
        let Ok(mut watch) = Watch::open() else { return println!("skipped: no sock_diag") };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let end = listener.local_addr().unwrap();
        let _both = (TcpStream::connect(end).unwrap(), listener.accept().unwrap());
        for _ in 0..20 {
            watch.sample().unwrap();
        }
        let seen = of(&mut watch, end.port());
        assert!(seen.iter().all(|s| s.states.len() <= 3), "{seen:?}");
    }
}
