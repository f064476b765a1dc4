//! What a packet tells of both legs, and when it left its sender.

use super::Placing;
use crate::flow::packet::Packet;
use crate::model::Side;
use crate::observe::flags;
use crate::units::Nanos;

impl Placing {
    /// Whether `packet` has certainly not queued before it passed; it may not have, even so.
    #[inline(always)]
    pub(super) fn measure_legs(&mut self, packet: &Packet) -> bool {
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
            Side::Client => {
                let first = !syn && self.handshake.established.is_none();
                first && !self.handshake.lacks_before(packet)
            }
        };
        if answers && let Some(syn) = self.handshake.syn[other].as_ref().filter(|s| s.times == 1) {
            self.legs.to[own].shaken(packet.time - syn.last);
        }
        if syn {
            self.legs.to[other].begins();
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
        if packet.len == 0 {
            self.legs.to[other].ack_towards(val, packet.seq, packet.time);
        }
        self.legs.to[other].passed_towards(val, packet.seq, packet.time);
        if !packet.has(flags::ACK) {
            return true;
        }
        let prompt = self.clocks[own].see(val, packet.time);
        self.legs.to[own].watch(ecr, packet.ack, packet.time);
        if self.legs.to[own].near {
            return true;
        }
        if self.legs.to[own].is_news(ecr, packet.time) {
            let round = self.legs.floor();
            let left = if prompt { packet.time } else { self.left(packet) };
            let quiet = packet.time - self.last;
            self.legs.to[own].echoed(ecr, left, quiet, round, self.clocks[own].tells());
        }
        prompt
    }

    /// When `packet` would have passed without the queues between its sender and the capture point, as far as its stamp tells.
    #[inline(never)]
    pub(super) fn left(&mut self, packet: &Packet) -> Nanos {
        let own = packet.side as usize;
        let leg = &self.legs.to[own];
        match packet.timestamps() {
            Some((tsval, tsecr)) if !leg.near => {
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
        self.legs.to[other].heard(time);
        if packet.has(flags::SYN) {
            self.legs.to[own].opened(time);
        } else if packet.len > 0 {
            let round = self.legs.floor();
            self.legs.to[other].data_towards(packet.seq + packet.len, time);
            self.legs.to[own].data_from(time, round);
        }
        if let Some((answer, quiet)) = self.takes_turn(packet) {
            self.legs.to[own].quiet_pair(answer, quiet);
        }
    }

    /// If `packet` follows one of the other end: after how long, and how long both had been quiet before.
    pub(super) fn takes_turn(&mut self, packet: &Packet) -> Option<(Nanos, Nanos)> {
        let time = packet.time;
        let quiet = time - self.previous_packet;
        let turns = self.speaker != packet.side;
        let turn = turns.then_some((time - self.turn, self.quiet_before));
        // Who goes on after a longer rest than the one before speaks anew.
        if turns || quiet >= self.quiet_before {
            (self.speaker, self.turn, self.quiet_before) = (packet.side, time, quiet);
        }
        self.previous_packet = time;
        turn
    }
}
