//! The ceilings that no packet tells, where the flight leant against them; as in `web/src/charts/flight.ts`.

use super::colour;
use plotters::style::RGBColor;
use tcpwhy_core::model::{Direction, Interval, Limit};
use tcpwhy_core::picture::Series;
use tcpwhy_core::units::Nanos;

/// Intervals with more rounds than this are measured in as many steps.
const MOST_ROUNDS: i64 = 400;

/// A ceiling from a moment to another.
pub(super) struct Level {
    pub(super) from: Nanos,
    pub(super) to: Nanos,
    pub(super) value: i64,
    pub(super) colour: RGBColor,
}

/// A buffer has one size, a congestion window changes every round.
pub(super) fn ceilings(flight: &Series, d: &Direction) -> Vec<Level> {
    let mut levels = Vec::new();
    for i in &d.timeline {
        match i.limit {
            Limit::SendBuffer => {
                let mut values: Vec<_> = rounds(flight, d, i).map(|l| l.value).collect();
                values.sort_unstable();
                let value = values.get(values.len() / 2).copied().unwrap_or_default();
                levels.push(Level { from: i.from, to: i.to, value, colour: colour::BUFFER });
            }
            Limit::CongestionWindow => levels.extend(rounds(flight, d, i)),
            _ => {}
        }
    }
    levels
}

/// Round by round, the most that was in flight.
fn rounds<'a>(
    flight: &'a Series,
    d: &Direction,
    i: &Interval,
) -> impl Iterator<Item = Level> + use<'a> {
    let (from, span) = (i.from, i.duration().0.max(1));
    let step = d.facts.rtt_floor.0.max(span / MOST_ROUNDS).max(1000);
    let count = (span as f64 / step as f64).round().max(1.0) as i64;
    (0..count).map(move |k| {
        let at = |k: i64| from + Nanos(span).scale(k, count);
        let (from, to) = (at(k), at(k + 1));
        Level { from, to, value: most(flight, from, to), colour: colour::CWND }
    })
}

/// The highest value in a span of time, that which it begins with included.
fn most(series: &Series, from: Nanos, to: Nanos) -> i64 {
    let points = series.points();
    let first = points.partition_point(|p| p.from < from).saturating_sub(1);
    let inside = points.iter().skip(first).take_while(|p| p.from < to);
    inside.map(|p| p.high).max().unwrap_or_default().max(0)
}
