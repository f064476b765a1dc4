//! The way of the last flight. Nothing is left to send by then, which makes that time the application's; but no application shortens it.

use super::analytic::Path;
use crate::model::Limit;
use crate::units::{Nanos, time_for};

/// For how long the receiver kept its acknowledgment back.
pub(super) fn late(path: &Path<'_>) -> Nanos {
    (path.facts.tail - tail(path).0).max(Nanos::ZERO)
}

/// Time and bytes of it.
pub(super) fn tail(path: &Path<'_>) -> (Nanos, u64) {
    let Some(last) = path.timeline.last().filter(|i| i.limit == Limit::Application) else {
        return (Nanos::ZERO, 0);
    };
    let (lasts, rtt) = (last.duration(), path.facts.rtt_floor);
    // Within two round trips nobody has waited for the application: an ACK may be late.
    if lasts < rtt.scale(2, 1) {
        return (lasts, last.evidence.acked);
    }
    let bytes = last.evidence.acked.min(last.evidence.flight);
    ((rtt + time_for(bytes, path.traits.capacity)).min(lasts), bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::made::{facts, interval};
    use crate::model::{Interval, Traits};

    /// The tail of a timeline whose last part took so many ms, with so much in flight, and had 12,500 bytes acknowledged, which takes 1 ms on
    /// this path of 20 ms.
    fn after(limit: Limit, ms: i64, flight: u64) -> (i64, u64) {
        let mut last = interval(limit, (Nanos::ZERO, Nanos::from_millis(ms)), 12_500);
        last.evidence.flight = flight;
        let timeline: [Interval; 1] = [last];
        let path = Path {
            timeline: &timeline,
            facts: &facts(),
            transfer: Nanos::from_secs(1),
            bytes: 1_000_000,
            turns: 1,
            traits: Traits { capacity: 12_500_000, ..Traits::default() },
        };
        let (time, bytes) = tail(&path);
        (time.0 / 1_000_000, bytes)
    }

    #[test]
    fn the_last_flight_takes_a_round_trip_and_its_own_length() {
        assert_eq!(after(Limit::Application, 50, 12_500), (21, 12_500));
        // What was sent meanwhile, an application let go.
        assert_eq!(after(Limit::Application, 50, 0), (20, 0));
        assert_eq!(after(Limit::Application, 30, 0), (30, 12_500));
        assert_eq!(after(Limit::SendBuffer, 30, 12_500), (0, 0));
    }
}
