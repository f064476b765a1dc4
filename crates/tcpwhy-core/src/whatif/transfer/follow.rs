//! Transfers that are longer than the model follows: what is left goes on as the second half of what was followed did.

use super::{Prediction, Transfer, predict};
use crate::units::Nanos;

/// Segments that are followed: with usual ones a gigabyte, which is a second or so.
pub(super) const MOST_SEGMENTS: u64 = 750_000;

/// Segments that must get through in all the time that the model follows, a week: what is left of a larger transfer goes on as these did.
const LEAST_SEGMENTS: u64 = 1_000;

/// [`predict`] for every size: not complete only where not even the first thousand segments of a transfer are.
#[must_use]
pub fn follow(t: &Transfer) -> Prediction {
    beyond(t, MOST_SEGMENTS)
}

fn beyond(t: &Transfer, segments: u64) -> Prediction {
    let mss = t.mss.max(88);
    let of = |size| predict(&Transfer { size, ..t.clone() });
    let mut followed = t.size.min(segments * mss);
    let mut whole = of(followed);
    while !whole.complete && followed > LEAST_SEGMENTS * mss {
        followed = (followed / 2).max(LEAST_SEGMENTS * mss);
        whole = of(followed);
    }
    if followed == t.size || !whole.complete {
        return whole;
    }
    let half = of(followed / 2);
    let rest = u128::from(t.size - followed);
    let span = u128::from(followed - followed / 2);
    // What the second half added, for as many bytes as are left.
    let more = |whole: u64, half: u64| {
        let added = u128::from(whole.saturating_sub(half)) * rest / span;
        whole.saturating_add(u64::try_from(added).unwrap_or(u64::MAX))
    };
    let longer = |whole: Nanos, half: Nanos| {
        let ns = more(whole.0.max(0) as u64, half.0.max(0) as u64);
        Nanos(i64::try_from(ns).unwrap_or(i64::MAX))
    };
    let mut phases = whole.phases;
    for (phase, half) in phases.iter_mut().zip(half.phases) {
        *phase = longer(*phase, half);
    }
    let time = longer(whole.time, half.time);
    // Some of the second half's time may be booked where the shorter transfer's was not.
    let sum = phases.iter().fold(Nanos::ZERO, |sum, time| sum + *time);
    phases[whole.limit() as usize] += time - sum;
    Prediction {
        time,
        arrived: longer(whole.arrived, half.arrived),
        phases,
        resent: more(whole.resent, half.resent),
        segments: more(whole.segments, half.segments),
        ..whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::buffers::Asked;
    use crate::whatif::transfer::Phase;

    #[test]
    fn a_terabyte_takes_the_links_time_and_its_phases_add_up() {
        let t = Transfer { size: 1_000_000_000_000, ..Transfer::default() };
        let p = beyond(&t, 10_000);
        let wire = t.size as f64 * 8.0 / t.rate_bps as f64 * 1_500.0 / 1_448.0;
        assert!((0.999..1.01).contains(&(p.time.secs() / wire)), "{p:?}");
        assert_eq!(p.phases.iter().fold(Nanos::ZERO, |sum, time| sum + *time), p.time);
        assert!(p.segments >= t.size / t.mss, "{p:?}");
    }

    #[test]
    fn what_is_left_goes_on_as_the_model_would() {
        let t = Transfer { size: 30_000_000, rcvbuf: Asked::Set(65_536), ..Transfer::default() };
        let (short, long) = (beyond(&t, 5_000).time.secs(), predict(&t).time.secs());
        assert!((0.99..1.01).contains(&(short / long)), "{short} {long}");
    }

    /// A week of the model's time is no bound of the answer's: 80 MB at 1 kbit/s take as long as 8 GB at 100.
    #[test]
    fn slow_transfers_are_answered_as_large_ones_are() {
        let days = |size, rate_bps| {
            let p = beyond(&Transfer { size, rate_bps, ..Transfer::default() }, 60_000);
            assert!(p.complete, "{p:?}");
            p.time.secs() / 86_400.0
        };
        let (slow, large) = (days(80_000_000, 1_000), days(8_000_000_000, 100_000));
        assert!(
            (7.5..8.0).contains(&slow) && (0.99..1.01).contains(&(slow / large)),
            "{slow} {large}"
        );
        let lossy = |size| follow(&Transfer { size, loss: 0.97, ..Transfer::default() }).complete;
        assert!(!lossy(2_000_000) && !lossy(2_000_000_000));
    }

    #[test]
    fn what_is_followed_and_what_never_ends_stay_what_they_are() {
        let short = Transfer { size: 500_000, sndbuf: Asked::Set(16_384), ..Transfer::default() };
        assert_eq!(follow(&short), predict(&short));
        let never = Transfer { size: u64::MAX >> 1, loss: 1.0, ..Transfer::default() };
        assert!(!follow(&never).complete);
        let ages = Transfer { size: u64::MAX >> 1, rate_bps: 1_000_000, ..Transfer::default() };
        assert_eq!(beyond(&ages, 100).phases[Phase::Path as usize], Nanos::MAX);
    }
}
