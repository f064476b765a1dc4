//! What the page shows of connections that come one after the other.

use super::View;
use crate::rank::{Importance, Ranked, rank};
use tcpwhy_core::model::Connection;

/// Directions shown when not all are asked for.
const FOREMOST: usize = 3;

/// Connections whose directions the page shows, and how many there were. Of a hundred thousand few are shown, and the others are not kept.
#[derive(Debug)]
pub struct Shown {
    pub(super) view: View,
    connections: Vec<Connection>,
    /// If not all are shown: those that are, the first first.
    foremost: Vec<Place>,
    seen: usize,
    with_data: Sum,
}

/// A direction among all others; what comes first is less.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    importance: Importance,
    connection: u64,
    direction: usize,
}

/// Directions with data, and how much.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) directions: usize,
    pub(super) bytes: u64,
}

impl Shown {
    /// Nothing yet.
    pub fn new(view: View) -> Self {
        Self {
            view,
            connections: Vec::new(),
            foremost: Vec::new(),
            seen: 0,
            with_data: Sum::default(),
        }
    }

    /// One more connection.
    pub fn add(&mut self, connection: Connection) {
        self.seen += 1;
        if !self.view.all && !self.place(&connection) {
            return;
        }
        self.connections.push(connection);
        if !self.view.all {
            let foremost = &self.foremost;
            self.connections.retain(|c| foremost.iter().any(|place| place.connection == c.id));
        }
    }

    /// How many connections there were.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// Whether a direction of `connection` is one of the foremost so far.
    fn place(&mut self, connection: &Connection) -> bool {
        for (at, direction) in connection.directions.iter().enumerate() {
            self.with_data.add(direction.bytes);
            let ranked = Ranked { connection, direction };
            if ranked.matters() {
                let importance = ranked.importance();
                self.foremost.push(Place { importance, connection: connection.id, direction: at });
            }
        }
        self.foremost.sort_unstable();
        self.foremost.truncate(FOREMOST);
        self.foremost.iter().any(|place| place.connection == connection.id)
    }

    /// What is shown, and in which order.
    pub(super) fn directions(&self) -> Vec<Ranked<'_>> {
        if self.view.all {
            let mut connections: Vec<_> = self.connections.iter().collect();
            connections.sort_unstable_by_key(|c| c.id);
            return rank(connections);
        }
        let found = |place: &Place| {
            let connection = self.connections.iter().find(|c| c.id == place.connection)?;
            Some(Ranked { connection, direction: connection.directions.get(place.direction)? })
        };
        self.foremost.iter().filter_map(found).collect()
    }

    /// What is not, where `shown` is.
    pub(super) fn hidden(&self, shown: &[Ranked<'_>]) -> Sum {
        if self.view.all {
            return Sum::default();
        }
        let mut hidden = self.with_data;
        for ranked in shown.iter().filter(|ranked| ranked.direction.bytes > 0) {
            hidden.directions -= 1;
            hidden.bytes = hidden.bytes.saturating_sub(ranked.direction.bytes);
        }
        hidden
    }
}

impl Sum {
    fn add(&mut self, bytes: u64) {
        self.directions += usize::from(bytes > 0);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}
