//! The sending end: application, send buffer, windows, loss.

use super::control::Window;
use super::path::{Path, span};
use super::{Control, Phase, Transfer};
use crate::kernel::buffers::send_buffer;
use crate::kernel::send::{expanded, may_queue, size_goal, truesize, wakes_writer};
use crate::kernel::start::initial_window;
use crate::units::Nanos;
use std::collections::VecDeque;

/// Linux `TCP_RTO_MIN`.
const RTO_MIN: Nanos = Nanos::from_millis(200);

/// One transmission on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flying {
    pub(super) seq: u64,
    pub(super) len: u64,
    sent: Nanos,
    lost: bool,
    pub(super) arrives: Nanos,
}

#[derive(Debug)]
struct Skb {
    end: u64,
    payload: u64,
    charged: u64,
}

#[derive(Debug)]
pub(super) struct Sender {
    t: Transfer,
    total: u64,
    pub(super) window: Window,
    pub(super) una: u64,
    nxt: u64,
    written: u64,
    call_left: u64,
    skbs: VecDeque<Skb>,
    queued: u64,
    pub(super) sndbuf: u64,
    pub(super) blocked: bool,
    edge: u64,
    largest_window: u64,
    flying: VecDeque<Flying>,
    flight: u64,
    again: VecDeque<(u64, u64)>,
    recover: Option<u64>,
    most_flight: u64,
    pub(super) timer: Option<Nanos>,
    backoff: u32,
    smoothed: Nanos,
    pub(super) pace_at: Nanos,
    pub(super) resent: u64,
    pub(super) segments: u64,
}

impl Sender {
    pub(super) fn new(t: &Transfer, total: u64, edge: u64) -> Self {
        let sysctls = &t.sender.sysctls;
        let mut sndbuf = send_buffer(t.sndbuf, sysctls);
        let initial = initial_window(t.initcwnd);
        let factor = if t.control == Control::Bbr { 3 } else { 2 };
        if !t.sndbuf.locks() {
            sndbuf = expanded(sndbuf, t.mss, initial, 3, factor, sysctls.tcp_wmem[2]);
        }
        Self {
            t: t.clone(),
            total,
            window: Window::new(t.control, t.mss, initial, t.rtt),
            una: 0,
            nxt: 0,
            written: 0,
            call_left: 0,
            skbs: VecDeque::new(),
            queued: 0,
            sndbuf,
            blocked: false,
            edge,
            largest_window: edge,
            flying: VecDeque::new(),
            flight: 0,
            again: VecDeque::new(),
            recover: None,
            most_flight: 0,
            timer: None,
            backoff: 0,
            smoothed: t.rtt,
            pace_at: Nanos::ZERO,
            resent: 0,
            segments: 0,
        }
    }

    /// Half of the largest window at most (`tcp_bound_to_half_wnd`).
    fn mss(&self) -> u64 {
        let half =
            if self.largest_window > 536 { self.largest_window / 2 } else { self.largest_window };
        self.t.mss.min(half.max(68))
    }

    /// The application writes until it blocks or is done, and what may leaves.
    pub(super) fn work(&mut self, now: Nanos, path: &mut Path, out: &mut Vec<(Flying, bool)>) {
        if self.blocked {
            let lowat = self.t.sender.sysctls.tcp_notsent_lowat;
            self.blocked = !wakes_writer(self.queued, self.sndbuf, self.written - self.nxt, lowat);
        }
        while !self.blocked && self.written < self.total {
            if self.call_left == 0 {
                self.call_left = self.t.write.clamp(1, self.total - self.written);
            }
            self.fill();
            self.send(now, path, out);
        }
        self.send(now, path, out);
    }

    /// One skb's worth of one call.
    fn fill(&mut self) {
        let goal = size_goal(self.mss(), self.largest_window, self.t.offload);
        let unsent = self.written > self.nxt;
        if let Some(tail) = self.skbs.back_mut().filter(|tail| unsent && tail.payload < goal) {
            let bytes = self.call_left.min(goal - tail.payload);
            tail.payload += bytes;
            tail.charged += bytes;
            tail.end += bytes;
            self.take(bytes, bytes);
        } else if may_queue(self.queued, self.sndbuf) {
            let bytes = self.call_left.min(goal);
            self.skbs.push_back(Skb {
                end: self.written + bytes,
                payload: bytes,
                charged: truesize(bytes),
            });
            self.take(bytes, truesize(bytes));
        } else {
            self.blocked = true;
        }
    }

    fn take(&mut self, bytes: u64, charged: u64) {
        self.call_left -= bytes;
        self.written += bytes;
        self.queued += charged;
    }

    /// What keeps the next segment back, `None`: nothing.
    pub(super) fn hold(&self, now: Nanos) -> Option<Phase> {
        let cwnd_full = self.flight > 0 && self.flight + self.mss() > self.window.bytes();
        let cwnd = if self.window.slow_start() { Phase::SlowStart } else { Phase::Congestion };
        if self.again.is_empty() {
            let want = self.mss().min(self.written - self.nxt);
            if want == 0 {
                return Some(if self.blocked { Phase::SendBuffer } else { Phase::Last });
            }
            let room = self.edge.saturating_sub(self.nxt);
            if room < want && !(room > 0 && room >= self.largest_window / 2) {
                return Some(Phase::ReceiveWindow);
            }
            // Nagle: a small segment waits for everything before it.
            if self.t.nagle && want < self.mss() && self.written < self.total && self.nxt > self.una
            {
                return Some(if self.blocked { Phase::SendBuffer } else { Phase::Last });
            }
        }
        if cwnd_full {
            return Some(cwnd);
        }
        (self.window.pacing().is_some() && self.pace_at > now).then_some(Phase::Congestion)
    }

