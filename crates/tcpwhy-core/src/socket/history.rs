//! What was sampled of sockets over a whole recording, bounded whatever its length.

use crate::model::Cause;
use crate::observe::Endpoint;
use crate::units::Nanos;

use super::{Buffer, Holder, Receiver, State};

/// Moments of all sockets together: some 200 MB.
const MOST: usize = 1 << 21;
/// Changes of a writer that are kept of one socket.
const MOST_WAITS: usize = 1 << 18;
/// How long an event tells of a writer after it.
const TELLS_NS: u64 = 1_000_000_000;
/// Sockets; a scan of ports has many, which carry nothing.
const MOST_SOCKETS: usize = 1 << 16;

/// One socket at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// As a sender; `t_ns` counts from the Unix epoch.
    pub state: State,
    /// As a receiver.
    pub receiver: Receiver,
}

/// One socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// This end.
    pub local: Endpoint,
    /// The other end.
    pub remote: Endpoint,
    /// In order of time.
    moments: Vec<Seen>,
    /// `SOCK_SNDBUF_LOCK` 1, `SOCK_RCVBUF_LOCK` 2; `None` where nobody could read them.
    locks: Option<u8>,
    /// When its writer began and ceased to wait for room, as the kernel's events have it.
    waits: Vec<(u64, bool)>,
    /// Time of the last event.
    told: u64,
    /// Every so many moments are kept.
    step: u32,
    passed: u32,
    last: Option<Seen>,
}

/// Who a sample is of: the host, the kernel's cookie, and the two ends.
type Key = (String, u64);

/// All sockets that were sampled.
#[derive(Debug, Default)]
pub struct Histories {
    sockets: std::collections::BTreeMap<Key, History>,
    moments: usize,
}

impl Histories {
    /// Adds a sample; those of a socket come in order of time. When there are too many, every second moment of each socket is let
    /// go, and from then on only every second one is kept.
    pub fn push(
        &mut self,
        host: &str,
        cookie: u64,
        ends: [Endpoint; 2],
        seen: Seen,
        locks: Option<u8>,
    ) {
        let key = (host.to_owned(), cookie);
        if self.sockets.len() >= MOST_SOCKETS && !self.sockets.contains_key(&key) {
            return;
        }
        let socket = self.sockets.entry(key).or_insert_with(|| History::new(ends));
        socket.locks = locks.or(socket.locks);
        self.moments += usize::from(socket.push(seen));
        if self.moments > MOST {
            self.sockets.values_mut().for_each(History::thin);
            self.moments = self.sockets.values().map(|socket| socket.moments.len()).sum();
        }
    }

    /// What an event at `t_ns` tells of a socket: its lock bits, and whether its writer waits for room, where it tells that.
    pub fn event(
        &mut self,
        host: &str,
        cookie: u64,
        t_ns: u64,
        locks: Option<u8>,
        waits: Option<bool>,
    ) {
        let Some(socket) = self.sockets.get_mut(&(host.to_owned(), cookie)) else { return };
        socket.locks = locks.or(socket.locks);
        socket.told = socket.told.max(t_ns);
        let before = socket.waits.last().map(|(_, waits)| *waits);
        if let Some(waits) = waits.filter(|_| waits != before && socket.waits.len() < MOST_WAITS) {
            socket.waits.push((t_ns, waits));
        }
    }

    /// The end of the recording: the last moment of each socket counts.
    pub fn finish(&mut self) {
        for socket in self.sockets.values_mut() {
            socket.moments.extend(socket.last.take());
            // From a list that was cut off nothing follows for the time after it.
            if socket.waits.len() >= MOST_WAITS {
                socket.told = socket.waits.last().map_or(0, |(t, _)| *t);
            }
            socket.waits.sort_unstable_by_key(|(t, _)| *t);
        }
    }

    /// Every socket.
    pub fn all(&self) -> impl Iterator<Item = &History> {
        self.sockets.values()
    }

    /// The socket of an end that was sampled for most of the time between two moments; ports are used again.
    pub fn between(&self, ends: [Endpoint; 2], from: Nanos, to: Nanos) -> Option<&History> {
        let here = self.all().filter(|s| [s.local, s.remote] == ends);
        let overlap = |s: &&History| {
            let (first, last) = s.span()?;
            let common = last.min(nanos(to)).saturating_sub(first.max(nanos(from)));
            (common > 0).then_some(common)
        };
        here.filter(|s| overlap(s).is_some()).max_by_key(overlap)
    }
}

impl History {
    fn new([local, remote]: [Endpoint; 2]) -> Self {
        Self {
            local,
            remote,
            moments: Vec::new(),
            locks: None,
            waits: Vec::new(),
            told: 0,
            step: 1,
            passed: 0,
            last: None,
        }
    }

