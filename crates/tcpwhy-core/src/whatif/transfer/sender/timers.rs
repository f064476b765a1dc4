//! One timer for three things (`icsk_pending`): the retransmission timeout, the tail loss probe, and RACK's patience.

use super::super::path::Path;
use super::rack::TICKS;
use super::recovery::State;
use super::{Push, Sender};
use crate::kernel::RTO_MIN;
use crate::units::Nanos;

/// What the timer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `ICSK_TIME_RETRANS`.
    Retransmit,
    /// `ICSK_TIME_LOSS_PROBE`.
    Probe,
    /// `ICSK_TIME_REO_TIMEOUT`.
    Reorder,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Timer {
    pub(super) at: Nanos,
    pub(super) kind: Kind,
}

impl Sender {
    pub(super) fn set_timer(&mut self, now: Nanos, kind: Kind, wait: Nanos) {
        self.timer = Some(Timer { at: now + wait.max(Nanos(1)), kind });
    }

    /// `tcp_set_xmit_timer`: a probe where one may be sent, else the timeout.
    pub(super) fn arm(&mut self, now: Nanos) {
        if !self.arm_probe(now, true) {
            self.rearm(now);
        }
    }

    /// `tcp_schedule_loss_probe`: two round trips after the last packet, when nothing is missing; no later than the timeout.
    pub(super) fn arm_probe(&mut self, now: Nanos, advanced: bool) -> bool {
        if self.board.out() == 0 || self.recovery.state != State::Open {
            return false;
        }
        let patience = if self.board.out() == 1 { RTO_MIN } else { TICKS };
        let probe = self.rtt.smoothed.scale(2, 1) + patience;
        let timeout = self.rtt.timeout(self.backoff);
        let timeout = if advanced { timeout } else { self.until_timeout(now) };
        let wait = if timeout.0 > 0 { probe.min(timeout) } else { probe };
        self.set_timer(now, Kind::Probe, wait);
        true
    }

    /// `tcp_rto_delta_us`: from the first segment's last transmission on.
    fn until_timeout(&self, now: Nanos) -> Nanos {
        let timeout = self.rtt.timeout(self.backoff);
        self.board.front().map_or(timeout, |first| first.stamp.sent + timeout - now)
    }

    /// `tcp_rearm_rto`: the time that another timer has taken counts.
    pub(super) fn rearm(&mut self, now: Nanos) {
        if self.board.out() == 0 {
            self.timer = None;
            return;
        }
        let other = self.timer.is_some_and(|timer| timer.kind != Kind::Retransmit);
        let whole = self.rtt.timeout(self.backoff);
        let wait = if other { self.until_timeout(now).max(TICKS) } else { whole };
        self.set_timer(now, Kind::Retransmit, wait);
    }

    /// `tcp_write_timer_handler`.
    pub(in super::super) fn on_timer(&mut self, now: Nanos, path: &mut Path) {
        match self.timer.map(|timer| timer.kind) {
            Some(Kind::Reorder) => self.reorder_timeout(now, path),
            Some(Kind::Probe) => self.probe(now, path),
            Some(Kind::Retransmit) => {
                self.timer = None;
                if self.board.out() > 0 {
                    self.time_out(now, path);
                }
            }
            None => {}
        }
    }

    /// `tcp_send_loss_probe`: new data if there are any, else the last segment once more; one probe until it is answered.
    fn probe(&mut self, now: Nanos, path: &mut Path) {
        if self.probe_end.is_none() {
            let out = self.board.out();
            self.probe_repeats = !self.has_new_to_send();
            if self.probe_repeats {
                let last = self.board.last();
                self.repeat(now, path, last, true);
            } else {
                self.send(now, path, Push::Probe);
            }
            if self.probe_repeats || self.board.out() > out {
                self.probe_end = Some(self.nxt);
                // The timeout runs from now.
                self.timer = None;
            }
        }
        self.rearm(now);
    }

    /// `tcp_retransmit_timer`.
    fn time_out(&mut self, now: Nanos, path: &mut Path) {
        self.enter_loss(now);
        self.recovery.timeouts += 1;
        let first = self.board.first();
        self.repeat(now, path, first, false);
        self.backoff += 1;
        self.rearm(now);
    }
}
