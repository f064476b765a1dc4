//! Segments in, runs out: which connection a segment belongs to, and when that is over.

use super::arrivals::{Arrival, Arrivals, Known};
use super::open::Open;
use super::order::Order;
use super::runs::{Runs, Step};
use super::seen::{Seen, print_of};
use super::table::{Place, Table};
use super::waiting::Waiting;
use crate::decode::{Decoded, Frame};
use crate::flow::packet::Packet;
use crate::model::Side;
use crate::observe::{Segment, flags};
use crate::units::Nanos;
use std::collections::VecDeque;

/// How long a closed connection waits for stragglers: TIME-WAIT on Linux.
const LINGER: Nanos = Nanos::from_secs(60);
/// Closed connections that may linger; beyond it the oldest is concluded.
const MAX_LINGERING: usize = 1 << 14;
/// Connections open at once; beyond it the longest silent half is concluded.
const MAX_OPEN: usize = 1 << 18;

/// Packets of a connection that wait for one another. Among many connections each packet would fetch
/// another connection's state from memory, a hundred cache lines, and soon push it out again; so it
/// is fetched once for as many. A short connection is judged in one go when it is over: then its
/// state never leaves the cache.
const RUN: usize = 256;
/// Packets that may wait altogether, of 48 bytes each; beyond it the runs are as short as each
/// connection's part of this number.
const MAX_WAITING: usize = 3 << 20;

/// A closed connection; its place may have been given away since, which its id tells.
#[derive(Debug, Clone, Copy)]
struct Closed {
    at: Nanos,
    place: Place,
    id: u64,
}

/// The first half of the analysis: segments are put in order, copies marked, and packets collected
/// by connection.
#[derive(Debug, Default)]
pub struct Sorter {
    table: Table,
    /// The place asked for last: packets come in bursts.
    near: Place,
    arrivals: Arrivals,
    waiting: Waiting,
    /// Each open connection's part of `MAX_WAITING`.
    part: usize,
    closing: VecDeque<Closed>,
    next_id: u64,
    order: Order,
    seen: Seen,
}

impl Sorter {
    /// A sorter that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next segment, in the order of the capture. Where the capture's own order is not that of
    /// its timestamps (several queues or taps), the timestamps win. What need not wait any longer is
    /// added to `runs`.
    pub fn push(&mut self, segment: &Segment, runs: &mut Runs) {
        self.push_near(self.near, segment, runs);
    }

    /// Decodes the next frame, in the order of the capture. Its segment, if it has one, waits for [`Sorter::settle`]: a few
    /// together cost less.
    #[inline]
    pub fn read(&mut self, frame: &Frame<'_>) -> Decoded {
        if self.order.is_broken() {
            return self.arrivals.read_other(frame, &self.table);
        }
        self.arrivals.read(frame, &mut self.table)
    }

    /// Sorts what was read, as [`Sorter::push`] does.
    pub fn settle(&mut self, runs: &mut Runs) {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        for arrival in &arrivals.list {
            match arrival {
                Arrival::Known(known) => self.push_known(known, runs),
                Arrival::Other(segment, near) => {
                    if let Some(segment) = arrivals.segments.get(*segment) {
                        self.push_near(*near, segment, runs);
                    }
                }
            }
        }
        arrivals.clear();
        self.arrivals = arrivals;
    }

    /// The next segment, whose connection is probably in the place `near`.
    fn push_near(&mut self, near: Place, segment: &Segment, runs: &mut Runs) {
        if self.order.is_right(segment.time) {
            return self.sort(near, segment, runs);
        }
        self.push_late(near, segment, runs);
    }

    #[cold]
    fn push_late(&mut self, near: Place, segment: &Segment, runs: &mut Runs) {
        if let Some(segment) = self.order.sort(segment) {
            self.sort(near, &segment, runs);
        }
    }

