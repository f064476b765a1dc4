//! A connection that is not over, as far as the sorter has to know it.

use super::copies::Twins;
use super::merged::Merged;
use super::points::Points;
use super::runs::{Hand, Step, Work};
use super::seen::{self, copied_within, print_of};
use super::table::Place;
use super::waiting::{Queue, Waiting};
use crate::decode::plain::Way;
use crate::flow::packet::Packet;
use crate::flow::placing::Placing;
use crate::model::Side;
use crate::observe::{Endpoint, Segment, flags};
use crate::units::{Nanos, Seq};
use prefetch_index::prefetch_index;

/// A connection that is not over.
///
/// What each packet asks for comes first and fills one line of the cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Open {
    /// From the client to the server, where plain packets go that way.
    pub(super) way: Option<Way>,
    /// When its last packet passed.
    pub(super) last: Nanos,
    pub(super) id: u64,
    /// What its ends add to the print of each packet.
    print: u64,
    /// Its packets that wait.
    pub(super) queue: Queue,
    start: Nanos,
    /// Sequence numbers behind the FINs, by side.
    fin: [Option<Seq>; 2],
    reset: bool,
    /// Its judge, once some of it was handed over.
    judge: Option<Hand>,
    /// What it is placed by, if not by the judge.
    placing: Option<Box<Placing>>,
    /// Client and server.
    pub(super) ends: [Endpoint; 2],
    /// Sequence numbers of the last SYN, by side.
    pub(super) syn: [Option<Seq>; 2],
    /// Whether those that have no IP identification come twice, by the packet's sender.
    pub(super) twins: [Twins; 2],
    /// The print and the scope of each side's first packet, where it opened the connection or is a SYN.
    pub(super) first: [Option<(u64, u32)>; 2],
    /// Once another scope has shown one of its packets, too.
    pub(super) points: Option<Box<Points>>,
    /// Once one scope has shown a packet of it twice.
    pub(super) merged: Option<Box<Merged>>,
}

impl Open {
    /// The id of no connection: of what has left its place.
    pub(super) const NOBODY: u64 = u64::MAX;

    /// Opened by `segment`.
    pub(super) fn new(id: u64, segment: &Segment) -> Self {
        let from_client = match (segment.has(flags::SYN), segment.has(flags::ACK)) {
            (true, false) => true,
            (true, true) => false,
            (false, _) => segment.src.port >= segment.dst.port,
        };
        let (src, dst) = (segment.src, segment.dst);
        let [client, server] = if from_client { [src, dst] } else { [dst, src] };
        let mut open = Self {
            way: Way::between(&client, &server),
            first: [None; 2],
            print: seen::of_ends(&client, &server),
            ends: [client, server],
            id,
            last: segment.time,
            queue: Queue::default(),
            start: segment.time,
            syn: [None; 2],
            twins: [Twins::default(); 2],
            points: None,
            merged: None,
            fin: [None; 2],
            reset: false,
            judge: None,
            placing: None,
        };
        let side = if from_client { Side::Client } else { Side::Server };
        if !segment.has(flags::SYN) {
            open.begin(side, segment);
        }
        open
    }

    /// What its ends add to the print of a packet that `side` has sent.
    #[inline(always)]
    pub(super) fn print(&self, side: Side) -> u64 {
        self.print.rotate_left(side as u32)
    }

    /// The print of a `segment` that `side` has sent.
    #[inline(always)]
    pub(super) fn print_of(&self, side: Side, segment: &Segment) -> u64 {
        print_of(segment) ^ self.print(side)
    }

    /// Has all that is known of it prefetched.
    pub(super) fn fetch(&self) {
        prefetch(&self.way);
        prefetch(&self.start);
        prefetch(&self.twins);
    }

    /// Has prefetched what its next packet asks for, where that is more than others do: the list of its blocks.
    #[inline(always)]
    pub(super) fn fetch_list(&self) {
        if self.queue.is_full() {
            prefetch(&self.start);
        }
    }

    /// Has its newest packets prefetched.
    pub(super) fn fetch_newest(&self) {
        self.queue.last_first().take(2).for_each(prefetch);
    }

    /// Whether both ends have closed, or one has reset.
    pub(super) fn is_closed(&self) -> bool {
        self.reset || self.fin.iter().all(Option::is_some)
    }

    /// Whether both ends have closed and each knows it of the other, as far as the packets tell that still wait.
    pub(super) fn is_over(&self) -> bool {
        let is_acknowledged = |side: Side| {
            let mut answers =
                self.queue.last_first().filter(|p| p.side != side && p.acknowledges());
            self.fin[side as usize].is_some_and(|end| answers.any(|p| p.ack.distance(end) >= 0))
        };
        is_acknowledged(Side::Client) && is_acknowledged(Side::Server)
    }

