//! The part of a timeline that a prediction of its transfer starts from.

use crate::model::{Interval, Transfer};
use crate::units::Nanos;
use std::borrow::Cow;

/// From the first data to the last acknowledgment: what came before (the handshake, a wait for the request, an application's thinking) and
/// after (the answer of the other end, or the wait for one that did not come) is no time of the transfer, and none that it saves.
pub(crate) fn moving<'a>(timeline: &'a [Interval], transfers: &[Transfer]) -> Cow<'a, [Interval]> {
    let (from, to) = match (transfers.first(), transfers.last()) {
        (Some(first), Some(last)) => (first.from, last.to),
        _ => (Nanos::ZERO, Nanos::ZERO),
    };
    let first = timeline.partition_point(|i| i.to <= from);
    let end = timeline.partition_point(|i| i.from < to).max(first);
    let inside = &timeline[first..end];
    // Of most transfers it is whole intervals.
    if inside.iter().all(|i| i.from >= from && i.to <= to) {
        return Cow::Borrowed(inside);
    }
    let cut = |i: &Interval| Interval { from: i.from.max(from), to: i.to.min(to), ..*i };
    inside.iter().map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Limit;
    use crate::model::made::interval;

    #[test]
    fn what_was_thought_before_and_what_was_owed_after_is_left_out() {
        let at = Nanos::from_secs;
        let line = [
            interval(Limit::Handshake, (at(0), at(1)), 0),
            interval(Limit::Application, (at(1), at(4)), 0),
            interval(Limit::CongestionWindow, (at(4), at(6)), 1),
            interval(Limit::Application, (at(6), at(9)), 0),
        ];
        let transfer = |from: i64, to: i64| Transfer {
            from: at(from),
            to: at(to),
            bytes: 1,
            retransmitted: 0,
            first_frame: 1,
            last_frame: 2,
        };
        let of = |transfers: &[Transfer]| {
            let moving = moving(&line, transfers);
            moving.iter().map(|i| (i.from.0 / at(1).0, i.to.0 / at(1).0)).collect::<Vec<_>>()
        };
        assert_eq!(of(&[transfer(3, 7)]), [(3, 4), (4, 6), (6, 7)]);
        assert_eq!(of(&[transfer(4, 5), transfer(5, 6)]), [(4, 6)]);
        assert_eq!(of(&[transfer(0, 9)]).len(), 4);
        assert!(of(&[]).is_empty());
    }
}
