//! A packet passes the capture point: what it is for its own sender, and what it tells the other end.

use super::packet::Packet;
use super::sender::{Beginning, Sender};
use super::{Flow, NEAR};
use crate::model::Side;
use crate::observe::flags;
use crate::units::{Nanos, Seq};

impl Flow {
    /// A packet in the middle of the connection.
    #[inline(always)]
    pub(super) fn pass(&mut self, packet: &Packet, left: Nanos) {
        self.last = self.last.max(packet.time);
        self.send(packet, left);
        self.hear(packet);
    }

    /// As `pass`, for a packet that may open or close the connection, may acknowledge nothing, or was marked or cut on its way.
    #[inline(never)]
    pub(super) fn pass_and_note(&mut self, packet: &Packet, left: Nanos) {
        self.last = self.last.max(packet.time);
        if !self.handshake.is_over(packet) {
            self.handshake.note(packet);
        }
        if packet.is_fragment() {
            self.fragments.add(packet.frame);
        }
        if packet.is_marked() {
            self.marks.add(packet.frame);
        }
        self.send(packet, left);
        if packet.has(flags::RST) {
            self.resets[packet.side as usize].get_or_insert((packet.time, packet.frame));
        }
        if packet.acknowledges() {
            self.hear(packet);
        }
    }

    /// The event that `packet`, which left at `time`, is for its own sender.
    #[inline(always)]
    fn send(&mut self, packet: &Packet, time: Nanos) {
        let (side, own) = (packet.side, packet.side as usize);
        let echo = packet.timestamps().filter(|_| self.legs[own].trusts_echo).map(|t| t.1);
        self.deliver(side, time, echo);
        let within = !packet.has_any(flags::SYN | flags::RST);
        if self.senders[own].is_none() && within && packet.len > 0 {
            self.begin(side, packet.seq);
        }
        if let Some(sender) = &mut self.senders[own] {
            if within {
                sender.sent(packet, time.max(sender.last));
            }
        } else if packet.has(flags::SYN) {
            self.words[own].next = Some(packet.seq + 1);
        }
    }

    /// ACKs that had reached `side` when it sent a packet that passes now.
    #[inline(always)]
    fn deliver(&mut self, side: Side, now: Nanos, tsecr: Option<u32>) {
        let own = side as usize;
        let Some(sender) = &mut self.senders[own] else { return };
        let way = &self.legs[own];
        let (shortest, leg) = (way.earliest, way.now);
        if std::mem::take(&mut self.moved[own]) {
            sender.stands_at(leg, way.known);
        }
        while let Some(event) = self.under_way[own].arrived(now, tsecr, shortest, leg) {
            let time = (event.time + leg).min(now).max(sender.last);
            let stamp = event.stamp();
            sender.acknowledged(event, time, way.latest);
            self.under_way[own].told(stamp);
        }
    }

    /// `event` passed on its way to the other side, the sender of the data that it acknowledges.
    #[inline(always)]
    fn hear(&mut self, event: &Packet) {
        let side = event.side.other();
        let own = side as usize;
        if self.senders[own].is_none() {
            let first = self.words[own].ack.map(|w| w.ack);
            self.words[own].ack = Some(*event);
            if event.len > 0 {
                self.words[own].data = Some(event.time);
            }
            // The data of this direction was never captured: its ACKs tell of it all the same.
            match first {
                Some(seq) if event.ack.distance(seq) > 1 => self.begin(side, seq),
                _ => return,
            }
        }
        let leg = self.legs[own].now;
        let Some(sender) = &mut self.senders[own] else { return };
        if self.moved[own] {
            sender.placed = self.legs[own].known;
        }
        if leg <= NEAR {
            sender.acknowledged(event, event.time.max(sender.last), leg);
        } else if self.under_way[own].push(event) {
            self.deliver_oldest(side, event.time, leg);
        }
    }

    /// More events are under way to `side` than can be: the oldest has arrived.
    #[cold]
    fn deliver_oldest(&mut self, side: Side, now: Nanos, leg: Nanos) {
        let own = side as usize;
        let (Some(sender), Some(oldest)) = (&mut self.senders[own], self.under_way[own].pop())
        else {
            return;
        };
        let time = (oldest.time + leg).min(now).max(sender.last);
        sender.acknowledged(&oldest, time, leg);
    }

    /// `side` sends its first data, at `first`.
    #[cold]
    fn begin(&mut self, side: Side, first: Seq) {
        let own = side as usize;
        let first = self.words[own].next.filter(|n| first.distance(*n) >= 0).unwrap_or(first);
        let both = self.handshake.syn[0].is_some() && self.handshake.syn[1].is_some();
        let rtt = self.legs[0].floor + self.legs[1].floor;
        let sender = self.senders[own].insert(Sender::new(Beginning {
            first,
            from: self.start,
            handshake_rtt: (both && rtt.0 > 0).then_some(rtt),
            window: self.handshake.window(side.other()),
            size: self.handshake.segment_size(),
        }));
        let leg = self.legs[own].now;
        sender.stands_at(leg, self.legs[own].known);
        let word = self.words[own];
        if let Some(ack) = word.ack {
            sender.learn_window(&ack);
        }
        if let Some(established) = self.handshake.established {
            let way = if side == Side::Server { leg } else { Nanos::ZERO };
            sender.established((established + way).min(self.last));
        }
        if let Some(data) = word.data {
            sender.peer_spoke((data + leg).min(self.last));
        }
    }
}
