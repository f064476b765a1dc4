//! The sending end: application, send buffer, windows, loss.

mod buffer;
mod flight;
mod output;

use super::control::{Ack, Window};
use super::path::Path;
use super::{Control, Phase, Transfer};
use crate::kernel::buffers::send_buffer;
use crate::kernel::send::{expanded, size_goal};
use crate::kernel::start::initial_window;
use crate::units::Nanos;
use buffer::{Buffer, Wrote};
use flight::{Flight, Settled};
use output::Push;

/// Linux `TCP_RTO_MIN`, and the deviation that `tcp_rtt_estimator` keeps at least.
const RTO_MIN: Nanos = Nanos::from_millis(200);
/// `TCP_TIMEOUT_MIN`: two ticks of the clock.
const TICKS: Nanos = Nanos::from_millis(2);

#[derive(Debug)]
pub(super) struct Sender {
    t: Transfer,
    pub(super) window: Window,
    una: u64,
    nxt: u64,
    buffer: Buffer,
    edge: u64,
    largest_window: u64,
    flight: Flight,
    /// End of the newest small segment (`snd_sml`), for Nagle's algorithm.
    small: u64,
    recover: Option<u64>,
    usage: Usage,
    pub(super) timer: Option<Nanos>,
    probing: bool,
    backoff: u32,
    smoothed: Nanos,
    pub(super) pace_at: Nanos,
    pub(super) resent: u64,
}

/// How far the window was used in this round (`tcp_cwnd_validate`).
#[derive(Debug, Default)]
struct Usage {
    limited: bool,
    most: u64,
    round_end: u64,
}

impl Sender {
    pub(super) fn new(t: &Transfer, total: u64, edge: u64) -> Self {
        let sysctls = &t.sender.sysctls;
        let mut sndbuf = send_buffer(t.sndbuf, sysctls);
        let initial = initial_window(t.initcwnd);
        if !t.sndbuf.locks() {
            sndbuf = expanded(sndbuf, t.mss, initial, 3, factor(t), sysctls.tcp_wmem[2]);
        }
        Self {
            t: t.clone(),
            window: Window::new(t.control, t.mss, initial, t.rtt),
            una: 0,
            nxt: 0,
            buffer: Buffer::new(sndbuf, t.write, total),
            edge,
            largest_window: edge,
            flight: Flight::default(),
            small: 0,
            recover: None,
            usage: Usage::default(),
            timer: None,
            probing: false,
            backoff: 0,
            smoothed: t.rtt,
            pace_at: Nanos::ZERO,
            resent: 0,
        }
    }

    /// Half of the largest window at most (`tcp_bound_to_half_wnd`).
    fn mss(&self) -> u64 {
        let half =
            if self.largest_window > 536 { self.largest_window / 2 } else { self.largest_window };
        self.t.mss.min(half.max(68))
    }

    /// Data segments sent, repetitions too.
    pub(super) fn segments(&self) -> u64 {
        self.flight.sent()
    }

    /// `sk_sndbuf`.
    pub(super) fn sndbuf(&self) -> u64 {
        self.buffer.sndbuf
    }

    /// What may leaves, and the application writes until it blocks or is done.
    pub(super) fn work(&mut self, now: Nanos, path: &mut Path) {
        self.send(now, path, Push::Nagle);
        self.check_space();
        while !self.buffer.blocked && self.buffer.has_more() {
            let goal = size_goal(self.mss(), self.largest_window, self.t.offload);
            match self.buffer.write(goal) {
                Wrote::Blocked => self.push(now, path, Push::Everything),
                Wrote::Done => self.push(now, path, Push::Nagle),
                Wrote::Full if self.buffer.is_push_due(self.largest_window) => {
                    self.push(now, path, Push::Everything);
                }
                Wrote::Full if self.buffer.is_single() => self.send(now, path, Push::One),
                Wrote::Full => {}
            }
        }
        self.flight.app_limited = self.window.pacing().is_some()
            && self.buffer.head().is_none()
            && self.flight.segments() < self.window.segments as u64;
    }

