//! The sender's timers: retransmission, tail loss probe, window probe.

use super::{Outgoing, Sender};
use crate::model::Cause;
use crate::units::Nanos;

/// Linux `tcp_retries2`.
const RETRIES: u32 = 15;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimerKind {
    Retransmit,
    Tail,
    Persist,
}

impl Sender {
    /// A timer has expired. Returns since when the sender has been waiting for it in vain.
    pub(in crate::whatif::traffic) fn on_timeout(&mut self, now: Nanos) -> Option<Nanos> {
        let (at, kind) = self.timer?;
        if at > now {
            return None;
        }
        self.timer = None;
        let expected = self.last_ack.max(self.last_sent + self.rtt.smoothed).min(now);
        match kind {
            TimerKind::Persist => self.probe_window(),
            TimerKind::Tail => {
                if let Some(s) = self.board.resend_last(now) {
                    self.probe = Some(self.again(&s));
                    self.recovery = Some((self.nxt, Cause::TailLoss));
                }
                self.timer = Some((now + self.rtt.timeout(0), TimerKind::Retransmit));
                return Some(expected);
            }
            TimerKind::Retransmit => {
                self.retransmission_timeout(now);
                return Some(expected);
            }
        }
        self.arm(now);
        None
    }

    fn retransmission_timeout(&mut self, now: Nanos) {
        if self.unanswered >= RETRIES {
            self.kill();
            return;
        }
        self.unanswered += 1;
        let cause = match self.board.first() {
            Some(s) if s.times > 1 && self.backoff == 0 => Cause::DoubleLoss,
            _ if self.board.any_sacked() && self.board.len() < 4 => Cause::SmallFlight,
            _ if self.recovering() == Some(Cause::TailLoss) => Cause::TailLoss,
            _ => Cause::Timeout,
        };
        if self.backoff == 0 {
            self.congestion.on_timeout(self.nxt - self.una);
        }
        self.backoff += 1;
        self.board.mark_all();
        let cause = self.recovery.filter(|_| self.backoff > 1).map_or(cause, |r| r.1);
        self.recovery = Some((self.nxt, cause));
        self.timer = Some((now + self.rtt.timeout(self.backoff), TimerKind::Retransmit));
    }

    /// A probe beyond a closed window: Linux sends no byte, one before the expected sequence number.
    fn probe_window(&mut self) {
        if self.unanswered >= RETRIES {
            self.kill();
            return;
        }
        self.unanswered += 1;
        self.backoff += 1;
        let room = self.edge.saturating_sub(self.nxt).min(self.written.saturating_sub(self.nxt));
        self.probe = Some(match room {
            0 => Outgoing { seq: self.una - 1, len: 0, push: false, fin: false },
            _ => self.cut(room),
        });
    }

    /// Sets the timer that fits the state.
    pub(super) fn arm(&mut self, now: Nanos) {
        self.timer = if self.dead {
            None
        } else if self.board.is_empty() {
            let stuck =
                self.nxt < self.written && self.edge.saturating_sub(self.nxt) < self.config.mss;
            stuck.then(|| (now + self.rtt.timeout(self.backoff), TimerKind::Persist))
        } else if self.config.sack && self.recovery.is_none() && self.backoff == 0 {
            // RFC 8985 section 7.2; one segment alone may meet a delayed ACK.
            let lonely =
                if self.board.len() == 1 { Nanos::from_millis(200) } else { Nanos::from_millis(2) };
            let tail = self.rtt.smoothed.scale(2, 1) + lonely;
            Some((now + tail.min(self.rtt.timeout(0)), TimerKind::Tail))
        } else {
            Some((now + self.rtt.timeout(self.backoff), TimerKind::Retransmit))
        };
    }
}
