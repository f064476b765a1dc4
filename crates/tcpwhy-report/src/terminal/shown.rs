//! What the page shows of connections that come one after the other.

use super::View;
use super::overview::Overview;
use crate::foremost::{Foremost, refine_all};
use crate::rank::{Ranked, rank};
use tcpwhy_core::analysis::Shared;
use tcpwhy_core::model::{Connection, Direction, Limit};
use tcpwhy_core::units::Nanos;

/// Directions shown when not all are asked for.
const FEW: usize = 3;
/// Directions that make a table of all of them shorter than they are.
const MANY: u64 = 8;

/// Connections whose directions the page may show, and how many there were. Of a hundred thousand few are shown, and most are not kept.
#[derive(Debug)]
pub struct Shown {
    pub(super) view: View,
    connections: Vec<Connection>,
    foremost: Foremost,
    seen: usize,
    with_data: Sum,
    pub(super) overview: Overview,
    pub(super) quiet: Option<Quiet>,
}

/// A connection that was open for long without a word of either end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Quiet {
    pub(super) time: Nanos,
    pub(super) id: u64,
}

impl Quiet {
    /// Nobody waits for so long by chance: a lost packet is sent again sooner.
    const LEAST: Nanos = Nanos::from_secs(3);

    fn of(c: &Connection) -> Option<Self> {
        let silent = |d: &Direction| d.bytes == 0 && d.verdict.limit == Limit::Application;
        let quiet = c.is_whole() && c.directions.iter().all(silent) && c.duration >= Self::LEAST;
        quiet.then_some(Self { time: c.duration, id: c.id })
    }
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
            foremost: Foremost::default(),
            seen: 0,
            with_data: Sum::default(),
            overview: Overview::default(),
            quiet: None,
        }
    }

    /// One more connection.
    pub fn add(&mut self, connection: Connection) {
        self.seen += 1;
        self.quiet = self.quiet.max(Quiet::of(&connection));
        for direction in &connection.directions {
            self.with_data.add(direction.bytes);
            self.overview.add(&Ranked { connection: &connection, direction });
        }
        if self.view.all {
            self.connections.push(connection);
        } else if self.foremost.add(&connection) {
            self.connections.push(connection);
            let foremost = &self.foremost;
            self.connections.retain(|c| foremost.has(c));
        }
    }

    /// There are no more: what is shown is told what it `shared`, and the model makes its predictions.
    pub fn refine(&mut self, shared: &Shared) {
        self.recount(Overview::forget);
        if self.view.all {
            refine_all(std::slice::from_mut(&mut self.connections), shared);
        } else {
            self.connections.iter_mut().for_each(|c| shared.tell(c));
            self.connections.iter_mut().for_each(|c| self.foremost.refine(c));
        }
        self.recount(Overview::add);
    }

    /// Has the overview `change` by each direction that may be shown.
    fn recount(&mut self, change: fn(&mut Overview, &Ranked<'_>)) {
        for connection in &self.connections {
            for direction in &connection.directions {
                if self.view.all || self.foremost.has_direction(connection, direction.from) {
                    change(&mut self.overview, &Ranked { connection, direction });
                }
            }
        }
    }

    /// How many connections there were.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// What is shown, and in which order.
    pub(super) fn directions(&self) -> Vec<Ranked<'_>> {
        let mut connections: Vec<_> = self.connections.iter().collect();
        connections.sort_unstable_by_key(|c| c.id);
        let mut ranked = rank(connections);
        if !self.view.all {
            ranked.retain(|r| self.foremost.has_direction(r.connection, r.direction.from));
            ranked.truncate(FEW);
        }
        ranked
    }

    /// Whether there are so many directions that nobody reads them all.
    pub(super) fn are_many(&self) -> bool {
        self.overview.directions() > MANY
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
