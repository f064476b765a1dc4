//! The known traps of the field, by their numbers: what misled others
//! must not mislead us.

mod afar;
mod capture;
mod holes;
mod limits;
mod points;
mod time;

use crate::segments::{analyse_one, check_all, direction};
use tcpwhy_core::model::{Connection, Direction, Limit, Verdict};
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Scenario, Window, Workload, simulate};

pub(crate) fn ms(n: i64) -> Nanos {
    Nanos::from_millis(n)
}

/// A path and a receiver that are no limit themselves.
pub(crate) fn fast(bytes: u64) -> Scenario {
    Scenario {
        rate_bps: 1_000_000_000,
        queue_bytes: 8_000_000,
        window: Window::fixed(6_000_000),
        workload: Workload { message_bytes: bytes, ..Workload::default() },
        ..Scenario::default()
    }
}

pub(crate) fn connection(segments: &[Segment]) -> Connection {
    let connection = analyse_one(segments);
    check_all(std::slice::from_ref(&connection));
    connection
}

/// The answer for the data of a scenario, captured at `position`.
pub(crate) fn answer(scenario: &Scenario, position: f64) -> Direction {
    let connection = connection(&simulate(scenario).capture(position));
    direction(&connection, scenario.data_from).clone()
}

pub(crate) fn verdict(scenario: &Scenario, position: f64) -> Verdict {
    answer(scenario, position).verdict
}

/// The part of the time under `limit`, in percent.
pub(crate) fn share(d: &Direction, limit: Limit) -> i64 {
    let of = d.timeline.iter().filter(|i| i.limit == limit);
    let time = of.fold(Nanos::ZERO, |sum, i| sum + (i.to - i.from));
    time.scale(100, d.span().0.max(1)).0
}
