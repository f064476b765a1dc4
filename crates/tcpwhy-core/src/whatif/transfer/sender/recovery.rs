//! The states of loss recovery (`tcp_fastretrans_alert`, `tcp_process_loss`), proportional rate reduction (RFC 6937) and undoing.

use super::Sender;
use super::ack::News;
use crate::units::Nanos;

/// `icsk_ca_state`; CWR lasts no longer than a call here, for nothing is marked instead of dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(in super::super) enum State {
    #[default]
    Open,
    /// Something arrived out of order, nothing is known to be lost.
    Disorder,
    /// Fast recovery.
    Recovery,
    /// After the retransmission timeout.
    Loss,
}

/// What is sent after an ACK (`REXMIT_LOST`, `REXMIT_NEW`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Nothing,
    Lost,
    /// F-RTO's second step: new data, to see whether they are answered.
    New,
}

#[derive(Debug, Default)]
pub(super) struct Recovery {
    pub(super) state: State,
    /// `high_seq`: recovery ends when this is acknowledged.
    pub(super) end: u64,
    /// `prr_delivered`, `prr_out`, `prior_cwnd`.
    delivered: u64,
    pub(super) out: u64,
    before: f64,
    threshold_before: f64,
    /// `undo_marker` and `undo_retrans`: what it would take to know that nothing was lost.
    undo: Option<u64>,
    /// `retrans_stamp`: when the first repetition of the episode left.
    pub(super) repeated_at: Option<Nanos>,
    frto: bool,
    /// `icsk_retransmits`.
    pub(super) timeouts: u32,
}

impl Sender {
    /// `tcp_fastretrans_alert`: what an ACK means for the state.
    pub(super) fn alert(&mut self, now: Nanos, news: &News) -> Next {
        if self.recovery.state == State::Open {
            self.recovery.repeated_at = None;
        } else if self.recovery.state == State::Recovery && self.una >= self.recovery.end {
            self.undo_if_spurious(false);
            self.recovery.state = State::Open;
            self.end_reduction();
        }
        match self.recovery.state {
            State::Recovery => {
                self.identify(now);
                return Next::Lost;
            }
            State::Loss => {
                let next = self.after_timeout(news);
                let lost_again = self.identify(now);
                if self.recovery.state != State::Open && !lost_again {
                    return next;
                }
            }
            State::Open | State::Disorder => {
                self.identify(now);
            }
        }
        if self.board.lost() == 0 {
            self.keep_open();
            return Next::Nothing;
        }
        self.enter_recovery();
        Next::Lost
    }

    /// `tcp_try_keep_open`.
    fn keep_open(&mut self) {
        let repeated = self.board.front().is_some_and(|s| s.ever) || self.board.repeated() > 0;
        let state = if self.board.sacked() > 0 || repeated { State::Disorder } else { State::Open };
        if state != self.recovery.state {
            self.recovery.state = state;
            self.recovery.end = self.nxt;
        }
    }

    /// `tcp_enter_recovery`.
    pub(super) fn enter_recovery(&mut self) {
        self.recovery.threshold_before = self.threshold_now();
        self.recovery.undo = Some(self.una);
        self.begin_reduction();
        self.recovery.state = State::Recovery;
    }

    /// `tcp_init_cwnd_reduction`.
    fn begin_reduction(&mut self) {
        let recovery = &mut self.recovery;
        recovery.end = self.nxt;
        self.probe_end = None;
        (recovery.delivered, recovery.out) = (0, 0);
        recovery.before = self.window.segments.floor();
        self.window.threshold = self.window.after_loss(recovery.state);
    }

    /// A probe repaired the loss of the tail (`tcp_process_tlp_ack`): one reduction at once.
    pub(super) fn reduce_once(&mut self) {
        self.begin_reduction();
        self.window.end_reduction();
        self.keep_open();
    }

