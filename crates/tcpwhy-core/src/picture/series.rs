//! A bounded list of points in time: when it is full, neighbours are merged and nothing is lost but detail.

use crate::units::Nanos;

/// One point, or several neighbours merged: the times and values that they cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// First moment.
    pub from: Nanos,
    /// Last moment; the same as `from` for a single point.
    pub to: Nanos,
    /// Lowest value.
    pub low: i64,
    /// Highest value.
    pub high: i64,
    /// Frame of the first of them, as Wireshark numbers it.
    pub frame: u64,
}

/// Points in the order of time, at most `limit` of them.
#[derive(Debug, Clone)]
pub struct Series {
    points: Vec<Point>,
    limit: usize,
    /// What each point stands for: 1, then 2, 4, 8 samples.
    span: u32,
    /// Samples in the last point.
    filled: u32,
    stretch: Stretch,
}

/// The time of which samples are kept: first and last moment.
pub(super) type Stretch = (Nanos, Nanos);

/// All of it.
pub(super) const ALWAYS: Stretch = (Nanos(i64::MIN), Nanos::MAX);

impl Series {
    /// An empty list for at most `limit` points (at least 2).
    pub fn new(limit: usize) -> Self {
        Self::within(ALWAYS, limit)
    }

    /// The same for the samples of a stretch of time, and the last one before it: its value still holds.
    pub(super) fn within(stretch: Stretch, limit: usize) -> Self {
        Self { points: Vec::new(), limit: limit.max(2), span: 1, filled: 0, stretch }
    }

    /// One more sample: a value, or a range of values, at a moment.
    pub fn push(&mut self, time: Nanos, low: i64, high: i64, frame: u64) {
        let (since, until) = self.stretch;
        if time > until {
            return;
        }
        if time < since {
            self.points.clear();
        }
        match self.points.last_mut() {
            Some(last) if self.filled < self.span => {
                *last = merged(last, &Point { from: time, to: time, low, high, frame });
                self.filled += 1;
            }
            _ => self.append(Point { from: time, to: time, low, high, frame }),
        }
    }

    /// One more sample of a value that holds until the next one: of equal ones in a row the first and the last are kept.
    pub fn hold(&mut self, time: Nanos, value: i64, frame: u64) {
        if let [.., before, last] = self.points.as_mut_slice()
            && self.span == 1
            && [before.high, last.high] == [value; 2]
        {
            *last = Point { from: time, to: time, low: value, high: value, frame };
            return;
        }
        self.push(time, value, value, frame);
    }

    /// The points.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// How many samples a point stands for: 1 as long as nothing was merged.
    pub fn samples_per_point(&self) -> u32 {
        self.span
    }

    /// The same with so many neighbours merged into one point each, the last one perhaps of fewer.
    #[must_use]
    pub(super) fn coarser(&self, neighbours: u32) -> Self {
        let mut coarse = self.clone();
        coarse.merge(neighbours);
        coarse
    }

    fn append(&mut self, point: Point) {
        if self.points.len() >= self.limit {
            self.merge(2);
        }
        self.points.push(point);
        self.filled = 1;
    }

    fn merge(&mut self, neighbours: u32) {
        let one = |same: &[Point]| same.iter().copied().reduce(|a, b| merged(&a, &b));
        self.points = self.points.chunks(neighbours.max(1) as usize).filter_map(one).collect();
        self.span = self.span.saturating_mul(neighbours);
    }
}

fn merged(one: &Point, other: &Point) -> Point {
    Point {
        from: one.from.min(other.from),
        to: one.to.max(other.to),
        low: one.low.min(other.low),
        high: one.high.max(other.high),
        frame: one.frame,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_list_keeps_its_extremes() {
        let mut series = Series::new(8);
        for i in 0..1000 {
            series.push(Nanos(i), i, i, i as u64 + 1);
        }
        assert!(series.points().len() <= 8);
        assert_eq!(series.samples_per_point(), 128);
        let (first, last) = (series.points()[0], series.points()[series.points().len() - 1]);
        assert_eq!((first.from, first.low, first.frame), (Nanos(0), 0, 1));
        assert_eq!((last.to, last.high), (Nanos(999), 999));
        let no_gap = |w: &[Point]| w[0].high + 1 == w[1].low;
        assert!(series.points().windows(2).all(no_gap), "{:?}", series.points());
    }

    #[test]
    fn a_value_that_holds_is_its_first_and_its_last_sample() {
        let mut series = Series::new(8);
        for (time, value) in [(0, 5), (1, 5), (2, 5), (3, 5), (4, 6), (5, 5)] {
            series.hold(Nanos(time), value, time as u64);
        }
        let kept: Vec<_> = series.points().iter().map(|p| (p.from.0, p.high)).collect();
        assert_eq!(kept, [(0, 5), (3, 5), (4, 6), (5, 5)]);
    }

    #[test]
    fn of_a_stretch_are_kept_what_is_in_it_and_the_last_before() {
        let mut series = Series::within((Nanos(5), Nanos(7)), 8);
        for i in 0..10 {
            series.push(Nanos(i), i, i, 1);
        }
        let kept: Vec<_> = series.points().iter().map(|p| p.from.0).collect();
        assert_eq!((kept, series.samples_per_point()), (vec![4, 5, 6, 7], 1));
    }

    #[test]
    fn a_coarser_one_has_the_same_extremes() {
        let mut series = Series::new(1000);
        (0..100).for_each(|i| series.push(Nanos(i), -i, i, i as u64 + 1));
        let coarse = series.coarser(64);
        let kept: Vec<_> =
            coarse.points().iter().map(|p| (p.from.0, p.to.0, p.low, p.high, p.frame)).collect();
        assert_eq!(kept, [(0, 63, -63, 63, 1), (64, 99, -99, 99, 65)]);
        assert_eq!(coarse.samples_per_point(), 64);
    }

    #[test]
    fn few_points_stay_as_they_are() {
        let mut series = Series::new(8);
        series.push(Nanos(5), 1, 9, 3);
        assert_eq!(
            series.points(),
            [Point { from: Nanos(5), to: Nanos(5), low: 1, high: 9, frame: 3 }]
        );
    }
}