    fn send(&mut self, now: Nanos, path: &mut Path, out: &mut Vec<(Flying, bool)>) {
        while self.hold(now).is_none() {
            let (seq, len) = match self.again.pop_front() {
                Some(piece) => {
                    self.resent += 1;
                    piece
                }
                None => {
                    let room = self.edge.saturating_sub(self.nxt);
                    (self.nxt, self.mss().min(self.written - self.nxt).min(room))
                }
            };
            self.nxt = self.nxt.max(seq + len);
            self.segments += 1;
            let (arrives, lost) = path.send(now, len);
            let flying = Flying { seq, len, sent: now, lost, arrives };
            self.flying.push_back(flying);
            self.flight += len;
            if let Some(rate) = self.window.pacing() {
                self.pace_at = self.pace_at.max(now) + span(len, rate);
            }
            out.push((flying, lost));
        }
        self.most_flight = self.most_flight.max(self.flight);
        if self.timer.is_none() && !self.flying.is_empty() {
            self.arm(now);
        }
    }

    fn arm(&mut self, now: Nanos) {
        let wait = (self.smoothed + RTO_MIN.max(self.smoothed)).scale(1 << self.backoff.min(8), 1);
        self.timer = (!self.flying.is_empty()).then(|| now + wait);
    }

    /// `upto`: arrival time of the newest packet that the ACK answers. Whatever left before it and has not arrived is lost.
    pub(super) fn on_ack(&mut self, now: Nanos, ack: u64, edge: u64, upto: Nanos) {
        let limited = if self.window.slow_start() {
            self.window.bytes() < 2 * self.most_flight
        } else {
            self.flight + self.mss() > self.window.bytes()
        };
        let (delivered, sent) = self.settle(upto);
        let newly = ack.saturating_sub(self.una);
        self.una = self.una.max(ack);
        self.free();
        if self.recover.is_some_and(|end| self.una >= end) {
            self.recover = None;
        }
        if let Some(sent) = sent {
            let rtt = now - sent;
            self.smoothed = self.smoothed.scale(7, 8) + rtt.scale(1, 8);
            let grows = if self.recover.is_none() { newly } else { 0 };
            self.window.on_ack(now, grows, self.una, self.nxt, rtt, limited && grows > 0);
        }
        if delivered > 0 {
            self.backoff = 0;
            self.arm(now);
            self.most_flight = self.flight;
        }
        self.edge = self.edge.max(edge);
        self.largest_window = self.largest_window.max(edge.saturating_sub(ack));
        if self.blocked && !self.t.sndbuf.locks() && self.flight < self.window.bytes() {
            let factor = if self.t.control == Control::Bbr { 3 } else { 2 };
            let cwnd = self.window.segments as u64;
            self.sndbuf = expanded(
                self.sndbuf,
                self.t.mss,
                cwnd,
                3,
                factor,
                self.t.sender.sysctls.tcp_wmem[2],
            );
        }
    }

    fn settle(&mut self, upto: Nanos) -> (u64, Option<Nanos>) {
        let (mut delivered, mut sent) = (0, None);
        while let Some(f) = self.flying.front().copied().filter(|f| f.arrives <= upto) {
            self.flying.pop_front();
            self.flight -= f.len;
            if f.lost {
                self.lose(f);
            } else {
                delivered += f.len;
                sent = Some(f.sent);
            }
        }
        (delivered, sent)
    }

    fn lose(&mut self, f: Flying) {
        self.again.push_back((f.seq, f.len));
        if self.recover.is_none() {
            self.window.on_loss();
            self.recover = Some(self.nxt);
        }
    }

    fn free(&mut self) {
        while let Some(head) = self.skbs.front_mut() {
            if head.end > self.una {
                let left = head.end - self.una;
                let acked = head.payload.saturating_sub(left);
                head.payload -= acked;
                head.charged -= acked;
                self.queued -= acked;
                return;
            }
            self.queued -= head.charged;
            self.skbs.pop_front();
        }
    }

    /// The retransmission timer, or a probe of a closed window.
    pub(super) fn on_timer(&mut self, now: Nanos) {
        self.timer = None;
        self.backoff += 1;
        let flying = std::mem::take(&mut self.flying);
        self.flight = 0;
        let mut lost: VecDeque<_> =
            flying.iter().filter(|f| f.lost).map(|f| (f.seq, f.len)).collect();
        self.flying = flying.into_iter().filter(|f| !f.lost).collect();
        self.flight = self.flying.iter().map(|f| f.len).sum();
        if lost.is_empty() {
            self.arm(now);
            return;
        }
        self.again.append(&mut lost);
        self.window.on_timeout();
        self.recover = Some(self.nxt);
    }
}
