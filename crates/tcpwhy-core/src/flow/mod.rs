//! One connection: segments in, two directions at their senders' clocks out.
//!
//! Every packet is two events: something that its sender put on the wire, and something that it
//! tells the other end about *its* data. The second happens later, by the leg between the capture
//! point and that end.

mod ack;
pub(crate) mod answers;
pub(crate) mod burst;
mod gap;
mod handshake;
mod identification;
pub(crate) mod rtt;
mod scoreboard;
mod segment_size;
pub(crate) mod sender;
mod space;
pub(crate) mod stretch;
mod tally;
mod train;
mod transfer;
mod vantage;
mod window;

use crate::model::Side;
use crate::observe::{Endpoint, Segment, flags};
use crate::units::{Nanos, Seq};
use ack::{AckEvent, UnderWay};
use handshake::Handshake;
use sender::{Beginning, Sender};
use tally::Count;
use vantage::Legs;

/// Segments held back while the vantage of a connection without a handshake is found out.
const WARM_UP: usize = 64;
/// A sender this near to the capture point gets its ACKs at once.
const NEAR: Nanos = Nanos::from_micros(300);

/// How a connection ended, as far as the capture shows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ending {
    pub(crate) fin: [bool; 2],
    /// Time and frame of the first RST, by sender.
    pub(crate) reset: [Option<(Nanos, u64)>; 2],
}

/// What a direction knows before its first data.
#[derive(Debug, Clone, Copy, Default)]
struct LastWord {
    /// The newest ACK on its way to the sender, and the newest with data of the peer.
    ack: Option<AckEvent>,
    data: Option<Nanos>,
    next: Option<Seq>,
}

/// One connection.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) id: u64,
    /// Client and server.
    pub(crate) ends: [Endpoint; 2],
    pub(crate) start: Nanos,
    pub(crate) last: Nanos,
    pub(crate) packets: [u64; 2],
    pub(crate) handshake: Handshake,
    pub(crate) legs: Legs,
    pub(crate) senders: [Option<Box<Sender>>; 2],
    under_way: [UnderWay; 2],
    words: [LastWord; 2],
    held: Option<Vec<Segment>>,
    previous_packet: Nanos,
    last_packet: [Nanos; 2],
    quiet_before: Nanos,
    pub(crate) ending: Ending,
    /// Both ends have closed, or one has reset.
    closed: bool,
    pub(crate) copies: Count,
    pub(crate) backwards: Count,
    pub(crate) fragments: Count,
    pub(crate) marks: Count,
}

impl Flow {
    /// A connection that begins with `segment`.
    pub(crate) fn new(id: u64, segment: &Segment) -> Self {
        let client_sends = match (segment.has(flags::SYN), segment.has(flags::ACK)) {
            (true, false) => true,
            (true, true) => false,
            (false, _) => segment.src.port >= segment.dst.port,
        };
        let ends =
            if client_sends { [segment.src, segment.dst] } else { [segment.dst, segment.src] };
        Self {
            id,
            ends,
            start: segment.time,
            last: segment.time,
            packets: [0; 2],
            handshake: Handshake::default(),
            legs: Legs::new(),
            senders: [None, None],
            under_way: Default::default(),
            words: Default::default(),
            held: (!segment.has(flags::SYN)).then(Vec::new),
            previous_packet: segment.time,
            last_packet: [Nanos(i64::MIN); 2],
            quiet_before: Nanos::ZERO,
            ending: Ending::default(),
            closed: false,
            copies: Count::default(),
            backwards: Count::default(),
            fragments: Count::default(),
            marks: Count::default(),
        }
    }

    fn side_of(&self, segment: &Segment) -> Side {
        if segment.src == self.ends[0] { Side::Client } else { Side::Server }
    }

    /// Whether `segment` opens another connection between the same ends.
    pub(crate) fn is_reopened_by(&self, segment: &Segment) -> bool {
        if !segment.has(flags::SYN) || segment.has(flags::ACK) {
            return false;
        }
        match self.handshake.syn[self.side_of(segment) as usize] {
            Some(syn) => syn.seq != segment.seq,
            None => true,
        }
    }

