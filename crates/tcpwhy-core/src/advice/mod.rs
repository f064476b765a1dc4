//! Verdict -> words: what held a transfer back, what was noticed, and what to change, where, to
//! which value, and why.
//!
//! What is said is decided here in numbers (`figures`, `plan`); how it is said is in `words`
//! alone, so that a second language is a second catalogue and nothing else.

mod bdp;
mod figures;
mod plan;
pub mod quantity;
mod step;
mod words;

#[cfg(test)]
mod tests;

use crate::model::{Cause, Connection, Direction, Finding, Limit};
use figures::Figures;

/// The verdict of a direction as one or two plain sentences with the numbers.
///
/// `direction` is one of `connection`'s. Low confidence, and a verdict that depends on an inferred
/// window scale, are said.
pub fn sentence(connection: &Connection, direction: &Direction) -> String {
    words::sentence(&Figures::of(connection, direction))
}

/// What to change, most useful first: which side, which call or sysctl, which value.
///
/// Every step is safe to take: nothing here switches a protection off. Empty when the direction
/// carried no data.
pub fn steps(connection: &Connection, direction: &Direction) -> Vec<String> {
    plan::steps(&Figures::of(connection, direction)).iter().map(words::step).collect()
}

/// One finding in words, with its numbers.
pub fn finding_sentence(connection: &Connection, finding: &Finding) -> String {
    words::finding(connection, finding)
}

/// A limit's name in running text ("send buffer").
pub fn limit_label(limit: Limit) -> &'static str {
    words::limit(limit)
}

/// A cause's name in running text ("slow reader"); `None` where no finer cause is known.
pub fn cause_label(cause: Cause) -> Option<&'static str> {
    words::cause(cause)
}
