//! One connection: segments in, two directions at their senders' clocks out.
//!
//! Every packet is two events: something that its sender put on the wire, and something that it
//! tells the other end about *its* data. The second happens later, by the leg between the capture
//! point and that end.

mod ack;
pub(crate) mod answers;
pub(crate) mod burst;
mod capacity;
mod gap;
mod handshake;
mod identification;
mod line;
pub(crate) mod packet;
mod passing;
mod record;
pub(crate) mod rtt;
mod scoreboard;
mod segment_size;
pub(crate) mod sender;
mod sender_clock;
mod space;
pub(crate) mod spread;
pub(crate) mod stretch;
mod tally;
mod transfer;
mod vantage;
mod window;

use crate::model::Side;
use crate::observe::{Endpoint, flags};
use crate::units::{Nanos, Seq};
use ack::UnderWay;
use handshake::Handshake;
use packet::Packet;
use sender::Sender;
use sender_clock::SenderClock;
use tally::Count;
use vantage::{Leg, Legs};

/// Segments held back while the vantage of a connection without a handshake is found out.
const WARM_UP: usize = 64;
/// A sender this near to the capture point gets its ACKs at once.
const NEAR: Nanos = Nanos::from_micros(300);

/// A scheduler's latency: data that leaves this soon after an ACK was released by it.
pub(crate) const WAKE_UP: Nanos = Nanos::from_micros(200);

/// Longest time that a busy host takes to run the process that an ACK has woken.
pub(crate) const BUSY_HOST: Nanos = Nanos::from_millis(2);

/// What a direction knows before its first data.
#[derive(Debug, Clone, Copy, Default)]
struct LastWord {
    /// The newest ACK on its way to the sender, and the newest with data of the peer.
    ack: Option<Packet>,
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
    clocks: [SenderClock; 2],
    pub(crate) senders: [Option<Sender>; 2],
    under_way: [UnderWay; 2],
    words: [LastWord; 2],
    held: Option<Vec<Packet>>,
    previous_packet: Nanos,
    last_packet: [Nanos; 2],
    quiet_before: Nanos,
    /// Time and frame of the first RST, by sender.
    pub(crate) resets: [Option<(Nanos, u64)>; 2],
    pub(crate) copies: Count,
    pub(crate) backwards: Count,
    pub(crate) fragments: Count,
    pub(crate) marks: Count,
}

impl Flow {
    /// A connection between `ends`, client and server, that begins with `first`.
    pub(crate) fn new(id: u64, ends: [Endpoint; 2], first: &Packet) -> Self {
        Self {
            id,
            ends,
            start: first.time,
            last: first.time,
            packets: [0; 2],
            handshake: Handshake::default(),
            legs: Legs::new(),
            clocks: Default::default(),
            senders: [None, None],
            under_way: Default::default(),
            words: Default::default(),
            held: (!first.has(flags::SYN)).then(Vec::new),
            previous_packet: first.time,
            last_packet: [Nanos(i64::MIN); 2],
            quiet_before: Nanos::ZERO,
            resets: [None; 2],
            copies: Count::default(),
            backwards: Count::default(),
            fragments: Count::default(),
            marks: Count::default(),
        }
    }

    /// The next packets of this connection.
    pub(crate) fn push(&mut self, packets: &[Packet]) {
        for packet in packets {
            if packet.is_copy() {
                self.push_copy(packet);
            } else if packet.time < self.last || self.held.is_some() {
                self.push_slowly(packet);
            } else {
                self.count(packet);
                self.measure_legs(packet);
                self.process(packet);
            }
        }
    }

    /// A packet of this connection that was captured before: it counts, and says nothing new.
    #[cold]
    fn push_copy(&mut self, packet: &Packet) {
        self.count(packet);
        self.copies.add(packet.frame);
    }

    /// A packet that steps back in time, or comes while the vantage is found out.
    #[cold]
    fn push_slowly(&mut self, packet: &Packet) {
        let mut packet = *packet;
        if packet.time < self.last {
            self.backwards.add(packet.frame);
            if self.held.is_none() {
                packet = packet.at(self.last);
            }
        }
        self.count(&packet);
        self.measure_legs(&packet);
        match &mut self.held {
            None => self.process(&packet),
            Some(held) => {
                held.push(packet);
                if held.len() >= WARM_UP {
                    self.release_held();
                }
            }
        }
    }

