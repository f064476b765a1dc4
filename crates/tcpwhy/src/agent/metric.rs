//! Metrics as plain data: what both ways to tell them, OpenMetrics and OTLP, are written from.

use super::histogram::Histogram;
use std::sync::Arc;

/// A metric with all its points.
#[derive(Debug, Clone)]
pub(super) struct Metric {
    /// Without unit and `_total`, which the exposition adds: `tcpwhy_limited`.
    pub name: &'static str,
    /// What it tells, one sentence without a full stop at its end.
    pub help: &'static str,
    /// What it is measured in.
    pub unit: Unit,
    /// The points.
    pub points: Points,
}

/// What a value is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A number of things, or a share.
    None,
    Seconds,
    Bytes,
}

/// Points by kind.
#[derive(Debug, Clone)]
pub(super) enum Points {
    /// Only grow.
    Counter(Vec<Point<Number>>),
    /// Are as they are now.
    Gauge(Vec<Point<Number>>),
    /// Count values.
    Histogram(Vec<Point<Histogram>>),
}

/// One value and what it is of.
#[derive(Debug, Clone)]
pub(super) struct Point<T> {
    /// Names and values, the same names for all points of a metric.
    pub labels: Vec<(&'static str, Arc<str>)>,
    /// When it began to count, nanoseconds since the Unix epoch.
    pub since_ns: u64,
    /// The value.
    pub value: T,
}

/// Whole where it counts things.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Whole(u64),
    Real(f64),
}
