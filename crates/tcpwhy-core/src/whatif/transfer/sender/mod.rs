//! The sending end: application, send buffer, windows, loss.

mod ack;
mod board;
mod buffer;
mod delivery;
mod output;
mod rack;
mod recovery;
mod rtt;
mod timers;

use super::control::Window;
use super::path::Path;
use super::{Control, Phase, Transfer};
use crate::kernel::buffers::send_buffer;
use crate::kernel::send::{bound_to_half_window, expanded, size_goal};
use crate::kernel::start::initial_window;
use crate::units::Nanos;
use board::Board;
use buffer::{Buffer, Wrote};
use delivery::Delivery;
use output::Push;
use rack::Rack;
use recovery::Recovery;
pub(super) use recovery::State;
use rtt::Rtt;
use timers::Timer;

/// `tp->reordering`: a path that keeps the order never raises it.
const REORDERING: u64 = 3;

#[derive(Debug)]
pub(super) struct Sender {
    t: Transfer,
    pub(super) window: Window,
    una: u64,
    nxt: u64,
    buffer: Buffer,
    edge: u64,
    largest_window: u64,
    board: Board,
    delivery: Delivery,
    /// End of the newest small segment (`snd_sml`), for Nagle's algorithm.
    small: u64,
    recovery: Recovery,
    rack: Rack,
    usage: Usage,
    timer: Option<Timer>,
    /// `icsk_backoff`.
    backoff: u32,
    /// `tlp_high_seq`, and whether that probe was a repetition.
    probe_end: Option<u64>,
    probe_repeats: bool,
    rtt: Rtt,
    /// When the newest ACK that has come left the peer: what data packets echo (RFC 7323).
    echo: Nanos,
    /// When what the newest ACK answers had left.
    echoed: Nanos,
    /// When the last new packet left, or, paced, when the next one may.
    pub(super) pace_at: Nanos,
    last_sent: Nanos,
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
    /// A request arrives for so many bytes more.
    pub(super) fn asked_for(&mut self, bytes: u64) {
        self.buffer.asked_for(bytes);
    }

    pub(super) fn new(t: &Transfer, total: u64, edge: u64) -> Self {
        let sysctls = &t.sender.sysctls;
        let mut sndbuf = send_buffer(t.sndbuf, sysctls);
        // The kernel counts segments in 32 bits.
        let initial = initial_window(t.sender.version, t.initcwnd, t.mss).min(u64::from(u32::MAX));
        if !t.sndbuf.locks() {
            let most = sysctls.tcp_wmem[2];
            sndbuf = expanded(sndbuf, t.mss, initial, REORDERING, factor(t), most);
        }
        Self {
            t: t.clone(),
            window: Window::new(t.control, t.mss, initial, t.rtt),
            una: 0,
            nxt: 0,
            buffer: Buffer::new(t, sndbuf, total),
            edge,
            largest_window: edge,
            board: Board::default(),
            delivery: Delivery::default(),
            small: 0,
            recovery: Recovery::default(),
            rack: Rack::default(),
            usage: Usage::default(),
            timer: None,
            backoff: 0,
            probe_end: None,
            probe_repeats: false,
            rtt: Rtt::new(t.rtt),
            echo: Nanos::ZERO,
            echoed: Nanos::ZERO,
            pace_at: Nanos::ZERO,
            last_sent: Nanos::ZERO,
            resent: 0,
        }
    }

    fn mss(&self) -> u64 {
        bound_to_half_window(self.t.mss, self.largest_window)
    }

    /// Data segments sent, repetitions too.
    pub(super) fn segments(&self) -> u64 {
        self.delivery.sent()
    }

    /// `sk_sndbuf`.
    pub(super) fn sndbuf(&self) -> u64 {
        self.buffer.sndbuf
    }

    /// When the timer fires.
    pub(super) fn timer(&self) -> Option<Nanos> {
        self.timer.map(|timer| timer.at)
    }

    /// When the application runs again: woken after it waited for room, or done with a call.
    pub(super) fn runs_at(&self, now: Nanos) -> Option<Nanos> {
        self.buffer.runs_at(now)
    }

    /// What may leaves, and the application writes until it blocks or is done (`tcp_data_snd_check`, `tcp_sendmsg_locked`).
    pub(super) fn work(&mut self, now: Nanos, path: &mut Path) {
        self.send(now, path, Push::Nagle);
        self.check_space(now);
        self.buffer.run(now);
        while self.buffer.writes(now) {
            if self.buffer.begins_call() {
                self.check_app_limited();
            }
            let goal = size_goal(self.mss(), self.largest_window, self.t.offload);
            match self.buffer.write(now, goal) {
                Wrote::Blocked => self.push(now, path, Push::Everything),
                Wrote::Done => self.push(now, path, Push::Nagle),
                Wrote::Full if self.buffer.is_push_due(self.largest_window) => {
                    self.push(now, path, Push::Everything);
                }
                Wrote::Full if self.buffer.is_single() => self.send(now, path, Push::One),
                Wrote::Full => {}
            }
        }
    }

    fn check_app_limited(&mut self) {
        let flight = self.board.flight();
        let free = flight < self.cwnd() && self.board.lost() <= self.board.repeated();
        let waiting = self.buffer.written - self.nxt;
        self.delivery.check(waiting, self.mss(), flight, free);
    }

    fn push(&mut self, now: Nanos, path: &mut Path, push: Push) {
        self.buffer.mark_pushed();
        self.send(now, path, push);
    }

    /// `tcp_check_space`: a blocked writer's buffer grows with a congestion window that is not full, and the writer may wake.
    fn check_space(&mut self, now: Nanos) {
        if !self.buffer.blocked || self.buffer.woken_at.is_some() {
            return;
        }
        let cwnd = self.window.segments as u64;
        let sysctls = &self.t.sender.sysctls;
        // tcp_should_expand_sndbuf
        if !self.t.sndbuf.locks() && self.board.flight() < cwnd {
            let (most, factor) = (sysctls.tcp_wmem[2], factor(&self.t));
            self.buffer.sndbuf =
                expanded(self.buffer.sndbuf, self.t.mss, cwnd, REORDERING, factor, most);
        }
        self.buffer.wake(now);
    }

    fn slow_start_or_later(&self) -> Phase {
        if self.window.slow_start() { Phase::SlowStart } else { Phase::Congestion }
    }
}

/// `tcp_sndbuf_expand`: bbr asks for 3.
fn factor(t: &Transfer) -> u64 {
    if t.control == Control::Bbr { 3 } else { 2 }
}
