//! Why the next segment does not leave now.

use super::Sender;
use crate::model::{Cause, Limit};
use crate::units::Nanos;

/// Why a sender does not send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::whatif::traffic) enum Hold {
    /// The send queue is empty.
    Empty,
    /// The advertised window.
    Window,
    /// The congestion window.
    Congestion,
    /// The pacing of the congestion control.
    Pacing,
    /// A small segment behind another small one.
    Nagle,
}

impl Sender {
    /// What holds the next segment back; `None`: nothing does.
    pub(in crate::whatif::traffic) fn hold(&self, now: Nanos) -> Option<Hold> {
        if !self.has_work() {
            return Some(Hold::Empty);
        }
        // Limited transmit by packet conservation: NewReno counts duplicates as departures.
        let departed =
            if self.config.sack { 0 } else { u64::from(self.duplicates) * self.config.mss };
        let pipe = self.board.pipe().saturating_sub(departed);
        let want = match self.board.has_lost() {
            true => self.config.mss,
            false => self.config.mss.min(self.written - self.nxt),
        };
        let cwnd_full = pipe > 0 && pipe + want > self.congestion.window();
        if !self.board.has_lost() && !self.wants_fin() {
            let room = self.edge.saturating_sub(self.nxt);
            // Silly window avoidance (RFC 9293 section 3.8.6.2.1).
            let silly = room < want && room < self.max_window / 2;
            if room == 0 || (silly && !cwnd_full) {
                return Some(Hold::Window);
            }
            let small = want < self.config.mss && !self.closing;
            if small && self.config.nagle && self.small_end > self.una {
                return Some(Hold::Nagle);
            }
        }
        if cwnd_full {
            return Some(Hold::Congestion);
        }
        (self.congestion.next_send() > now).then_some(Hold::Pacing)
    }

    /// Remembers whether the congestion window was what held the last burst.
    pub(in crate::whatif::traffic) fn note(&mut self, now: Nanos, hold: Hold) {
        self.limited = hold == Hold::Congestion;
        self.paced_until = (hold == Hold::Pacing).then(|| self.congestion.next_send());
        if hold == Hold::Window && self.timer.is_none() {
            self.arm(now);
        }
    }

    /// The limit that a hold other than `Empty` means.
    pub(in crate::whatif::traffic) fn limit(
        &self,
        hold: Hold,
        growing: bool,
        unscaled: bool,
    ) -> (Limit, Cause) {
        match hold {
            Hold::Empty => (Limit::Application, Cause::SenderApplication),
            Hold::Nagle => (Limit::DelayedAck, Cause::Nagle),
            Hold::Congestion | Hold::Pacing => (Limit::CongestionWindow, self.congestion.cause()),
            Hold::Window => (Limit::ReceiveWindow, self.window_cause(growing, unscaled)),
        }
    }

    fn window_cause(&self, growing: bool, unscaled: bool) -> Cause {
        match self.window {
            w if w < self.config.mss.min(self.max_window / 4) => Cause::ZeroWindow,
            w if w < self.max_window / 2 => Cause::SlowReader,
            _ if growing => Cause::AutotuningLag,
            w if unscaled && w > 60_000 => Cause::NoWindowScaling,
            _ => Cause::SmallBuffer,
        }
    }
}
