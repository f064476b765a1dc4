//! The totals as metrics: their names, units and words. docs/agent.md has the same list, and a test compares the two.

use super::metric::{Metric, Number, Point, Points, Unit};
use super::totals::{Direction, Own, Service, Totals};
use std::sync::Arc;

use Number::{Real, Whole};

/// All metrics, as they are now.
pub(super) fn all(totals: &Totals) -> Vec<Metric> {
    let mut metrics = vec![limited(totals), active(totals), shares(totals), bytes(totals)];
    metrics.extend(counts(totals));
    metrics.extend(own(totals));
    metrics.extend(process(&totals.own));
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
    [
        counter(
            "tcpwhy_retransmitted_packets",
            "Packets sent again",
            Unit::None,
            each(|s| s.resent),
        ),
        counter(
            "tcpwhy_connections_seen",
            "Connections seen in a sample",
            Unit::None,
            each(|s| s.seen),
        ),
        counter(
            "tcpwhy_connections_closed",
            "Connections that closed",
            Unit::None,
            each(|s| s.closed),
        ),
        Metric {
            name: "tcpwhy_connections",
            help: "Connections in the newest sample",
            unit: Unit::None,
            points: Points::Gauge(each(|s| s.open)),
        },
    ]
}

fn own(totals: &Totals) -> [Metric; 9] {
    let own = &totals.own;
    let one = |value| vec![point(own, Vec::new(), value)];
    let labelled =
        |name, (label, value): (&str, u64)| point(own, vec![(name, label.into())], Whole(value));
    [
        counter(
            "tcpwhy_agent_samples",
            "Samples of all sockets",
            Unit::None,
            one(Whole(own.samples)),
        ),
        counter(
            "tcpwhy_agent_samples_lost",
            "Samples that were due and not taken: refused by the kernel, not worth --cpu, or late",
            Unit::None,
            [("refused", own.refused), ("cpu", own.spared), ("late", own.late)]
                .map(|l| labelled("reason", l))
                .to_vec(),
        ),
        Metric {
            name: "tcpwhy_agent_sample_duration",
            help: "Time that a sample of all sockets took",
            unit: Unit::Seconds,
            points: Points::Histogram(vec![point(own, Vec::new(), own.durations.clone())]),
        },
        gauge(
            "tcpwhy_agent_last_sample_timestamp",
            "Unix time of the newest sample",
            Unit::Seconds,
            one(Real(own.last_sample_ns as f64 / 1e9)),
        ),
        counter(
            "tcpwhy_agent_connections_missed",
            "Connections that came and went between two samples",
            Unit::None,
            one(Whole(own.missed)),
        ),
        counter(
            "tcpwhy_agent_connections_unplaced",
            "Connections of services beyond --services, which are counted as other",
            Unit::None,
            one(Whole(own.without_place)),
        ),
        counter(
            "tcpwhy_agent_events",
            "Events by what became of them",
            Unit::None,
            [("written", own.events), ("lost", own.events_lost)]
                .map(|l| labelled("result", l))
                .to_vec(),
        ),
        counter(
            "tcpwhy_agent_exports",
            "OTLP exports by what became of them",
            Unit::None,
            [("taken", own.exports), ("failed", own.exports_failed)]
                .map(|l| labelled("result", l))
                .to_vec(),
        ),
        gauge(
            "tcpwhy_agent_build_info",
            "1, with the version",
            Unit::None,
            vec![point(own, vec![("version", env!("CARGO_PKG_VERSION").into())], Whole(1))],
        ),
    ]
}

/// What every Prometheus client tells of its process, under the usual names.
fn process(own: &Own) -> [Metric; 3] {
    let one = |value| vec![point(own, Vec::new(), value)];
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let used = used.tv_sec as f64 + used.tv_nsec as f64 / 1e9;
    [
        counter("process_cpu", "Processor time of the agent", Unit::Seconds, one(Real(used))),
        gauge(
            "process_resident_memory",
            "Memory of the agent",
            Unit::Bytes,
            one(Whole(resident())),
        ),
        gauge(
            "process_start_time",
            "Unix time at which the agent began",
            Unit::Seconds,
            one(Real(own.since_ns as f64 / 1e9)),
        ),
    ]
}

/// Bytes, by the second number of `/proc/self/statm`; 0 where it cannot be read.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    pages * rustix::param::page_size() as u64
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

fn point<T>(own: &Own, labels: Vec<(&'static str, Arc<str>)>, value: T) -> Point<T> {
    Point { labels, since_ns: own.since_ns, value }
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
