//! The part of a timeline that a prediction of its transfer starts from.

use crate::model::{Cause, Interval, Limit, Transfer};
use std::borrow::Cow;

/// Without what an application thought about before the first data, which is part of no transfer and no time of it to save, and without what
/// was owed at the end, an answer that did not come.
pub(crate) fn moving<'a>(
    timeline: &'a [Interval],
    transfers: &[Transfer],
    owes: bool,
) -> Cow<'a, [Interval]> {
    let kept = match timeline.split_last() {
        Some((last, before)) if owes && last.limit == Limit::Application => before,
        _ => timeline,
    };
    let begins = transfers.first().map(|transfer| transfer.from);
    let from = |i: &Interval| match begins {
        Some(begins) if i.cause == Cause::SenderApplication => i.from.max(begins),
        _ => i.from,
    };
    // Of most connections there is nothing to leave out.
    if kept.iter().all(|i| from(i) == i.from) {
        return Cow::Borrowed(kept);
    }
    kept.iter().map(|i| Interval { from: from(i), ..*i }).filter(|i| i.from < i.to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::made::interval;
    use crate::units::Nanos;

    #[test]
    fn what_was_thought_before_and_what_was_owed_after_is_left_out() {
        let at = Nanos::from_secs;
        let line = [
            interval(Limit::Handshake, (at(0), at(1)), 0),
            Interval {
                cause: Cause::SenderApplication,
                ..interval(Limit::Application, (at(1), at(4)), 0)
            },
            interval(Limit::CongestionWindow, (at(4), at(6)), 1),
            interval(Limit::Application, (at(6), at(9)), 0),
        ];
        let transfer = Transfer {
            from: at(3),
            to: at(6),
            bytes: 1,
            retransmitted: 0,
            first_frame: 1,
            last_frame: 2,
        };
        let of = |owes: bool| {
            let moving = moving(&line, &[transfer], owes);
            moving.iter().map(|i| (i.from, i.to)).collect::<Vec<_>>()
        };
        assert_eq!(of(true), [(at(0), at(1)), (at(3), at(4)), (at(4), at(6))]);
        assert_eq!(of(false).len(), 4);
        assert_eq!(moving(&line, &[], false)[1].from, at(1));
    }
}
