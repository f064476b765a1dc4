//! Bytes over time in steps; as in `web/src/charts/rate.ts`.

use tcpwhy_core::model::{Connection, Direction};
use tcpwhy_core::picture::{Point, Series, Track};
use tcpwhy_core::units::Nanos;

/// Steps across the chart.
const STEPS: i64 = 160;

/// Sent and newly acknowledged bits a second. A step is never shorter than a round trip needs to mean something.
pub(super) fn rates(t: &Track, d: &Direction, c: &Connection) -> [Vec<Point>; 2] {
    let width = Nanos((c.duration.0 / STEPS).max(d.facts.rtt_floor.0).max(100_000));
    let steps = (c.duration.0 / width.0).clamp(0, STEPS) + 1;
    let binned = |bytes: &dyn Fn(Nanos, Nanos) -> i64| {
        (0..steps)
            .map(|i| {
                let from = c.start + width.scale(i, 1);
                let to = from + width;
                let rate = (bytes(from, to).max(0) as f64 * 8e9 / width.0 as f64) as i64;
                Point { from, to, low: rate, high: rate, frame: 0 }
            })
            .collect()
    };
    [
        binned(&|a, b| sent(&t.data, a, b) + sent(&t.resent, a, b)),
        binned(&|a, b| acked(&t.acks, b) - acked(&t.acks, a)),
    ]
}

fn sent(s: &Series, from: Nanos, to: Nanos) -> i64 {
    let points = s.points();
    let inside = points.iter().skip(points.partition_point(|p| p.from < from));
    inside.take_while(|p| p.from < to).map(|p| p.high - p.low).sum()
}

/// Bytes acknowledged before a time.
fn acked(s: &Series, time: Nanos) -> i64 {
    let points = s.points();
    let before = points.partition_point(|p| p.from < time).checked_sub(1);
    before.and_then(|i| points.get(i)).map_or(0, |p| p.high)
}
