//! The congestion window, in segments.

use super::Control;
use crate::units::{Nanos, bits_per_second};

/// RFC 9438: the cubic's steepness, and what is left after a loss.
const C: f64 = 0.4;
const BETA: f64 = 0.7;
/// Linux `tcp_cubic.c`: delay increase that ends slow start, and the spacing of an ACK train.
const DELAY_MIN: Nanos = Nanos::from_millis(4);
const DELAY_MAX: Nanos = Nanos::from_millis(16);
const TRAIN: Nanos = Nanos::from_millis(2);
/// Linux `hystart_low_window`.
const LOW_WINDOW: f64 = 16.0;
/// RTT samples of a round before its delay is judged (`HYSTART_MIN_SAMPLES`).
const SAMPLES: u32 = 8;

#[derive(Debug)]
pub(super) struct Window {
    control: Control,
    mss: u64,
    pub(super) segments: f64,
    threshold: f64,
    least_rtt: Nanos,
    // cubic
    peak: f64,
    epoch: Option<Nanos>,
    round: Round,
    // bbr
    rate: u64,
    full: u64,
    stalled: u32,
    filled: bool,
}

#[derive(Debug, Default)]
struct Round {
    end: u64,
    start: Nanos,
    last: Nanos,
    rtt: Option<Nanos>,
    samples: u32,
    acked_at_start: u64,
}

impl Window {
    pub(super) fn new(control: Control, mss: u64, initial: u64, rtt: Nanos) -> Self {
        Self {
            control,
            mss,
            segments: initial as f64,
            threshold: f64::INFINITY,
            least_rtt: rtt,
            peak: 0.0,
            epoch: None,
            round: Round::default(),
            rate: 0,
            full: 0,
            stalled: 0,
            filled: false,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.segments as u64 * self.mss
    }

    pub(super) fn slow_start(&self) -> bool {
        match self.control {
            Control::Bbr => !self.filled,
            _ => self.segments < self.threshold,
        }
    }

    /// Bits per second at which bbr sends; `None`: not paced.
    pub(super) fn pacing(&self) -> Option<u64> {
        let paced = self.control == Control::Bbr && self.filled && self.rate > 0;
        paced.then_some(self.rate)
    }

    /// `acked`: bytes so far; `sent`: end of what was sent; `limited`: the window held the sender.
    pub(super) fn on_ack(
        &mut self,
        now: Nanos,
        bytes: u64,
        acked: u64,
        sent: u64,
        rtt: Nanos,
        limited: bool,
    ) {
        self.least_rtt = self.least_rtt.min(rtt);
        let segments = bytes as f64 / self.mss as f64;
        let ended = acked >= self.round.end;
        if ended {
            self.measure(now, acked);
            self.round = Round {
                end: sent,
                start: now,
                last: now,
                acked_at_start: acked,
                ..Round::default()
            };
        }
        if self.control == Control::Cubic && self.slow_start() && self.segments >= LOW_WINDOW {
            self.hystart(now, rtt);
        }
        if !limited {
            return;
        }
        match self.control {
            Control::Bbr if self.filled => {
                let bdp = self.rate as f64 / 8.0 * self.least_rtt.secs() / self.mss as f64;
                self.segments = (2.0 * bdp + 3.0).max(4.0);
            }
            _ if self.slow_start() => self.segments += segments,
            Control::Cubic => self.cubic(now, segments),
            Control::Reno | Control::Bbr => self.segments += segments / self.segments,
        }
    }

    /// Linux `hystart_update`: the ACK train, then the delay.
    fn hystart(&mut self, now: Nanos, rtt: Nanos) {
        let round = &mut self.round;
        if now - round.last <= TRAIN {
            round.last = now;
            if now - round.start > self.least_rtt.scale(1, 2) {
                self.threshold = self.segments;
            }
        }
        if round.samples < SAMPLES {
            round.samples += 1;
            round.rtt = Some(round.rtt.map_or(rtt, |r| r.min(rtt)));
        } else if round.rtt.is_some_and(|r| {
            r > self.least_rtt + self.least_rtt.scale(1, 8).clamp(DELAY_MIN, DELAY_MAX)
        }) {
            self.threshold = self.segments;
        }
    }

    fn cubic(&mut self, now: Nanos, acked: f64) {
        let epoch = *self.epoch.get_or_insert(now);
        let low = self.peak.max(self.segments) - self.segments;
        if epoch == now {
            self.peak = self.peak.max(self.segments);
        }
        let k = ((self.peak * (1.0 - BETA)).max(low.min(self.peak)) / C).cbrt();
        let k = if self.threshold.is_finite() && self.peak > self.segments { k } else { 0.0 };
        let t = (now - epoch + self.least_rtt).secs() - k;
        let target = (self.peak + C * t.powi(3)).clamp(self.segments, 1.5 * self.segments);
        let reno = 0.53 * acked / self.segments;
        self.segments += ((target - self.segments) / self.segments * acked).max(reno);
    }

    fn measure(&mut self, now: Nanos, acked: u64) {
        let rate = bits_per_second(acked - self.round.acked_at_start, now - self.round.start);
        self.rate = self.rate.max(rate);
        if self.control != Control::Bbr || self.filled {
            return;
        }
        if self.rate >= self.full / 4 * 5 {
            self.full = self.rate;
            self.stalled = 0;
        } else {
            self.stalled += 1;
            self.filled = self.stalled >= 3;
        }
    }

    pub(super) fn on_loss(&mut self) {
        if self.control == Control::Bbr {
            return;
        }
        // Fast convergence (RFC 9438 section 4.7).
        self.peak = if self.segments < self.peak {
            self.segments * (1.0 + BETA) / 2.0
        } else {
            self.segments
        };
        let left = if self.control == Control::Cubic { BETA } else { 0.5 };
        self.threshold = (self.segments * left).max(2.0);
        self.segments = self.threshold;
        self.epoch = None;
    }

    pub(super) fn on_timeout(&mut self) {
        self.on_loss();
        if self.control != Control::Bbr {
            self.segments = 1.0;
        }
    }
}
