//! The path: propagation both ways, and in the data direction a queue before a narrow link, and losses.

use super::packet::HEADERS;
use super::rng::Rng;
use super::scenario::{Loss, Scenario};
use crate::units::Nanos;

/// The two directions between the data sender and its receiver.
#[derive(Debug)]
pub(super) struct Path {
    forward: Nanos,
    backward: Nanos,
    before: Nanos,
    rate_bps: u64,
    queue_bytes: u64,
    loss: Loss,
    rng: Rng,
    start: Nanos,
    free_at: Nanos,
    data_packets: u64,
    /// The policer's bucket: when it would be full again.
    full_at: Nanos,
    first_policed: Option<Nanos>,
    /// Continuous busy periods of the bottleneck, on the sender's clock.
    busy: Vec<(Nanos, Nanos)>,
}

impl Path {
    pub(super) fn new(s: &Scenario) -> Self {
        let forward = s.rtt.scale(1, 2);
        let position = (s.bottleneck.clamp(0.0, 1.0) * 1000.0) as i64;
        Self {
            forward,
            backward: s.rtt - forward,
            before: forward.scale(position, 1000),
            rate_bps: s.rate_bps,
            queue_bytes: s.queue_bytes,
            loss: s.loss.clone(),
            rng: Rng::new(s.seed),
            start: s.start,
            free_at: s.start,
            data_packets: 0,
            full_at: s.start,
            first_policed: None,
            busy: Vec::new(),
        }
    }

    /// When a packet in the data direction arrives; `None` when it is lost.
    pub(super) fn data(&mut self, sent: Nanos, len: u32) -> Option<Nanos> {
        let enter = sent + self.before;
        let size = u64::from(len) + HEADERS;
        if self.outage(sent) || (len > 0 && self.lost(enter, len, size)) {
            return None;
        }
        let begin = enter.max(self.free_at);
        if self.rate_bps == 0 {
            return Some(sent + self.forward);
        }
        let waiting = bytes_in(begin - enter, self.rate_bps);
        if waiting + size > self.queue_bytes.max(size) {
            return None;
        }
        let end = begin + serialization(size, self.rate_bps);
        self.note_busy(begin - self.before, end - self.before);
        self.free_at = end;
        Some(end + (self.forward - self.before))
    }

    /// When a packet in the other direction arrives; `None` when it is lost.
    pub(super) fn back(&self, sent: Nanos) -> Option<Nanos> {
        (!self.outage(sent)).then_some(sent + self.backward)
    }

    /// The periods in which the bottleneck was busy for at least `least` without a gap.
    pub(super) fn busy_periods(&self, least: Nanos) -> Vec<(Nanos, Nanos)> {
        self.busy.iter().copied().filter(|(from, to)| *to - *from >= least).collect()
    }

    /// When the policer first dropped, on the sender's clock.
    pub(super) fn first_policed(&self) -> Option<Nanos> {
        self.first_policed
    }

    fn outage(&self, sent: Nanos) -> bool {
        match self.loss {
            Loss::Outage(from, to) => (from..to).contains(&(sent - self.start)),
            _ => false,
        }
    }

    fn lost(&mut self, enter: Nanos, len: u32, size: u64) -> bool {
        let number = self.data_packets;
        self.data_packets += 1;
        match &self.loss {
            Loss::None | Loss::Outage(..) => false,
            Loss::PerMille(chance) => self.rng.below(1000) < u64::from(*chance),
            Loss::Numbers(numbers) => numbers.contains(&number),
            Loss::LargerThan(limit) => len > *limit,
            Loss::Policer { rate_bps, burst } => {
                let depth = serialization(*burst, *rate_bps);
                let full_at = self.full_at.max(enter) + serialization(size, *rate_bps);
                let over = full_at - enter > depth;
                if over {
                    self.first_policed.get_or_insert(enter - self.before);
                } else {
                    self.full_at = full_at;
                }
                over
            }
        }
    }

    /// Gaps shorter than one full packet are no idleness: pacing leaves such.
    fn note_busy(&mut self, from: Nanos, to: Nanos) {
        let gap = serialization(1500, self.rate_bps);
        match self.busy.last_mut() {
            Some(last) if from - last.1 <= gap => last.1 = to,
            _ => self.busy.push((from, to)),
        }
    }
}

/// Time to put `bytes` on a link; 0 when the rate is infinite (0).
pub(super) fn serialization(bytes: u64, rate_bps: u64) -> Nanos {
    let ns = u128::from(bytes) * 8_000_000_000 / u128::from(rate_bps.max(1));
    if rate_bps == 0 { Nanos::ZERO } else { Nanos(i64::try_from(ns).unwrap_or(i64::MAX)) }
}

/// Bytes that pass a link in `span`.
pub(super) fn bytes_in(span: Nanos, rate_bps: u64) -> u64 {
    let bytes = span.0.max(0) as u128 * u128::from(rate_bps) / 8_000_000_000;
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