    /// Whether both ends have closed, or one has reset.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// A packet of this connection that was captured before: it counts, and says nothing new.
    pub(crate) fn push_copy(&mut self, segment: &Segment) {
        self.last = self.last.max(segment.time);
        self.packets[self.side_of(segment) as usize] += 1;
        self.copies.add(segment.frame);
    }

    /// The next segment of this connection.
    pub(crate) fn push(&mut self, segment: &Segment) {
        if segment.time < self.last {
            self.backwards.add(segment.frame);
            if self.held.is_none() {
                return self.take(&Segment { time: self.last, ..*segment });
            }
        }
        self.take(segment);
    }

    fn take(&mut self, segment: &Segment) {
        self.last = self.last.max(segment.time);
        let side = self.side_of(segment);
        self.packets[side as usize] += 1;
        self.measure_legs(side, segment);
        match &mut self.held {
            None => self.process(side, segment),
            Some(held) => {
                held.push(*segment);
                if held.len() >= WARM_UP {
                    self.release_held();
                }
            }
        }
    }

    /// The vantage is known as well as it will be at this point.
    fn release_held(&mut self) {
        let mut held = self.held.take().unwrap_or_default();
        held.sort_by_key(|s| s.time);
        for segment in held {
            let side = self.side_of(&segment);
            self.process(side, &segment);
        }
    }

    /// The input is over.
    pub(crate) fn end(&mut self) {
        self.release_held();
        for side in [Side::Client, Side::Server] {
            let leg = self.legs.to[side as usize].now();
            let Some(sender) = &mut self.senders[side as usize] else { continue };
            while let Some(event) = self.under_way[side as usize].pop() {
                let time = (event.time + leg).max(sender.last);
                sender.acknowledged(&event, time, leg);
            }
            sender.end();
        }
    }

    fn measure_legs(&mut self, side: Side, segment: &Segment) {
        let (own, other) = (side as usize, side.other() as usize);
        let syn = segment.has(flags::SYN);
        if syn {
            self.handshake.syn(side, segment);
        }
        let answers = match side {
            Side::Server => syn && segment.has(flags::ACK),
            Side::Client => !syn && self.handshake.established.is_none(),
        };
        if answers && let Some(syn) = self.handshake.syn[other].as_ref().filter(|s| s.times == 1) {
            self.legs.to[own].sample(segment.time - syn.last);
            self.legs.to[own].from_handshake = true;
        }
        if !syn && side == Side::Client && self.handshake.syn[1].is_some() {
            self.handshake.established.get_or_insert(segment.time);
        }
        match segment.options.timestamps {
            Some((val, ecr)) => self.measure_echo(own, other, val, ecr, segment),
            None => self.measure_quiet_pair(own, other, segment),
        }
    }

    fn measure_echo(&mut self, own: usize, other: usize, val: u32, ecr: u32, segment: &Segment) {
        let near = |leg: &vantage::Leg| leg.from_handshake && leg.floor() < NEAR;
        if segment.has(flags::ACK) && !near(&self.legs.to[own]) {
            let round = self.legs.to[0].floor() + self.legs.to[1].floor();
            self.legs.to[own].echoed(ecr, segment.time, round);
        }
        if !near(&self.legs.to[other]) {
            self.legs.to[other].passed_towards(val, segment.time);
        }
    }

    /// Without timestamps: a packet that follows one of the other end, after both had
    /// been quiet for longer than the answer took, was its answer.
    fn measure_quiet_pair(&mut self, own: usize, other: usize, segment: &Segment) {
        let time = segment.time;
        let answer = time - self.last_packet[other];
        if self.previous_packet == self.last_packet[other] {
            self.legs.to[own].quiet_pair(answer, self.quiet_before);
        }
        self.quiet_before = time - self.previous_packet;
        self.previous_packet = time;
        self.last_packet[own] = time;
    }

    fn process(&mut self, side: Side, segment: &Segment) {
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
