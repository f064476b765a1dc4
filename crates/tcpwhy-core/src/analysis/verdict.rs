//! The one answer: the limit that cost the most time.

use crate::model::{Cause, Facts, Interval, Limit, Side, Transfer, Verdict, WindowScale, time_of};
use crate::units::{Nanos, time_by_key};
use std::cmp::Reverse;

/// A direction whose data moved in less than this part of its time (percent) is an exchange of
/// messages: what lies between them is the answer. Otherwise it is asked while data moved.
const MOSTLY_BETWEEN: i64 = 20;
/// So many turns, with pauses between them that are so short in the mean, are a program's that asks for one thing after the other, and no
/// person's: what lies between them is a part of its work, and the answer where it is most of the time (percent).
const PROGRAMS_TURNS: usize = 16;
const PROGRAMS_PART: i64 = 50;
const PROGRAMS_PAUSE: Nanos = Nanos::from_secs(1);

/// The verdict over `timeline` of the data that `from` sends.
pub(crate) fn of(
    from: Side,
    timeline: &[Interval],
    transfers: &[Transfer],
    facts: &Facts,
) -> Verdict {
    let counted = Counted::of(from, timeline, transfers, facts);
    let Some(limit) = counted.limit() else {
        return Verdict { limit: Limit::Unknown, cause: Cause::None, share: 0.0, confidence: 0.0 };
    };
    let total = time_of(timeline, |i| i.limit == limit);
    let weighted: f64 = timeline
        .iter()
        .filter(|i| i.limit == limit)
        .map(|i| i.duration().secs() * f64::from(i.confidence) / 100.0)
        .sum();
    // Of a window whose scale was inferred the intervals themselves are less sure.
    let certain = if depends_on_room(limit, facts) { 0.8 } else { 1.0 };
    Verdict {
        limit,
        cause: counted.cause(limit),
        share: (total.secs() / counted.span.secs().max(1e-9)).clamp(0.0, 1.0),
        confidence: (weighted / total.secs().max(1e-9) * certain).clamp(0.0, 1.0),
    }
}

/// A timeline, and which of its time counts.
struct Counted<'a> {
    from: Side,
    timeline: &'a [Interval],
    transfers: &'a [Transfer],
    facts: &'a Facts,
    span: Nanos,
    /// Only the time inside transfers.
    inside: bool,
}

impl<'a> Counted<'a> {
    fn of(
        from: Side,
        timeline: &'a [Interval],
        transfers: &'a [Transfer],
        facts: &'a Facts,
    ) -> Self {
        let span = match (timeline.first(), timeline.last()) {
            (Some(first), Some(last)) => last.to - first.from,
            _ => Nanos::ZERO,
        };
        let active = transfers.iter().fold(Nanos::ZERO, |t, x| t + (x.to - x.from));
        let moved = active.scale(100, span.0.max(1)).0;
        let inside = moved >= MOSTLY_BETWEEN
            && (moved > 100 - PROGRAMS_PART || !are_programs(transfers, span - active));
        Counted { from, timeline, transfers, facts, span, inside }
    }

    /// Time of `i` that counts.
    fn time(&self, i: &Interval) -> Nanos {
        // Whoever waits for a window has data to send, whatever the other end says meanwhile.
        if !self.inside || i.limit == Limit::ReceiveWindow {
            return i.duration();
        }
        // A server that was asked keeps somebody waiting before its data moves, too, and a client between what that sends, but for the way
        // there and back.
        let awaited = match (self.from, i.cause) {
            (Side::Server, Cause::SenderApplication) => i.duration(),
            (Side::Client, Cause::WaitingForPeer) => i.duration() - self.facts.rtt_floor,
            _ => Nanos::ZERO,
        };
        overlap(i, self.transfers).max(awaited)
    }

