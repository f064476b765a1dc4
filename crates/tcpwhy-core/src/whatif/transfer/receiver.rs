//! The receiving end: buffer, window, autotuning, delayed ACKs, the reading application.

use super::Transfer;
use super::path::span;
use crate::kernel::autotune::grown;
use crate::kernel::buffers::receive_buffer;
use crate::kernel::window::{Room, Share, advertised, opening};
use crate::units::Nanos;
use std::collections::BTreeMap;

/// Linux `TCP_DELACK_MIN`.
const DELAYED_ACK: Nanos = Nanos::from_millis(40);
/// What a packet of an Ethernet takes of the buffer (`truesize`).
const PACKET: u64 = 2_304;
/// Segments that are acknowledged at once at the start (`TCP_MAX_QUICKACKS`).
const QUICK: u64 = 16;

#[derive(Debug)]
pub(super) struct Receiver {
    t: Transfer,
    pub(super) rcvbuf: u64,
    share: Share,
    scale: u8,
    clamp: u64,
    threshold: u64,
    pub(super) next: u64,
    pub(super) read: u64,
    early: BTreeMap<u64, u64>,
    pub(super) edge: u64,
    pending: u64,
    largest: u64,
    segments: u64,
    pub(super) ack_at: Option<Nanos>,
    pub(super) read_at: Nanos,
    // autotuning
    rtt: Nanos,
    best: u64,
    round_start: Nanos,
    round_read: u64,
}

impl Receiver {
    pub(super) fn new(t: &Transfer) -> Self {
        let rcvbuf = receive_buffer(t.rcvbuf, &t.receiver.sysctls);
        let first = Share::first(t.receiver.version, &t.receiver.sysctls);
        let share = t.share.unwrap_or(first);
        let advmss = t.mss + 12;
        let initrwnd = t.initrwnd.unwrap_or(0);
        let open = opening(rcvbuf, t.rcvbuf.locks(), share, advmss, initrwnd, &t.receiver.sysctls);
        Self {
            t: t.clone(),
            rcvbuf,
            share,
            scale: open.scale,
            clamp: open.clamp.min(share.window(rcvbuf)),
            threshold: open.window,
            next: 0,
            read: 0,
            early: BTreeMap::new(),
            edge: open.window,
            pending: 0,
            largest: 0,
            segments: 0,
            ack_at: None,
            read_at: Nanos::ZERO,
            rtt: t.rtt,
            best: open.window.min(10 * t.mss),
            round_start: Nanos::ZERO,
            round_read: 0,
        }
    }

    /// A segment arrives; whether an ACK leaves now.
    pub(super) fn on_data(&mut self, now: Nanos, seq: u64, len: u64, rtt: Nanos) -> bool {
        self.rtt = rtt;
        self.measure(len);
        self.segments += 1;
        if seq > self.next {
            self.early.insert(seq, seq + len);
            return true;
        }
        let filling = !self.early.is_empty();
        self.next = self.next.max(seq + len);
        while let Some(first) = self.early.first_entry().filter(|e| *e.key() <= self.next) {
            self.next = self.next.max(first.remove());
        }
        self.grow_threshold(len);
        self.pending += len;
        let now_due = filling || self.pending > self.largest || self.segments <= QUICK;
        if !now_due && self.ack_at.is_none() {
            self.ack_at = Some(now + DELAYED_ACK);
        }
        now_due
    }

    /// `tcp_measure_rcv_mss`: a first full packet shows which part of its memory is payload, where the kernel measures that.
    fn measure(&mut self, len: u64) {
        if self.t.share.is_none() && len >= self.t.mss && self.largest < self.t.mss {
            let share = self.share.measured(len, PACKET);
            if share != self.share {
                self.share = share;
                self.clamp = share.window(self.rcvbuf);
            }
        }
        self.largest = self.largest.max(len);
    }

    /// `tcp_grow_window`: up to what is free beside this packet, and only packets that carry their share make room for more.
    fn grow_threshold(&mut self, len: u64) {
        let free = self.rcvbuf.saturating_sub(PACKET);
        let room = self.share.window(free).min(self.clamp).saturating_sub(self.threshold);
        if len >= self.t.mss || self.share.window(PACKET) <= len {
            self.threshold += room.min((2 * self.t.mss).max(2 * len));
        }
    }

    /// The application reads; whether a window update leaves.
    pub(super) fn on_read(&mut self, now: Nanos) -> bool {
        let waiting = self.next - self.read;
        if waiting == 0 || now < self.read_at {
            return false;
        }
        let rate = self.t.read_rate;
        let chunk = if rate == 0 { waiting } else { (rate / 20).clamp(1, 65_536).min(waiting) };
        self.read += chunk;
        if rate > 0 {
            self.read_at = now + span(chunk, rate.saturating_mul(8)).max(Nanos(1));
        }
        self.tune(now);
        let left = self.edge - self.next;
        // tcp_cleanup_rbuf: tell when the window has at least doubled.
        2 * left <= self.clamp && self.window() >= 2 * left.max(1)
    }

    fn tune(&mut self, now: Nanos) {
        if now - self.round_start < self.rtt {
            return;
        }
        let copied = self.read - self.round_read;
        let end = &self.t.receiver;
        if end.sysctls.tcp_moderate_rcvbuf && !self.t.rcvbuf.locks() {
            let most = end.sysctls.tcp_rmem[2];
            if let Some(bytes) =
                grown(end.version, self.rcvbuf, copied, self.best, self.t.mss, self.share, most)
            {
                self.rcvbuf = bytes;
                self.clamp = self.share.window(bytes);
            }
        }
        self.best = self.best.max(copied);
        self.round_start = now;
        self.round_read = self.read;
    }

    fn window(&self) -> u64 {
        let used = self.next - self.read;
        let allowed = self.share.window(self.rcvbuf);
        advertised(Room {
            free: allowed.saturating_sub(used),
            allowed,
            clamp: self.clamp,
            threshold: self.threshold,
            mss: self.largest.clamp(1, self.t.mss),
            current: self.edge - self.next,
            scale: self.scale,
        })
        .min(65_535 << self.scale)
    }

    /// What an ACK says: everything up to, and the window's right edge.
    pub(super) fn ack(&mut self) -> (u64, u64) {
        self.pending = 0;
        self.ack_at = None;
        self.edge = self.edge.max(self.next + self.window());
        (self.next, self.edge)
    }
}
