//! Segments in, runs out: which connection a segment belongs to, and when that is over.

use super::arrivals::{Arrival, Arrivals};
use super::closing::{Closed, Closing, Gone};
use super::open::Open;
use super::order::{Order, Sorted};
use super::points::Scopes;
use super::runs::{Hand, Work};
use super::seen::{Seen, Sight};
use super::silent::Silent;
use super::table::{Place, Table};
use super::waiting::Waiting;
use crate::decode::{Decoded, Frame};
use crate::flow::packet::Packet;
use crate::model::Side;
use crate::observe::{Segment, flags};
use crate::units::Nanos;

/// Connections open at once; where one more opens, the longest silent is concluded.
const MAX_OPEN: usize = 1 << 18;

/// Connections whose state stays in the cache.
const FEW: usize = 1024;

/// Packets of a connection that wait for one another. Among many connections each packet would fetch
/// another connection's state from memory, a hundred cache lines, and soon push it out again; so it
/// is fetched once for as many. A short connection is judged in one go when it is over: then its
/// state never leaves the cache.
const RUN: usize = 256;

/// Packets whose connections are looked up together.
const SOME: usize = 64;

/// Blocks that should be there before they are asked for.
const AHEAD: usize = 256;

/// The first half of the analysis: segments are put in order, copies marked, and packets collected
/// by connection.
#[derive(Debug, Default)]
pub struct Sorter {
    table: Table,
    /// Where the next segment that is no plain packet is looked for first: where its way was seen last, or, where that is not known, the
    /// last such segment, for they come in bursts.
    near: Place,
    waiting: Waiting,
    /// Each open connection's part of what may wait.
    part: usize,
    closing: Closing,
    /// When the first of them is concluded.
    linger_until: Nanos,
    gone: Gone,
    silent: Silent,
    next_id: u64,
    /// Connections that are over.
    over: u64,
    /// At the end of the input: the open ones, in the opposite order of their ids.
    rest: Vec<Place>,
    order: Order,
    seen: Seen,
    scopes: Scopes,
}

impl Sorter {
    /// A sorter that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Somebody writes the capture as it is read: what is over is concluded soon.
    pub fn read_along(&mut self) {
        self.closing.read_along();
    }

    /// The next segment, in the order of the capture. Where the capture's own order is not that of
    /// its timestamps (several queues or taps), the timestamps win. What need not wait any longer is
    /// added to `work`.
    pub fn push(&mut self, segment: &Segment, work: &mut Work) {
        if self.order.is_right(segment.time) {
            return self.sort(segment, false, work);
        }
        self.push_late(segment, work);
    }

    /// As [`Arrivals::read`], of what is settled next: what is known of the frame's connection is on its way from memory then.
    #[inline]
    pub fn read(&self, frame: &Frame<'_>, arrivals: &mut Arrivals) -> Decoded {
        if self.order.is_broken() {
            return arrivals.read_other(*frame, Some(&self.table));
        }
        arrivals.read_for(frame, Some(&self.table))
    }

    /// Sorts what was read, as [`Sorter::push`] does; nothing is left of it.
    pub fn settle(&mut self, arrivals: &mut Arrivals, work: &mut Work) {
        arrivals.locate(SOME, &self.table);
        let mut from = 0;
        while from < arrivals.len() {
            let end = arrivals.len().min(from + SOME);
            arrivals.locate(end + SOME, &self.table);
            arrivals.look_up(from..end, &mut self.table);
            for arrival in arrivals.some(from..end) {
                match arrival.segment {
                    None => self.push_plain(arrival, work),
                    Some(segment) => self.push_other(arrival, arrivals.segment(segment), work),
                }
            }
            from = end;
        }
        arrivals.clear();
    }

    #[inline(never)]
    fn push_other(&mut self, arrival: &Arrival, segment: Option<&Segment>, work: &mut Work) {
        let Some(segment) = segment else { return };
        if arrival.place != Arrival::ANYWHERE {
            self.near = arrival.place;
        }
        self.push(segment, work);
    }

    /// Takes the room that a judge has made or is done with, and asks the first one for more where there is little left. New memory costs as
    /// much as sorting the packets that it is for, and while connections begin and none has ended the judge has nothing else to do.
    pub fn make_room(&mut self, work: &mut Work) {
        let runs = work.of(Hand::First);
        self.waiting.spare.append(&mut runs.spare);
        if !self.waiting.few && self.waiting.spare.len() < AHEAD {
            runs.want(AHEAD);
        }
    }

