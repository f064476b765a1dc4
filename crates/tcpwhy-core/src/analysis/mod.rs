//! The driver: push segments, take finished connections.

mod conclude;
mod findings;
mod order;
mod seen;
mod verdict;

use crate::flow::Flow;
use crate::model::Connection;
use crate::observe::{Endpoint, Segment, flags};
use crate::units::Nanos;
use hashbrown::HashMap;
use order::Order;
use seen::Seen;
use std::collections::VecDeque;

/// How long a closed connection waits for stragglers: TIME-WAIT on Linux.
const LINGER: Nanos = Nanos::from_secs(60);
/// Closed connections that may linger; beyond it the oldest is concluded.
const MAX_LINGERING: usize = 1 << 14;
/// Connections open at once; beyond it the longest silent half is concluded.
const MAX_OPEN: usize = 1 << 18;

/// Both ends, in an order that does not depend on the direction: addresses and ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key(u128, u128, u32);

impl Key {
    fn of(one: &Endpoint, other: &Endpoint) -> Self {
        let [a, b] = [one, other].map(|e| u128::from_ne_bytes(e.ip));
        let ports = |high: u16, low: u16| u32::from(high) << 16 | u32::from(low);
        if (a, one.port) <= (b, other.port) {
            Self(a, b, ports(one.port, other.port))
        } else {
            Self(b, a, ports(other.port, one.port))
        }
    }
}

/// A place in the slab that may have been given away since: told by the connection's id.
#[derive(Debug, Clone, Copy)]
struct Closed {
    at: Nanos,
    slot: usize,
    id: u64,
}

/// The analysis of a stream of segments from one capture.
///
/// Memory grows with the connections that are open, not with packets: what is finished is given out
/// by [`Analyzer::take_finished`].
#[derive(Debug, Default)]
pub struct Analyzer {
    index: HashMap<Key, usize>,
    slab: Vec<Option<Box<Flow>>>,
    free: Vec<usize>,
    closing: VecDeque<Closed>,
    finished: Vec<Connection>,
    last: Option<(Key, usize)>,
    next_id: u64,
    order: Order,
    seen: Seen,
}

impl Analyzer {
    /// An analysis that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next segment, in the order of the capture. Where the capture's own order is not that of
    /// its timestamps (several queues or taps), the timestamps win.
    pub fn push(&mut self, segment: &Segment) {
        if self.order.is_right(segment) {
            return self.process(segment);
        }
        if let Some(segment) = self.order.sort(segment) {
            self.process(&segment);
        }
    }

    /// The next segments, as by [`Analyzer::push`].
    pub fn push_all(&mut self, segments: &[Segment]) {
        for segment in segments {
            self.push(segment);
        }
    }

    fn process(&mut self, segment: &Segment) {
        let key = Key::of(&segment.src, &segment.dst);
        let slot = match self.last {
            Some((last, slot)) if last == key => slot,
            _ => {
                let slot = self.find(key, segment);
                self.last = Some((key, slot));
                slot
            }
        };
        let slot = self.reopen(key, slot, segment);
        let Some(flow) = self.slab.get_mut(slot).and_then(Option::as_mut) else { return };
        let was_closed = flow.is_closed();
        if self.seen.is_copy(segment) {
            flow.push_copy(segment);
        } else {
            flow.push(segment);
        }
        if !was_closed && flow.is_closed() {
            let closed = Closed { at: segment.time, slot, id: flow.id };
            self.closing.push_back(closed);
        }
        self.conclude_lingering(segment.time);
    }

    fn find(&mut self, key: Key, segment: &Segment) -> usize {
        match self.index.get(&key) {
            Some(&slot) => slot,
            None => self.open(key, segment),
        }
    }

    fn open(&mut self, key: Key, segment: &Segment) -> usize {
        if self.index.len() >= MAX_OPEN {
            self.conclude_silent();
        }
        let flow = Some(Box::new(Flow::new(self.next_id, segment)));
        self.next_id += 1;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slab[slot] = flow;
                slot
            }
            None => {
                self.slab.push(flow);
                self.slab.len() - 1
            }
        };
        self.index.insert(key, slot);
        slot
    }

    /// A SYN with another sequence number opens another connection on the same ports.
    fn reopen(&mut self, key: Key, slot: usize, segment: &Segment) -> usize {
        if !segment.has(flags::SYN) {
            return slot;
        }
        let old = self.slab.get(slot).and_then(Option::as_ref);
        if old.is_some_and(|f| f.packets != [0, 0] && f.is_reopened_by(segment)) {
            let over = self.take(slot);
            self.conclude(over);
            let slot = self.open(key, segment);
            self.last = Some((key, slot));
            return slot;
        }
        slot
    }

    fn conclude_lingering(&mut self, now: Nanos) {
        while let Some(&Closed { at, slot, id }) = self.closing.front() {
            if now - at <= LINGER && self.closing.len() <= MAX_LINGERING {
                break;
            }
            self.closing.pop_front();
            if self.slab.get(slot).and_then(Option::as_ref).is_some_and(|f| f.id == id) {
                let over = self.take(slot);
                self.conclude(over);
            }
        }
    }

    fn conclude_silent(&mut self) {
        let mut times: Vec<Nanos> = self.slab.iter().flatten().map(|f| f.last).collect();
        let middle = times.len() / 2;
        if times.is_empty() {
            return;
        }
        let (_, median, _) = times.select_nth_unstable(middle);
        let median = *median;
        let silent: Vec<usize> = (0..self.slab.len())
            .filter(|&i| self.slab[i].as_ref().is_some_and(|f| f.last <= median))
            .collect();
        for slot in silent {
            let over = self.take(slot);
            self.conclude(over);
        }
    }

    /// The connection in `slot`, which is free then.
    fn take(&mut self, slot: usize) -> Option<Box<Flow>> {
        let flow = self.slab.get_mut(slot).and_then(Option::take)?;
        let [client, server] = &flow.ends;
        self.index.remove(&Key::of(client, server));
        self.free.push(slot);
        self.last = None;
        Some(flow)
    }

    /// Writes down the answers; each connection is freed as soon as its answer stands.
    fn conclude(&mut self, over: Option<Box<Flow>>) {
        self.finished.extend(over.map(|flow| conclude::connection(*flow)));
    }

    /// Connections finished since the last call, in the order in which they finished.
    pub fn take_finished(&mut self) -> Vec<Connection> {
        std::mem::take(&mut self.finished)
    }

    /// The rest, at the end of the input, in the order of their ids.
    pub fn finish(mut self) -> Vec<Connection> {
        for segment in self.order.rest() {
            self.process(&segment);
        }
        for slot in 0..self.slab.len() {
            let over = self.take(slot);
            self.conclude(over);
        }
        let mut rest = self.finished;
        rest.sort_unstable_by_key(|c| c.id);
        rest
    }
}
