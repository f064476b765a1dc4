//! What the judges have found, put in order.

use crate::model::Connection;
use std::collections::BTreeMap;

/// A connection that one of the judges is done with.
#[derive(Debug)]
pub struct Judged {
    /// As the connection number so many that is over.
    pub(super) turn: u64,
    /// `None` if it was not open in the time that is asked about.
    pub(super) connection: Option<Connection>,
}

/// The last part of the analysis: connections in the order in which they ended, whoever has judged them. So nothing that is done with
/// them depends on who was faster.
#[derive(Debug, Default)]
pub struct Conclusion {
    next: u64,
    /// Those that came before their turn.
    early: BTreeMap<u64, Option<Connection>>,
}

impl Conclusion {
    /// Nothing is over yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes what the judges have found, and gives out the connections whose turn it is, with the predictions of the arithmetic: the
    /// model's are for whoever knows which of them are looked at ([`refine`](crate::whatif::refine)).
    pub fn take(&mut self, judged: impl IntoIterator<Item = Judged>) -> Vec<Connection> {
        let mut done = Vec::new();
        for Judged { turn, connection } in judged {
            if turn == self.next {
                self.next += 1;
                done.extend(connection);
            } else {
                self.early.insert(turn, connection);
            }
            while let Some(connection) = self.early.remove(&self.next) {
                self.next += 1;
                done.extend(connection);
            }
        }
        done
    }
}
