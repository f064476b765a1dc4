//! What the narrowest link carries, from what the packets show of it and what the timeline says of when it was full.

use crate::flow::capacity::{Known, agrees};
use crate::flow::overflow::Before;
use crate::flow::sender::Sender;
use crate::limits::Context;
use crate::model::{Cause, Interval, Limit, acked_in, time_of};
use crate::units::{Nanos, bytes_per_second};

/// A path that held the sender for less than this part of the time shows its rate better in the first window.
const FILLED_PART: i64 = 20;
/// Round trips on end for which a path was busy that has shown its rate.
const FULL_ROUNDS: i64 = 4;
/// Round trips on end whose rate is the link's within a sixteenth, whatever began or ended in the first and the last of them.
const STANDING_ROUNDS: i64 = 32;

/// What the narrowest link carries: what ACKs are `spaced` by, unless the first window, which left at once, came through twice as slowly
/// (then ACKs bunch, and the link carries what it did for longer than they do), or twice as fast through a path that is never full, by
/// round trips and by what stood `before_losses`: then the sender is spread out by now.
///
/// How late the host was may be why the first window seems slow: `fastest` is its rate had the host never been late.
pub(super) fn link_rate(
    spaced: Option<u64>,
    fastest: Option<u64>,
    before_losses: Before,
    ctx: &Context<'_>,
) -> Option<u64> {
    let never_full = || before_losses != Before::FullQueue && ctx.is_never_full();
    match (spaced, fastest.max(ctx.first_window), ctx.first_window) {
        (Some(rate), Some(first), _) if first < rate / 2 => {
            Some(first.max(ctx.carried().min(rate)))
        }
        (Some(rate), _, Some(first)) if first / 2 > rate && never_full() => Some(first),
        _ => spaced,
    }
}

/// Whether the path held the sender for long enough to show its rate: a policer lets a first burst through faster. A steady rate alone may
/// be pacing's, or a window's that is spread out, unless it is most of the time.
pub(super) fn is_filled(timeline: &[Interval], transfer: Nanos) -> bool {
    let full = time_of(timeline, |i| i.limit == Limit::PathBandwidth);
    let steady =
        time_of(timeline, |i| i.limit == Limit::PathBandwidth && i.cause == Cause::SteadyRate);
    (full - steady).scale(FILLED_PART, 1) >= transfer || full.scale(2, 1) >= transfer
}

/// Whether the path was busy for some round trips of `rtt` on end: two packets of a small window that came apart are no full path.
pub(crate) fn was_full(timeline: &[Interval], rtt: Nanos) -> bool {
    let is_full = |i: &Interval| i.duration() >= rtt.scale(FULL_ROUNDS, 1) && rtt > Nanos::ZERO;
    timeline.iter().any(|i| i.limit == Limit::PathBandwidth && is_full(i))
}

/// The narrowest link of a direction's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Narrowest {
    /// Bytes per second that it carries, as far as is known.
    pub carries: u64,
    /// The same where the packets show it.
    pub shown: Option<u64>,
    /// It may carry more than that.
    pub is_least: bool,
}

impl Narrowest {
    /// From the packets of `sender`, its highest rate of a round trip, whether the path was filled, whether the receiving application reads
    /// more slowly than data comes, and what a policer allows at least, if losses tell of one.
    pub(super) fn of(
        sender: &Sender,
        timeline: &[Interval],
        peak: u64,
        filled: bool,
        reads_slowly: bool,
        policed: Option<u64>,
    ) -> Self {
        let (mss, floor) = (sender.size.mss(), sender.rtt.floor_or_zero());
        let spaced = sender.capacity.narrowest(peak, floor, mss, filled);
        // A slow reader spaces the ACKs as it reads, and so does a window that holds the sender for most of the time. What came through while
        // a queue stood is the link's.
        let spread = reads_slowly || is_mostly_window(timeline);
        let queued = if filled && spread { through_queue(timeline) } else { 0 };
        let mut carries = spaced.carries.max(queued);
        let was_full = filled && was_full(timeline, floor);
        if was_full {
            // What was full has carried no more than in its fastest round trip, however close what follows each other came: a policer lets
            // bursts through, and radio sends many packets at a time.
            carries = carries.min(peak.max(queued));
        }
        // A round trip is short, and a segment more or less in it says little where few come: a queue that stands for most of the time says more.
        if let Some(most) = most_through_queue(timeline, floor) {
            carries = carries.min(most);
        }
        // What a policer allows is all that there is, after the burst that it lets through.
        if let Some(allowed) = policed.and_then(|at_least| allowed(timeline, at_least)) {
            carries = carries.min(allowed);
        }
        // Nor do they show it where a window or a buffer spaces them, unless the first window says the same.
        let agrees = || agrees(sender.capacity.of_first_window(mss, floor), carries);
        let is_shown = spaced.known == Known::Shown && (!is_mostly_held(timeline) || agrees());
        // Where hardly a round trip was measured, nothing is.
        let shown = (was_full || is_shown).then_some(carries).filter(|&carries| carries > 0);
        // Any path that has not shown less carries an initial window in a round trip (RFC 6928).
        let least = if shown.is_none() { bytes_per_second(10 * mss, floor) } else { 0 };
        let may_be_more = spaced.known != Known::Guessed || carries < least;
        Self { carries: carries.max(least), shown, is_least: shown.is_none() && may_be_more }
    }
}

