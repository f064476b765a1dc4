//! What was seen of one socket since the last round.

use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_core::socket::{Receiver, State, Stopwatch};

use super::{Counters, Observed};
use crate::locks::{Borrowed, Locks};
use crate::process::Owner;
use crate::sample::{Sample, View};

/// Samples kept of a socket in a round, so that memory has a bound: beyond it every second one is left out, and a long round is seen less finely.
const MOST_STATES: usize = 1024;

/// Between two rounds it keeps all its memory: a socket that rests takes none anew.
#[derive(Debug)]
pub(super) struct Track {
    /// What is handed out when the round is over.
    pub(super) seen: Observed,
    /// Whether it is.
    pub(super) wanted: bool,
    /// Number of the last dump that had it.
    dump: u64,
    /// Buffers for which the locks were read.
    locks_of: Option<(u32, u32)>,
    states_kept: Kept,
    receivers_kept: Kept,
}

impl Track {
    pub(super) fn new(t_ns: u64, netns: u32, dump: u64, view: &View<'_>) -> Self {
        let sample = Sample::from(view);
        let first = counters(t_ns, &sample);
        let state = state(t_ns, &sample);
        let seen = Observed {
            netns,
            states: state.into_iter().collect(),
            receivers: vec![receiver(&sample)],
            first,
            last: first,
            owner: None,
            locks: None,
            closed: false,
            sample,
        };
        Self {
            seen,
            wanted: false,
            dump,
            locks_of: None,
            states_kept: Kept::ALL,
            receivers_kept: Kept::ALL,
        }
    }

    /// A later sample. A state is made of what [`Sample::renew`] compares, so that of a socket which rested is its last one, later.
    pub(super) fn add(&mut self, t_ns: u64, dump: u64, view: &View<'_>) {
        self.dump = dump;
        let seen = &mut self.seen;
        let moved = seen.sample.renew(view);
        self.receivers_kept.add(&mut seen.receivers, receiver(&seen.sample));
        let resting = seen.states.last().filter(|_| !moved);
        let resting = resting.map(|last| State { t_ns, ..*last });
        if let Some(state) = resting.or_else(|| state(t_ns, &seen.sample)) {
            self.push(state);
        }
    }

    /// Whether this dump had it.
    pub(super) fn is_in(&self, dump: u64) -> bool {
        self.dump == dump
    }

    fn push(&mut self, state: State) {
        let states = &mut self.seen.states;
        // A socket on which nothing happens is its first and its newest state: most sockets of a large machine are like that.
        let same = |s: &State| State { t_ns: state.t_ns, ..*s } == state;
        let resting = states.iter().rev().take(2).filter(|s| same(s)).count() == 2;
        if resting {
            states.pop();
            states.push(state);
        } else {
            self.states_kept.add(states, state);
        }
    }

    /// Whether it is: `complete` is the last dump, in which it would be.
    pub(super) fn is_gone(&self, complete: u64) -> bool {
        self.dump < complete
    }

    /// Who has it open.
    pub(super) fn belongs_to(&mut self, owner: Option<&Owner>) {
        if self.seen.owner.as_ref() != owner {
            self.seen.owner = owner.cloned();
        }
    }

    /// The round is over: what was seen is handed out next if it is `wanted`.
    pub(super) fn end_round(&mut self, complete: u64) {
        self.seen.closed = self.is_gone(complete);
        let seen = &mut self.seen;
        let t_ns = seen.states.last().map_or(seen.first.t_ns, |s| s.t_ns);
        seen.last = counters(t_ns, &seen.sample);
    }

    /// What was told of them without asking the socket.
    pub(super) fn take_locks(&mut self, locks: Option<Locks>) {
        if let (Some(locks), Some(buffers)) = (locks, self.buffers()) {
            self.seen.locks = Some(locks);
            self.locks_of = Some(buffers);
        }
    }

    /// Sizes of the send and the receive buffer.
    fn buffers(&self) -> Option<(u32, u32)> {
        let [_, rcvbuf, _, sndbuf, ..] = *self.seen.sample.skmem.as_slice() else { return None };
        Some((sndbuf, rcvbuf))
    }

    /// The lock bits change only with a setsockopt, which changes the size with them nearly always. `false`: the owner's descriptor is
    /// another socket by now, or closed.
    pub(super) fn read_locks(&mut self) -> bool {
        let buffers = self.buffers();
        let seen = &mut self.seen;
        let (Some(owner), Some(buffers)) = (&seen.owner, buffers) else { return true };
        if self.locks_of == Some(buffers) {
            return true;
        }
        seen.locks = None;
        self.locks_of = Some(buffers);
        match Borrowed::new(owner.pid, owner.fd) {
            Ok(socket) if socket.cookie().is_ok_and(|cookie| cookie == seen.sample.cookie) => {
                seen.locks = socket.locks().ok();
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

    /// The newest state begins the next round.
    pub(super) fn start_round(&mut self) {
        let seen = &mut self.seen;
        seen.first = seen.last;
        (self.states_kept, self.receivers_kept) = (Kept::ALL, Kept::ALL);
        seen.states.drain(..seen.states.len().saturating_sub(1));
        seen.receivers.drain(..seen.receivers.len().saturating_sub(1));
    }
}

/// Which samples are kept of a round that has more than [`MOST_STATES`]: the first, one in so many after it, and the newest.
#[derive(Debug, Clone, Copy)]
struct Kept {
    every: usize,
    /// Those that came since the last one that stays.
    since: usize,
}

impl Kept {
    const ALL: Self = Self { every: 1, since: 0 };

    fn add<T>(&mut self, samples: &mut Vec<T>, sample: T) {
        if self.since + 1 < self.every {
            self.since += 1;
            samples.pop();
        } else {
            self.since = 0;
        }
        if samples.len() >= MOST_STATES {
            let mut stays = false;
            samples.retain(|_| {
                stays = !stays;
                stays
            });
            self.every *= 2;
        }
        samples.push(sample);
    }
}

fn state(t_ns: u64, sample: &Sample) -> Option<State> {
    State::from_sample(
        t_ns,
        TcpInfo(&sample.tcp_info),
        sample.wqueue,
        &sample.skmem,
        &sample.congestion,
    )
}

fn receiver(sample: &Sample) -> Receiver {
    Receiver {
        unread: sample.rqueue,
        rmem_alloc: sample.skmem.first().copied().unwrap_or(0),
        rcvbuf: sample.skmem.get(1).copied().unwrap_or(0),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_round_is_seen_less_finely_and_from_its_beginning_to_its_end() {
        let (mut kept, mut samples) = (Kept::ALL, Vec::new());
        for k in 0..10 * MOST_STATES {
            kept.add(&mut samples, k);
            assert!(samples.len() <= MOST_STATES);
            assert_eq!((samples[0], samples.last()), (0, Some(&k)));
        }
        assert!(samples.windows(2).all(|two| two[1] - two[0] <= 64), "no part is left out");
    }
}
