//! The driver: push segments, take finished connections.
//!
//! It has three parts, which may run side by side: a [`Sorter`] finds out which connection each
//! segment belongs to and collects [`Runs`] of packets, one [`Judge`] or two follow what happens
//! inside each connection, and a [`Conclusion`] brings their answers together. An [`Analyzer`] is
//! all in one.

mod arrivals;
mod clock;
mod closing;
mod conclude;
mod conclusion;
mod copies;
mod findings;
mod judge;
mod merged;
pub(crate) mod narrowest;
mod open;
mod order;
mod period;
mod points;
mod runs;
mod seen;
mod several;
mod sharing;
mod silent;
mod sorter;
mod table;
mod unanswered;
pub(crate) mod verdict;
mod waiting;

use crate::model::Connection;
use crate::observe::Segment;
use crate::whatif::Budget;
pub use arrivals::Arrivals;
pub use clock::{CaptureClock, ClockStep};
pub use conclusion::{Conclusion, Judged};
pub use judge::Judge;
pub use period::Period;
pub use runs::{Hand, Runs, Work};
pub use sharing::{Shared, Sharing};
pub use sorter::Sorter;

/// Packets that are handed over at a time when the input is over.
const AT_A_TIME: usize = 1024;

/// The analysis of a stream of segments from one capture.
///
/// Memory grows with the connections that are open, not with packets: what is finished is given out
/// by [`Analyzer::take_finished`].
#[derive(Debug, Default)]
pub struct Analyzer {
    sorter: Sorter,
    work: Work,
    judge: Judge,
    conclusion: Conclusion,
    budget: Budget,
}

impl Analyzer {
    /// An analysis that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next segment, in the order of the capture. Where the capture's own order is not that of
    /// its timestamps (several queues or taps), the timestamps win.
    pub fn push(&mut self, segment: &Segment) {
        self.sorter.push(segment, &mut self.work);
        self.judge();
    }

    /// Connections finished since the last call, in the order in which they finished.
    pub fn take_finished(&mut self) -> Vec<Connection> {
        let mut finished = self.conclusion.take(self.judge.take_finished());
        finished.iter_mut().for_each(|connection| self.budget.refine(connection));
        finished
    }

    /// The rest, at the end of the input, in the order of their ids.
    pub fn finish(mut self) -> Vec<Connection> {
        self.sorter.close(&mut self.work);
        self.judge();
        while self.sorter.end_some(AT_A_TIME, &mut self.work) {
            self.judge();
        }
        let mut rest = self.take_finished();
        rest.sort_unstable_by_key(|c| c.id);
        rest
    }

    fn judge(&mut self) {
        let runs = self.work.of(Hand::First);
        if !runs.is_empty() {
            self.judge.take(runs);
        }
    }
}
