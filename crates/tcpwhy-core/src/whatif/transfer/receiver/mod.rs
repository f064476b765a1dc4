//! The receiving end: buffer, window, ACKs, the reading application.

mod acks;
mod tuning;

use super::path::Packet;
use super::{End, Transfer};
use crate::kernel::buffers::receive_buffer;
use crate::kernel::window::{Room, Share, advertised, opening};
use crate::units::{Nanos, time_at};
use acks::Acks;
pub(super) use acks::Told;
use std::collections::BTreeMap;
use tuning::Tuning;

/// What a packet of an Ethernet takes of the buffer (`truesize`).
const PACKET: u64 = 2_304;

#[derive(Debug)]
pub(super) struct Receiver {
    t: Transfer,
    pub(super) rcvbuf: u64,
    share: Share,
    scale: u8,
    clamp: u64,
    /// `rcv_ssthresh`.
    threshold: u64,
    pub(super) next: u64,
    pub(super) read: u64,
    /// What arrived out of order: from, to; and its bytes.
    early: BTreeMap<u64, u64>,
    early_bytes: u64,
    pub(super) edge: u64,
    /// `rcv_mss`.
    largest: u64,
    acks: Acks,
    pub(super) read_at: Nanos,
    tuning: Tuning,
}

impl Receiver {
    pub(super) fn new(t: &Transfer) -> Self {
        let rcvbuf = receive_buffer(t.rcvbuf, &t.receiver.sysctls);
        let first = Share::first(t.receiver.version, &t.receiver.sysctls);
        let share = t.share.unwrap_or(first);
        let advmss = t.mss + 12;
        let initrwnd = t.initrwnd.unwrap_or(0);
        let End { version, sysctls } = &t.receiver;
        let open = opening(*version, t.rcvbuf, None, share, advmss, initrwnd, sysctls);
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
            early_bytes: 0,
            // The SYN's window is in bytes; the ACK of the SYN/ACK says it in units of the scale, rounded up.
            edge: open.window.next_multiple_of(1 << open.scale),
            largest: 0,
            acks: Acks::new(t.receiver.version),
            read_at: Nanos::ZERO,
            tuning: Tuning::new(t.rtt, open.window.min(10 * advmss)),
        }
    }

    /// A segment arrives; whether an ACK leaves now.
    pub(super) fn on_data(&mut self, now: Nanos, packet: Packet) -> bool {
        let Packet { seq, len, .. } = packet;
        self.acks.note(&packet);
        if seq + len <= self.next || self.has(seq, len) {
            self.acks.duplicate();
            return true;
        }
        self.measure(len);
        self.tuning.measure(now, &packet, self.largest, self.next == self.read, &self.t);
        let window = self.edge - self.next;
        if seq > self.next {
            self.keep(seq, seq + len);
            let grew = self.grow_threshold(len);
            return self.acks.early(now, (seq, seq + len), self.tuning.rtt(), grew);
        }
        self.next = self.next.max(seq + len);
        let fills = self.take_early();
        let grew = self.grow_threshold(len);
        self.acks.in_order(now, &packet, self.largest, window, grew);
        // Once nothing is early any more, and while a hole is filled, the sender hears it at once.
        if fills || !self.early.is_empty() {
            return true;
        }
        let opens = |told| self.next - self.read == 0 || self.window() >= self.edge - told;
        self.acks.is_due(self.next, self.largest, opens)
    }

    fn has(&self, seq: u64, len: u64) -> bool {
        self.early.range(..=seq).next_back().is_some_and(|(_, to)| *to >= seq + len)
    }

    /// `tcp_data_queue_ofo`: blocks that touch become one.
    fn keep(&mut self, from: u64, to: u64) {
        self.early_bytes += to - from;
        let to = self.early.remove(&to).unwrap_or(to);
        match self.early.range_mut(..from).next_back() {
            Some((_, end)) if *end == from => *end = to,
            _ => {
                self.early.insert(from, to);
            }
        }
    }

    /// `tcp_ofo_queue`; whether anything was waiting.
    fn take_early(&mut self) -> bool {
        let before = self.next;
        while let Some(first) = self.early.first_entry().filter(|e| *e.key() <= self.next) {
            self.next = self.next.max(first.remove());
        }
        self.early_bytes -= (self.next - before).min(self.early_bytes);
        self.next > before
    }

    /// `tcp_measure_rcv_mss`: a first full packet shows which part of its memory is payload, where the kernel measures that.
    fn measure(&mut self, len: u64) {
        if self.t.share.is_none() && len >= self.largest && len != self.largest {
            let share = self.share.measured(len, PACKET);
            if share != self.share {
                self.share = share;
                self.clamp = share.window(self.rcvbuf);
                self.tuning.bound(self.clamp);
            }
        }
        self.largest = self.largest.max(len);
    }

    /// `tcp_grow_window`: up to what is free (this packet is not), and only packets that carry their share make room for more.
    fn grow_threshold(&mut self, len: u64) -> bool {
        let free = self.share.window(self.rcvbuf).saturating_sub(self.used());
        let room = free.min(self.clamp).saturating_sub(self.threshold);
        let carries = self.share.window(PACKET) <= len || len >= self.t.mss;
        if room > 0 && carries {
            self.threshold += room.min((2 * (self.t.mss + 12)).max(2 * len));
        }
        room > 0 && carries
    }

    fn used(&self) -> u64 {
        self.next - self.read + self.early_bytes
    }

    /// The application reads; whether an ACK leaves (`tcp_cleanup_rbuf`).
    pub(super) fn on_read(&mut self, now: Nanos) -> bool {
        let waiting = self.next - self.read;
        if waiting == 0 || now < self.read_at {
            return false;
        }
        let rate = self.t.read_rate;
        let chunk = if rate == 0 { waiting } else { (rate / 20).clamp(1, 65_536).min(waiting) };
        self.read += chunk;
        if rate > 0 {
            self.read_at = now + time_at(chunk, rate.saturating_mul(8)).max(Nanos(1));
        }
        self.tune(now);
        if self.acks.is_due_after_read(self.next, self.largest, self.next == self.read) {
            return true;
        }
        let left = self.edge - self.next;
        // The window has at least doubled.
        2 * left <= self.clamp && self.window() >= 2 * left.max(1)
    }

    fn window(&self) -> u64 {
        let allowed = self.share.window(self.rcvbuf);
        advertised(Room {
            free: allowed.saturating_sub(self.used()),
            allowed,
            clamp: self.clamp,
            threshold: self.threshold,
            mss: self.largest.clamp(1, self.t.mss),
            current: self.edge - self.next,
            scale: self.scale,
        })
        .min(65_535 << self.scale)
    }

    /// When the delayed ACK is due, or the one for several selective acknowledgements.
    pub(super) fn ack_at(&self) -> Option<Nanos> {
        self.acks.at
    }

    /// An ACK leaves.
    pub(super) fn ack(&mut self, now: Nanos) -> Told {
        self.edge = self.edge.max(self.next + self.window());
        self.acks.send(now, self.next, self.edge)
    }
}