    #[cold]
    fn push_late(&mut self, segment: &Segment, work: &mut Work) {
        if let Some(Sorted { segment, late }) = self.order.sort(segment) {
            self.sort(&segment, late, work);
        }
    }

    /// As `push`, for a packet in the middle of a connection that was open a moment ago.
    #[inline(always)]
    fn push_plain(&mut self, arrival: &Arrival, work: &mut Work) {
        let Arrival { packet, place, .. } = arrival;
        if !self.order.is_right(packet.time) {
            return self.push_late(&arrival.segment(), work);
        }
        let Some(open) = self.table.get_mut_if(*place, arrival.id) else {
            return self.sort(&arrival.segment(), false, work);
        };
        if self.scopes.are_several(arrival.scope) {
            self.near = *place;
            return self.sort(&arrival.segment(), false, work);
        }
        let seeing = (packet.time, arrival.scope);
        let queued = if open.is_copy(packet, (arrival.print, seeing), &mut self.seen) {
            open.push_copy(*packet, &mut self.waiting)
        } else {
            open.push_plain(packet, &mut self.waiting)
        };
        if queued >= RUN || (self.waiting.is_full() && queued >= self.part) {
            open.hand_over(*place, &mut self.waiting, work);
        }
        if packet.time > self.linger_until {
            self.end_lingering(packet.time, work);
        }
    }

    /// The input is over: nothing is pushed or read any more. What is still open ends with [`Sorter::end_some`].
    pub fn close(&mut self, work: &mut Work) {
        for Sorted { segment, late } in self.order.rest() {
            self.sort(&segment, late, work);
        }
        let mut places = self.table.places();
        places.sort_unstable_by_key(|&place| {
            std::cmp::Reverse(self.table.get(place).map(|open| open.id))
        });
        self.rest = places;
    }

    /// Ends connections that were open when the input was over, in the order of their ids, until about so many packets have been
    /// handed over; whether there was one.
    pub fn end_some(&mut self, packets: usize, work: &mut Work) -> bool {
        let any = !self.rest.is_empty();
        let before = self.waiting.taken();
        while before.saturating_sub(self.waiting.taken()) < packets {
            let Some(place) = self.rest.pop() else { break };
            self.end(place, work);
        }
        any
    }

    /// Finds the connection of `segment`, which the capture may have had too `late`.
    #[inline(never)]
    fn sort(&mut self, segment: &Segment, late: bool, work: &mut Work) {
        let known = self.table.find(segment, self.near);
        let (place, side) = match known {
            Some((place, side)) if !self.is_reopened(place, side, segment) => (place, side),
            None if self.gone.has_left(segment) => return,
            over => {
                if let Some((place, _)) = over {
                    self.end(place, work);
                }
                self.open(segment, work)
            }
        };
        self.near = place;
        let Some(open) = self.table.get_mut(place) else { return };
        let print = open.print_of(side, segment);
        let seeing = (segment.time, segment.scope);
        let again = segment.has(flags::SYN) && open.begin(side, segment);
        let was_closed = open.is_closed();
        let packet = Packet::of(segment, side);
        let packet = if late { packet.delayed() } else { packet };
        let queued = if self.scopes.are_several(segment.scope) {
            open.push_of_several(&packet, (print, seeing), &mut self.seen, &mut self.waiting)
        } else if again && open.is_seen_again(&packet, Sight::Copy, &mut self.seen)
            || open.is_copy(&packet, (print, seeing), &mut self.seen)
        {
            open.push_copy(packet, &mut self.waiting)
        } else {
            open.push(&packet, &mut self.waiting)
        };
        if queued >= RUN || (self.waiting.is_full() && queued >= self.part) {
            open.hand_over(place, &mut self.waiting, work);
        }
        if !was_closed && open.is_closed() {
            let closed = Closed { at: segment.time, place, id: open.id };
            self.closing.push(closed);
            self.fetch_closed();
        }
        self.end_lingering(segment.time, work);
    }

    fn open(&mut self, segment: &Segment, work: &mut Work) -> (Place, Side) {
        if self.table.len() >= MAX_OPEN
            && let Some(silent) = self.silent.next(&self.table)
        {
            self.end(silent, work);
        }
        let open = Open::new(self.next_id, segment);
        self.next_id += 1;
        let side = if open.ends[0] == segment.src { Side::Client } else { Side::Server };
        let place = self.table.insert(open);
        self.part = Waiting::MOST / self.table.len();
        self.waiting.few = self.table.len() <= FEW;
        (place, side)
    }

