//! The rate of what drops, by the drops themselves.
//!
//! A token bucket (RFC 2697 section 3) drops a segment when it holds less than that segment, and so does a full queue that has no room: from one
//! drop to the next what got through is what came in meanwhile, to the segment, however fast or slowly it was sent in between. Chance
//! takes a segment at any time. So the rate is looked for at which the drops lie on a line, and what that is worth is how far from that line
//! they might have lain.

use crate::flow::drops::Dropped;
use crate::flow::stretch::Stretch;
use crate::limits::context::Context;
use crate::units::Nanos;

/// Segments by which what a bucket holds may differ at two drops: less than one each time.
const WIDTH: f64 = 2.0;
/// Segments by which the ACKs of a round may misstate what had got through.
const DELAYED_ACKS: f64 = 3.0;
/// Segments from one drop to another that tell a rate to try, and rates that are tried.
const APART: [u64; 4] = [16, 32, 64, 128];
const MOST_RATES: usize = 64;
/// How much less likely it is for a bucket than for chance, as a natural logarithm, that less got through: it had filled up; and that more
/// did, which none allows.
const FILLED_UP: f64 = 1.5;
const TOO_MUCH: f64 = 5.0;
/// So much more likely by a bucket than by chance (400 times, of which some go to the rates that are tried), by so many drops.
const SURE: f64 = 6.0;
const FEWEST: usize = 6;

/// A dropped segment: between which times it left, and how many bytes had got through by then.
#[derive(Debug, Clone, Copy)]
struct Point {
    left: [Nanos; 2],
    passed: i64,
}

impl Point {
    fn middle(&self) -> Nanos {
        self.left[0] + (self.left[1] - self.left[0]).scale(1, 2)
    }
}

/// Bytes per second that get through, where the drops of a direction lie on the line of one rate.
pub(super) fn rate_of(drops: &[Dropped], ctx: &Context<'_>) -> Option<u64> {
    let points = points(drops);
    if points.len() < FEWEST {
        return None;
    }
    let rounds = rounds(ctx.stretches, ctx.floor);
    let fits = rates(&points, ctx.mss).into_iter().map(|rate| {
        let fit = Fit { points: &points, rounds: &rounds, rate, mss: ctx.mss as f64 };
        (fit.evidence(), rate)
    });
    let (evidence, rate) = fits.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (evidence >= SURE).then_some(rate as u64)
}

/// When each segment that was dropped had left, in order, and what had got through.
fn points(drops: &[Dropped]) -> Vec<Point> {
    let mut first: Vec<&Dropped> = drops.iter().filter(|d| !d.repair).collect();
    first.sort_unstable_by_key(|d| (d.left[0], d.start));
    // What was sent again got through, and a repair that was dropped did not.
    let repaired = drops.iter().map(|d| (d.again, d.len as i64));
    let in_vain = drops.iter().filter(|d| d.repair).map(|d| (d.left[0], -(d.len as i64)));
    let mut repairs: Vec<(Nanos, i64)> = repaired.chain(in_vain).collect();
    repairs.sort_unstable();
    let mut repairs = repairs.into_iter().peekable();
    let (mut dropped, mut again) = (0, 0);
    let point = |d: &Dropped| {
        while let Some((_, bytes)) = repairs.next_if(|(time, _)| *time < d.left[0]) {
            again += bytes;
        }
        let passed = d.start as i64 - dropped + again;
        dropped += d.len as i64;
        Point { left: d.left, passed }
    };
    first.into_iter().map(point).collect()
}

/// When each round ended, at the sender, and what had arrived by then.
fn rounds(stretches: &[Stretch], floor: Nanos) -> Vec<(Nanos, i64)> {
    let arrived = |sum: &mut i64, s: &Stretch| {
        *sum += s.arrived;
        Some((s.to - floor, *sum))
    };
    stretches.iter().scan(0, arrived).collect()
}

/// Bytes per second from drops to others, some segments of `mss` bytes later.
fn rates(points: &[Point], mss: u64) -> Vec<f64> {
    let mut rates = Vec::new();
    for apart in APART {
        let mut from = points[0];
        for to in points {
            let (bytes, time) = (to.passed - from.passed, to.left[0] - from.left[0]);
            if bytes >= (apart * mss) as i64 && time > Nanos::ZERO {
                rates.push(bytes as f64 / time.secs());
                from = *to;
            }
        }
    }
    rates.sort_unstable_by(f64::total_cmp);
    let every = rates.len().div_ceil(MOST_RATES).max(1);
    rates.into_iter().step_by(every).collect()
}

/// How well a rate explains all drops.
struct Fit<'a> {
    points: &'a [Point],
    rounds: &'a [(Nanos, i64)],
    rate: f64,
    mss: f64,
}

impl Fit<'_> {
    /// How much more likely the drops are by a bucket of this rate than by chance, as a natural logarithm.
    fn evidence(&self) -> f64 {
        let origin = self.points[0].middle();
        let bounds = |point: &Point| {
            let half = WIDTH / 2.0 * self.mss;
            // Its time is known so well.
            let [most, least] = point.left.map(|left| self.beyond(point.passed, left - origin));
            [least - half, most + half]
        };
        let mut sum = 0.0;
        // Where an empty bucket may stand, by all drops since it was last full.
        let mut line = bounds(&self.points[0]);
        for pair in self.points.windows(2) {
            let next = bounds(&pair[1]);
            let common = [line[0].max(next[0]), line[1].min(next[1])];
            if common[0] <= common[1] {
                sum += worth(self.stray(pair[0], pair[1]) / (next[1] - next[0]));
                line = common;
            } else {
                sum -= if next[1] < line[0] { FILLED_UP } else { TOO_MUCH };
                line = next;
            }
        }
        sum
    }

    /// By how much so many bytes are more than what comes in at this rate in `time`.
    fn beyond(&self, bytes: i64, time: Nanos) -> f64 {
        bytes as f64 - self.rate * time.secs()
    }

    /// Bytes by which what got through has differed from what came in at this rate since `from`, at the end of a round before `to`, or at `to`
    /// itself: so far from the line chance could have put it.
    fn stray(&self, from: Point, to: Point) -> f64 {
        let beyond =
            |time: Nanos, passed: i64| self.beyond(passed - from.passed, time - from.middle());
        let begin = self.rounds.partition_point(|(time, _)| *time <= from.left[1]);
        let end = self.rounds.partition_point(|(time, _)| *time < to.left[0]);
        let between = self.rounds.get(begin..end).unwrap_or_default();
        let noise = DELAYED_ACKS * self.mss;
        let squares = between.iter().map(|(time, passed)| {
            let beyond = (beyond(*time, *passed).abs() - noise).max(0.0);
            beyond * beyond
        });
        let mean = squares.sum::<f64>() / between.len().max(1) as f64;
        // A drop itself is a segment that did not get through.
        let at_drop = (beyond(to.middle(), to.passed).abs() - self.mss).max(0.0);
        mean.sqrt().max(at_drop)
    }
}

/// What it is worth that a drop lies on the line, if by chance it had strayed so many widths from it: the logarithm of one in so many where those are
/// many; and where they are few, what a walk that stays between two walls is worth a step (pi * pi / 2 of the square).
fn worth(widths: f64) -> f64 {
    (10.0 * widths * widths).ln_1p() / 2.0
}

#[cfg(test)]
mod tests;
