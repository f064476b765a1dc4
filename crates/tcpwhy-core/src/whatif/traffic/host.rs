//! One endpoint: a sender, a receiver and the clock that stamps its segments.

use super::packet::Packet;
use super::receiver::Receiver;
use super::sender::{Outgoing, Sender};
use crate::observe::flags;
use crate::units::Nanos;

#[derive(Debug)]
pub(super) struct Host {
    is_server: bool,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    peer_scale: u8,
    timestamps: bool,
    reset: bool,
}

impl Host {
    pub(super) fn new(
        is_server: bool,
        sender: Sender,
        receiver: Receiver,
        peer_scale: u8,
        timestamps: bool,
    ) -> Self {
        Self { is_server, sender, receiver, peer_scale, timestamps, reset: false }
    }

    pub(super) fn on_packet(&mut self, now: Nanos, packet: &Packet) {
        if packet.has(flags::RST) {
            self.sender.kill();
            return;
        }
        if self.sender.is_dead() {
            self.reset = true;
            return;
        }
        self.receiver.on_segment(now, packet);
        self.sender.on_ack(now, packet, u64::from(packet.window) << self.peer_scale);
    }

    /// The earliest of the protocol's timers.
    pub(super) fn timeout(&self) -> Option<Nanos> {
        if self.sender.is_dead() {
            return None;
        }
        [self.sender.timeout(), self.receiver.ack_at()].into_iter().flatten().min()
    }

    /// Everything that leaves now.
    pub(super) fn transmit(&mut self, now: Nanos, out: &mut Vec<Packet>) {
        if std::mem::take(&mut self.reset) {
            let seq = self.sender.una();
            out.push(self.stamp(
                now,
                Outgoing { seq, len: 0, push: false, fin: false },
                flags::RST,
            ));
        }
        while let Some(piece) = self.sender.next(now) {
            out.push(self.stamp(now, piece, 0));
        }
        if !self.sender.is_dead() && self.receiver.must_ack(now) {
            let seq = self.sender.next_seq();
            out.push(self.stamp(now, Outgoing { seq, len: 0, push: false, fin: false }, 0));
        }
    }

    fn stamp(&mut self, now: Nanos, piece: Outgoing, extra: u16) -> Packet {
        let mut bits = flags::ACK | extra;
        bits |= if piece.push { flags::PSH } else { 0 };
        bits |= if piece.fin { flags::FIN } else { 0 };
        let (sack, sack_count) = self.receiver.sack();
        let (ts_val, ts_ecr) = match self.timestamps {
            true => (clock(now, self.is_server), self.receiver.ts_recent()),
            false => (0, 0),
        };
        Packet {
            from_server: self.is_server,
            seq: piece.seq,
            len: piece.len,
            ack: self.receiver.next(),
            flags: bits,
            window: self.receiver.advertise(),
            ts_val,
            ts_ecr,
            sack,
            sack_count,
            sent: now,
            ..Packet::default()
        }
    }
}

/// A host's timestamp clock: milliseconds from an arbitrary origin, different at each end.
pub(super) fn clock(now: Nanos, is_server: bool) -> u32 {
    let origin = if is_server { 3_000_000_000 } else { 700_000_000 };
    ((now.0 / 1_000_000) as u32).wrapping_add(origin)
}