    /// A SYN with another sequence number opens another connection on the same ports: the one before
    /// is over.
    fn is_reopened(&self, place: Place, side: Side, segment: &Segment) -> bool {
        segment.has(flags::SYN)
            && !segment.has(flags::ACK)
            && self.table.get(place).is_some_and(|open| open.is_reopened_by(side, segment))
    }

    fn end_lingering(&mut self, now: Nanos, work: &mut Work) {
        let is_over = |closed: &Closed, table: &Table| {
            table.get_if(closed.place, closed.id).is_none_or(Open::is_over)
        };
        let copied_within = self.scopes.copied_within();
        while let Some(closed) =
            self.closing.take(now, copied_within, |closed| is_over(closed, &self.table))
        {
            // Or else its place is another's.
            if let Some(open) = self.table.get_if(closed.place, closed.id) {
                self.gone.remember(open.print(Side::Client), closed.at, now);
                self.end(closed.place, work);
            }
        }
        self.linger_until = self.closing.until();
    }

    /// What ends a connection is prefetched while the two before it end.
    fn fetch_closed(&self) {
        if let Some(place) = self.closing.soon(2) {
            self.table.fetch(place);
        }
        if let Some(place) = self.closing.soon(1) {
            self.table.fetch_newest(place);
        }
    }

    fn end(&mut self, place: Place, work: &mut Work) {
        let Some(open) = self.table.get_mut(place) else { return };
        if open.end(place, self.over, &mut self.waiting, work) {
            self.over += 1;
        }
        self.table.remove(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Judge;
    use crate::observe::Endpoint;
    use crate::units::Seq;

    /// So many connections with a packet each; each has room for more then.
    fn open(sorter: &mut Sorter, work: &mut Work, connections: usize) {
        for port in 0..connections as u16 {
            let end = |ip, port| Endpoint::new(std::net::IpAddr::from([10, 0, 0, ip]), port);
            let (src, dst) = (end(1, 1024 + port), end(2, 80));
            sorter.push(&Segment { src, dst, flags: flags::ACK, ..Segment::default() }, work);
        }
    }

    /// How many connections are over when one has closed, with or without the last ACK, and another speaks so many seconds later.
    fn over(reads_along: bool, acknowledged: bool, seconds: i64) -> u64 {
        let (mut sorter, mut work) = (Sorter::new(), Work::default());
        if reads_along {
            sorter.read_along();
        }
        let end = |ip, port| Endpoint::new(std::net::IpAddr::from([10, 0, 0, ip]), port);
        let (client, server) = (end(1, 1024), end(2, 80));
        let fin = flags::FIN | flags::ACK;
        let mut push = |at, (src, dst), flags, seq, ack| {
            let (time, seq, ack) = (Nanos::from_millis(at), Seq(seq), Seq(ack));
            sorter.push(
                &Segment { time, src, dst, flags, seq, ack, ..Segment::default() },
                &mut work,
            );
        };
        push(0, (client, server), fin, 100, 500);
        push(1, (server, client), fin, 500, 101);
        if acknowledged {
            push(2, (client, server), flags::ACK, 101, 501);
        }
        push(1_000 * seconds, (end(3, 1024), server), flags::ACK, 1, 1);
        sorter.over
    }

    #[test]
    fn what_both_ends_know_to_be_over_is_concluded_in_seconds_where_somebody_reads_along() {
        assert_eq!([4, 6].map(|seconds| over(true, true, seconds)), [0, 1]);
        assert_eq!([6, 59, 61].map(|seconds| over(true, false, seconds)), [0, 0, 1]);
        assert_eq!([6, 59, 61].map(|seconds| over(false, true, seconds)), [0, 0, 1]);
    }

    #[test]
    fn a_judge_makes_room_ahead_for_many_connections_and_no_more_than_that() {
        let (mut sorter, mut work, mut judge) = (Sorter::new(), Work::default(), Judge::new());
        open(&mut sorter, &mut work, FEW);
        sorter.make_room(&mut work);
        assert!(work.of(Hand::First).is_empty());
        open(&mut sorter, &mut work, FEW + 1);
        for _ in 0..3 {
            sorter.make_room(&mut work);
            judge.take(work.of(Hand::First));
            assert!(sorter.waiting.spare.len() <= AHEAD);
        }
        assert_eq!(sorter.waiting.spare.len(), AHEAD);
        assert!(work.of(Hand::First).is_empty());
    }
}
