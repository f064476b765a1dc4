//! What the agent tells of itself.

use super::super::metric::{Metric, Number, Point, Points, Unit};
use super::super::totals::Own;
use super::{counter, gauge};
use std::sync::Arc;

use Number::{Real, Whole};

/// How it samples, and what of it was lost.
pub(super) fn sampling(own: &Own) -> [Metric; 7] {
    let lost = [("refused", own.refused), ("cpu", own.spared), ("late", own.late)];
    let help_lost =
        "Samples that were due and not taken: refused by the kernel, given up for --cpu, or late";
    let help_missed = "Connections that came and went between two samples";
    let help_spaces =
        "Network namespaces: those that are watched, and those that may not be entered";
    let spaces = [("watched", own.namespaces), ("refused", own.namespaces_closed)];
    let help_other = "Connections of services beyond --services, which are counted as other";
    let newest = Real(own.last_sample_ns as f64 / 1e9);
    let durations = vec![point(own, Vec::new(), own.durations.clone())];
    [
        things("tcpwhy_agent_samples", "Samples of all sockets", one(own, Whole(own.samples))),
        things("tcpwhy_agent_samples_lost", help_lost, by(own, "reason", &lost)),
        Metric {
            name: "tcpwhy_agent_sample_duration",
            help: "Time that a sample of all sockets took",
            unit: Unit::Seconds,
            points: Points::Histogram(durations),
        },
        gauge(
            "tcpwhy_agent_last_sample_timestamp",
            "Unix time of the newest sample",
            Unit::Seconds,
            one(own, newest),
        ),
        gauge("tcpwhy_agent_namespaces", help_spaces, Unit::None, by(own, "state", &spaces)),
        things("tcpwhy_agent_connections_missed", help_missed, one(own, Whole(own.missed))),
        things("tcpwhy_agent_connections_unplaced", help_other, one(own, Whole(own.without_place))),
    ]
}

/// The machine's memory for TCP. No connection has a part of it to itself.
pub(super) fn memory(own: &Own) -> [Metric; 3] {
    let help = "Memory of all TCP sockets of the host: used, from where buffers shrink (tcp_mem[1]), and most (tcp_mem[2])";
    let page = rustix::param::page_size() as u64;
    let states = own.memory.iter().flat_map(|m| {
        let bounds =
            m.bounds.into_iter().flat_map(|b| [("pressure", b.pressure), ("most", b.most)]);
        let all = std::iter::once(("used", m.pages)).chain(bounds);
        all.map(|(state, pages)| (state, pages.saturating_mul(page)))
    });
    let states: Vec<_> = states.collect();
    let (times, long) = (Whole(own.pressure.times), Real(own.pressure.long.as_secs_f64()));
    let help_times = "Times that the host's memory for TCP ran short, so that buffers shrank";
    let help_long = "Time in which it was short, counted when it ends";
    [
        gauge("tcpwhy_memory", help, Unit::Bytes, by(own, "state", &states)),
        things("tcpwhy_memory_pressures", help_times, one(own, times)),
        counter("tcpwhy_memory_pressure", help_long, Unit::Seconds, one(own, long)),
    ]
}

/// What it told, and who it is.
pub(super) fn telling(own: &Own) -> [Metric; 3] {
    let events = [("written", own.events), ("lost", own.events_lost)];
    let exports = [("taken", own.exports), ("failed", own.exports_failed)];
    let version = vec![("version", env!("CARGO_PKG_VERSION").into())];
    let version = vec![point(own, version, Whole(1))];
    [
        things("tcpwhy_agent_events", "Events by what became of them", by(own, "result", &events)),
        things(
            "tcpwhy_agent_exports",
            "OTLP exports by what became of them",
            by(own, "result", &exports),
        ),
        gauge("tcpwhy_agent_build_info", "1, with the version", Unit::None, version),
    ]
}

/// What every Prometheus client tells of its process, under the usual names.
pub(super) fn process(own: &Own) -> [Metric; 3] {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let used = Real(used.tv_sec as f64 + used.tv_nsec as f64 / 1e9);
    let (memory, began) = (Whole(resident()), Real(own.since_ns as f64 / 1e9));
    let help_began = "Unix time at which the agent began";
    [
        counter("process_cpu", "Processor time of the agent", Unit::Seconds, one(own, used)),
        gauge("process_resident_memory", "Memory of the agent", Unit::Bytes, one(own, memory)),
        gauge("process_start_time", help_began, Unit::Seconds, one(own, began)),
    ]
}

/// Bytes, by the second number of `/proc/self/statm`; 0 where it cannot be read.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    pages * rustix::param::page_size() as u64
}

/// A counter of things.
fn things(name: &'static str, help: &'static str, points: Vec<Point<Number>>) -> Metric {
    counter(name, help, Unit::None, points)
}

fn one(own: &Own, value: Number) -> Vec<Point<Number>> {
    vec![point(own, Vec::new(), value)]
}

fn by(own: &Own, label: &'static str, values: &[(&'static str, u64)]) -> Vec<Point<Number>> {
    let of = |(name, value): &(&'static str, u64)| {
        point(own, vec![(label, Arc::from(*name))], Whole(*value))
    };
    values.iter().map(of).collect()
}

fn point<T>(own: &Own, labels: Vec<(&'static str, Arc<str>)>, value: T) -> Point<T> {
    Point { labels, since_ns: own.since_ns, value }
}
