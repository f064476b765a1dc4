//! How many runs with different seeds a question is worth.

use tcpwhy_core::whatif::transfer::{Transfer, Typical, typical};

/// Runs of one transfer, at most: the 10th and the 90th percentile are then runs of their own.
const MOST: u64 = 15;
/// Segments that all runs of the answer may take, and those of all that stands beside it; some millions a second.
const ANSWER: u64 = 4_000_000;
const OTHERS: u64 = 3_000_000;

/// The answer itself.
pub(super) fn answer(t: &Transfer) -> Typical {
    typical(t, MOST, ANSWER)
}

/// One of `count` that are shown beside each other.
pub(super) fn one_of(t: &Transfer, count: usize) -> Typical {
    typical(t, MOST, OTHERS / count.max(1) as u64)
}
