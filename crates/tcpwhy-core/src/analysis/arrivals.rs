//! Packets on their way from the decoder to the sorter, a few at a time.
//!
//! The state of the connections that they belong to lies all over memory. A few packets are looked up before the first of them is
//! sorted: so what they need is fetched at the same time and not one after the other.

use super::open::Open;
use super::seen::print_of;
use super::table::{Place, Table};
use crate::decode::plain::{Plain, Way};
use crate::decode::{Decoded, Frame, decode_each};
use crate::flow::packet::Packet;
use crate::model::Side;
use crate::observe::Segment;
use std::ops::Range;

/// A packet that was decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    /// Which of the segments it is, if it is no plain packet; nothing else is known then.
    pub(super) segment: Option<u32>,
    pub(super) packet: Packet,
    /// Without that of the ends. See [`Seen`](super::seen::Seen).
    pub(super) print: u64,
    /// Where its connection is, or probably is until it was looked up.
    pub(super) place: Place,
    /// The connection that was there, or [`Arrival::UNKNOWN`]; its place may have been given away when the packet's turn comes.
    pub(super) id: u64,
    pub(super) scope: u32,
    way: Way,
}

impl Arrival {
    /// The place of a segment without a [`Way`].
    pub(super) const ANYWHERE: Place = Place::MAX;
    /// The id of no connection, and of no free place.
    const UNKNOWN: u64 = Open::NOBODY - 1;

    /// The segment that a plain packet was, as far as the sorter asks.
    #[cold]
    pub(super) fn segment(&self) -> Segment {
        let [src, dst] = self.way.ends();
        Segment { src, dst, scope: self.scope, ..self.packet.segment() }
    }
}

/// Packets that were decoded, in the order of the capture: what a [`Sorter`](super::Sorter) takes.
#[derive(Debug, Default)]
pub struct Arrivals {
    /// The room behind those that are there is kept.
    list: Vec<Arrival>,
    len: usize,
    /// For so many it is known where their connections probably are.
    located: usize,
    segments: Vec<Segment>,
}

impl Arrivals {
    /// Decodes `frame`, the next one of the capture; keeps its segments. This depends on nothing else, so any thread may do it.
    #[inline]
    pub fn read(&mut self, frame: &Frame<'_>) -> Decoded {
        self.read_for(frame, None)
    }

    /// As [`Arrivals::read`], where it is known which connections are open.
    ///
    /// Each part is written where it will lie before the next one is read: all together they would not fit the processor's registers.
    #[inline(always)]
    pub(super) fn read_for(&mut self, frame: &Frame<'_>, table: Option<&Table>) -> Decoded {
        let Some(plain) = Plain::of(frame) else { return self.read_other(*frame, table) };
        let Some(next) = self.list.get_mut(self.len) else {
            self.make_room();
            return self.read_other(*frame, table);
        };
        self.len += 1;
        next.segment = None;
        // Who sends it is known when it is looked up.
        next.packet = Packet::of(&plain.segment(), Side::Client);
        next.print = print_of(&plain.segment());
        next.id = Arrival::UNKNOWN;
        next.scope = frame.interface;
        next.way = plain.way();
        if let Some(table) = table {
            table.will_ask(&next.way);
        }
        Decoded::Segment
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        let nothing = Segment::default();
        let empty = Arrival {
            segment: None,
            packet: Packet::of(&nothing, Side::Client),
            print: 0,
            place: 0,
            id: Arrival::UNKNOWN,
            scope: 0,
            way: Way::default(),
        };
        self.list.resize(2 * self.len + 32, empty);
    }

    /// As `read`, without looking for what is plain. The frame is its own: so a plain one need not lie in memory.
    #[inline(never)]
    pub(super) fn read_other(&mut self, frame: Frame<'_>, table: Option<&Table>) -> Decoded {
        decode_each(&frame, &mut Segment::default(), |segment| self.keep(segment, table))
    }