    #[inline]
    fn count(&mut self, packet: &Packet) {
        self.last = self.last.max(packet.time);
        self.packets[packet.side as usize] += 1;
    }

    /// The vantage is known as well as it will be at this point.
    #[cold]
    fn release_held(&mut self) {
        let mut held = self.held.take().unwrap_or_default();
        held.sort_by_key(|p| p.time);
        for packet in &held {
            self.process(packet);
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

    #[inline(always)]
    fn measure_legs(&mut self, packet: &Packet) {
        let side = packet.side;
        let (own, other) = (side as usize, side.other() as usize);
        if self.handshake.established.is_none() || packet.has(flags::SYN) {
            self.measure_handshake(own, other, packet);
        }
        match packet.timestamps() {
            Some((val, ecr)) => self.measure_echo(own, other, val, ecr, packet),
            None => self.measure_without_stamps(own, other, packet),
        }
    }

    #[inline(never)]
    fn measure_handshake(&mut self, own: usize, other: usize, packet: &Packet) {
        let side = packet.side;
        let syn = packet.has(flags::SYN);
        if syn {
            self.handshake.syn(packet);
        }
        let answers = match side {
            Side::Server => syn && packet.has(flags::ACK),
            Side::Client => !syn && self.handshake.established.is_none(),
        };
        if answers && let Some(syn) = self.handshake.syn[other].as_ref().filter(|s| s.times == 1) {
            self.legs.to[own].shaken(packet.time - syn.last);
        }
        if !syn && side == Side::Client && self.handshake.syn[1].is_some() {
            self.handshake.established.get_or_insert(packet.time);
        }
    }

    #[inline(always)]
    fn measure_echo(&mut self, own: usize, other: usize, val: u32, ecr: u32, packet: &Packet) {
        let near = |leg: &Leg| leg.from_handshake && leg.floor() < NEAR;
        if packet.has(flags::ACK) && !near(&self.legs.to[own]) {
            self.clocks[own].see(val, packet.time);
            if self.legs.to[own].is_news(ecr, packet.time) {
                let round = self.legs.to[0].floor() + self.legs.to[1].floor();
                let left = self.left_before_news(packet);
                self.legs.to[own].echoed(ecr, left, round);
            }
        }
        if !near(&self.legs.to[other]) {
            self.legs.to[other].passed_towards(val, packet.time);
        }
    }

    /// As `left`, of a packet that is the first to echo what it echoes: a few of a hundred.
    #[inline(never)]
    fn left_before_news(&mut self, packet: &Packet) -> Nanos {
        self.left(packet)
    }

    /// When `packet` would have passed without the queues between its sender and the capture point, as far as its stamp tells.
    #[inline(always)]
    fn left(&mut self, packet: &Packet) -> Nanos {
        let own = packet.side as usize;
        let leg = &self.legs.to[own];
        match packet.timestamps() {
            Some((tsval, tsecr)) if leg.floor() >= NEAR => {
                let earliest = || leg.passed(tsecr).map_or(Nanos(i64::MIN), |p| p + leg.floor());
                self.clocks[own].unqueued(tsval, packet.time, earliest)
            }
            _ => packet.time,
        }
    }

    /// Data and its acknowledgment; or a packet that follows one of the other end, after both had been quiet for longer than the answer
    /// took, was its answer.
    fn measure_without_stamps(&mut self, own: usize, other: usize, packet: &Packet) {
        let time = packet.time;
        if packet.acknowledges() {
            self.legs.to[own].acknowledged(packet.ack, time);
        }
        if packet.len > 0 {
            self.legs.to[other].data_towards(packet.seq + packet.len, time);
        }
        let answer = time - self.last_packet[other];
        if self.previous_packet == self.last_packet[other] {
            self.legs.to[own].quiet_pair(answer, self.quiet_before);
        }
        self.quiet_before = time - self.previous_packet;
        self.previous_packet = time;
        self.last_packet[own] = time;
    }
}
