//! The totals as metrics: their names, units and words. docs/agent.md has the same list, and a test compares the two.

mod own;

use super::metric::{Metric, Number, Point, Points, Unit};
use super::totals::{Direction, Service, Totals};
use std::sync::Arc;

use Number::{Real, Whole};

/// All metrics, as they are now.
pub(super) fn all(totals: &Totals) -> Vec<Metric> {
    let mut metrics = vec![limited(totals), active(totals), shares(totals), bytes(totals)];
    metrics.extend(counts(totals));
    metrics.extend(own::memory(&totals.own));
    metrics.extend(own::sampling(&totals.own));
    metrics.extend(own::telling(&totals.own));
    metrics.extend(own::process(&totals.own));
    metrics
}

fn limited(totals: &Totals) -> Metric {
    let points = totals.services.iter().flat_map(|service| {
        service.limited.iter().map(|(held, time)| Point {
            labels: vec![
                ("limit", held.limit.name().into()),
                ("cause", held.cause.into()),
                ("direction", held.direction.name().into()),
                ("service", Arc::clone(&service.name)),
            ],
            since_ns: service.since_ns,
            value: Real(time.secs()),
        })
    });
    let help = "Time in which a limit held a connection, by limit, cause, direction and service";
    counter("tcpwhy_limited", help, Unit::Seconds, points.collect())
}

fn active(totals: &Totals) -> Metric {
    let help = "Time in which connections transferred or waited to, by direction and service";
    let points =
        directions(totals, |service, place| service.active.get(place).map(|t| Real(t.secs())));
    counter("tcpwhy_active", help, Unit::Seconds, points)
}

fn bytes(totals: &Totals) -> Metric {
    let help = "Bytes that peers acknowledged (send) and that were received (receive)";
    let points = directions(totals, |service, place| service.bytes.get(place).copied().map(Whole));
    counter("tcpwhy_transferred", help, Unit::Bytes, points)
}

fn shares(totals: &Totals) -> Metric {
    let points = totals.services.iter().flat_map(|service| {
        service.shares.iter().map(|((direction, limit), shares)| Point {
            labels: vec![
                ("limit", limit.name().into()),
                ("direction", direction.name().into()),
                ("service", Arc::clone(&service.name)),
            ],
            since_ns: service.since_ns,
            value: shares.clone(),
        })
    });
    Metric {
        name: "tcpwhy_connection_limited_share",
        help: "Share of its active time, 0 to 1, that a limit held a connection, when it closed",
        unit: Unit::None,
        points: Points::Histogram(points.collect()),
    }
}

fn counts(totals: &Totals) -> [Metric; 4] {
    let each = |value: fn(&Service) -> u64| {
        let point = |service: &Service| Point {
            labels: vec![("service", Arc::clone(&service.name))],
            since_ns: service.since_ns,
            value: Whole(value(service)),
        };
        totals.services.iter().map(point).collect::<Vec<_>>()
    };
    let (resent, seen) = (each(|s| s.resent), each(|s| s.seen));
    let (closed, open) = (each(|s| s.closed), each(|s| s.open));
    [
        counter("tcpwhy_retransmitted_packets", "Packets sent again", Unit::None, resent),
        counter("tcpwhy_connections_seen", "Connections seen in a sample", Unit::None, seen),
        counter("tcpwhy_connections_closed", "Connections that closed", Unit::None, closed),
        gauge("tcpwhy_connections", "Connections in the newest sample", Unit::None, open),
    ]
}

fn directions(
    totals: &Totals,
    value: impl Fn(&Service, usize) -> Option<Number>,
) -> Vec<Point<Number>> {
    let mut points = Vec::new();
    for service in &totals.services {
        for direction in Direction::ALL {
            points.extend(value(service, direction.place()).map(|value| Point {
                labels: vec![
                    ("direction", direction.name().into()),
                    ("service", Arc::clone(&service.name)),
                ],
                since_ns: service.since_ns,
                value,
            }));
        }
    }
    points
}

fn counter(
    name: &'static str,
    help: &'static str,
    unit: Unit,
    points: Vec<Point<Number>>,
) -> Metric {
    Metric { name, help, unit, points: Points::Counter(points) }
}

fn gauge(name: &'static str, help: &'static str, unit: Unit, points: Vec<Point<Number>>) -> Metric {
    Metric { name, help, unit, points: Points::Gauge(points) }
}
