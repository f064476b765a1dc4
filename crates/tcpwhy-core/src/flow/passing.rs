//! A packet passes the capture point: what it is for its own sender, and what it tells the other end.

use super::ack::AckEvent;
use super::sender::{Beginning, Sender};
use super::{Flow, NEAR};
use crate::model::Side;
use crate::observe::{Segment, flags};
use crate::units::{Nanos, Seq};

impl Flow {
    pub(super) fn process(&mut self, side: Side, segment: &Segment) {
        if segment.fragment {
            self.fragments.add(segment.frame);
        }
        if segment.ce {
            self.marks.add(segment.frame);
        }
        self.send(side, segment);
        if segment.flags & (flags::FIN | flags::RST) != 0 {
            self.close(side, segment);
        }
        if let Some(event) = AckEvent::of(segment) {
            self.hear(side.other(), event);
        }
    }

    fn close(&mut self, side: Side, segment: &Segment) {
        let own = side as usize;
        if segment.has(flags::FIN) {
            self.ending.fin[own] = true;
        }
        if segment.has(flags::RST) {
            self.ending.reset[own].get_or_insert((segment.time, segment.frame));
        }
        let reset = self.ending.reset.iter().any(Option::is_some);
        self.closed = reset || self.ending.fin == [true, true];
    }

    /// The event that `segment` is for its own sender.
    fn send(&mut self, side: Side, segment: &Segment) {
        let own = side as usize;
        let echo = segment.options.timestamps.filter(|_| self.legs.to[own].trusts_echo());
        self.deliver(side, segment.time, echo.map(|t| t.1));
        let starts = segment.len > 0 && !segment.has(flags::SYN) && !segment.has(flags::RST);
        if self.senders[own].is_none() && starts {
            self.begin(side, segment.seq);
        }
        if let Some(sender) = &mut self.senders[own] {
            if !segment.has(flags::SYN) && !segment.has(flags::RST) {
                sender.sent(segment, segment.time);
            }
        } else if segment.has(flags::SYN) {
            self.words[own].next = Some(segment.seq + 1);
        }
    }

    /// ACKs that had reached `side` when it sent a packet that passes now.
    fn deliver(&mut self, side: Side, now: Nanos, tsecr: Option<u32>) {
        let own = side as usize;
        let Some(sender) = &mut self.senders[own] else { return };
        let (shortest, leg) = (self.legs.to[own].floor(), self.legs.to[own].now());
        sender.stands_at(leg, self.legs.to[own].known());
        while let Some(event) = self.under_way[own].arrived(now, tsecr, shortest, leg) {
            let time = (event.time + leg).min(now).max(sender.last);
            sender.acknowledged(&event, time, leg);
        }
    }

    /// `event` passed on its way to `side`, the sender of the data that it acknowledges.
    fn hear(&mut self, side: Side, event: AckEvent) {
        let own = side as usize;
        if self.senders[own].is_none() {
            let first = self.words[own].ack.map(|w| w.ack);
            self.words[own].ack = Some(event);
            if event.data > 0 {
                self.words[own].data = Some(event.time);
            }
            // The data of this direction was never captured: its ACKs tell of it all the same.
            match first {
                Some(seq) if event.ack.distance(seq) > 1 => self.begin(side, seq),
                _ => return,
            }
        }
        let (leg, placed) = (self.legs.to[own].now(), self.legs.to[own].known());
        let Some(sender) = &mut self.senders[own] else { return };
        sender.placed = placed;
        if leg <= NEAR {
            sender.acknowledged(&event, event.time.max(sender.last), leg);
        } else if let Some(oldest) = self.under_way[own].push(event) {
            let time = (oldest.time + leg).min(event.time).max(sender.last);
            sender.acknowledged(&oldest, time, leg);
        }
    }

    /// `side` sends its first data, at `first`.
    fn begin(&mut self, side: Side, first: Seq) {
        let own = side as usize;
        let first = self.words[own].next.filter(|n| first.distance(*n) >= 0).unwrap_or(first);
        let both = self.handshake.syn[0].is_some() && self.handshake.syn[1].is_some();
        let rtt = self.legs.to[0].floor() + self.legs.to[1].floor();
        let mut sender = Sender::new(Beginning {
            first,
            from: self.start,
            handshake_rtt: (both && rtt.0 > 0).then_some(rtt),
            window: self.handshake.window(side.other()),
            size: self.handshake.segment_size(),
        });
        let leg = self.legs.to[own].now();
        sender.stands_at(leg, self.legs.to[own].known());
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
        self.senders[own] = Some(Box::new(sender));
    }
}
