//! What is under way: losses, and the rate at which it is delivered (`tcp_rate.c`).

use super::super::path::{Packet, Path};
use crate::units::Nanos;
use std::collections::VecDeque;

#[derive(Debug, Clone, Copy)]
struct Flying {
    packet: Packet,
    lost: bool,
    delivered: u64,
    delivered_at: Nanos,
    first_sent: Nanos,
    app_limited: bool,
}

/// What an ACK settled.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Settled {
    pub(super) segments: u64,
    /// When the newest of them was sent.
    pub(super) sent: Option<Nanos>,
    /// Bytes per second; 0: not known.
    pub(super) rate: f64,
    pub(super) app_limited: bool,
    pub(super) losses: u64,
}

#[derive(Debug, Default)]
pub(super) struct Flight {
    flying: VecDeque<Flying>,
    /// To be sent again.
    pub(super) again: VecDeque<(u64, u64)>,
    next: u64,
    delivered: u64,
    delivered_at: Nanos,
    first_sent: Nanos,
    /// Segments delivered, and sent.
    pub(super) arrived: u64,
    pub(super) app_limited: bool,
}

impl Flight {
    /// Segments in flight, as far as the sender knows.
    pub(super) fn segments(&self) -> u64 {
        self.flying.len() as u64
    }

    pub(super) fn sent(&self) -> u64 {
        self.next
    }

    pub(super) fn send(&mut self, now: Nanos, seq: u64, len: u64, path: &mut Path) {
        if self.flying.is_empty() {
            self.first_sent = now;
            self.delivered_at = now;
        }
        let packet = Packet { number: self.next, seq, len, sent: now };
        self.next += 1;
        let lost = !path.send(packet);
        self.flying.push_back(Flying {
            packet,
            lost,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            app_limited: self.app_limited,
        });
    }

    /// Packets keep their order: what left before number `upto` and has not arrived is lost.
    pub(super) fn settle(&mut self, now: Nanos, upto: u64) -> Settled {
        let mut settled = Settled::default();
        let mut newest = None;
        while let Some(f) = self.flying.front().copied().filter(|f| f.packet.number <= upto) {
            self.flying.pop_front();
            if f.lost {
                settled.losses += 1;
                self.again.push_back((f.packet.seq, f.packet.len));
            } else {
                settled.segments += 1;
                self.delivered += f.packet.len;
                newest = Some(f);
            }
        }
        self.arrived += settled.segments;
        if let Some(f) = newest {
            let sending = f.packet.sent - f.first_sent;
            let acking = now - f.delivered_at;
            let span = sending.max(acking).secs();
            let bytes = (self.delivered - f.delivered) as f64;
            settled.rate = if span > 0.0 { bytes / span } else { 0.0 };
            settled.app_limited = f.app_limited;
            settled.sent = Some(f.packet.sent);
            self.delivered_at = now;
            self.first_sent = f.packet.sent;
        }
        settled
    }

    /// The last packet, for a probe of a lost tail.
    pub(super) fn last(&self) -> Option<(u64, u64)> {
        self.flying.back().map(|f| (f.packet.seq, f.packet.len))
    }

    /// The retransmission timer: everything lost is to be sent again; whether anything is.
    pub(super) fn give_up(&mut self) -> bool {
        let lost = self.flying.iter().filter(|f| f.lost).map(|f| (f.packet.seq, f.packet.len));
        let before = self.again.len();
        self.again.extend(lost);
        self.flying.retain(|f| !f.lost);
        self.again.len() > before
    }
}
