//! What of the waits between turns the path takes for what is said in them. Whoever waits for an answer has nothing to send, which makes that
//! time the application's; but a faster path shortens it, and no application.

use super::analytic::Path;
use super::moving::moving;
use super::refining::path;
use crate::model::{Cause, Direction, Facts, Interval, Limit, Traits, time_of};
use crate::units::{Nanos, time_for};

/// What is a smaller part of a transfer than one in so many is not worth a prediction.
const LEAST_PART: i64 = 20;

/// Of what waited for the other end's next message, the time in which the path carried messages: its own and the answers.
pub(super) fn on_the_way(path: &Path<'_>) -> Nanos {
    let (rtt, waited) = (path.facts.rtt_floor, time_of(path.timeline, is_wait));
    if path.turns < 2 || rtt == Nanos::ZERO {
        return Nanos::ZERO;
    }
    // The way there and back stays, however much is carried at a time.
    let ways = rtt.scale(i64::try_from(path.turns).unwrap_or(i64::MAX), 1);
    let carried = carried_in_waits(path.timeline, path.facts) + path.traits.answers;
    let carried = carried.min(waited - ways).max(Nanos::ZERO);
    if carried.scale(LEAST_PART, 1) < path.transfer { Nanos::ZERO } else { carried }
}

/// The same of a `direction` and the `other` one.
pub(crate) fn carried(direction: &Direction, other: &Direction) -> Nanos {
    let moving = moving(&direction.timeline, &direction.transfers);
    let traits = Traits { answers: answering(other), ..Traits::default() };
    on_the_way(&path(direction, &moving, traits))
}

/// For how long the path was busy with a direction's messages, as the other end sees it that waits for them.
pub(crate) fn answering(direction: &Direction) -> Nanos {
    let full = time_of(&direction.timeline, |i| i.limit == Limit::PathBandwidth);
    full + carried_in_waits(&direction.timeline, &direction.facts)
}

/// What the path takes for what came through while there was nothing more to send; none where its rate did not show.
fn carried_in_waits(timeline: &[Interval], facts: &Facts) -> Nanos {
    let bytes = timeline.iter().filter(|i| is_wait(i)).map(|i| i.evidence.acked).sum();
    match facts.path_bps / 8 {
        0 => Nanos::ZERO,
        rate => time_for(bytes, rate),
    }
}

fn is_wait(i: &Interval) -> bool {
    i.cause == Cause::WaitingForPeer
}
