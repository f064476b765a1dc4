//! Verdict -> words: what held a transfer back, what was noticed, and what to change, where, to
//! which value, and why.
//!
//! What is said is decided here in numbers (`figures`, `plan`); how it is said is in `words`
//! alone, a catalogue for each [`Language`].

mod bdp;
mod figures;
mod language;
mod last_flight;
mod opening;
mod plan;
pub mod quantity;
mod rate_change;
mod step;
mod turns;
mod words;

#[cfg(test)]
mod tests;

use crate::model::{Cause, Connection, Direction, Finding, Limit};
use crate::units::Nanos;
use figures::Figures;
pub use language::Language;

/// The verdict of a direction as one or two plain sentences with the numbers.
///
/// `direction` is one of `connection`'s. Low confidence, and a verdict that depends on an inferred
/// window scale, are said.
pub fn sentence(connection: &Connection, direction: &Direction, language: Language) -> String {
    words::sentence(language, &Figures::of(connection, direction))
}

/// What to change, most useful first: which side, which call or sysctl, which value.
///
/// Every step is safe to take: nothing here switches a protection off. Empty when the direction
/// carried no data.
pub fn steps(connection: &Connection, direction: &Direction, language: Language) -> Vec<String> {
    let figures = Figures::of(connection, direction);
    let other = figures.besides.map(|w| Figures::under(connection, direction, w.lift));
    let steps = plan::steps(&figures, other.as_ref());
    steps.iter().map(|step| words::step(language, step)).collect()
}

/// Whether a transfer of `without` instead of `before` is worth advice: two equal transfers differ by less than a twentieth. Where it is not,
/// the steps begin with saying so.
pub fn promises(before: Nanos, without: Nanos) -> bool {
    without < before.scale(19, 20)
}

/// One finding in words, with its numbers.
pub fn finding_sentence(connection: &Connection, finding: &Finding, language: Language) -> String {
    words::finding(language, connection, finding)
}

/// A limit's name in running text ("send buffer").
pub fn limit_label(limit: Limit, language: Language) -> &'static str {
    words::limit(language, limit)
}

/// A cause's name in running text ("slow reader"); `None` where no finer cause is known.
pub fn cause_label(cause: Cause, language: Language) -> Option<&'static str> {
    words::cause(language, cause)
}
