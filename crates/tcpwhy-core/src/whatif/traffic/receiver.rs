//! The receiving half of a TCP endpoint: reassembly, the advertised window, and when to acknowledge.

use super::packet::Packet;
use crate::observe::flags;
use crate::units::Nanos;

/// Segments acknowledged one by one at the start (Linux quick ACK mode, `TCP_MAX_QUICKACKS`).
const QUICK_ACKS: u32 = 16;

/// How a receiver is set up.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReceiverConfig {
    pub(super) mss: u64,
    pub(super) initial: u64,
    pub(super) max: u64,
    /// `None`: the option was not negotiated.
    pub(super) scale: Option<u8>,
    pub(super) delayed_ack: Nanos,
    /// Path round-trip time: the autotuning's measuring period.
    pub(super) rtt: Nanos,
    pub(super) sack: bool,
}

#[derive(Debug)]
pub(super) struct Receiver {
    config: ReceiverConfig,
    next: u64,
    read: u64,
    capacity: u64,
    /// Right edge of the window as advertised: never moves left.
    edge: u64,
    /// Ranges beyond a hole; the most recently touched first, as SACK reports them (RFC 2018).
    beyond: Vec<(u64, u64)>,
    duplicate: Option<(u64, u64)>,
    fin: Option<u64>,
    last_ack: u64,
    quick: u32,
    ack_now: bool,
    ack_at: Option<Nanos>,
    ts_recent: u32,
    round: (Nanos, u64),
}

impl Receiver {
    pub(super) fn new(config: ReceiverConfig, now: Nanos) -> Self {
        let mut receiver = Self {
            config,
            next: 1,
            read: 1,
            capacity: config.initial,
            edge: 1,
            beyond: Vec::new(),
            duplicate: None,
            fin: None,
            last_ack: 1,
            quick: QUICK_ACKS,
            ack_now: false,
            ack_at: None,
            ts_recent: 0,
            round: (now, 1),
        };
        receiver.edge = 1 + receiver.config.initial.min(receiver.largest());
        receiver
    }

    /// The largest window that the header can carry.
    fn largest(&self) -> u64 {
        65_535 << self.config.scale.unwrap_or(0).min(14)
    }

    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// In-order payload bytes received so far.
    pub(super) fn received(&self) -> u64 {
        self.next - 1 - u64::from(self.finished())
    }

    pub(super) fn finished(&self) -> bool {
        self.fin.is_some_and(|f| self.next > f)
    }

    pub(super) fn unread(&self) -> u64 {
        self.received() + 1 - self.read.min(self.received() + 1)
    }

    pub(super) fn growing(&self) -> bool {
        self.capacity < self.config.max.min(self.largest())
    }

    pub(super) fn ts_recent(&self) -> u32 {
        self.ts_recent
    }

    pub(super) fn set_ts_recent(&mut self, value: u32) {
        self.ts_recent = value;
    }

    pub(super) fn ack_at(&self) -> Option<Nanos> {
        self.ack_at
    }

    /// Whether an ACK must leave now even without data.
    pub(super) fn must_ack(&self, now: Nanos) -> bool {
        self.ack_now || self.ack_at.is_some_and(|at| at <= now)
    }

    pub(super) fn on_segment(&mut self, now: Nanos, packet: &Packet) {
        // RFC 7323 section 4.3: only a segment that covers the last ACK sent updates TS.Recent.
        if packet.seq <= self.last_ack && packet.ts_val >= self.ts_recent {
            self.ts_recent = packet.ts_val;
        }
        let end = packet.seq + u64::from(packet.len);
        if packet.has(flags::FIN) {
            self.fin = Some(end);
        }
        if packet.len == 0 && !packet.has(flags::FIN) {
            self.ack_now |= packet.seq < self.next;
            return;
        }
        if end + u64::from(packet.has(flags::FIN)) <= self.next {
            self.duplicate = Some((packet.seq, end));
            self.ack_now = true;
            return;
        }
        if packet.seq > self.next {
            self.add_beyond((packet.seq, end));
            self.ack_now = true;
            return;
        }
        self.accept(now, end, packet);
    }

    fn accept(&mut self, now: Nanos, end: u64, packet: &Packet) {
        let had_hole = !self.beyond.is_empty();
        self.next = self.next.max(end);
        while let Some(i) = self.beyond.iter().position(|b| b.0 <= self.next) {
            self.next = self.next.max(self.beyond.remove(i).1);
        }
        if self.fin == Some(self.next) {
            self.next += 1;
            self.ack_now = true;
        }
        let quick = self.quick > 0;
        self.quick = self.quick.saturating_sub(1);
        let full = self.next - self.last_ack > self.config.mss;
        if had_hole || quick || full || packet.has(flags::FIN) {
            self.ack_now = true;
        } else {
            self.ack_at.get_or_insert(now + self.config.delayed_ack);
        }
    }

    fn add_beyond(&mut self, mut range: (u64, u64)) {
        self.beyond.retain(|b| {
            let touches = b.0 <= range.1 && range.0 <= b.1;
            if touches {
                range = (range.0.min(b.0), range.1.max(b.1));
            }
            !touches
        });
        self.beyond.insert(0, range);
    }

    /// The application takes up to `bytes`.
    pub(super) fn take(&mut self, now: Nanos, bytes: u64) {
        let bytes = bytes.min(self.unread());
        if bytes == 0 {
            return;
        }
        self.read += bytes;
        self.autotune(now);
        // Linux `__tcp_cleanup_rbuf`: a window update is worth an ACK when it doubles the window.
        let current = self.edge.saturating_sub(self.next);
        let offer = self.offer();
        if offer > 0 && offer >= 2 * current && 2 * current <= self.capacity {
            self.ack_now = true;
        }
    }

    /// Linux's dynamic right-sizing: room for twice what was read in the last round trip.
    fn autotune(&mut self, now: Nanos) {
        if now - self.round.0 >= self.config.rtt {
            let copied = self.read - self.round.1;
            self.round = (now, self.read);
            if self.capacity < self.config.max {
                self.capacity = self.capacity.max(2 * copied + 16 * self.config.mss);
                self.capacity = self.capacity.min(self.config.max);
            }
        }
    }

    /// What the free space allows to advertise, by silly-window avoidance (RFC 9293 section 3.8.6.2.2).
    fn offer(&self) -> u64 {
        let free = self.capacity.saturating_sub(self.unread()).min(self.largest());
        if free < self.config.mss.min(self.capacity / 2) { 0 } else { free }
    }

    /// The window field of the segment that leaves now, which carries every pending acknowledgment.
    pub(super) fn advertise(&mut self) -> u16 {
        let shift = self.config.scale.unwrap_or(0).min(14);
        let unit = 1_u64 << shift;
        // What was promised stays promised: round that up, new room down.
        let kept = self.edge.saturating_sub(self.next).div_ceil(unit);
        let field = kept.max(self.offer() >> shift).min(65_535);
        self.edge = self.edge.max(self.next + (field << shift));
        self.last_ack = self.next;
        self.ack_now = false;
        self.ack_at = None;
        field as u16
    }

    /// The SACK blocks of that segment; a duplicate first (RFC 2883).
    pub(super) fn sack(&mut self) -> ([(u64, u64); 3], u8) {
        let mut blocks = [(0, 0); 3];
        let mut count = 0;
        if self.config.sack {
            let all = self.duplicate.take().into_iter().chain(self.beyond.iter().copied());
            for (slot, block) in blocks.iter_mut().zip(all) {
                *slot = block;
                count += 1;
            }
        }
        (blocks, count)
    }
}
