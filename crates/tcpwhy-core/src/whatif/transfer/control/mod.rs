//! The congestion window, in segments.

mod bbr;
mod cubic;

use super::Control;
use super::sender::State;
use crate::units::Nanos;
use bbr::Bbr;
use cubic::Cubic;

/// What an ACK tells the congestion control.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ack {
    pub(super) now: Nanos,
    /// Segments newly acknowledged, selectively too.
    pub(super) newly: u64,
    /// The cumulative acknowledgement moved.
    pub(super) advanced: bool,
    /// Acknowledged, and sent, up to here.
    pub(super) una: u64,
    pub(super) nxt: u64,
    /// Bytes delivered: when the newest acknowledged segment left, and now.
    pub(super) before: u64,
    pub(super) delivered: u64,
    /// Segments in flight, before this ACK and now.
    pub(super) flight_before: u64,
    pub(super) flight: u64,
    /// Round trip of the newest acknowledged segment; `None`: not known.
    pub(super) rtt: Option<Nanos>,
    /// Bytes per second at which the acknowledged segments were delivered; 0: no sample.
    pub(super) rate: f64,
    /// The application or a buffer, not the window, held the sender when these were sent.
    pub(super) app_limited: bool,
    /// The window was used to its end in this round (`tcp_is_cwnd_limited`).
    pub(super) limited: bool,
    pub(super) state: State,
    /// Segments newly known to be lost.
    pub(super) losses: u64,
    /// Segments that leave at once at most.
    pub(super) burst: u64,
    /// Four offloaded packets at the pacing rate, a millisecond at most (`hystart_ack_delay`).
    pub(super) train_slack: Nanos,
}

#[derive(Debug)]
pub(super) struct Window {
    law: Law,
    mss: u64,
    pub(super) segments: f64,
    pub(super) threshold: f64,
    pub(super) least_rtt: Nanos,
}

#[derive(Debug)]
enum Law {
    Reno,
    Cubic(Cubic),
    Bbr(Box<Bbr>),
}

impl Window {
    pub(super) fn new(control: Control, mss: u64, initial: u64, rtt: Nanos) -> Self {
        let segments = initial as f64;
        let law = match control {
            Control::Reno => Law::Reno,
            Control::Cubic => Law::Cubic(Cubic::default()),
            Control::Bbr => Law::Bbr(Box::new(Bbr::new(mss, segments, rtt))),
        };
        Self { law, mss, segments, threshold: f64::INFINITY, least_rtt: rtt }
    }

    pub(super) fn slow_start(&self) -> bool {
        match &self.law {
            Law::Bbr(bbr) => !bbr.filled(),
            _ => self.segments < self.threshold,
        }
    }

    /// Bits per second at which packets leave; `None`: as they come.
    pub(super) fn pacing(&self) -> Option<u64> {
        match &self.law {
            Law::Bbr(bbr) => Some(bbr.pacing()),
            _ => None,
        }
    }

    /// Whether the law sets the window from its model of the path and not from losses (`cong_control`).
    pub(super) fn is_modelled(&self) -> bool {
        matches!(self.law, Law::Bbr(_))
    }

    /// `pkts_acked`, and outside of fast recovery `cong_avoid`.
    pub(super) fn on_ack(&mut self, ack: &Ack) {
        if let Law::Bbr(bbr) = &mut self.law {
            self.segments = bbr.on_ack(ack, self.segments, self.mss);
            return;
        }
        if let Some(rtt) = ack.rtt {
            self.sample(ack, rtt);
        }
        if !ack.limited || !ack.advanced || ack.state == State::Recovery {
            return;
        }
        let mut newly = ack.newly as f64;
        if self.segments < self.threshold {
            let grown = (self.segments + newly).min(self.threshold);
            newly -= grown - self.segments;
            self.segments = grown;
        }
        if newly <= 0.0 {
            return;
        }
        self.segments = match &mut self.law {
            Law::Cubic(cubic) => cubic.avoid(ack.now, newly, self.segments),
            _ => self.segments + newly / self.segments.floor().max(1.0),
        };
    }

    /// `cubictcp_acked`: slow start may end here.
    fn sample(&mut self, ack: &Ack, rtt: Nanos) {
        let slow_start = self.slow_start();
        if let Law::Cubic(cubic) = &mut self.law
            && cubic.sampled(ack, rtt, self.segments, slow_start)
        {
            self.threshold = self.segments;
        }
    }

    /// The slow-start threshold after a loss (`ssthresh`), in whole segments; the window itself is left to the recovery.
    pub(super) fn after_loss(&mut self, state: State) -> f64 {
        let segments = self.segments.floor();
        match &mut self.law {
            Law::Bbr(bbr) => {
                bbr.save(segments, state);
                self.threshold
            }
            Law::Cubic(cubic) => cubic.after_loss(segments).floor().max(2.0),
            Law::Reno => (segments / 2.0).floor().max(2.0),
        }
    }

    /// The reduction is over (`tcp_end_cwnd_reduction`).
    pub(super) fn end_reduction(&mut self) {
        if !self.is_modelled() && self.threshold.is_finite() {
            self.segments = self.threshold;
        }
    }

    /// Nothing was lost (`undo_cwnd`).
    pub(super) fn undo(&mut self, segments: f64, threshold: f64) {
        self.segments = self.segments.max(segments);
        self.threshold = self.threshold.max(threshold);
    }

    /// After a timeout what was known of the path is forgotten (`set_state` to `TCP_CA_Loss`).
    pub(super) fn forget(&mut self) {
        match &mut self.law {
            Law::Bbr(bbr) => bbr.forget(),
            Law::Cubic(cubic) => *cubic = Cubic::default(),
            Law::Reno => {}
        }
    }
}
