//! The congestion window, in segments.

mod bbr;
mod cubic;

use super::Control;
use crate::units::Nanos;
use bbr::Bbr;
use cubic::Cubic;

/// What an ACK tells the congestion control.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ack {
    pub(super) now: Nanos,
    /// Segments newly acknowledged.
    pub(super) newly: u64,
    /// Segments delivered so far, and sent so far.
    pub(super) acked: u64,
    pub(super) sent: u64,
    /// Segments in flight, before this ACK and now.
    pub(super) flight_before: u64,
    pub(super) flight: u64,
    pub(super) rtt: Nanos,
    /// Bytes per second at which the acknowledged segments were delivered; 0: no sample.
    pub(super) rate: f64,
    /// The application or a buffer, not the window, held the sender when these were sent.
    pub(super) app_limited: bool,
    /// The window was used to its end in this round (`tcp_is_cwnd_limited`).
    pub(super) limited: bool,
    /// Losses are being repaired.
    pub(super) lost: bool,
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

    pub(super) fn on_ack(&mut self, ack: &Ack) {
        self.least_rtt = self.least_rtt.min(ack.rtt);
        let slow_start = self.slow_start();
        if let Law::Cubic(cubic) = &mut self.law
            && slow_start
            && cubic.slow_start_ends(ack, self.segments, self.least_rtt)
        {
            self.threshold = self.segments;
        }
        if let Law::Bbr(bbr) = &mut self.law {
            self.segments = bbr.on_ack(ack, self.segments, self.mss);
            return;
        }
        if !ack.limited || ack.lost {
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
            Law::Cubic(cubic) => cubic.avoid(ack.now, newly, self.segments, self.least_rtt),
            _ => self.segments + newly / self.segments,
        };
    }

    pub(super) fn on_loss(&mut self) {
        self.threshold = match &mut self.law {
            Law::Bbr(_) => return,
            Law::Cubic(cubic) => cubic.after_loss(self.segments),
            Law::Reno => self.segments / 2.0,
        }
        .max(2.0);
        self.segments = self.threshold;
    }

    pub(super) fn on_timeout(&mut self) {
        self.on_loss();
        match &mut self.law {
            Law::Bbr(_) => return,
            Law::Cubic(cubic) => cubic.forget(),
            Law::Reno => {}
        }
        self.segments = 1.0;
    }
}
