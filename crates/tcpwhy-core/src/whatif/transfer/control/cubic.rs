//! Linux `net/ipv4/tcp_cubic.c`: the cubic, and HyStart, which ends slow start before the queue is full.

use super::Ack;
use crate::units::Nanos;

/// RFC 9438: the cubic's steepness, and what is left after a loss (717/1024).
const C: f64 = 0.4;
const BETA: f64 = 717.0 / 1024.0;
/// Growth per ACK is at most one segment in twenty while no loss has shown where the path ends (`bictcp_update`).
const FASTEST_UNKNOWN: f64 = 20.0;
/// Delay increase that ends slow start, and the spacing of an ACK train.
const DELAY_MIN: Nanos = Nanos::from_millis(4);
const DELAY_MAX: Nanos = Nanos::from_millis(16);
const TRAIN: Nanos = Nanos::from_millis(2);
/// `hystart_low_window`, segments.
const LOW_WINDOW: f64 = 16.0;
/// RTT samples of a round before its delay is judged (`HYSTART_MIN_SAMPLES`).
const SAMPLES: u32 = 8;
/// Delays are not believed for a second after a window's growth began anew.
const SETTLES: Nanos = Nanos::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct Cubic {
    /// `last_max_cwnd`; 0: no loss yet.
    last_max: f64,
    epoch: Option<Epoch>,
    /// `tcp_cwnd`: where Reno would be, and its ACKs not yet counted.
    reno: f64,
    round: Round,
    /// HyStart has ended slow start; only a timeout makes it look again.
    found: bool,
    /// `delay_min`.
    least_rtt: Option<Nanos>,
}

#[derive(Debug, Clone, Copy)]
struct Epoch {
    start: Nanos,
    origin: f64,
    k: f64,
}

#[derive(Debug, Default)]
struct Round {
    end: u64,
    start: Nanos,
    last: Nanos,
    rtt: Option<Nanos>,
    samples: u32,
}

impl Cubic {
    /// `cubictcp_acked`: whether slow start ends here.
    pub(super) fn sampled(&mut self, ack: &Ack, rtt: Nanos, window: f64, slow_start: bool) -> bool {
        // Not right after a fast recovery.
        if self.epoch.as_ref().is_some_and(|epoch| ack.now - epoch.start < SETTLES) {
            return false;
        }
        let least = self.least_rtt.map_or(rtt, |least| least.min(rtt));
        self.least_rtt = Some(least);
        if self.found || !slow_start {
            return false;
        }
        self.found = self.update(ack, rtt, window, least);
        self.found
    }

    /// `hystart_update`.
    fn update(&mut self, ack: &Ack, rtt: Nanos, window: f64, least: Nanos) -> bool {
        let round = &mut self.round;
        if ack.una > round.end {
            *round = Round { end: ack.nxt, start: ack.now, last: ack.now, ..Round::default() };
        }
        if window < LOW_WINDOW {
            return false;
        }
        // The ACK train: half a round trip long (cubic is not paced), so the path holds what was sent.
        let mut found = false;
        if ack.now - round.last <= TRAIN {
            round.last = ack.now;
            found = ack.now - round.start > (least + ack.train_slack).scale(1, 2);
        }
        round.rtt = Some(round.rtt.map_or(rtt, |r| r.min(rtt)));
        if round.samples < SAMPLES {
            round.samples += 1;
        } else {
            let accepted = least.scale(1, 8).clamp(DELAY_MIN, DELAY_MAX);
            found |= round.rtt.is_some_and(|rtt| rtt > least + accepted);
        }
        found
    }

    /// `bictcp_update` and `tcp_cong_avoid_ai`: the window after `acked` segments in congestion avoidance.
    pub(super) fn avoid(&mut self, now: Nanos, acked: f64, window: f64) -> f64 {
        let least_rtt = self.least_rtt.unwrap_or(Nanos::ZERO);
        let epoch = match self.epoch {
            Some(epoch) => epoch,
            None => {
                self.reno = window;
                let distance = (self.last_max - window).max(0.0);
                let epoch =
                    Epoch { start: now, origin: window + distance, k: (distance / C).cbrt() };
                *self.epoch.insert(epoch)
            }
        };
        let t = (now - epoch.start + least_rtt).secs() - epoch.k;
        let target = epoch.origin + C * t.powi(3);
        let mut count = if target > window { window / (target - window) } else { 100.0 * window };
        if self.last_max == 0.0 {
            count = count.min(FASTEST_UNKNOWN);
        }
        self.reno += acked / window * 3.0 * (1.0 - BETA) / (1.0 + BETA);
        if self.reno > window {
            count = count.min(window / (self.reno - window));
        }
        window + acked / count.max(2.0)
    }

    /// `cubictcp_recalc_ssthresh`, with fast convergence.
    pub(super) fn after_loss(&mut self, window: f64) -> f64 {
        self.epoch = None;
        self.last_max = if window < self.last_max { window * (1.0 + BETA) / 2.0 } else { window };
        window * BETA
    }
}