    /// Whether it was kept. The last one is never lost: it says how long the one before it held.
    fn push(&mut self, seen: Seen) -> bool {
        self.last = Some(seen);
        self.passed += 1;
        let keep = self.passed >= self.step;
        if keep {
            self.passed = 0;
            self.moments.extend(self.last.take());
        }
        keep
    }

    fn thin(&mut self) {
        let mut keep = false;
        self.moments.retain(|_| {
            keep = !keep;
            keep
        });
        self.step = self.step.saturating_mul(2);
    }

    fn span(&self) -> Option<(u64, u64)> {
        Some((self.moments.first()?.state.t_ns, self.moments.last()?.state.t_ns))
    }

    /// The sender's states, in order of time, with what events tell of its writer.
    pub fn states(&self) -> Vec<State> {
        let with_writer =
            |seen: &Seen| State { writing: self.waits(seen.state.t_ns), ..seen.state };
        self.moments.iter().map(with_writer).collect()
    }

    /// Whether its writer waited for room; `None` where no event tells.
    fn waits(&self, t_ns: u64) -> Option<bool> {
        let after = self.waits.partition_point(|(t, _)| *t <= t_ns);
        let (_, waits) = self.waits.get(after.checked_sub(1)?)?;
        (t_ns <= self.told.saturating_add(TELLS_NS)).then_some(*waits)
    }

    /// The receiver's, of a part of the time.
    pub(super) fn receivers(&self, from: Nanos, to: Nanos) -> Vec<Receiver> {
        let inside = |seen: &&Seen| (nanos(from)..nanos(to)).contains(&seen.state.t_ns);
        self.moments.iter().filter(inside).map(|seen| seen.receiver).collect()
    }

    /// Who decides over its send buffer; `most`: `tcp_wmem[2]`, 0 where it is not known.
    pub(super) fn holder(&self, most: u64) -> Holder {
        let bytes = self.moments.last().map_or(0, |seen| u64::from(seen.state.sndbuf));
        Buffer::new(bytes, self.locks.map(|bits| bits & 1 != 0), most).holder
    }

    /// Why its send buffer is not larger.
    pub(super) fn buffer_cause(&self, most: u64) -> Cause {
        match self.holder(most) {
            Holder::Application => Cause::LockedByApplication,
            Holder::SystemMost => Cause::SystemMaximum,
            Holder::NotGrownYet | Holder::NotPermitted => Cause::None,
        }
    }
}

/// Before 1970 nothing was sampled.
fn nanos(time: Nanos) -> u64 {
    u64::try_from(time.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(port: u16) -> Endpoint {
        Endpoint::new(std::net::Ipv4Addr::LOCALHOST.into(), port)
    }

    fn seen(t_ns: u64) -> Seen {
        let state = State { t_ns, sndbuf: 32_768, ..State::default() };
        Seen { state, receiver: Receiver::default() }
    }

    #[test]
    fn a_port_that_is_used_again_is_told_by_its_time() {
        let mut all = Histories::default();
        for (cookie, from) in [(1, 0), (2, 1000)] {
            for t in 0..10 {
                all.push("host", cookie, [end(1), end(2)], seen(from + t * 10), None);
            }
        }
        all.event("host", 2, 1000, Some(1), None);
        all.finish();
        let found = |from, to| all.between([end(1), end(2)], Nanos(from), Nanos(to));
        assert_eq!(found(0, 95).unwrap().locks, None);
        assert_eq!(found(900, 2000).unwrap().buffer_cause(0), Cause::LockedByApplication);
        assert!(found(200, 900).is_none());
        assert!(all.between([end(2), end(1)], Nanos(0), Nanos(95)).is_none());
    }

    #[test]
    fn a_writer_waits_from_event_to_event_and_not_long_after_the_last() {
        let mut all = Histories::default();
        let late = 60 + TELLS_NS;
        for t in [0, 10, 20, 30, 50, late] {
            all.push("host", 1, [end(1), end(2)], seen(t), None);
        }
        for (t, waits) in [(10, true), (15, true), (30, false), (40, true)] {
            all.event("host", 1, t, None, Some(waits));
        }
        all.finish();
        let told = all.all().next().unwrap().states();
        let told: Vec<_> = told.iter().map(|s| s.writing).collect();
        assert_eq!(told, [None, Some(true), Some(true), Some(false), Some(true), None]);
    }

    #[test]
    fn thinned_moments_keep_the_beginning_and_the_end() {
        let mut socket = History::new([end(1), end(2)]);
        (0..8).for_each(|t| assert!(socket.push(seen(t))));
        socket.thin();
        (8..11).for_each(|t| _ = socket.push(seen(t)));
        socket.moments.extend(socket.last.take());
        let times: Vec<u64> = socket.states().iter().map(|s| s.t_ns).collect();
        assert_eq!(times, [0, 2, 4, 6, 9, 10]);
    }
}
