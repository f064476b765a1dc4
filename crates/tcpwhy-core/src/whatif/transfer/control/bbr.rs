//! Linux `net/ipv4/tcp_bbr.c` (version 1): a model of the path's rate and round trip. Left out: long-term sampling of policers.

use super::super::sender::State;
use super::Ack;
use crate::units::Nanos;

/// 2 / ln 2: doubles the rate each round.
const HIGH: f64 = 2.885;
const DRAIN: f64 = 1.0 / HIGH;
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const WINDOW_GAIN: f64 = 2.0;
/// Rounds over which the rate's maximum holds.
const RATE_ROUNDS: u64 = 10;
/// Paces a hundredth below the rate, so that no queue grows.
const MARGIN: f64 = 0.99;
/// How long a lowest round trip is believed, and how long the next one is looked for.
const RTT_HOLDS: Nanos = Nanos::from_secs(10);
const PROBE: Nanos = Nanos::from_millis(200);
const LEAST_WINDOW: f64 = 4.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeRate(usize),
    ProbeRtt { until: Option<Nanos> },
}

#[derive(Debug)]
pub(super) struct Bbr {
    mode: Mode,
    /// Bytes per second of recent rounds, the largest first: (round, rate).
    rates: Vec<(u64, f64)>,
    round: u64,
    round_end: u64,
    full: f64,
    stalled: u32,
    filled: bool,
    least_rtt: Nanos,
    least_at: Nanos,
    phase_start: Nanos,
    /// `prior_cwnd`: before recovery, or the look for the lowest round trip.
    before: f64,
    initial: f64,
    /// The state after the last ACK (`prev_ca_state`).
    state: State,
    /// In the first round of recovery as much leaves as arrives.
    conserves: bool,
}

impl Bbr {
    pub(super) fn new(mss: u64, window: f64, rtt: Nanos) -> Self {
        Self {
            mode: Mode::Startup,
            rates: Vec::new(),
            round: 0,
            round_end: 0,
            full: 0.0,
            stalled: 0,
            filled: false,
            least_rtt: rtt,
            least_at: Nanos::ZERO,
            phase_start: Nanos::ZERO,
            before: 0.0,
            initial: window * mss as f64 / rtt.secs().max(1e-6),
            state: State::Open,
            conserves: false,
        }
    }

    pub(super) fn filled(&self) -> bool {
        self.filled
    }

    fn rate(&self) -> f64 {
        self.rates.iter().map(|r| r.1).fold(0.0, f64::max)
    }

    /// Bits per second.
    pub(super) fn pacing(&self) -> u64 {
        let gain = match self.mode {
            Mode::Startup => HIGH,
            Mode::Drain => DRAIN,
            Mode::ProbeRate(phase) => CYCLE.get(phase).copied().unwrap_or(1.0),
            Mode::ProbeRtt { .. } => 1.0,
        };
        let rate = if self.filled { self.rate() } else { self.rate().max(self.initial) };
        (rate * gain * MARGIN * 8.0) as u64
    }

    /// The window after an ACK.
    pub(super) fn on_ack(&mut self, ack: &Ack, window: f64, mss: u64) -> f64 {
        let new_round = ack.newly > 0 && ack.before >= self.round_end;
        if new_round {
            self.round += 1;
            self.round_end = ack.delivered;
            self.conserves = false;
        }
        if ack.rate > 0.0 && (!ack.app_limited || ack.rate >= self.rate()) {
            let oldest = self.round.saturating_sub(RATE_ROUNDS);
            self.rates.retain(|r| r.0 >= oldest && r.1 > ack.rate);
            self.rates.push((self.round, ack.rate));
        }
        if new_round && !self.filled && !ack.app_limited {
            self.look_whether_filled();
        }
        let bdp = self.rate() * self.least_rtt.secs() / mss as f64;
        self.step(ack, bdp);
        let window = self.probe_rtt(ack, window, new_round);
        let (window, conserved) = self.recover(ack, window);
        if conserved || ack.newly == 0 {
            return self.capped(window);
        }
        self.window(ack, window, bdp, mss)
    }

    /// `bbr_check_full_bw_reached`: three rounds without a quarter more.
    fn look_whether_filled(&mut self) {
        let rate = self.rate();
        if rate >= self.full * 1.25 {
            self.full = rate;
            self.stalled = 0;
        } else {
            self.stalled += 1;
            self.filled = self.stalled >= 3;
        }
    }