/// Whether the receive window held the sender for longer than the path.
fn is_mostly_window(timeline: &[Interval]) -> bool {
    time_of(timeline, |i| i.limit == Limit::ReceiveWindow)
        > time_of(timeline, |i| i.limit == Limit::PathBandwidth)
}

/// Whether a window or a buffer held the sender for most of the time.
fn is_mostly_held(timeline: &[Interval]) -> bool {
    let is_held = |i: &Interval| matches!(i.limit, Limit::ReceiveWindow | Limit::SendBuffer);
    time_of(timeline, is_held).scale(2, 1) > time_of(timeline, |_| true)
}

/// Bytes per second that came through while the path's queue held the sender.
fn through_queue(timeline: &[Interval]) -> u64 {
    acked_rate(timeline.iter().filter(|i| i.cause == Cause::StandingQueue))
}

/// Bytes per second that a policer allows which lets `at_least` so many through: what came through all along did so, too.
fn allowed(timeline: &[Interval], at_least: u64) -> Option<u64> {
    let is_policed = timeline.iter().any(|i| i.cause == Cause::Policer);
    is_policed.then(|| at_least.max(acked_rate(timeline.iter())))
}

/// Bytes acknowledged in a second of these intervals.
fn acked_rate<'a>(intervals: impl Iterator<Item = &'a Interval>) -> u64 {
    let (bytes, time) = acked_in(intervals);
    bytes_per_second(bytes, time)
}

/// As `through_queue`, at its best for so many round trips of `rtt` on end, if queues stood so for most of the time.
fn most_through_queue(timeline: &[Interval], rtt: Nanos) -> Option<u64> {
    let long = |i: &Interval| {
        i.cause == Cause::StandingQueue && i.duration() >= rtt.scale(STANDING_ROUNDS, 1)
    };
    let mostly = time_of(timeline, long).scale(2, 1) > time_of(timeline, |_| true);
    let rates = timeline.iter().filter(|i| long(i)).map(|i| through_queue(std::slice::from_ref(i)));
    rates.max().filter(|_| mostly)
}

#[cfg(test)]
mod tests {
    use super::{
        allowed, is_mostly_held, is_mostly_window, link_rate, most_through_queue, through_queue,
        was_full,
    };
    use crate::flow::overflow::Before;
    use crate::flow::stretch::Stretch;
    use crate::flow::wait::Wait;
    use crate::limits::Context;
    use crate::model::{Cause, Limit, made};
    use crate::units::Nanos;

    /// Forty rounds of a millisecond, with so much arriving in each in turn; whether a queue stands.
    fn link(spaced: Option<u64>, first: Option<u64>, arrived: [i64; 2], full: bool) -> Option<u64> {
        link_before(Before::Unknown, spaced, first, arrived, full)
    }

    /// As `link`, with that before losses.
    fn link_before(
        before: Before,
        spaced: Option<u64>,
        first: Option<u64>,
        arrived: [i64; 2],
        full: bool,
    ) -> Option<u64> {
        let round = Nanos::from_millis(1);
        let stretch = |k: i64| {
            let from = round.scale(k, 1);
            let mut s = Stretch { to: from + round, ..Stretch::starting(from, Wait::Ack) };
            s.arrived = arrived[k as usize % 2];
            s.sampled(if full { round.scale(3, 1) } else { round }, Nanos::ZERO);
            s
        };
        let list: Vec<Stretch> = (0..40).map(stretch).collect();
        let mut ctx = Context::new(&list, round, 1448);
        ctx.first_window = first;
        link_rate(spaced, first, before, &ctx)
    }

