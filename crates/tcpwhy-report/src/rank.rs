//! Which directions matter, and in which order.

use std::cmp::Reverse;
use tcpwhy_core::model::{Cause, Connection, Direction, Limit, Side, WhatIf, time_of};
use tcpwhy_core::units::Nanos;

/// A direction that carries less than this part of the other's data only asks for or acknowledges
/// it.
const MINOR: u64 = 100;

/// A direction that carries so many times the other's data is what the connection is there for.
const BULK: u64 = 16;

/// What is less sure may not have been waited for at all.
const LIKELY: f64 = 0.55;

/// Most time to save, then the largest, then the longest.
pub(crate) type Importance = Reverse<(Nanos, u64, Nanos)>;

/// A direction with its connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranked<'a> {
    /// The connection.
    pub connection: &'a Connection,
    /// One of its directions.
    pub direction: &'a Direction,
}

impl Ranked<'_> {
    /// Time that lifting the best single limit would save, and what the client waited for before the first byte.
    pub(crate) fn saving(&self) -> Nanos {
        let d = self.direction;
        if d.verdict.cause == Cause::KeepAlive {
            return Nanos::ZERO;
        }
        let counts = |w: &&WhatIf| w.lift != Limit::Application || !self.client_thinks();
        // The shortest comes first.
        let best = d.what_if.iter().find(counts).map_or(d.transfer, |w| w.transfer);
        let owed = d.owed().filter(|_| d.verdict.confidence >= LIKELY);
        (d.transfer - best + d.thought()).max(owed.unwrap_or_default()).max(self.stuck())
    }

    /// For how long it was left without an answer, or before a closed window with nothing that got through, where that is the verdict.
    fn stuck(&self) -> Nanos {
        let d = self.direction;
        let held = d.verdict.limit;
        let time = time_of(&d.timeline, |i| i.limit == held);
        if held == Limit::SilentPath || d.is_shut_out() { time } else { Nanos::ZERO }
    }

    /// What comes first is less.
    pub(crate) fn importance(&self) -> Importance {
        Reverse((self.saving(), self.direction.bytes, self.direction.transfer))
    }

    /// Whether it was mostly the client's turn: nobody waits while the client has nothing to ask,
    /// as on a control connection or an idle one of a pool.
    fn client_thinks(&self) -> bool {
        let limits = self.direction.limits();
        let cause = limits.iter().find(|s| s.limit == Limit::Application).map(|s| s.cause);
        match self.direction.from {
            Side::Client => cause == Some(Cause::SenderApplication),
            Side::Server => cause == Some(Cause::WaitingForPeer),
        }
    }

    /// Whether the opposite direction says the same better: whose turn it was, though not in place of one that carries nearly all data, or why
    /// the connection was slow to open.
    fn mirrors(&self, other: &Direction) -> bool {
        let same = |cause| {
            (self.direction.verdict.cause, other.verdict.cause) == (cause, cause)
                && self.direction.from == Side::Server
        };
        let is_bulk = self.direction.bytes / BULK > other.bytes;
        let waits = self.direction.verdict.cause == Cause::WaitingForPeer
            && !matches!(
                other.verdict.cause,
                Cause::WaitingForPeer | Cause::None | Cause::KeepAlive
            );
        (same(Cause::WaitingForPeer) || waits) && !is_bulk || same(Cause::SynRetry)
    }

    /// Whether what held this up longest was the wait for an answer, which the opposite direction owes and tells.
    fn asks_in_vain(&self, other: &Direction) -> bool {
        let d = self.direction;
        let waits = matches!(
            (d.verdict.limit, d.verdict.cause),
            (Limit::Application, _) | (Limit::SilentPath, Cause::PeerVanished)
        );
        waits && other.owed().is_some_and(|owed| owed.scale(2, 1) > d.transfer)
    }

    /// Whether the client waited longer for the server's application, small as its answer was, than its own data took.
    fn answers_late(&self, other: &Direction) -> bool {
        let d = self.direction;
        let thinks = d.verdict.cause == Cause::SenderApplication;
        d.from == Side::Server && thinks && d.bytes > 0 && self.saving() > other.transfer
    }

    /// Whether there is something to tell: data of its own, a late answer, or a death, that the opposite direction
    /// does not tell.
    pub(crate) fn matters(&self) -> bool {
        let [client, server] = &self.connection.directions;
        let other = if self.direction.from == client.from { server } else { client };
        let d = self.direction;
        let refused = self.connection.is_refused() && d.from == Side::Client;
        let died =
            d.verdict.limit == Limit::SilentPath || d.verdict.cause == Cause::SynRetry || refused;
        let minor = d.bytes == 0 || other.bytes > d.bytes / MINOR;
        if minor && self.mirrors(other) || self.asks_in_vain(other) {
            return false;
        }
        died || d.owes
            || d.is_shut_out()
            || d.bytes > other.bytes / MINOR
            || self.answers_late(other)
    }
}

/// The directions that matter, then the others, each with most time to save first, then the largest.
pub(crate) fn rank<'a>(connections: impl IntoIterator<Item = &'a Connection>) -> Vec<Ranked<'a>> {
    let all = connections.into_iter().flat_map(|connection| {
        connection.directions.iter().map(move |direction| Ranked { connection, direction })
    });
    let (mut first, mut rest): (Vec<_>, Vec<_>) = all.partition(Ranked::matters);
    first.sort_by_cached_key(Ranked::importance);
    rest.sort_by_cached_key(Ranked::importance);
    first.append(&mut rest);
    first
}

/// Leaves `count` connections at most, those that matter most by one of their directions.
pub fn keep_most_telling(connections: &mut Vec<Connection>, count: usize) {
    if connections.len() <= count {
        return;
    }
    connections.sort_by_cached_key(|connection| {
        let directions = connection.directions.iter();
        let ranked = directions.map(|direction| Ranked { connection, direction });
        ranked.map(|ranked| (!ranked.matters(), ranked.importance())).min()
    });
    connections.truncate(count);
}

/// The connections by how much they matter: their indices, at most `count`.
pub fn most_telling(connections: &[Connection], count: usize) -> Vec<usize> {
    let mut chosen = Vec::new();
    for ranked in rank(connections) {
        let index = connections.binary_search_by_key(&ranked.connection.id, |c| c.id);
        let Ok(index) = index else { continue };
        if chosen.len() < count && !chosen.contains(&index) {
            chosen.push(index);
        }
    }
    chosen
}
