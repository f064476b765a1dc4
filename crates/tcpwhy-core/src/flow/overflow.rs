//! Whether what is lost had found a queue full: what was sent just before it has waited in that queue.
//!
//! A queue that overflows is as long before each loss, and whatever passed just before has waited for all of it. A policer, and chance,
//! take what they take whether anything waits or not.

use super::BUSY_HOST;
use super::rtt::RttMeter;
use super::spread::Spread;
use crate::model::RttSummary;
use crate::units::Nanos;

/// Losses that show how long the queue before them is.
const FEWEST: u32 = 3;
/// As `FEWEST`, where hardly anything else takes as long, and they are the same but for a little.
const FEWEST_SAME: u32 = 2;
/// As `FEWEST`, that show that there is none: a queue that overflows is as full as it ever gets.
const FEWEST_USUAL: u32 = 2;
/// Part of the queue by which it may differ from one loss to the next: a full one differs by what arrives while a loss is noticed.
const ALIKE: f64 = 4.0;

/// As `ALIKE`, for what is no chance, however long others take now and then.
const SAME: f64 = 16.0;

/// What stood before losses, by the round trips of what was sent just before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Before {
    /// Too few losses, or neither.
    #[default]
    Unknown,
    /// A queue of one length, each time.
    FullQueue,
    /// Nothing but what stands there at other times, too: these took no longer than all others, however much a path jitters.
    AsUsual,
    /// As `AsUsual`, but most round trips are about as long as the longest: others fill a queue all the time.
    Stands,
}

/// Round trips of what was sent just before a loss.
#[derive(Debug, Clone, Default)]
pub(crate) struct Overflow {
    /// Of what the last ACK before the first duplicate acknowledged; zero if none was measured.
    last: Nanos,
    /// Most connections lose nothing.
    before_losses: Option<Box<Spread>>,
}

impl Overflow {
    /// Something may be lost behind what took `rtt`.
    pub(crate) fn suspects(&mut self, rtt: Nanos) {
        self.last = rtt;
    }

    /// It was sent again.
    pub(crate) fn confirms(&mut self) {
        let rtt = std::mem::take(&mut self.last);
        if rtt > Nanos::ZERO {
            self.before_losses.get_or_insert_default().add(rtt.0.unsigned_abs());
        }
    }

    /// What stood before the losses of a direction with these round trips.
    pub(crate) fn before_losses(&self, meter: &RttMeter) -> Before {
        let Some(rtts) = self.before_losses.as_deref() else { return Before::Unknown };
        let RttSummary { median, p95, .. } = meter.distribution.summary();
        judge(rtts, meter.floor_or_zero(), median, p95)
    }
}

/// What stood before losses that came behind such round trips, on a path with this `floor`, half of whose round trips are below `median`,
/// and 95 % below `high`.
fn judge(rtts: &Spread, floor: Nanos, median: Nanos, high: Nanos) -> Before {
    let queue = rtts.mean() - floor.0 as f64;
    // More than hosts are late by.
    let shows = |time: f64| time >= 2.0 * BUSY_HOST.0 as f64;
    let alike = rtts.deviation() <= queue / ALIKE;
    let same = rtts.deviation() <= queue / SAME && rtts.mean() >= median.0 as f64;
    let usual = rtts.mean() < (median + high).0 as f64 / 2.0 && !same;
    let stands = (median - floor).scale(4, 1) > (high - floor).scale(3, 1);
    // Or the very same stood there each time, or what only few of all round trips reach.
    let longest = rtts.mean() - rtts.deviation() >= high.0 as f64;
    let surely = queue >= BUSY_HOST.0 as f64 && (same || longest);
    let enough = rtts.count() >= if same && longest { FEWEST_SAME } else { FEWEST };
    if enough && (shows(queue) || surely) && alike && !usual {
        Before::FullQueue
    } else if rtts.count() >= FEWEST_USUAL && shows((high - floor).0 as f64) && usual {
        if stands { Before::Stands } else { Before::AsUsual }
    } else {
        Before::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stood before losses, by what took so many milliseconds on a path of 100, half of whose round trips are below `median`.
    fn before(rtts: &[i64], median: i64, high: i64) -> Before {
        let mut overflow = Overflow::default();
        for &ms in rtts {
            overflow.suspects(Nanos::from_millis(ms));
            overflow.confirms();
        }
        let [floor, median, high] = [100, median, high].map(Nanos::from_millis);
        let rtts = overflow.before_losses.as_deref();
        rtts.map_or(Before::Unknown, |rtts| judge(rtts, floor, median, high))
    }

    #[test]
    fn a_full_queue_is_as_long_before_each_loss() {
        assert_eq!(before(&[118, 121, 122, 119], 101, 122), Before::FullQueue);
        assert_eq!(before(&[118, 121], 101, 122), Before::Unknown, "two may be chance");
        assert_eq!(before(&[121, 121], 101, 120), Before::FullQueue, "twice the very longest");
        assert_eq!(before(&[101, 130, 125, 160], 101, 122), Before::Unknown, "of any length");
    }

    #[test]
    fn a_short_queue_shows_where_hardly_anything_else_waits_as_long() {
        assert_eq!(before(&[103, 103, 103], 101, 102), Before::FullQueue);
        assert_eq!(before(&[103, 103, 103], 103, 104), Before::FullQueue, "the very same");
        assert_eq!(before(&[102, 104, 103], 101, 104), Before::Unknown);
        assert_eq!(before(&[101, 101, 101], 100, 100), Before::Unknown, "hosts are late by that");
    }

    #[test]
    fn what_took_no_longer_than_usual_found_no_queue_however_much_the_path_jitters() {
        assert_eq!(before(&[101, 101, 102, 101], 101, 104), Before::AsUsual);
        assert_eq!(before(&[118, 124, 121], 120, 140), Before::AsUsual);
        assert_eq!(before(&[138, 139, 141], 120, 140), Before::FullQueue);
        assert_eq!(before(&[124, 125, 124], 120, 140), Before::FullQueue, "so alike by no chance");
        assert_eq!(before(&[138, 130, 141], 137, 140), Before::Stands);
        assert_eq!(before(&[], 101, 104), Before::Unknown);
        assert_eq!(before(&[101, 101], 101, 103), Before::Unknown, "by so much hosts are late");
    }

    #[test]
    fn what_was_not_measured_or_not_lost_says_nothing() {
        let mut overflow = Overflow::default();
        for _ in 0..8 {
            overflow.suspects(Nanos::from_millis(120));
            overflow.suspects(Nanos::ZERO);
            overflow.confirms();
        }
        assert!(overflow.before_losses.is_none());
    }
}