    fn push(&mut self, now: Nanos, path: &mut Path, push: Push) {
        self.buffer.mark_pushed();
        self.send(now, path, push);
    }

    /// `tcp_check_space`: a blocked writer's buffer grows with a congestion window that is not full, and the writer may wake.
    fn check_space(&mut self) {
        if !self.buffer.blocked {
            return;
        }
        let cwnd = self.window.segments as u64;
        let sysctls = &self.t.sender.sysctls;
        if !self.t.sndbuf.locks() && self.flight.segments() < cwnd {
            let most = sysctls.tcp_wmem[2];
            self.buffer.sndbuf =
                expanded(self.buffer.sndbuf, self.t.mss, cwnd, 3, factor(&self.t), most);
        }
        self.buffer.wake(self.buffer.written - self.nxt, sysctls.tcp_notsent_lowat);
    }

    /// `upto`: number of the newest packet that the ACK answers.
    pub(super) fn on_ack(&mut self, now: Nanos, ack: u64, edge: u64, upto: u64) {
        let before = self.flight.segments();
        let settled = self.flight.settle(now, upto);
        self.una = self.una.max(ack);
        self.buffer.free(self.una);
        if self.recover.is_some_and(|end| self.una >= end) {
            self.recover = None;
        }
        if settled.losses > 0 && self.recover.is_none() {
            self.window.on_loss();
            self.recover = Some(self.nxt);
        }
        if let Some(sent) = settled.sent {
            let rtt = now - sent;
            self.smoothed = self.smoothed.scale(7, 8) + rtt.scale(1, 8);
            let ack = self.told(now, rtt, before, &settled);
            self.window.on_ack(&ack);
            self.backoff = 0;
            self.probing = false;
            self.arm(now);
        }
        self.edge = self.edge.max(edge);
        self.largest_window = self.largest_window.max(edge.saturating_sub(ack));
    }

    fn told(&self, now: Nanos, rtt: Nanos, before: u64, settled: &Settled) -> Ack {
        let segments = self.window.segments;
        // tcp_is_cwnd_limited
        let limited = self.usage.limited
            || (self.window.slow_start() && segments < 2.0 * self.usage.most as f64);
        Ack {
            now,
            newly: settled.segments,
            acked: self.flight.arrived,
            sent: self.flight.sent(),
            flight_before: before,
            flight: self.flight.segments(),
            rtt,
            rate: settled.rate,
            app_limited: settled.app_limited,
            limited,
            lost: self.recover.is_some(),
            burst: self.burst(),
            train_slack: self.train_slack(),
        }
    }

    /// Tail loss probe first (`tcp_schedule_loss_probe`), then the retransmission timer.
    fn arm(&mut self, now: Nanos) {
        let rto = self.smoothed + RTO_MIN.max(self.smoothed.scale(1, 2));
        let probe = self.smoothed.scale(2, 1) + TICKS;
        let probe = if self.flight.segments() == 1 { probe + RTO_MIN } else { probe };
        let wait = if self.backoff == 0 && !self.probing && self.recover.is_none() {
            probe.min(rto)
        } else {
            rto.scale(1 << self.backoff.min(8), 1)
        };
        self.timer = (self.flight.segments() > 0).then(|| now + wait);
    }

    /// The tail is probed, or everything lost is sent again.
    pub(super) fn on_timer(&mut self, now: Nanos, path: &mut Path) {
        self.timer = None;
        if !self.probing
            && self.backoff == 0
            && self.recover.is_none()
            && let Some((seq, len)) = self.flight.last()
        {
            self.probing = true;
            self.resent += 1;
            self.flight.send(now, seq, len, path);
            self.arm(now);
            return;
        }
        self.backoff += 1;
        if self.flight.give_up() {
            self.window.on_timeout();
            self.recover = Some(self.nxt);
        }
        self.arm(now);
    }

    fn slow_start_or_later(&self) -> Phase {
        if self.window.slow_start() { Phase::SlowStart } else { Phase::Congestion }
    }
}

/// `tcp_sndbuf_expand`: bbr asks for 3.
fn factor(t: &Transfer) -> u64 {
    if t.control == Control::Bbr { 3 } else { 2 }
}
