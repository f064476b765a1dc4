//! The way of the data, [`crate::link`]'s, and the way of the ACKs, which is only long.

use super::Transfer;
use crate::link::{DropReason, Fate, Loss, Parcel, Queue, QueueLimit, Rate, Way, WaySpec};
use crate::units::{Nanos, time_at};

/// IPv4 and TCP headers with timestamps: rates count IP packets.
pub(super) const HEADERS: u64 = 52;

/// A data packet on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet {
    pub(super) seq: u64,
    pub(super) len: u64,
    pub(super) sent: Nanos,
    /// When the newest ACK that the sender had seen left the receiver (TSecr).
    pub(super) echo: Nanos,
    /// PSH.
    pub(super) push: bool,
}

#[derive(Debug)]
pub(super) struct Path {
    way: Way<Packet>,
    rate_bps: u64,
    pub(super) backward: Nanos,
    /// The policer dropped what was lost last.
    pub(super) polices: bool,
}

impl Path {
    pub(super) fn new(t: &Transfer) -> Self {
        let forward = t.rtt.scale(1, 2);
        let rate = if t.rate_bps == 0 { Rate::Unlimited } else { Rate::Constant(t.rate_bps) };
        let spec = WaySpec {
            rate,
            delay: forward,
            loss: Loss { random: t.loss, ..Loss::default() },
            queue: Queue::DropTail(QueueLimit::Bytes(t.queue)),
            policer: t.policer,
            seed: t.seed,
            ..WaySpec::default()
        };
        let (way, rate_bps, backward) = (Way::new(&spec), t.rate_bps, t.rtt - forward);
        Self { way, rate_bps, backward, polices: false }
    }

    /// The packet is on its way, or lost: nobody is told.
    pub(super) fn send(&mut self, packet: Packet) {
        let bytes = packet.len + HEADERS;
        let largest = u32::try_from(bytes).unwrap_or(u32::MAX);
        let parcel = Parcel { bytes, largest, data: true, ect: false };
        if let Fate::Dropped(reason) = self.way.offer(packet.sent, parcel, packet) {
            self.polices = reason == DropReason::Policer;
        }
    }

    /// The next packet that has arrived.
    pub(super) fn take(&mut self, now: Nanos) -> Option<Packet> {
        self.way.take(now).map(|delivery| delivery.payload)
    }

    /// When the next one may arrive.
    pub(super) fn due(&self) -> Option<Nanos> {
        self.way.due()
    }

    /// Time until the link is idle.
    pub(super) fn busy(&self, now: Nanos) -> Nanos {
        time_at(self.way.waiting(now), self.rate_bps)
    }
}