    /// What held longest; nothing, where there is no time.
    fn limit(&self) -> Option<Limit> {
        // What the capture lacks says nothing, unless it lacks most.
        let mostly_unknown = is_mostly_unknown(self.timeline, self.span);
        let seen = self.timeline.iter().filter(|i| mostly_unknown || i.cause != Cause::CaptureHole);
        let limits = time_by_key(seen.map(|i| (i.limit, self.time(i))));
        let first = longest(&limits, Limit::Application, (Nanos::ZERO, Nanos::ZERO))?;
        // The way of what was sent last is as long whatever held it before: where that is as much as half of it, the answer is another.
        let tail = self.facts.tail;
        let beside_tail = longest(&limits, Limit::Application, (tail, tail.scale(1, 2)));
        Some(match beside_tail {
            _ if mostly_unknown => Limit::Unknown,
            Some(other) if other != Limit::Unknown => other,
            _ => first,
        })
    }

    /// Why `limit` held, for the most part.
    fn cause(&self, limit: Limit) -> Cause {
        // Thinking and waiting happen between the transfers: all of it counts.
        let between = limit == Limit::Application;
        let time = |i: &Interval| if between { i.duration() } else { self.time(i) };
        let held = self.timeline.iter().filter(|i| i.limit == limit);
        let causes = time_by_key(held.map(|i| (i.cause, time(i))));
        let tail = self.facts.tail;
        longest(&causes, Cause::SenderApplication, (tail, tail)).unwrap_or(Cause::None)
    }
}

/// A program makes these transfers, with that much time between them.
fn are_programs(transfers: &[Transfer], between: Nanos) -> bool {
    let turns = i64::try_from(transfers.len()).unwrap_or(i64::MAX);
    transfers.len() >= PROGRAMS_TURNS && between <= PROGRAMS_PAUSE.scale(turns, 1)
}

/// What is known of a short time is no answer for a long one, wherever data moved.
fn is_mostly_unknown(timeline: &[Interval], span: Nanos) -> bool {
    time_of(timeline, |i| i.limit == Limit::Unknown).scale(2, 1) > span
}

/// The key with the most time, one of them less its `tail` or that alone, which counts for so much; the first in the order of the taxonomy
/// among equals.
fn longest<K: Ord + Copy>(
    sums: &[(K, Nanos)],
    one: K,
    (tail, counts): (Nanos, Nanos),
) -> Option<K> {
    let apart = |&(key, time): &(K, Nanos)| {
        let time = if key == one { counts.max(time - tail) } else { time };
        (time, Reverse(key))
    };
    sums.iter().max_by_key(|sum| apart(sum)).map(|&(key, _)| key)
}

/// Time of `i` inside transfers.
fn overlap(i: &Interval, transfers: &[Transfer]) -> Nanos {
    let first = transfers.partition_point(|t| t.to <= i.from);
    transfers[first..]
        .iter()
        .take_while(|t| t.from < i.to)
        .fold(Nanos::ZERO, |sum, t| sum + (t.to.min(i.to) - t.from.max(i.from)))
}

/// Without the handshake the window is known up to a power of two; where it is none it is known.
pub(super) fn depends_on_scale((limit, cause): (Limit, Cause), facts: &Facts) -> bool {
    limit == Limit::ReceiveWindow
        && cause != Cause::ZeroWindow
        && facts.min_window > 0
        && matches!(facts.scale, WindowScale::Inferred { .. })
}