    #[test]
    fn the_link_carries_what_came_through_while_its_queue_stood() {
        let second = |k| (Nanos::from_secs(k), Nanos::from_secs(k + 1));
        let mut timeline = [0, 1, 2]
            .map(|k| made::interval(Limit::PathBandwidth, second(k), 1_000 + 500 * k as u64));
        assert_eq!(through_queue(&timeline), 0);
        assert!(!is_mostly_window(&timeline));
        let mut held = timeline;
        held[1].limit = Limit::ReceiveWindow;
        assert!(!is_mostly_window(&held));
        held[0].limit = Limit::ReceiveWindow;
        assert!(is_mostly_window(&held));
        assert!(!is_mostly_held(&timeline) && is_mostly_held(&held));
        held[1].limit = Limit::PathBandwidth;
        held[2].limit = Limit::SendBuffer;
        assert!(is_mostly_held(&held), "by both together");
        timeline[1].cause = Cause::StandingQueue;
        timeline[2].cause = Cause::StandingQueue;
        assert_eq!(through_queue(&timeline), 1_750);
        let most = [20, 40].map(|ms| most_through_queue(&timeline, Nanos::from_millis(ms)));
        assert_eq!(most, [Some(2_000), None], "fifty rounds and too few");
        timeline[1].cause = Cause::SteadyRate;
        assert_eq!(
            most_through_queue(&timeline, Nanos::from_millis(20)),
            None,
            "a third of the time"
        );
    }

    #[test]
    fn a_policer_allows_what_it_let_through_when_its_sender_made_the_most_of_it() {
        let second = |k| (Nanos::from_secs(k), Nanos::from_secs(k + 1));
        let mut timeline =
            [0, 1, 2].map(|k| made::interval(Limit::PathBandwidth, second(k), 1_000));
        assert_eq!(allowed(&timeline, 1_200), None);
        timeline[1].cause = Cause::Policer;
        assert_eq!(allowed(&timeline, 1_200), Some(1_200));
        assert_eq!(allowed(&timeline, 800), Some(1_000));
    }

    #[test]
    fn a_path_that_was_full_for_a_round_trip_has_not_shown_its_rate() {
        let rtt = Nanos::from_millis(20);
        let full = |rounds: i64| {
            let at = (Nanos::from_secs(1), Nanos::from_secs(1) + rtt.scale(rounds, 1));
            was_full(&[made::interval(Limit::PathBandwidth, at, 1_000)], rtt)
        };
        assert_eq!([1, 3, 4].map(full), [false, false, true]);
        let other = (Nanos::ZERO, Nanos::from_secs(9));
        assert!(!was_full(&[made::interval(Limit::SendBuffer, other, 1_000)], rtt));
    }

    #[test]
    fn the_first_window_shows_the_link_where_acks_bunch_or_the_sender_is_spread_out() {
        assert_eq!(link(Some(200), Some(36), [0, 0], true), Some(36));
        assert_eq!(link(Some(9), Some(36), [0, 0], false), Some(36));
        // A policer's rate, or that of a link with a queue.
        assert_eq!(link(Some(9), Some(36), [0, 0], true), Some(9));
        // A shaper's, that lets a first burst pass: its queue stood before each loss, if no longer than that.
        assert_eq!(link_before(Before::FullQueue, Some(9), Some(36), [0, 0], false), Some(9));
        assert_eq!(link(Some(30), Some(36), [0, 0], false), Some(30));
        assert_eq!(link(None, Some(36), [0, 0], false), None);
        assert_eq!(link(Some(30), None, [0, 0], false), Some(30));
    }

    #[test]
    fn a_link_carries_what_it_did_for_longer_than_acks_bunch_though_the_first_window_was_slow() {
        let (slow, fast) = (Some(20_000_000), Some(100_000_000));
        assert_eq!(link(fast, slow, [80_000, 0], true), Some(40_000_000));
        // Nothing arrives faster than it is spaced.
        assert_eq!(link(Some(50_000_000), slow, [200_000, 0], true), Some(50_000_000));
    }
}
