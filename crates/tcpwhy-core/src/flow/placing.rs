//! The first half of what happens inside a connection: where the capture was taken, and when each packet left its sender.
//!
//! It depends on nothing but the packets, so it may run ahead of the rest.

use super::handshake::Handshake;
use super::packet::Packet;
use super::placed::Taker;
use super::sender_clock::SenderClock;
use super::tally::Count;
use super::vantage::Legs;
use super::{NEAR, WARM_UP};
use crate::model::Side;
use crate::observe::flags;
use crate::units::Nanos;

/// What the packets of a connection say of the capture point.
#[derive(Debug)]
pub(crate) struct Placing {
    pub(crate) legs: Legs,
    handshake: Handshake,
    clocks: [SenderClock; 2],
    held: Option<Vec<Packet>>,
    previous_packet: Nanos,
    last_packet: [Nanos; 2],
    quiet_before: Nanos,
    /// When the newest packet passed.
    pub(crate) last: Nanos,
    /// By sender, those that were captured twice included.
    pub(crate) packets: [u64; 2],
    pub(crate) copies: [Count; 2],
    pub(crate) backwards: [Count; 2],
}

impl Placing {
    /// Of a connection that begins with `first`.
    pub(crate) fn new(first: &Packet) -> Self {
        Self {
            legs: Legs::new(),
            handshake: Handshake::default(),
            clocks: Default::default(),
            held: (!first.has(flags::SYN)).then(Vec::new),
            previous_packet: first.time,
            last_packet: [Nanos(i64::MIN); 2],
            quiet_before: Nanos::ZERO,
            last: first.time,
            packets: [0; 2],
            copies: Default::default(),
            backwards: Default::default(),
        }
    }

    /// The next packets of the connection. Those that were captured before only count.
    pub(crate) fn place(&mut self, packets: &[Packet], out: &mut impl Taker) {
        for packet in packets {
            if packet.is_copy() {
                self.push_copy(packet);
            } else if packet.time < self.last || packet.is_late() || self.held.is_some() {
                self.push_slowly(packet, out);
            } else {
                self.count(packet);
                let prompt = self.measure_legs(packet);
                let left = if prompt { packet.time } else { self.left(packet) };
                out.take(packet, left, self.legs.moved());
            }
        }
    }

    /// A packet of this connection that was captured before: it counts, and says nothing new.
    #[cold]
    fn push_copy(&mut self, packet: &Packet) {
        self.count(packet);
        self.copies[packet.side as usize].add(packet.frame);
    }

    /// A packet that steps back in time, or did before it was sorted, or comes while the vantage is found out.
    #[cold]
    fn push_slowly(&mut self, packet: &Packet, out: &mut impl Taker) {
        let mut packet = *packet;
        let back = packet.time < self.last;
        if back || packet.is_late() {
            self.backwards[packet.side as usize].add(packet.frame);
        }
        if back && self.held.is_none() {
            packet = packet.at(self.last).delayed();
        }
        self.count(&packet);
        self.measure_legs(&packet);
        match &mut self.held {
            None => self.pass(&packet, out),
            Some(held) => {
                held.push(packet);
                if held.len() >= WARM_UP {
                    self.release_held(out);
                }
            }
        }
    }

    #[inline]
    fn count(&mut self, packet: &Packet) {
        self.last = self.last.max(packet.time);
        self.packets[packet.side as usize] += 1;
    }

    /// The vantage is known as well as it will be at this point, or the input is over.
    #[cold]
    pub(crate) fn release_held(&mut self, out: &mut impl Taker) {
        let mut held = self.held.take().unwrap_or_default();
        held.sort_by_key(|p| p.time);
        for packet in &held {
            self.pass(packet, out);
        }
    }

    fn pass(&mut self, packet: &Packet, out: &mut impl Taker) {
        let left = self.left(packet);
        out.take(packet, left, self.legs.moved());
    }

    /// Whether `packet` has certainly not queued before it passed; it may not have, even so.
    #[inline(always)]
    fn measure_legs(&mut self, packet: &Packet) -> bool {
        let side = packet.side;
        let (own, other) = (side as usize, side.other() as usize);
        if !self.handshake.is_over(packet) {
            self.measure_handshake(own, other, packet);
        }
        match packet.timestamps() {
            Some((val, ecr)) => self.measure_echo(own, other, val, ecr, packet),
            None => {
                self.measure_without_stamps(own, other, packet);
                true
            }
        }
    }

    #[inline(never)]
    fn measure_handshake(&mut self, own: usize, other: usize, packet: &Packet) {
        let side = packet.side;
        let syn = packet.has(flags::SYN);
        let answers = match side {
            Side::Server => syn && packet.has(flags::ACK),
            Side::Client => !syn && self.handshake.established.is_none(),
        };
        if answers && let Some(syn) = self.handshake.syn[other].as_ref().filter(|s| s.times == 1) {
            self.legs.to[own].shaken(packet.time - syn.last);
        }
        self.handshake.note(packet);
    }

    #[inline(always)]
    fn measure_echo(
        &mut self,
        own: usize,
        other: usize,
        val: u32,
        ecr: u32,
        packet: &Packet,
    ) -> bool {
        let mut prompt = self.legs.to[own].near;
        if packet.has(flags::ACK) && !prompt {
            prompt = self.clocks[own].see(val, packet.time);
            if self.legs.to[own].is_news(ecr, packet.time) {
                let round = self.legs.to[0].floor() + self.legs.to[1].floor();
                let left = if prompt { packet.time } else { self.left(packet) };
                self.legs.to[own].echoed(ecr, left, round, self.clocks[own].tells());
            }
        }
        if !self.legs.to[other].near {
            self.legs.to[other].passed_towards(val, packet.time);
        }
        prompt
    }

    /// When `packet` would have passed without the queues between its sender and the capture point, as far as its stamp tells.
    #[inline(never)]
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
