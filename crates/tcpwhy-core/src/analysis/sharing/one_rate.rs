//! The one rate that flows have between them: what one of them has less, the others have more.

use super::curve::Curve;
use crate::model::Progress;
use crate::units::{Nanos, bits_per_second};

/// Equal parts of a flow's time whose rates are compared, and those of them in which it may still be in slow start.
const PARTS: i64 = 16;
const STARTS: i64 = 2;
const COMPARED: usize = (PARTS - STARTS) as usize;
/// Part of what each flow varies by itself (the variance) that their sum may vary at most. What flows do that know nothing of each other adds up; so
/// little is left of it by chance once in a thousand times (two alike, whose rates would be correlated by -0.75 in 14 parts).
const LESS: f64 = 0.25;
/// Part of what one has less that may be missing in the sum: others have the rest of it.
const MISSING: f64 = 0.5;
/// Part of a rate by which it varies at most (the standard deviation) where it is one: bunches of ACKs, and what a loss leaves unused.
const EVEN: f64 = 0.1;
/// More flows at the same time are not compared: their sum is even by their number.
const MOST: usize = 32;

/// A time in which flows had one rate between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OneRate {
    pub(super) from: Nanos,
    pub(super) to: Nanos,
    /// In bit/s.
    pub(super) rate_bps: u64,
}

impl OneRate {
    /// As long as `own` lasts, between it and other `flows` (among which it is); `curve` is the sum of them all. `None` if they do not care for each
    /// other, or cannot be told apart.
    pub(super) fn of(curve: &Curve, flows: &[&Progress], own: &Progress) -> Option<Self> {
        let (from, to) = own.span();
        let part = Nanos((to - from).0 / PARTS);
        let compared = from + part.scale(STARTS, 1);
        let beside = |flow: &&Progress| {
            let (begun, ended) = flow.span();
            begun < to && ended > compared
        };
        let beside = flows.iter().copied().filter(beside);
        let few = (2..=MOST).contains(&beside.clone().count());
        if part <= Nanos::ZERO || !few {
            return None;
        }
        let parts = |curve: &Curve| -> [f64; COMPARED] {
            let begins = |k: usize| compared + part.scale(k as i64, 1);
            std::array::from_fn(|k| curve.within((begins(k), begins(k) + part)))
        };
        let alone = |flow: &Progress| parts(&Curve::of(&[flow]));
        let (all, mine) = (parts(curve), alone(own));
        let (varies, mean) = (covariance(&all, &all), mean(&all));
        let missing = covariance(&mine, &all) > covariance(&mine, &mine) * MISSING;
        if missing || varies.sqrt() > mean * EVEN {
            return None;
        }
        let each: f64 = beside.map(alone).map(|p| covariance(&p, &p)).sum();
        let rate_bps = bits_per_second(mean as u64, part);
        (varies <= each * LESS).then_some(Self { from, to, rate_bps })
    }

    /// It holds for most of a time.
    pub(super) fn holds(&self, (from, to): (Nanos, Nanos)) -> bool {
        let within = self.to.min(to) - self.from.max(from);
        within > Nanos::ZERO && within.scale(4, 1) >= (to - from).scale(3, 1)
    }
}

fn mean(parts: &[f64; COMPARED]) -> f64 {
    parts.iter().sum::<f64>() / COMPARED as f64
}

/// Of a list and itself it is the variance.
fn covariance(a: &[f64; COMPARED], b: &[f64; COMPARED]) -> f64 {
    let (of_a, of_b) = (mean(a), mean(b));
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - of_a) * (b - of_b)).sum();
    sum / COMPARED as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: i64 = 1_000;

    /// A flow that sends so many bytes in each of 32 parts.
    fn flow(bytes: impl Fn(usize) -> u64) -> Progress {
        let at = |k: usize| Nanos(PART * k as i64);
        Progress::of((0..32).map(|k| (at(k), at(k + 1), bytes(k)))).unwrap()
    }

    /// Bytes of a part, now fewer and now more, differently by `seed`.
    fn varies(k: usize, seed: usize) -> u64 {
        1_000_000 + 50_000 * ((k / 2 * 7 + k * seed) % 11) as u64
    }

    fn told(flows: &[&Progress]) -> Vec<bool> {
        let curve = Curve::of(flows);
        flows.iter().map(|own| OneRate::of(&curve, flows, own).is_some()).collect()
    }

    #[test]
    fn what_one_has_less_and_another_has_more_is_one_rate() {
        let both = [flow(|k| varies(k, 1)), flow(|k| 4_000_000 - varies(k, 1))];
        let both = both.each_ref();
        assert_eq!(told(&both), [true, true]);
        let rate = OneRate::of(&Curve::of(&both), &both, both[0]).unwrap();
        let bps = 4_000_000 * 8 * (1_000_000_000 / PART as u64);
        assert!(rate.rate_bps.abs_diff(bps) < bps / 50, "{rate:?}");
    }

    #[test]
    fn flows_that_know_nothing_of_each_other_have_none() {
        let lost = [flow(|k| varies(k, 1)), flow(|k| varies(k, 4)), flow(|k| varies(k, 9))];
        let lost = lost.each_ref();
        assert_eq!(told(&lost), [false; 3]);
        assert_eq!(told(&lost[..1]), [false]);
    }

    #[test]
    fn one_beside_two_that_take_turns_has_its_own_rate() {
        let turn = |mine: usize| flow(move |k| if k / 3 % 2 == mine { 9_000_000 } else { 1_000 });
        let all = [turn(0), turn(1), flow(|k| varies(k, 1))];
        assert!(!told(&all.each_ref())[2]);
    }

    #[test]
    fn a_rate_holds_where_most_of_a_time_lies_within_it() {
        let one = OneRate { from: Nanos(100), to: Nanos(200), rate_bps: 1 };
        let holds = |from, to| one.holds((Nanos(from), Nanos(to)));
        assert!(holds(120, 130) && holds(90, 200) && holds(0, 130) == holds(190, 400));
        assert!(!holds(200, 210) && !holds(0, 200));
    }
}