    fn keep(&mut self, segment: &Segment, table: Option<&Table>) {
        if self.len == self.list.len() {
            self.make_room();
        }
        let number = self.segments.len() as u32;
        self.segments.push(*segment);
        self.len += 1;
        if let Some(next) = self.list.get_mut(self.len - 1) {
            next.segment = Some(number);
        }
        if let Some(table) = table
            && let Some(way) = Way::between(&segment.src, &segment.dst)
        {
            table.will_ask(&way);
        }
    }

    /// Finds out where the connections of all packets before `end` probably are.
    pub(super) fn locate(&mut self, end: usize, table: &Table) {
        let Self { list, len, located, segments } = self;
        let end = end.min(*len);
        for arrival in list.get_mut(*located..end).unwrap_or_default() {
            let Some(segment) = arrival.segment.and_then(|at| segments.get(at as usize)) else {
                arrival.place = table.probably(&arrival.way);
                continue;
            };
            let way = Way::between(&segment.src, &segment.dst);
            arrival.place = way.map_or(Arrival::ANYWHERE, |way| table.probably(&way));
            table.fetch(arrival.place);
        }
        *located = end.max(*located);
    }

    /// Finds the connections of the plain packets among these, all of them before the first is sorted: the loads of one do not wait for
    /// those of another.
    pub(super) fn look_up(&mut self, these: Range<usize>, table: &mut Table) {
        for arrival in self.list.get_mut(these).unwrap_or_default() {
            if arrival.segment.is_some() {
                continue;
            }
            let Some(found) = table.find_plain(&arrival.way, arrival.place) else { continue };
            arrival.print ^= found.print;
            arrival.packet.side = found.side;
            (arrival.place, arrival.id) = (found.place, found.id);
        }
    }

    /// How many packets.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Some of them.
    pub(super) fn some(&self, these: Range<usize>) -> &[Arrival] {
        self.list.get(these).unwrap_or_default()
    }

    /// A segment that is no plain packet.
    pub(super) fn segment(&self, index: u32) -> Option<&Segment> {
        self.segments.get(index as usize)
    }

    /// All were sorted.
    pub(super) fn clear(&mut self) {
        (self.len, self.located) = (0, 0);
        self.segments.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::{Analyzer, Arrivals, Conclusion, Hand, Judge, Sorter, Work};
    use crate::decode::tests::{ethernet, ipv4, tcp};
    use crate::decode::{Decoded, Frame, LinkType, decode};
    use crate::model::Connection;
    use crate::observe::Segment;
    use crate::units::Nanos;
    use crate::whatif::Budget;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const STAMPS: [u8; 12] = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 1];

    /// One packet: its connection, whether the server sends it, flags, options, the time since the packet before in ms, its place in the
    /// stream, and the interface that it is captured at.
    type Drawn = (u8, bool, u8, bool, i64, u32, u32);

    fn drawn() -> impl Strategy<Value = Drawn> {
        // ACK, PSH, ECE; SYN, SYN/ACK, FIN, RST.
        let flags = prop_oneof![
            12 => Just(0x10_u8), 6 => Just(0x18), 1 => Just(0x50), 2 => Just(0x02), 1 => Just(0x12), 1 => Just(0x11), 1 => Just(0x04)
        ];
        let since = prop_oneof![20 => 0..5_i64, 1 => -3..0_i64, 1 => 100..90_000_i64];
        (0..4_u8, any::<bool>(), flags, prop::bool::weighted(0.8), since, 0..4_u32, 0..2_u32)
    }

    fn bytes_of(&(connection, back, flags, stamped, _, seq, _): &Drawn) -> Vec<u8> {
        let options: &[u8] = if stamped { &STAMPS } else { &[] };
        let mut bytes = ethernet(0x0800, &ipv4(6, &tcp(options, &[0; 100])));
        bytes[37] = connection;
        bytes[47] = flags;
        bytes[38..42].copy_from_slice(&(1000 + 100 * seq).to_be_bytes());
        if back {
            let (src, dst) = bytes[26..34].split_at_mut(4);
            src.swap_with_slice(dst);
            let (src, dst) = bytes[34..38].split_at_mut(2);
            src.swap_with_slice(dst);
        }
        bytes
    }