/// Without the handshake, that a window has room is as sure as that its scale is not one bit less: it was taken for as large as it is because
/// more was in flight than a half of it.
fn depends_on_room(limit: Limit, facts: &Facts) -> bool {
    let widened = matches!(facts.scale, WindowScale::Inferred { min: 1.., .. });
    limit == Limit::SendBuffer && widened && facts.max_flight > facts.min_window / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::made::{facts, interval};

    /// The verdict on limits that held for so many seconds each, one after the other; data moved in the first `moved` seconds.
    fn verdict(list: &[(Limit, i64)], moved: i64) -> Verdict {
        let mut at = Nanos::ZERO;
        let mut timeline = Vec::new();
        for &(limit, secs) in list {
            let (from, to) = (at, at + Nanos::from_secs(secs));
            timeline.push(interval(limit, (from, to), 0));
            at = to;
        }
        let (from, to) = (Nanos::ZERO, Nanos::from_secs(moved));
        let one = Transfer { from, to, bytes: 1, retransmitted: 0, first_frame: 1, last_frame: 2 };
        of(Side::Client, &timeline, &[one], &facts())
    }

    #[test]
    fn the_longest_limit_while_data_moved_is_the_answer() {
        let list = [(Limit::SendBuffer, 3), (Limit::PathBandwidth, 2), (Limit::Application, 5)];
        let told = verdict(&list, 5);
        assert_eq!((told.limit, told.share), (Limit::SendBuffer, 0.3));
        assert!((told.confidence - 0.9).abs() < 1e-9, "{told:?}");
        // An exchange of messages: what lies between them.
        assert_eq!(verdict(&list, 1).limit, Limit::Application);
        // The other end spoke while its window was closed.
        let closed = [(Limit::SendBuffer, 3), (Limit::ReceiveWindow, 4), (Limit::Application, 3)];
        assert_eq!(verdict(&closed, 3).limit, Limit::ReceiveWindow);
    }

    #[test]
    fn what_a_program_does_between_many_transfers_is_the_answer_where_it_takes_most_of_the_time() {
        let told = |turns: i64, pause: i64| {
            let (mut timeline, mut transfers) = (Vec::new(), Vec::new());
            for k in 0..turns {
                let from = Nanos::from_millis(k * (100 + pause));
                let (to, next) =
                    (from + Nanos::from_millis(100), from + Nanos::from_millis(100 + pause));
                timeline.push(interval(Limit::PathBandwidth, (from, to), 1));
                timeline.push(interval(Limit::Application, (to, next), 0));
                let (bytes, retransmitted) = (1, 0);
                transfers.push(Transfer {
                    from,
                    to,
                    bytes,
                    retransmitted,
                    first_frame: 1,
                    last_frame: 2,
                });
            }
            of(Side::Client, &timeline, &transfers, &facts()).limit
        };
        assert_eq!(told(20, 300), Limit::Application);
        assert_eq!(told(10, 300), Limit::PathBandwidth, "a few may be a person's");
        assert_eq!(told(20, 90), Limit::PathBandwidth, "data moves for longer");
        let slow = |turns: i64| {
            let list = [(Limit::PathBandwidth, turns), (Limit::Application, 3 * turns)];
            verdict(&list, turns).limit
        };
        assert_eq!(slow(40), Limit::PathBandwidth, "of one transfer");
    }

    #[test]
    fn a_client_is_held_up_by_its_server_between_a_few_transfers_and_nobody_by_a_person() {
        let told = |from: Side, cause: Cause, ms: i64| {
            let (begin, moved) = (Nanos::ZERO, Nanos::from_millis(3));
            let end = moved + Nanos::from_millis(ms);
            let mut timeline = vec![interval(Limit::PathBandwidth, (begin, moved), 1)];
            timeline.push(interval(Limit::Application, (moved, end), 0));
            timeline[1].cause = cause;
            let (bytes, retransmitted, first_frame, last_frame) = (1, 0, 1, 2);
            let one =
                Transfer { from: begin, to: moved, bytes, retransmitted, first_frame, last_frame };
            let facts = Facts { rtt_floor: Nanos::from_millis(5), ..facts() };
            of(from, &timeline, &[one], &facts).limit
        };
        assert_eq!(told(Side::Client, Cause::WaitingForPeer, 10), Limit::Application);
        assert_eq!(told(Side::Client, Cause::WaitingForPeer, 7), Limit::PathBandwidth, "the way");
        assert_eq!(told(Side::Server, Cause::SenderApplication, 7), Limit::Application);
        // Who asks may think for as long as he likes.
        assert_eq!(told(Side::Server, Cause::WaitingForPeer, 10), Limit::PathBandwidth);
        assert_eq!(told(Side::Client, Cause::SenderApplication, 10), Limit::PathBandwidth);
    }

    #[test]
    fn where_most_is_unknown_that_is_the_answer_though_it_lies_where_no_data_moved() {
        let half = [(Limit::SendBuffer, 5), (Limit::Unknown, 5)];
        assert_eq!(verdict(&half, 5).limit, Limit::SendBuffer);
        let most = [(Limit::SendBuffer, 5), (Limit::Unknown, 6)];
        assert_eq!(verdict(&most, 5).limit, Limit::Unknown);
    }
}
