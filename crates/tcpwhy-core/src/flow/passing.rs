//! A packet passes the capture point: what it is for its own sender, and what it tells the other end.

use super::ack::Event;
use super::packet::Packet;
use super::sender::{Beginning, Sender, Way};
use super::{Flow, LONGER_THAN_A_PATH, NEAR, Over, Reset};
use crate::model::Side;
use crate::observe::flags;
use crate::units::{Nanos, Seq};

impl Flow {
    /// A packet in the middle of the connection.
    #[inline(always)]
    pub(super) fn pass(&mut self, packet: &Packet, left: Nanos) {
        self.last = self.last.max(packet.time);
        self.send(packet, left);
        self.newest[packet.side as usize] = packet.time;
        self.hear(packet, left);
    }

    /// As `pass`, for a packet that may open or close the connection, may acknowledge nothing, or was marked or cut on its way.
    #[inline(never)]
    pub(super) fn pass_and_note(&mut self, packet: &Packet, left: Nanos) {
        self.last = self.last.max(packet.time);
        if !self.handshake.is_over(packet) {
            self.handshake.note(packet);
        }
        if packet.is_fragment() {
            self.fragments[packet.side as usize].add(packet.frame);
        }
        self.send(packet, left);
        if packet.has_any(flags::FIN | flags::RST) {
            self.ends(packet);
        }
        self.newest[packet.side as usize] = packet.time;
        if packet.acknowledges() {
            self.hear(packet, left);
        }
    }

    /// A FIN or an RST.
    ///
    /// A host that does not know the connection answers a segment with <SEQ=SEG.ACK><CTL=RST>, without an ACK (RFC 9293 section
    /// 3.10.7.1); one that resets a connection of its own sends an ACK as well. Where it had sent no FIN either, it had given the
    /// connection up and said nothing.
    #[cold]
    fn ends(&mut self, packet: &Packet) {
        let own = packet.side as usize;
        let (time, frame, side) = (packet.time, packet.frame, packet.side);
        self.over.get_or_insert(Over { time, frame, side });
        if packet.has(flags::FIN) {
            self.closed[own].get_or_insert(time);
        }
        if packet.has(flags::RST) {
            let asked = match &self.senders[own] {
                Some(sender) => sender.is_acknowledged_to(packet.seq),
                None => self.words[own].ack.is_some_and(|word| word.ack == packet.seq),
            };
            let unknown = asked && !packet.has(flags::ACK) && self.closed[own].is_none();
            let is_late = unknown && time - self.newest[own] >= LONGER_THAN_A_PATH;
            self.resets[own].get_or_insert(Reset { frame, last: time, is_late }).last = time;
        }
    }

    /// The event that `packet`, which left at `time`, is for its own sender.
    #[inline(always)]
    fn send(&mut self, packet: &Packet, time: Nanos) {
        let (side, own) = (packet.side, packet.side as usize);
        let echo = packet.timestamps().filter(|_| self.legs[own].trusts_echo).map(|t| t.1);
        self.deliver(packet, time, echo);
        let within = !packet.has_any(flags::SYN | flags::RST);
        if self.senders[own].is_none() && within {
            if packet.len > 0 {
                self.begin(side, packet.seq);
            } else if let Some(next) = self.kept_alive(packet) {
                self.begin(side, next);
            }
        }
        if let Some(sender) = &mut self.senders[own] {
            if within {
                sender.sent(packet, time.max(sender.last));
            }
        } else if packet.has(flags::SYN) {
            self.words[own].next = Some(packet.seq + 1);
            if packet.len > 0 {
                self.opens_with_data(packet, time);
            }
        } else if within {
            // A FIN has a number, too.
            let word = &mut self.words[own];
            if word.next.is_some_and(|next| packet.seq.distance(next) > 1) {
                word.ahead = Some(packet.seq);
            }
        }
    }

    /// The number that `packet` is one before though nothing is known to have been sent: it asks whether the other end is still there (RFC 9293
    /// section 3.8.4).
    fn kept_alive(&self, packet: &Packet) -> Option<Seq> {
        let own = packet.side as usize;
        let word = &self.words[own];
        let next = word.next.or(word.ack.map(|acknowledged| acknowledged.ack))?;
        // A FIN has a number, too.
        (packet.seq + 1 == next && self.closed[own].is_none()).then_some(next)
    }

    /// A SYN that carries data. What is known of the other end's window and options comes with its answer.
    #[cold]
    fn opens_with_data(&mut self, syn: &Packet, time: Nanos) {
        self.words[syn.side as usize].opening = Some((*syn, time));
        self.words[syn.side.other() as usize].data = Some((syn.time, syn.frame));
    }

    /// ACKs that had reached its sender when `sent` left `now`.
    #[inline(always)]
    fn deliver(&mut self, sent: &Packet, now: Nanos, tsecr: Option<u32>) {
        let own = sent.side as usize;
        let Some(sender) = &mut self.senders[own] else { return };
        let way = &self.legs[own];
        let (shortest, leg) = (way.earliest, way.now);
        if std::mem::take(&mut self.moved[own]) {
            sender.stands_at(leg, way);
        }
        while let Some(event) = self.under_way[own].arrived(now, tsecr, shortest, leg) {
            let packet = &event.packet;
            // Who still probes has not heard that the window is open, and never will of this: data would follow.
            let older = |(_, echo)| event.is_newer_than(echo);
            if sent.len <= 1 && sender.would_open(packet) && sent.timestamps().is_some_and(older) {
                sender.tally.updates_lost.add(packet.frame);
                self.under_way[own].pop();
                continue;
            }
            // Behind a queue that comes and goes it was later than that, if the next one has not come yet.
            let after = self.under_way[own].came_after(now, tsecr, leg).unwrap_or(sender.last);
            let time = (packet.time + way.at_the_moment()).max(after).min(now).max(sender.last);
            let stamp = packet.stamp();
            let (queued_before, queued_after) = (event.queued, way.queue());
            let way = Way { leg: way.latest, queued_before, queued_after };
            sender.acknowledged(packet, time, way);
            self.under_way[own].told(stamp);
        }
    }