    fn step(&mut self, ack: &Ack, bdp: f64) {
        let flight = ack.flight as f64;
        match self.mode {
            Mode::Startup if self.filled => self.mode = Mode::Drain,
            Mode::Drain if flight <= bdp => {
                self.mode = Mode::ProbeRate(2);
                self.phase_start = ack.now;
            }
            Mode::ProbeRate(phase) => {
                let full = ack.now - self.phase_start > self.least_rtt;
                let over = match phase {
                    0 => full && (ack.losses > 0 || ack.flight_before as f64 >= 1.25 * bdp),
                    1 => full || flight <= bdp,
                    _ => full,
                };
                if over {
                    self.mode = Mode::ProbeRate((phase + 1) % CYCLE.len());
                    self.phase_start = ack.now;
                }
            }
            _ => {}
        }
    }

    /// `bbr_update_min_rtt`.
    fn probe_rtt(&mut self, ack: &Ack, window: f64, new_round: bool) -> f64 {
        let expired = ack.now > self.least_at + RTT_HOLDS;
        if let Some(rtt) = ack.rtt.filter(|rtt| *rtt <= self.least_rtt || expired) {
            self.least_rtt = rtt;
            self.least_at = ack.now;
        }
        match self.mode {
            Mode::ProbeRtt { until: None } if ack.flight as f64 <= LEAST_WINDOW => {
                self.mode = Mode::ProbeRtt { until: Some(ack.now + PROBE) };
            }
            Mode::ProbeRtt { until: Some(until) } if ack.now > until && new_round => {
                self.least_at = ack.now;
                self.mode = if self.filled { Mode::ProbeRate(2) } else { Mode::Startup };
                self.phase_start = ack.now;
                return window.max(self.before);
            }
            Mode::ProbeRtt { .. } => {}
            _ if expired => {
                self.save(window, State::Open);
                self.mode = Mode::ProbeRtt { until: None };
            }
            _ => {}
        }
        window
    }

    /// `bbr_save_cwnd`, when recovery begins.
    pub(super) fn save(&mut self, window: f64, state: State) {
        let fresh = state < State::Recovery && !matches!(self.mode, Mode::ProbeRtt { .. });
        self.before = if fresh { window } else { self.before.max(window) };
    }

    /// `bbr_set_state` after a timeout: the rate may have changed.
    pub(super) fn forget(&mut self) {
        self.state = State::Loss;
        self.full = 0.0;
        self.round_end = 0;
    }

    /// `bbr_set_cwnd_to_recover_or_restore`; whether as much leaves as arrives.
    fn recover(&mut self, ack: &Ack, window: f64) -> (f64, bool) {
        let mut window =
            if ack.losses > 0 { (window - ack.losses as f64).max(1.0) } else { window };
        let flight = (ack.flight + ack.newly) as f64;
        if ack.state == State::Recovery && self.state != State::Recovery {
            self.conserves = true;
            self.round_end = ack.delivered;
            window = flight;
        } else if self.state >= State::Recovery && ack.state < State::Recovery {
            window = window.max(self.before);
            self.conserves = false;
        }
        self.state = ack.state;
        if self.conserves { (window.max(flight), true) } else { (window, false) }
    }

    fn capped(&self, window: f64) -> f64 {
        if matches!(self.mode, Mode::ProbeRtt { .. }) { window.min(LEAST_WINDOW) } else { window }
    }

    /// `bbr_set_cwnd`.
    fn window(&self, ack: &Ack, window: f64, bdp: f64, mss: u64) -> f64 {
        let gain = if self.filled { WINDOW_GAIN } else { HIGH };
        // Three offloaded packets more, so that delayed ACKs do not stop it, and an even number; two more where the rate is probed,
        // for small windows (`bbr_quantization_budget`).
        let whole = (gain * bdp).ceil() + 3.0 * ack.burst as f64;
        let probes = matches!(self.mode, Mode::ProbeRate(0));
        let target = (whole / 2.0).ceil() * 2.0 + if probes { 2.0 } else { 0.0 };
        let grown = window + ack.newly as f64;
        let next = if self.filled {
            grown.min(target)
        } else if window < target || ack.delivered < 10 * mss {
            grown
        } else {
            window
        };
        self.capped(next.max(LEAST_WINDOW))
    }
}