    /// Whether `syn` of `side` opens another connection between the same ends. One that crosses the other end's first SYN opens the same
    /// one (simultaneous open, RFC 9293 section 3.5, figure 7). The very same one, much later, begins what follows: the capture of another point.
    pub(super) fn is_reopened_by(&self, side: Side, syn: &Segment) -> bool {
        match (self.syn[side as usize], self.syn[side.other() as usize]) {
            (Some(known), _) if known == syn.seq => {
                let stamped = syn.options.timestamps.is_some();
                syn.time - self.start > copied_within(stamped) && self.is_first_again(side, syn)
            }
            (Some(_), _) => true,
            (None, Some(_)) => self.is_closed(),
            (None, None) => true,
        }
    }

    /// Whether `syn` is the first packet of `side` itself, in the same scope: one that was sent again has another identification and stamp.
    fn is_first_again(&self, side: Side, syn: &Segment) -> bool {
        let identified = syn.ip_id != 0 || syn.options.timestamps.is_some();
        identified && self.first[side as usize] == Some((self.print_of(side, syn), syn.scope))
    }

    /// `segment` of `side` opens the connection or is a SYN: it may be the side's first. Whether it is that once more.
    pub(super) fn begin(&mut self, side: Side, segment: &Segment) -> bool {
        let again = self.is_first_again(side, segment);
        let first = (self.print_of(side, segment), segment.scope);
        self.first[side as usize].get_or_insert(first);
        again
    }

    /// The next packet of the connection; how many wait now.
    #[inline(always)]
    pub(super) fn push(&mut self, packet: &Packet, waiting: &mut Waiting) -> usize {
        if packet.has_any(flags::SYN | flags::FIN | flags::RST) && !packet.is_copy() {
            self.note(packet);
        }
        self.push_plain(packet, waiting)
    }

    /// As `push`, for a packet without SYN, FIN and RST.
    #[inline(always)]
    pub(super) fn push_plain(&mut self, packet: &Packet, waiting: &mut Waiting) -> usize {
        self.last = self.last.max(packet.time);
        waiting.push(&mut self.queue, packet)
    }

    /// How many packets wait to be judged.
    pub(super) fn waits(&self) -> usize {
        self.queue.len()
    }

    /// As `push_plain`, for a packet that was captured before.
    #[cold]
    #[inline(never)]
    pub(super) fn push_copy(&mut self, packet: Packet, waiting: &mut Waiting) -> usize {
        self.push_plain(&packet.copied(), waiting)
    }

    /// How it begins and ends.
    #[inline(always)]
    fn note(&mut self, packet: &Packet) {
        let side = packet.side as usize;
        if packet.has(flags::SYN) {
            self.syn[side] = Some(packet.seq);
        }
        if packet.has(flags::SYN | flags::ACK) {
            // Where two taps write one file, the SYN that it answers may come behind it.
            self.syn[packet.side.other() as usize].get_or_insert(packet.ack + u32::MAX);
        }
        if packet.has(flags::FIN) {
            self.fin[side] = Some(packet.seq + packet.len + 1);
        }
        self.reset |= packet.has(flags::RST);
    }

    /// Hands over what waits.
    pub(super) fn hand_over(&mut self, place: Place, waiting: &mut Waiting, work: &mut Work) {
        if self.queue.len() == 0 {
            return;
        }
        let hand = self.judge.unwrap_or(work.begins_with());
        let runs = work.of(hand);
        let queue = waiting.take(&mut self.queue, &mut runs.spare);
        let begins = self.judge.is_none();
        if begins {
            self.judge = Some(hand);
            let (id, ends, start) = (self.id, self.ends, self.start);
            runs.step(Step::Begin { place, id, ends, start });
        }
        // Among many connections this thread waits for memory, and the judge's has time.
        if self.placing.is_some() || (begins && waiting.few) {
            runs.run(place, |out| queue.place(&mut self.placing, &mut waiting.spare, out));
        } else {
            runs.raw(place, queue);
        }
    }

    /// It is over, as the connection number `turn` that is: its judge gets the rest. False if it never had a packet.
    pub(super) fn end(
        &mut self,
        place: Place,
        turn: u64,
        waiting: &mut Waiting,
        work: &mut Work,
    ) -> bool {
        self.release_held(waiting, |held| held);
        self.hand_over(place, waiting, work);
        let Some(hand) = self.judge else { return false };
        let runs = work.of(hand);
        let mut placing = self.placing.take();
        if let Some(placing) = &mut placing {
            runs.run(place, |out| placing.release_held(out));
        }
        runs.step(Step::End { place, turn, placing });
        true
    }

    /// Its place is nobody's; no packet is on its way.
    pub(super) fn leave(&mut self) {
        (self.id, self.way) = (Self::NOBODY, None);
        self.merged = None;
    }
}

/// Has the line of the cache that it begins in brought from memory.
fn prefetch<T>(what: &T) {
    prefetch_index(std::slice::from_ref(what), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_packet_asks_for_fills_a_line_of_the_cache() {
        // Of the queue: its newest block and how many packets are in it.
        assert!(std::mem::offset_of!(Open, queue) + 12 <= 64);
    }
}
