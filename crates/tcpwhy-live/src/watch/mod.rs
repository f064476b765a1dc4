//! Samples over time: what each socket did between two rounds.

mod track;

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use hashbrown::{HashMap, HashSet};
use tcpwhy_core::socket::{Receiver, State, Stopwatch};

use crate::locks::Locks;
use crate::namespaces::Namespaces;
use crate::process::{Descriptors, Owner, Owners};
use crate::sample::{Sample, Selection};
use track::Track;

/// Longest look for new sockets' processes in a round: what is not found by then shows a round later. The first round takes what it takes.
const WALK: Duration = Duration::from_millis(50);

/// Watches the sockets of network namespaces.
#[derive(Debug)]
pub struct Watch {
    namespaces: Namespaces,
    /// Others than ours in which there was no socket. The kernel walks through the sockets of all for each: with every sample one of these is
    /// asked again.
    empty: VecDeque<u32>,
    selection: Selection,
    began: Instant,
    /// Dumps so far, and the last one that was not refused: a track that was in none since then is of a socket that is gone.
    dumps: u64,
    complete: u64,
    tracks: HashMap<u64, Track>,
    owners: Owners,
    /// Whose the sockets are was asked before.
    met: bool,
    /// The newest round was handed out: the next sample begins another one.
    is_over: bool,
    /// Inodes of the sockets in the round.
    inodes: HashSet<u32>,
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
            empty: VecDeque::new(),
            selection: Selection::default(),
            began: Instant::now(),
            dumps: 0,
            complete: 0,
            tracks: HashMap::new(),
            owners: Owners::default(),
            met: false,
            is_over: false,
            inodes: HashSet::new(),
        }
    }

    /// The network namespaces that are watched.
    #[must_use]
    pub fn namespaces(&self) -> &Namespaces {
        &self.namespaces
    }

    /// Leaves out the sockets that are not in `selection`: the kernel does not even look at them.
    #[must_use]
    pub fn only(self, selection: Selection) -> Self {
        Self { selection, ..self }
    }

    /// Asks the kernel's iterator whose a socket is and what its application set, not `/proc` and each socket.
    #[must_use]
    pub fn with_descriptors(self, descriptors: Option<Descriptors>) -> Self {
        Self { owners: Owners::of_descriptors(descriptors), ..self }
    }

    /// Takes one sample of every socket and returns how many there are. A sub-sample: a verdict wants several in a round.
    ///
    /// # Errors
    /// The kernel refused the dump.
    pub fn sample(&mut self) -> io::Result<usize> {
        self.start_round();
        self.dumps += 1;
        let mut all = 0;
        self.empty.pop_front();
        for namespace in self.namespaces.iter() {
            if self.empty.contains(&namespace.inode) {
                continue;
            }
            // Where there are many, the first was asked long ago when the last one's turn comes.
            let t_ns = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
            let (dump, netns) = (self.dumps, namespace.inode);
            let (tracks, mut count) = (&mut self.tracks, 0);
            namespace.dump.each(self.selection, |view| match tracks.get_mut(&view.cookie) {
                // What the kernel keeps of a closed one that waits for the other end's FIN (`inet_twsk`) tells nothing of it.
                _ if view.tcp_info.is_empty() => {}
                // A socket that comes twice in a dump is one socket.
                Some(track) if track.is_in(dump) => {}
                Some(track) => {
                    count += 1;
                    track.add(t_ns, dump, view);
                }
                None => {
                    count += 1;
                    tracks.insert(view.cookie, Track::new(t_ns, netns, dump, view));
                }
            })?;
            if count == 0 && netns != self.namespaces.own_inode() {
                self.empty.push_back(netns);
            }
            all += count;
        }
        self.complete = self.dumps;
        Ok(all)
    }

    /// Whether nobody was asked yet whose the sockets are.
    #[must_use]
    pub fn knows_nobody(&self) -> bool {
        !self.met
    }

    /// Finds out whose the sockets are, and what the applications of those that `wanted` takes set. [`Watch::round`] does it, too; of what
    /// has closed by then it could not be asked any more.
    pub fn meet(&mut self, wanted: impl Fn(&Sample, Option<&Owner>) -> bool) {
        self.inodes.clear();
        let inodes = self.tracks.values().map(|track| track.seen.sample.inode);
        self.inodes.extend(inodes.filter(|inode| *inode != 0));
        let first = !std::mem::replace(&mut self.met, true);
        self.owners.update(&self.inodes, if first { Duration::MAX } else { WALK });
        let locks = self.owners.take_locks();
        for track in self.tracks.values_mut() {
            let inode = track.seen.sample.inode;
            // What its process has closed was its own.
            let is_open = inode != 0 && !track.is_gone(self.complete);
            if is_open {
                track.belongs_to(self.owners.of(inode));
            }
            track.wanted = wanted(&track.seen.sample, track.seen.owner.as_ref());
            if !track.wanted {
                continue;
            }
            track.take_locks(locks.get(&track.seen.sample.cookie).copied());
            if is_open && !track.read_locks() {
                self.owners.is_wrong(inode);
            }
        }
    }

    /// Ends the round: everything seen of the sockets that `wanted` takes since the last one. Those that closed are handed out a last time.
    pub fn round(
        &mut self,
        wanted: impl Fn(&Sample, Option<&Owner>) -> bool,
    ) -> impl Iterator<Item = &Observed> {
        self.start_round();
        self.meet(wanted);
        self.tracks.values_mut().for_each(|track| track.end_round(self.complete));
        self.is_over = true;
        self.empty.clear();
        self.namespaces.look();
        self.tracks.values().filter(|track| track.wanted).map(|track| &track.seen)
    }

    /// What was handed out is done with.
    fn start_round(&mut self) {
        if std::mem::take(&mut self.is_over) {
            self.tracks.retain(|_, track| {
                track.start_round();
                !track.seen.closed
            });
        }
    }
}

#[cfg(test)]
mod tests;