    /// As `push_near`, for a packet in the middle of a connection that was open a moment ago.
    #[inline(always)]
    fn push_known(&mut self, known: &Known, runs: &mut Runs) {
        let Known { packet, place, .. } = known;
        if !self.order.is_right(packet.time) {
            return self.push_late(*place, &known.segment(), runs);
        }
        let open = self.table.get_mut(*place);
        let Some(open) = open.filter(|open| open.id == known.id) else {
            return self.sort(*place, &known.segment(), runs);
        };
        self.near = *place;
        let copy = self.seen.is_copy(known.print, (packet.time, known.scope), packet.ip_id != 0);
        let queued = open.push(packet.copied(copy), &mut self.waiting);
        if queued >= RUN || (self.waiting.taken() >= MAX_WAITING && queued >= self.part) {
            open.hand_over(*place, &mut self.waiting, runs);
        }
        self.end_lingering(packet.time, runs);
    }

    /// The rest, at the end of the input: the connections end in the order of their ids.
    pub fn finish(mut self, runs: &mut Runs) {
        self.settle(runs);
        for segment in self.order.rest() {
            self.sort(self.near, &segment, runs);
        }
        let mut places = self.table.places();
        places.sort_unstable_by_key(|&place| self.table.get(place).map(|open| open.id));
        for place in places {
            self.end(place, runs);
        }
    }

    #[inline(never)]
    fn sort(&mut self, near: Place, segment: &Segment, runs: &mut Runs) {
        let known = self.table.find(segment, near);
        let (place, side) = match known {
            Some((place, side)) if !self.is_reopened(place, side, segment) => (place, side),
            over => {
                if let Some((place, _)) = over {
                    self.end(place, runs);
                }
                self.open(segment, runs)
            }
        };
        self.near = place;
        let Some(open) = self.table.get_mut(place) else { return };
        let print = print_of(segment) ^ open.prints[side as usize];
        let copy = self.seen.is_copy(print, (segment.time, segment.scope), segment.ip_id != 0);
        let was_closed = open.is_closed();
        let queued = open.push(Packet::of(segment, side, copy), &mut self.waiting);
        if queued >= RUN || (self.waiting.taken() >= MAX_WAITING && queued >= self.part) {
            open.hand_over(place, &mut self.waiting, runs);
        }
        if !was_closed && open.is_closed() {
            self.closing.push_back(Closed { at: segment.time, place, id: open.id });
        }
        self.end_lingering(segment.time, runs);
    }

    fn open(&mut self, segment: &Segment, runs: &mut Runs) -> (Place, Side) {
        if self.table.len() >= MAX_OPEN {
            self.end_silent(runs);
        }
        let open = Open::new(self.next_id, segment);
        self.next_id += 1;
        let side = if open.ends[0] == segment.src { Side::Client } else { Side::Server };
        let place = self.table.insert(open);
        self.part = MAX_WAITING / self.table.len();
        (place, side)
    }

    /// A SYN with another sequence number opens another connection on the same ports: the one before
    /// is over.
    fn is_reopened(&self, place: Place, side: Side, segment: &Segment) -> bool {
        segment.has(flags::SYN)
            && !segment.has(flags::ACK)
            && self.table.get(place).is_some_and(|open| open.is_reopened_by(side, segment.seq))
    }

    fn end_lingering(&mut self, now: Nanos, runs: &mut Runs) {
        while let Some(&Closed { at, place, id }) = self.closing.front() {
            if now - at <= LINGER && self.closing.len() <= MAX_LINGERING {
                break;
            }
            self.closing.pop_front();
            if self.table.get(place).is_some_and(|open| open.id == id) {
                self.end(place, runs);
            }
        }
    }

    fn end_silent(&mut self, runs: &mut Runs) {
        let mut places = self.table.places();
        places.sort_unstable();
        let last = |place: Place| self.table.get(place).map(|open| open.last);
        let mut times: Vec<_> = places.iter().map(|&place| last(place)).collect();
        let middle = times.len() / 2;
        if times.is_empty() {
            return;
        }
        let (_, &mut median, _) = times.select_nth_unstable(middle);
        places.retain(|&place| last(place) <= median);
        for place in places {
            self.end(place, runs);
        }
    }

    fn end(&mut self, place: Place, runs: &mut Runs) {
        if let Some(mut open) = self.table.remove(place) {
            open.hand_over(place, &mut self.waiting, runs);
            runs.step(Step::End { place });
        }
    }
}
