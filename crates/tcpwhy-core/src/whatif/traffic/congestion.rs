//! The congestion window, in bytes.

use super::scenario::Control;
use crate::model::Cause;
use crate::units::{Nanos, bits_per_second, bytes_at, time_at};
use std::collections::VecDeque;

/// Rounds over which the paced control remembers the highest delivery rate.
const RATE_ROUNDS: usize = 10;
/// Pacing gains of successive rounds, in percent (BBR's ProbeBW cycle).
const GAINS: [u64; 8] = [125, 75, 100, 100, 100, 100, 100, 100];

#[derive(Debug)]
pub(super) struct Congestion {
    control: Control,
    mss: u64,
    initial: u64,
    window: u64,
    threshold: u64,
    restarted: bool,
    cubic: Cubic,
    paced: Paced,
}

#[derive(Debug, Default)]
struct Cubic {
    max: u64,
    origin: Option<Nanos>,
}

#[derive(Debug, Default)]
struct Paced {
    rates: VecDeque<u64>,
    full: u64,
    stalled_rounds: u32,
    filled: bool,
    round: usize,
    round_start: Nanos,
    delivered: u64,
    next_send: Nanos,
}

impl Congestion {
    pub(super) fn new(control: Control, mss: u64, initial_segments: u32) -> Self {
        let initial = mss * u64::from(initial_segments.max(1));
        Self {
            control,
            mss,
            initial,
            window: initial,
            threshold: u64::MAX,
            restarted: false,
            cubic: Cubic::default(),
            paced: Paced::default(),
        }
    }

    pub(super) fn window(&self) -> u64 {
        self.window
    }

    /// Whether the next segment must wait, and until when.
    pub(super) fn next_send(&self) -> Nanos {
        self.paced.next_send
    }

    pub(super) fn cause(&self) -> Cause {
        let starting = match self.control {
            Control::Paced => !self.paced.filled,
            Control::Reno | Control::Cubic => self.window < self.threshold,
        };
        match (starting, self.control) {
            (true, _) if self.restarted => Cause::IdleRestart,
            (true, _) => Cause::SlowStart,
            (false, Control::Paced) => Cause::Pacing,
            (false, _) => Cause::CongestionAvoidance,
        }
    }

    pub(super) fn on_send(&mut self, now: Nanos, bytes: u64, rtt: Nanos) {
        if self.control != Control::Paced {
            return;
        }
        let rate = match self.paced.rates.iter().max() {
            // Nothing measured yet: the initial window over one round trip.
            None => bits_per_second(self.initial, rtt),
            Some(rate) => *rate,
        };
        let gain = match self.paced.filled {
            false => 289,
            true => GAINS[self.paced.round % GAINS.len()],
        };
        let pause = time_at(bytes, (rate / 100).saturating_mul(gain).max(8 * self.mss));
        self.paced.next_send = self.paced.next_send.max(now) + pause;
    }

    /// `limited`: the window was what held the sender, so it may grow (RFC 7661).
    pub(super) fn on_ack(&mut self, now: Nanos, bytes: u64, min_rtt: Nanos, limited: bool) {
        match self.control {
            Control::Paced => self.measure(now, bytes, min_rtt),
            _ if !limited => {}
            _ if self.window < self.threshold => self.window += bytes,
            Control::Reno => self.window += (self.mss * bytes / self.window).max(1),
            Control::Cubic => self.grow_cubic(now, bytes),
        }
    }

    /// Loss found by ACKs.
    pub(super) fn on_loss(&mut self, flight: u64) {
        match self.control {
            Control::Paced => return,
            Control::Reno => self.threshold = (flight / 2).max(2 * self.mss),
            Control::Cubic => self.threshold = (self.window * 7 / 10).max(2 * self.mss),
        }
        self.cubic = Cubic { max: self.window, origin: None };
        self.window = self.threshold;
    }

    /// The retransmission timer fired.
    pub(super) fn on_timeout(&mut self, flight: u64) {
        self.on_loss(flight);
        self.window = self.mss;
    }

    /// Nothing was sent for longer than the retransmission timeout (RFC 2861).
    pub(super) fn on_idle(&mut self) {
        if self.control != Control::Paced && self.window > self.initial {
            self.threshold = self.threshold.max(self.window * 3 / 4);
            self.window = self.initial;
            self.restarted = true;
        }
    }

    /// RFC 9438: W(t) = C (t - K)^3 + Wmax, K = cbrt(Wmax (1 - beta) / C), C = 0.4 segments/s^3, beta = 0.7.
    fn grow_cubic(&mut self, now: Nanos, bytes: u64) {
        let origin = *self.cubic.origin.get_or_insert(now);
        let elapsed_ms = i128::from((now - origin).0 / 1_000_000);
        let max = self.cubic.max.max(self.mss);
        // (1 - 0.7) / 0.4 = 3/4; in ms: times 10^9.
        let k_ms = cube_root(u128::from(max / self.mss) * 750_000_000);
        let t = elapsed_ms - k_ms as i128;
        let target = i128::from(max) + t * t * t * i128::from(self.mss) * 4 / 10_000_000_000;
        let target = u64::try_from(target).unwrap_or(0);
        // At most half a segment for each one acknowledged, as Linux bounds it; never less than Reno's pace.
        let step = target.saturating_sub(self.window).saturating_mul(bytes) / self.window;
        self.window += step.clamp((self.mss * bytes / self.window / 2).max(1), bytes / 2 + 1);
    }

    fn measure(&mut self, now: Nanos, bytes: u64, min_rtt: Nanos) {
        let p = &mut self.paced;
        if p.round_start == Nanos::ZERO {
            p.round_start = now;
            return;
        }
        p.delivered += bytes;
        let span = now - p.round_start;
        if span < min_rtt {
            return;
        }
        let rate = bits_per_second(p.delivered, span);
        (p.round_start, p.delivered) = (now, 0);
        p.round += 1;
        p.rates.push_back(rate);
        if p.rates.len() > RATE_ROUNDS {
            p.rates.pop_front();
        }
        let best = p.rates.iter().copied().max().unwrap_or(rate);
        if rate > p.full + p.full / 4 {
            (p.full, p.stalled_rounds) = (rate, 0);
        } else {
            p.stalled_rounds += 1;
            p.filled |= p.stalled_rounds >= 3;
        }
        let product = bytes_at(best, min_rtt);
        self.window = (2 * product).max(self.initial).max(self.window.min(self.initial * 2));
        if !self.paced.filled {
            self.window = self.window.max(product * 289 / 100);
        }
    }
}

/// The largest integer whose cube is not above `n`: integers, so that every machine agrees.
fn cube_root(n: u128) -> u64 {
    let (mut low, mut high) = (0_u128, 1_u128 << 42);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if middle * middle * middle <= n {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_roots_are_exact() {
        for n in [0_u128, 1, 7, 8, 26, 27, 1_000_000_000] {
            let root = u128::from(cube_root(n));
            assert!(root.pow(3) <= n && (root + 1).pow(3) > n, "{n}");
        }
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let mut c = Congestion::new(Control::Reno, 1000, 10);
        c.on_ack(Nanos::ZERO, 5000, Nanos::ZERO, false);
        assert_eq!(c.window(), 10_000);
        c.on_ack(Nanos::ZERO, 5000, Nanos::ZERO, true);
        assert_eq!(c.window(), 15_000);
    }
}