    /// `event`, which left at `left`, passed on its way to the other side, the sender of the data that it acknowledges.
    #[inline(always)]
    fn hear(&mut self, event: &Packet, left: Nanos) {
        let side = event.side.other();
        let own = side as usize;
        if self.senders[own].is_none() {
            let first = self.words[own].ack.map(|w| w.ack);
            self.words[own].ack = Some(*event);
            if event.len > 0 {
                self.words[own].data = Some((event.time, event.frame));
            }
            match first {
                // The data of this direction was never captured: its ACKs tell of it all the same.
                Some(seq) if event.ack.distance(seq) > 1 => self.begin(side, seq),
                _ if self.words[own].opening.is_some() => self.begin(side, event.ack),
                // Only data closes a window: there was some before the capture began.
                _ if event.window == 0 && self.is_plain_midstream(event) => {
                    self.begin(side, event.ack)
                }
                _ => return,
            }
        }
        let leg = self.legs[own].now;
        let Some(sender) = &mut self.senders[own] else { return };
        if self.moved[own] {
            sender.knows(&self.legs[own]);
        }
        // Behind a queue the end's own echoes tell when it had heard this, for what it sends passes later.
        let queued = event.time - left;
        if leg <= NEAR && !self.legs[own].behind_queue {
            let way = Way { leg, queued_before: queued, queued_after: Nanos::ZERO };
            sender.acknowledged(event, event.time.max(sender.last), way);
        } else if self.under_way[own].push(Event { packet: *event, queued }) {
            // There are more than can be.
            self.deliver_oldest(side, event.time);
        }
    }

    /// The oldest event that is under way to `side` has arrived, `now` at the latest; whether there was one.
    #[cold]
    pub(super) fn deliver_oldest(&mut self, side: Side, now: Nanos) -> bool {
        let own = side as usize;
        let leg = self.legs[own].now;
        let (Some(sender), Some(oldest)) = (&mut self.senders[own], self.under_way[own].pop())
        else {
            return false;
        };
        let time = (oldest.packet.time + leg).min(now).max(sender.last);
        let way = Way { leg, queued_before: oldest.queued, queued_after: Nanos::ZERO };
        sender.acknowledged(&oldest.packet, time, way);
        true
    }

    /// Whether `event` neither opens nor closes a connection whose handshake is not in the capture.
    fn is_plain_midstream(&self, event: &Packet) -> bool {
        let opened = self.handshake.syn.iter().any(Option::is_some);
        !opened && !event.has_any(flags::SYN | flags::FIN | flags::RST)
    }

    /// `side` sends its first data, at `first`.
    #[cold]
    fn begin(&mut self, side: Side, first: Seq) {
        let own = side as usize;
        let next = self.words[own].next.filter(|n| first.distance(*n) >= 0);
        let first = next.unwrap_or(first);
        let (leg, established) = (self.legs[own].now, self.established_at(side));
        let both = self.handshake.syn[0].is_some() && self.handshake.syn[1].is_some();
        let rtt = self.legs[0].floor + self.legs[1].floor;
        // The answer to a SYN with data does not show how far its sender is.
        let both = both && (self.handshake.established.is_some() || established.is_none());
        // Of a SYN that was sent twice nobody knows which was answered.
        let both = both && self.legs.iter().all(|leg| leg.known);
        let sender = self.senders[own].insert(Sender::new(Beginning {
            first,
            whole: next.is_some(),
            from: self.start,
            handshake_rtt: (both && rtt.0 > 0).then_some(rtt),
            window: self.handshake.window(side.other()),
            size: self.handshake.segment_size(),
            marks: self.handshake.marks(),
            ahead: self.words[own].ahead,
        }));
        sender.stands_at(leg, &self.legs[own]);
        let word = self.words[own];
        if let Some((syn, left)) = word.opening {
            sender.opened_with(&syn, left);
        }
        if let Some(ack) = word.ack {
            sender.learn_window(&ack);
        }
        if let Some(established) = established {
            sender.established(established.min(self.last));
        }
        if let Some((time, frame)) = word.data {
            sender.peer_spoke((time + leg).min(self.last), frame);
        }
    }

    /// When `side` could send its first data, or the next after that of its SYN: the client with the SYN/ACK, the server with what follows
    /// that, but with the SYN/ACK itself if the SYN carried data.
    fn established_at(&self, side: Side) -> Option<Nanos> {
        let own = side as usize;
        let leg = self.legs[own].now;
        let early = self.words.iter().any(|word| word.opening.is_some());
        let answered = self.handshake.syn[1].filter(|_| early).map(|syn| syn.last);
        match (side, self.handshake.established) {
            (Side::Client, Some(at)) => Some(at),
            (Side::Server, Some(at)) => Some(at + leg),
            (Side::Client, None) => answered.map(|at| at + leg),
            (Side::Server, None) => answered,
        }
    }
}
