//! What the judges have found, put in order and refined by the model.

use crate::model::{Connection, Direction};
use crate::whatif::analytic::{Path, Traits};
use crate::whatif::lifted::{Budget, refine};
use std::collections::BTreeMap;

/// A connection that one of the judges is done with.
#[derive(Debug)]
pub struct Judged {
    /// As the connection number so many that is over.
    pub(super) turn: u64,
    pub(super) connection: Connection,
    /// By the sender's side.
    pub(super) traits: [Traits; 2],
}

/// The last part of the analysis: connections in the order in which they ended, whoever has judged them. The model, whose use in one
/// analysis is limited, is spent in this order: so the answers do not depend on who was faster.
#[derive(Debug, Default)]
pub struct Conclusion {
    next: u64,
    /// Those that came before their turn.
    early: BTreeMap<u64, Judged>,
    budget: Budget,
}

impl Conclusion {
    /// Nothing is over yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes what the judges have found, and gives out the connections whose turn it is.
    pub fn take(&mut self, judged: impl IntoIterator<Item = Judged>) -> Vec<Connection> {
        let mut done = Vec::new();
        for judged in judged {
            if judged.turn == self.next {
                done.push(self.refined(judged));
            } else {
                self.early.insert(judged.turn, judged);
            }
            while let Some(judged) = self.early.remove(&self.next) {
                done.push(self.refined(judged));
            }
        }
        done
    }

    fn refined(&mut self, judged: Judged) -> Connection {
        let Judged { mut connection, traits, .. } = judged;
        self.next += 1;
        self.budget.earn(connection.packets);
        for (direction, traits) in connection.directions.iter_mut().zip(traits) {
            refine_direction(direction, traits, &mut self.budget);
        }
        connection
    }
}

fn refine_direction(direction: &mut Direction, traits: Traits, budget: &mut Budget) {
    let path = Path {
        timeline: &direction.timeline,
        facts: &direction.facts,
        transfer: direction.transfer,
        bytes: direction.bytes,
        traits,
    };
    let turns = direction.transfers.len() as u64 + u64::from(direction.transfers_omitted);
    refine(&path, turns, &mut direction.what_if, budget);
}
