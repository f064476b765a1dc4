//! The driver: push segments, take finished connections.
//!
//! It has two halves, which may run side by side: a [`Sorter`] finds out which connection each
//! segment belongs to and collects [`Runs`] of packets, and a [`Judge`] follows what happens inside
//! each connection. An [`Analyzer`] is both in one.

mod arrivals;
mod conclude;
mod findings;
mod judge;
mod open;
mod order;
mod runs;
mod seen;
mod sorter;
mod table;
pub(crate) mod verdict;
mod waiting;

use crate::model::Connection;
use crate::observe::Segment;
pub use judge::Judge;
pub use runs::Runs;
pub use sorter::Sorter;

/// The analysis of a stream of segments from one capture.
///
/// Memory grows with the connections that are open, not with packets: what is finished is given out
/// by [`Analyzer::take_finished`].
#[derive(Debug, Default)]
pub struct Analyzer {
    sorter: Sorter,
    runs: Runs,
    judge: Judge,
}

impl Analyzer {
    /// An analysis that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next segment, in the order of the capture. Where the capture's own order is not that of
    /// its timestamps (several queues or taps), the timestamps win.
    pub fn push(&mut self, segment: &Segment) {
        self.sorter.push(segment, &mut self.runs);
        if !self.runs.is_empty() {
            self.judge.take(&self.runs);
            self.runs.clear();
        }
    }

    /// Connections finished since the last call, in the order in which they finished.
    pub fn take_finished(&mut self) -> Vec<Connection> {
        self.judge.take_finished()
    }

    /// The rest, at the end of the input, in the order of their ids.
    pub fn finish(mut self) -> Vec<Connection> {
        self.sorter.finish(&mut self.runs);
        self.judge.take(&self.runs);
        let mut rest = self.judge.take_finished();
        rest.sort_unstable_by_key(|c| c.id);
        rest
    }
}
