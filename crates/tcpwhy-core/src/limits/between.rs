//! What arrives from one loss to the next, and in equal parts of time.

use crate::flow::stretch::Stretch;
use crate::limits::context::Context;
use crate::units::{Nanos, mul_div};

/// Rounds without a loss after which the next one is another event.
const APART: i64 = 4;
/// Rounds from one loss to the next that tell a rate within an eighth.
const REFILL_ROUNDS: i64 = 8;
/// Rounds in which rates are compared.
const PART_ROUNDS: i64 = 32;
/// Parts whose rates tell that there is one, and the part of it by which they differ then.
const FEWEST_PARTS: usize = 3;
const ONE_RATE: u64 = 50;

/// What arrived from one loss to the next, and in how many nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Between {
    bytes: u64,
    time: u64,
}

impl Between {
    /// As much as comes at `rate`, give or take a segment of `mss` bytes.
    fn is_at(&self, rate: u64, mss: u64) -> bool {
        let due = mul_div(rate, self.time, 1_000_000_000);
        self.bytes.abs_diff(due) <= due / ONE_RATE + mss
    }

    fn add(&mut self, s: &Stretch) {
        self.bytes += s.arrived();
        self.time += s.duration().0.max(0) as u64;
    }
}

/// The times between losses in which the sender never rested.
pub(super) fn between_losses(ctx: &Context<'_>) -> Vec<Between> {
    let mut list = Vec::new();
    let (mut open, mut calm) = (None::<Between>, Nanos::ZERO);
    for s in ctx.stretches {
        if s.is_repair() {
            if calm > ctx.floor.scale(APART, 1) {
                list.extend(open.take());
            }
            open.get_or_insert_default();
            calm = Nanos::ZERO;
        } else {
            calm += s.duration();
        }
        if s.is_idle() && s.duration() > ctx.floor {
            open = None;
        }
        if let Some(between) = &mut open {
            between.add(s);
        }
    }
    list
}

/// Bytes per second that a policer lets through. Its bucket is empty at a loss: what passed up to the next one came in meanwhile, and none of
/// it had been saved before (RFC 2697 section 3). `None` without such times.
pub(super) fn refilled(between: &[Between]) -> Option<u64> {
    let bytes: u64 = between.iter().map(|b| b.bytes).sum();
    let time: u64 = between.iter().map(|b| b.time).sum();
    (bytes > 0 && time > 0).then(|| mul_div(bytes, 1_000_000_000, time))
}

/// As `refilled`, from that loss to the next between which most did, at least so many rounds apart that it does not matter when in its round
/// a loss was: a sender that takes long to come back lets the bucket run over.
pub(super) fn most_refilled(between: &[Between], floor: Nanos) -> u64 {
    let long = |b: &&Between| b.time >= floor.scale(REFILL_ROUNDS, 1).0 as u64;
    between.iter().filter(long).filter_map(|b| refilled(&[*b])).max().unwrap_or(0)
}

/// Equal parts of time, as long as a sender takes to probe for more four times (BBR does in one round of eight, draft-ietf-ccwg-bbr section
/// 4.3.3), those in which it rested left out.
pub(super) fn parts(stretches: &[Stretch], floor: Nanos) -> Vec<Between> {
    let mut list = vec![Between::default()];
    for s in stretches.iter().filter(|s| !s.is_idle()) {
        if list.last().is_some_and(|part| part.time >= floor.scale(PART_ROUNDS, 1).0 as u64) {
            list.push(Between::default());
        }
        if let Some(part) = list.last_mut() {
            part.add(s);
        }
    }
    list
}

/// What arrived in each round that was not idle.
pub(super) fn rounds(stretches: &[Stretch]) -> Vec<Between> {
    let of = |s: &Stretch| {
        let mut round = Between::default();
        round.add(s);
        round
    };
    stretches.iter().filter(|s| !s.is_idle()).map(of).collect()
}

/// Data arrived at nearly the same rate in all parts of time.
pub(super) fn is_even(parts: &[Between], percent: u64) -> bool {
    let bytes: u64 = parts.iter().map(|b| b.bytes).sum();
    let time: u64 = parts.iter().map(|b| b.time).sum();
    let at_mean = |part: &Between| mul_div(bytes, part.time, time.max(1));
    let off: u64 = parts.iter().map(|b| b.bytes.abs_diff(at_mean(b))).sum();
    off <= bytes / 100 * percent
}

/// Bytes per second, with segments of `mss` bytes, where that was the rate in nearly all parts. Slow start may take longer than one of them, and now
/// and then a host or a repair does.
pub(super) fn one_rate(parts: &[Between], mss: u64) -> Option<u64> {
    // Slow start, and what is left in the end.
    let parts = parts.get(1..parts.len().saturating_sub(1))?;
    let mut rates: Vec<u64> = parts.iter().filter_map(|part| refilled(&[*part])).collect();
    rates.sort_unstable();
    let middle = *rates.get(rates.len() / 2)?;
    let alike = parts.iter().filter(|part| part.is_at(middle, mss)).count();
    (alike >= FEWEST_PARTS && alike * 5 >= parts.len() * 4).then_some(middle)
}
