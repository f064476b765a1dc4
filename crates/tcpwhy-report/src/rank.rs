//! Which directions matter, and in which order.

use tcpwhy_core::model::{Cause, Connection, Direction, Limit};
use tcpwhy_core::units::Nanos;

/// A direction that carries less than this part of the other's data only asks for or acknowledges
/// it.
const MINOR: u64 = 100;

/// A direction with its connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranked<'a> {
    /// The connection.
    pub connection: &'a Connection,
    /// One of its directions.
    pub direction: &'a Direction,
}

impl Ranked<'_> {
    /// Time that lifting the best single limit would save.
    pub(crate) fn saving(&self) -> Nanos {
        let d = self.direction;
        if d.verdict.cause == Cause::KeepAlive {
            return Nanos::ZERO;
        }
        let best = d.what_if.iter().map(|w| w.transfer).min().unwrap_or(d.transfer);
        (d.transfer - best).max(Nanos::ZERO)
    }

    /// Whether there is something to tell: data of its own, or a death.
    fn matters(&self) -> bool {
        let [client, server] = &self.connection.directions;
        let other = if self.direction.from == client.from { server } else { client };
        let d = self.direction;
        let died = d.verdict.limit == Limit::SilentPath || d.verdict.cause == Cause::SynRetry;
        died || d.bytes > other.bytes / MINOR
    }
}

/// The directions that matter and the others, each with most time to save first, then the largest.
pub(crate) fn rank(connections: &[Connection]) -> (Vec<Ranked<'_>>, Vec<Ranked<'_>>) {
    let all = connections.iter().flat_map(|connection| {
        connection.directions.iter().map(move |direction| Ranked { connection, direction })
    });
    let (mut first, mut rest): (Vec<_>, Vec<_>) = all.partition(Ranked::matters);
    for list in [&mut first, &mut rest] {
        list.sort_by_key(|r| {
            let d = r.direction;
            std::cmp::Reverse((r.saving(), d.bytes, d.transfer))
        });
    }
    (first, rest)
}