    fn texts(mut connections: Vec<Connection>) -> Vec<String> {
        connections.sort_by_key(|c| c.id);
        connections.iter().map(|c| format!("{c:?}")).collect()
    }

    /// Frame by frame, each sorted before the next is decoded, without the short way.
    fn one_by_one(frames: &[Frame<'_>]) -> Vec<String> {
        let mut analyzer = Analyzer::new();
        let mut segment = Segment::default();
        let mut all = Vec::new();
        for frame in frames {
            if decode(frame, &mut segment) == Decoded::Segment {
                analyzer.push(&segment);
                all.extend(analyzer.take_finished());
            }
        }
        all.extend(analyzer.finish());
        texts(all)
    }

    /// So many at a time, every other time by somebody who knows nothing of the sorter, for two judges who take turns with the
    /// connections that begin.
    fn together(frames: &[Frame<'_>], at_a_time: usize) -> Vec<String> {
        let (mut sorter, mut work) = (Sorter::new(), Work::default());
        let mut arrivals = Arrivals::default();
        for (turn, some) in frames.chunks(at_a_time).enumerate() {
            for frame in some {
                if turn % 2 == 0 {
                    sorter.read(frame, &mut arrivals);
                } else {
                    arrivals.read(frame);
                }
            }
            sorter.settle(&mut arrivals, &mut work);
        }
        sorter.close(&mut work);
        let hands = [Hand::First, Hand::Second];
        for hand in hands.into_iter().cycle() {
            work.begin_with(hand);
            if !sorter.end_some(1, &mut work) {
                break;
            }
        }
        let judged = hands.map(|hand| {
            let mut judge = Judge::new();
            judge.take(work.of(hand));
            judge.take_finished()
        });
        let mut all = Conclusion::new().take(judged.into_iter().flatten());
        let mut budget = Budget::default();
        all.iter_mut().for_each(|connection| budget.refine(connection));
        texts(all)
    }

    /// The answers of both ways.
    fn both(packets: &[Drawn], at_a_time: usize, interfaces: u32) -> [Vec<String>; 2] {
        let data: Vec<Vec<u8>> = packets.iter().map(bytes_of).collect();
        let mut time = Nanos::from_secs(1_000);
        let mut frames = Vec::new();
        for (i, (data, packet)) in data.iter().zip(packets).enumerate() {
            time += Nanos::from_millis(packet.4);
            frames.push(Frame {
                time,
                number: i as u64 + 1,
                interface: packet.6 % interfaces,
                link: LinkType::ETHERNET,
                wire_len: data.len() as u32,
                data,
            });
        }
        [together(&frames, at_a_time), one_by_one(&frames)]
    }

    #[test]
    fn what_went_the_short_way_counts_as_the_first_of_its_side_no_less() {
        let syn = |back, stamped, since, seq| (3, back, 0x02, stamped, since, seq, 0);
        let packets = [
            syn(false, false, 0, 0),
            (0, false, 0x10, false, 0, 0, 0),
            (3, true, 0x10, false, 0, 0, 0),
            syn(true, true, 0, 3),
            (0, false, 0x10, false, 201, 0, 0),
            syn(true, true, 0, 3),
        ];
        let [short, long] = both(&packets, 1, 1);
        assert_eq!(short, long);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// The short way, and looking up some packets before the first of them is sorted, change no answer: not when ports are used
        /// again, connections end, the order is wrong, or two interfaces show the same.
        #[test]
        fn the_short_way_leads_to_the_same_answer(
            packets in vec(drawn(), 1..300),
            at_a_time in 1_usize..150,
            interfaces in 1..=2_u32,
        ) {
            let [short, long] = both(&packets, at_a_time, interfaces);
            prop_assert_eq!(short, long);
        }
    }
}