    /// `tcp_end_cwnd_reduction`.
    fn end_reduction(&mut self) {
        if self.recovery.undo.is_some() {
            self.window.end_reduction();
        }
    }

    /// `tcp_cwnd_reduction`: as much leaves as arrives, down to the threshold in proportion, below it with slow start.
    pub(super) fn reduce(&mut self, delivered: u64, losses: u64, advanced: bool) {
        if delivered == 0 || self.window.is_modelled() {
            return;
        }
        let recovery = &mut self.recovery;
        recovery.delivered += delivered;
        let flight = self.board.flight();
        let threshold = self.window.threshold as u64;
        let mut count = if flight > threshold {
            let part = threshold as f64 * recovery.delivered as f64 / recovery.before.max(1.0);
            (part.ceil() as u64).saturating_sub(recovery.out)
        } else {
            let fresh = recovery.delivered.saturating_sub(recovery.out).max(delivered);
            (fresh + u64::from(advanced && losses == 0)).min(threshold - flight)
        };
        // The first repetition is never held back.
        count = count.max(u64::from(recovery.out == 0));
        self.window.segments = (flight + count) as f64;
    }

    /// `tcp_enter_loss`, when the retransmission timer fires.
    pub(super) fn enter_loss(&mut self, now: Nanos) {
        let fresh = self.recovery.state < State::Recovery;
        self.mark_everything(now);
        let again = self.recovery.state == State::Loss && self.recovery.timeouts == 0;
        if fresh || self.recovery.end <= self.una || again {
            self.recovery.threshold_before = self.threshold_now();
            self.recovery.before = self.window.segments.floor();
            self.window.threshold = self.window.after_loss(self.recovery.state);
            self.recovery.undo = Some(self.una);
        }
        self.window.segments = (self.board.flight() + 1) as f64;
        self.window.forget();
        self.recovery.state = State::Loss;
        self.recovery.end = self.nxt;
        self.probe_end = None;
        self.recovery.frto = fresh || self.recovery.timeouts > 0;
    }

    /// `tcp_process_loss`, with F-RTO (RFC 5682 section 3.1).
    fn after_timeout(&mut self, news: &News) -> Next {
        if news.advanced && self.undo_if_spurious(true) {
            return Next::Nothing;
        }
        let recovered = self.una >= self.recovery.end;
        if self.recovery.frto {
            if news.original {
                self.undo(true);
                self.recovery.state = State::Open;
                return Next::Nothing;
            }
            if self.nxt > self.recovery.end {
                self.recovery.frto &= !news.sacked;
            } else if news.advanced && !recovered {
                self.recovery.end = self.nxt;
                if self.has_new_to_send() {
                    return Next::New;
                }
                self.recovery.frto = false;
            }
        }
        if recovered {
            self.undo_if_spurious(false);
            self.recovery.state = State::Open;
            return Next::Nothing;
        }
        Next::Lost
    }

    /// `tcp_may_undo`: the answer echoes what left before the first repetition (Eifel, RFC 3522).
    fn undo_if_spurious(&mut self, unmark: bool) -> bool {
        let delayed = self.recovery.repeated_at.is_some_and(|at| self.echoed < at);
        if self.recovery.undo.is_none() || !delayed {
            return false;
        }
        self.undo(unmark);
        if unmark {
            self.recovery.state = State::Open;
        }
        true
    }

    /// `tcp_undo_cwnd_reduction`.
    fn undo(&mut self, unmark: bool) {
        if unmark {
            self.board.unmark();
        }
        if self.recovery.undo.take().is_some() {
            let recovery = &self.recovery;
            self.window.undo(recovery.before, recovery.threshold_before);
        }
    }

    /// `tcp_current_ssthresh`.
    fn threshold_now(&self) -> f64 {
        if self.recovery.state == State::Recovery {
            return self.window.threshold;
        }
        self.window.threshold.max(self.window.segments * 0.75)
    }
}
