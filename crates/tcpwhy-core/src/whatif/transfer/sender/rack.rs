//! RACK (RFC 8985; `net/ipv4/tcp_recovery.c`): a segment is lost when one that left later has arrived.

use super::super::path::Path;
use super::recovery::State;
use super::timers::Kind;
use super::{REORDERING, Sender};
use crate::units::Nanos;

/// `TCP_TIMEOUT_MIN_US`: two ticks of the clock.
pub(super) const TICKS: Nanos = Nanos::from_millis(2);

#[derive(Debug, Default)]
pub(super) struct Rack {
    /// The newest transmission that arrived, and how long its answer took.
    newest: u64,
    pub(super) rtt: Nanos,
    advanced: bool,
    /// This ACK's patience has the timer.
    pub(super) armed: bool,
}

impl Rack {
    /// `tcp_rack_advance`: transmission `number` has arrived; the answer to a repetition may be that to the original.
    pub(super) fn advance(&mut self, number: u64, rtt: Nanos, ambiguous: bool, least: Nanos) {
        if ambiguous && rtt < least {
            return;
        }
        self.advanced = true;
        self.rtt = rtt;
        self.newest = self.newest.max(number);
    }
}

impl Sender {
    /// `tcp_rack_reo_wnd`: no patience in recovery or after three later arrivals, else a quarter of the lowest round trip.
    fn patience(&self) -> Nanos {
        if self.recovery.state >= State::Recovery || self.board.sacked() >= REORDERING {
            return Nanos::ZERO;
        }
        self.window.least_rtt.scale(1, 4).min(self.rtt.smoothed)
    }

    /// `tcp_rack_detect_loss`; what is not yet late comes back as the time until it is.
    fn detect(&mut self, now: Nanos) -> Option<Nanos> {
        let allowed = self.rack.rtt + self.patience();
        let newest = self.rack.newest;
        let waiting = self.board.mark_late(newest, |sent| now - sent >= allowed)?;
        Some(waiting + allowed - now)
    }

    /// `tcp_identify_packet_loss`, `tcp_rack_mark_lost`; whether a repetition was found lost.
    pub(super) fn identify(&mut self, now: Nanos) -> bool {
        if !std::mem::take(&mut self.rack.advanced) {
            return false;
        }
        let before = self.board.repeated();
        if let Some(wait) = self.detect(now) {
            let wait = (wait + TICKS).min(self.rtt.timeout(0));
            self.set_timer(now, Kind::Reorder, wait);
            self.rack.armed = true;
        }
        self.board.repeated() < before
    }

    /// `tcp_rack_reo_timeout`: what was given time is lost now.
    pub(super) fn reorder_timeout(&mut self, now: Nanos, path: &mut Path) {
        let (flight, losses) = (self.board.flight(), self.board.losses);
        self.detect(now);
        if flight != self.board.flight() {
            if self.recovery.state != State::Recovery {
                self.enter_recovery();
                self.reduce(1, self.board.losses - losses, false);
            }
            self.repeat_lost(now, path);
        }
        if self.timer.is_none_or(|timer| timer.kind == Kind::Reorder) {
            self.rearm(now);
        }
    }

    /// For [`State::Loss`]: everything may have been lost, except what has not had a round trip's time.
    pub(super) fn mark_everything(&mut self, now: Nanos) {
        let allowed = self.rack.rtt;
        self.board.mark_all(|sent| now - sent >= allowed);
    }
}
