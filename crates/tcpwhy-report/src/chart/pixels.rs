//! From any number of points to one stroke a pixel column: the least and the most that is in it.

use tcpwhy_core::picture::Point;

/// The part of the drawing that data is drawn in: pixels, and the times and values at its edges.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Left, right edge; pixels.
    pub(super) x: (i32, i32),
    /// Top, bottom edge; pixels.
    pub(super) y: (i32, i32),
    /// First and last moment, ns.
    pub(super) time: (i64, i64),
    /// Lowest and highest value.
    pub(super) value: (f64, f64),
}

impl Frame {
    pub(super) fn x_of(&self, time: i64) -> i32 {
        let span = (self.time.1.saturating_sub(self.time.0)).max(1) as f64;
        let part = time.saturating_sub(self.time.0) as f64 / span;
        self.x.0 + (part * f64::from(self.x.1 - self.x.0)).round() as i32
    }

    /// `None` above the drawing; below it, its lower edge.
    pub(super) fn y_of(&self, value: f64) -> Option<i32> {
        let part = (value - self.value.0) / (self.value.1 - self.value.0).max(f64::MIN_POSITIVE);
        (part <= 1.0)
            .then(|| self.y.1 - (part.max(0.0) * f64::from(self.y.1 - self.y.0)).round() as i32)
    }
}

/// What is in one column of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) x: i32,
    /// Where the last of it ends.
    pub(super) end: i32,
    pub(super) low: i64,
    pub(super) high: i64,
    /// The value that holds until the next column.
    pub(super) last: i64,
}

/// The columns of `points`, which are in the order of time.
pub(super) fn columns(points: &[Point], frame: &Frame) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for p in points {
        let (x, end) = (frame.x_of(p.from.0), frame.x_of(p.to.0));
        match columns.last_mut() {
            Some(c) if c.x == x => {
                c.end = c.end.max(end);
                c.low = c.low.min(p.low);
                c.high = c.high.max(p.high);
                c.last = p.high;
            }
            _ => columns.push(Column { x, end, low: p.low, high: p.high, last: p.high }),
        }
    }
    columns
}

/// A staircase through the columns, in as many lines as it takes to leave out what is above the drawing.
pub(super) fn stairs(columns: &[Column], frame: &Frame) -> Vec<Vec<(i32, i32)>> {
    let mut lines = vec![Vec::new()];
    let mut before = None;
    for c in columns {
        let place = |value: i64| frame.y_of(value as f64);
        let steps = [before, place(c.low), place(c.high), place(c.last)];
        for y in steps.into_iter().skip(usize::from(before.is_none())) {
            match (y, lines.last_mut()) {
                (Some(y), Some(line)) if line.last() != Some(&(c.x, y)) => line.push((c.x, y)),
                (None, Some(line)) if !line.is_empty() => lines.push(Vec::new()),
                _ => {}
            }
        }
        before = place(c.last);
    }
    if let (Some(y), Some(c), Some(line)) = (before, columns.last(), lines.last_mut()) {
        line.push((c.end.max(c.x + 1), y));
    }
    lines.retain(|line| line.len() > 1);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcpwhy_core::units::Nanos;

    const FRAME: Frame = Frame { x: (0, 10), y: (0, 100), time: (0, 1000), value: (0.0, 50.0) };

    fn point(time: i64, value: i64) -> Point {
        Point { from: Nanos(time), to: Nanos(time), low: value, high: value, frame: 1 }
    }

    #[test]
    fn a_column_keeps_its_extremes_and_its_last_value() {
        let points = [point(0, 5), point(10, 1), point(20, 3), point(900, 4)];
        let made = columns(&points, &FRAME);
        assert_eq!(made.len(), 2);
        assert_eq!((made[0].low, made[0].high, made[0].last), (1, 5, 3));
    }

    #[test]
    fn a_staircase_leaves_out_what_is_above_the_drawing() {
        let points = [point(0, 10), point(300, 60), point(500, 20), point(1000, 20)];
        let lines = stairs(&columns(&points, &FRAME), &FRAME);
        assert_eq!(lines, [vec![(0, 80), (3, 80)], vec![(5, 60), (10, 60), (11, 60)]]);
    }
}
