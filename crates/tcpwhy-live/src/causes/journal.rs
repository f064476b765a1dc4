//! The calls of each socket, as far as they are of use.

use std::collections::{HashMap, HashSet};

use super::asked::Asked;
use super::record::Record;

/// Sockets whose calls are kept.
const MOST_SOCKETS: usize = 8192;
/// Calls kept of one socket, the newest.
const MOST_CALLS: usize = 8;
/// A call on a socket that is in no sample (not connected yet) is kept for this long, nanoseconds.
const PATIENCE_NS: u64 = 60_000_000_000;

/// Calls by the inode of their socket.
#[derive(Debug, Default)]
pub(super) struct Journal {
    calls: HashMap<u32, Vec<Asked>>,
    /// Listening sockets by network namespace and port: what they accept inherits their buffers.
    listening: HashMap<(u32, u16), u32>,
    /// Calls that were not kept.
    pub(super) lost: u64,
}

impl Journal {
    pub(super) fn add(&mut self, record: Record) {
        match record {
            Record::Call(inode, asked) => self.call(inode, asked),
            Record::Listens { inode, netns, port } if self.calls.contains_key(&inode) => {
                self.listening.insert((netns, port), inode);
            }
            // Without a call of its own it has nothing to hand on, and whoever listened there before is not the one that accepts.
            Record::Listens { netns, port, .. } => drop(self.listening.remove(&(netns, port))),
        }
    }

    fn call(&mut self, inode: u32, asked: Asked) {
        if self.calls.len() >= MOST_SOCKETS && !self.calls.contains_key(&inode) {
            self.lost += 1;
            return;
        }
        let calls = self.calls.entry(inode).or_default();
        if calls.len() == MOST_CALLS {
            calls.remove(0);
        }
        calls.push(asked);
    }

    /// The calls of a socket in order of time, those of the socket that accepted it first.
    pub(super) fn of(&self, inode: u32, netns: u32, port: u16) -> Vec<Asked> {
        let listener = self.listening.get(&(netns, port)).filter(|listener| **listener != inode);
        let before = listener.and_then(|listener| self.calls.get(listener)).into_iter().flatten();
        let inherited = before.map(|asked| Asked { inherited: true, ..asked.clone() });
        inherited.chain(self.calls.get(&inode).into_iter().flatten().cloned()).collect()
    }

    /// Drops the calls of sockets that are gone.
    pub(super) fn keep(&mut self, alive: &HashSet<u32>, now_ns: u64) {
        let listening: HashSet<u32> = self.listening.values().copied().collect();
        self.calls.retain(|inode, calls| {
            let newest = calls.last().map_or(0, |asked| asked.t_ns);
            alive.contains(inode)
                || listening.contains(inode)
                || now_ns.saturating_sub(newest) < PATIENCE_NS
        });
        if self.listening.len() > MOST_SOCKETS / 2 {
            self.listening.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::SocketOption;

    fn call(t_ns: u64) -> Asked {
        Asked {
            t_ns,
            option: SocketOption::ReceiveBuffer,
            value: Some(1),
            process: 1,
            thread: 1,
            command: String::new(),
            frames: Vec::new(),
            inherited: false,
        }
    }

    #[test]
    fn what_a_listener_asked_for_is_inherited_and_outlives_what_is_gone() {
        let mut journal = Journal::default();
        journal.add(Record::Call(1, call(10)));
        journal.add(Record::Listens { inode: 1, netns: 5, port: 80 });
        journal.add(Record::Call(2, call(20)));
        let calls = journal.of(2, 5, 80);
        assert_eq!(
            calls.iter().map(|c| (c.t_ns, c.inherited)).collect::<Vec<_>>(),
            [(10, true), (20, false)]
        );
        assert_eq!(journal.of(2, 6, 80).len(), 1, "another namespace");
        journal.keep(&HashSet::new(), 30);
        assert_eq!(journal.of(2, 5, 80).len(), 2, "it may still connect");
        journal.keep(&HashSet::new(), 20 + PATIENCE_NS);
        assert_eq!(journal.of(2, 5, 80).len(), 1);
    }

    #[test]
    fn a_listener_that_asked_for_nothing_hands_on_nothing_of_the_one_before() {
        let mut journal = Journal::default();
        journal.add(Record::Call(1, call(10)));
        journal.add(Record::Listens { inode: 1, netns: 5, port: 80 });
        journal.add(Record::Listens { inode: 3, netns: 5, port: 81 });
        assert_eq!(journal.of(2, 5, 80).len(), 1);
        journal.add(Record::Listens { inode: 3, netns: 5, port: 80 });
        assert_eq!(journal.of(2, 5, 80), []);
    }

    #[test]
    fn sockets_and_calls_are_bounded() {
        let mut journal = Journal::default();
        for t in 0..100 {
            journal.add(Record::Call(0, call(t)));
        }
        assert_eq!(journal.of(0, 0, 0).len(), MOST_CALLS);
        for inode in 0..=MOST_SOCKETS as u32 {
            journal.add(Record::Call(inode, call(0)));
        }
        assert_eq!((journal.calls.len(), journal.lost), (MOST_SOCKETS, 1));
    }
}
