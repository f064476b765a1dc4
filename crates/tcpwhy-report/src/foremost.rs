//! The directions that matter most among all that come, and which predictions the model makes.

use crate::rank::{Importance, Ranked};
use tcpwhy_core::analysis::Shared;
use tcpwhy_core::model::{Connection, Side};
use tcpwhy_core::whatif::{Budget, refine};

/// How many of them: more than anybody reads first, few enough for the model to take a moment.
const COUNT: usize = 32;

/// A direction among all others; what comes first is less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    importance: Importance,
    connection: u64,
    side: Side,
}

/// The foremost directions by the predictions that they came with, the first first.
#[derive(Debug, Default)]
pub(crate) struct Foremost(Vec<Place>);

impl Foremost {
    /// One more connection; whether a direction of it is one of the foremost so far.
    pub(crate) fn add(&mut self, connection: &Connection) -> bool {
        for direction in &connection.directions {
            let ranked = Ranked { connection, direction };
            if ranked.matters() {
                let importance = ranked.importance();
                self.place(Place { importance, connection: connection.id, side: direction.from });
            }
        }
        self.has(connection)
    }

    fn place(&mut self, place: Place) {
        let at = self.0.partition_point(|before| *before < place);
        if at < COUNT {
            self.0.truncate(COUNT - 1);
            self.0.insert(at, place);
        }
    }

    /// Whether a direction of `connection` is one of them.
    pub(crate) fn has(&self, connection: &Connection) -> bool {
        self.0.iter().any(|place| place.connection == connection.id)
    }

    /// Whether this direction is.
    pub(crate) fn has_direction(&self, connection: &Connection, side: Side) -> bool {
        self.0.iter().any(|place| (place.connection, place.side) == (connection.id, side))
    }

    /// Has the model make the predictions of those that are in `connection`.
    pub(crate) fn refine(&self, connection: &mut Connection) {
        for side in [Side::Client, Side::Server] {
            if self.has_direction(connection, side) {
                refine(&mut connection.directions[side as usize], &mut Budget::unlimited());
            }
        }
    }
}

/// Tells all connections what they `shared`, and has the model make their predictions, in the order of the lists, as far as one analysis may use it; of the foremost
/// directions in any case, so that they are the same wherever they are told.
pub fn refine_all(lists: &mut [Vec<Connection>], shared: &Shared) {
    lists.iter_mut().flatten().for_each(|connection| shared.tell(connection));
    let mut foremost = Foremost::default();
    for connection in lists.iter().flatten() {
        foremost.add(connection);
    }
    let mut budget = Budget::default();
    for connection in lists.iter_mut().flatten() {
        foremost.refine(connection);
        budget.refine(connection);
    }
}
