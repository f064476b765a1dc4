//! What stays as it is though a congestion control would have moved it, and since when: losses, and the rounds between them.

use super::Context;
use super::run::AROUND;
use crate::flow::stretch::Stretch;
use crate::limits::around::Around;
use crate::units::Nanos;
use std::ops::Range;

/// CUBIC stands still around its last maximum for at most about twice its period K, a few seconds
/// (RFC 9438 section 4.2); then it grows again.
const LONGER_THAN_CUBIC: Nanos = Nanos::from_secs(10);
/// BBR keeps to a constant rate for 48 rounds where it takes losses for a policer's (`bbr_lt_bw_max_rtts`), and then probes again for as
/// long as nothing is lost: twice that.
const POLICED_ROUNDS: i64 = 96;
/// Rounds in which any congestion control would have tried for more.
pub(crate) const CALM_ROUNDS: u32 = 8;
/// Linux's cubic looks at its window 32 times a second at most (`bictcp_update`): two looks.
pub(crate) const LONG_ENOUGH: Nanos = Nanos::from_millis(62);

/// Rounds after a repair in which no congestion control has won back what it has cut.
const AT_ONCE: usize = 2;

/// Segments in a flight of which a cut takes more than a segment for each of those rounds: three tenths (RFC 9438 section 4.6), or a half.
const REGAINED_LATER: u64 = 8;
/// Rounds before and after a loss that are compared.
const NEXT: usize = 3;
/// Losses that are no chance.
const LOSSES: u32 = 4;
/// Segments more than before that no delayed ACK explains.
const MORE: u64 = 4;
/// One in so many sent again is what BBR may take for a policer (`bbr_lt_loss_thresh`).
const POLICERS_PART: u64 = 5;

/// The first loss or mark that the congestion window was cut for.
pub(super) fn first_cut(stretches: &[Stretch], floor: Nanos, mss: u64) -> Option<usize> {
    let marked = first_marked_cut(stretches);
    first_lossy_cut(stretches, floor, mss).into_iter().chain(marked).min()
}

/// The first loss that the congestion window was cut for, if it held the flight. It was not, or was not what did, where the flight is as high as
/// before in the first rounds after the repair: what was sent again had arrived, and the cut was undone (`tcp_try_undo_recovery`, RFC 5682,
/// RFC 4015); or little was lost, and a window that was cut would have needed longer.
fn first_lossy_cut(stretches: &[Stretch], floor: Nanos, mss: u64) -> Option<usize> {
    if feels_no_loss(stretches, mss) {
        return None;
    }
    for Range { start: lost, end } in repairs(stretches) {
        let earlier = stretches[..lost].iter().rev().skip_while(|s| s.is_repair());
        let earlier = earlier.take_while(|s| !s.is_repair()).take(AROUND);
        let before: Vec<u64> = earlier.map(|s| s.flight).collect();
        let Some(highest) = before.iter().max() else { return Some(lost) };
        let (repair, next) = (&stretches[lost..end], &stretches[end..]);
        let next = &next[..next.len().min(AT_ONCE)];
        let after = next.iter().map(|s| s.flight).max().unwrap_or(0);
        let regained = after + mss / 4 >= *highest;
        let needless = repair.iter().any(|s| s.needless > 0);
        // A window that grows is larger when the loss is known than the flight that it was in.
        let stood = before.len() == AROUND && before.iter().all(|flight| flight + mss >= *highest);
        let little = || stood && was_too_little(repair, next, floor, mss);
        if !regained || !(needless || little()) {
            return Some(lost);
        }
    }
    None
}

/// The first mark that the congestion window was cut for (RFC 3168 section 6.1.2): in flight was less by a fifth and more in the next rounds.
fn first_marked_cut(stretches: &[Stretch]) -> Option<usize> {
    stretches.iter().enumerate().position(|(k, s)| {
        let next = stretches[k + 1..].iter().take_while(|s| !s.is_idle()).take(AT_ONCE);
        s.marks > 0 && next.map(|s| s.flight).max().is_some_and(|after| after < s.flight / 5 * 4)
    })
}

/// From the first stretch in which something is sent again to the end of that repair, one after the other.
fn repairs(stretches: &[Stretch]) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let lost = from + stretches[from..].iter().position(|s| s.resent > 0)?;
        from = lost + stretches[lost..].iter().take_while(|s| s.is_repair()).count();
        Some(lost..from)
    })
}

/// Whether hardly a loss of many leaves less in flight, by a fifth and more, than there was before. A window that is cut by three tenths or a half
/// (RFC 9438 section 4.6) and grows by half a segment a round is smaller by that: BBR cuts none.
fn feels_no_loss(stretches: &[Stretch], mss: u64) -> bool {
    let (mut losses, mut felt) = (0, 0);
    let mut ended = 0;
    for repair in repairs(stretches) {
        let before = flight_of(stretches[ended..repair.start].iter().rev().take(NEXT));
        ended = repair.end;
        let after = flight_of(stretches[ended..].iter().take_while(|s| !s.is_repair()).take(NEXT));
        if let (Some(before), Some(after)) = (before, after)
            && before >= REGAINED_LATER * 2 * mss
        {
            losses += 1;
            felt += u32::from(after < before / 5 * 4);
        }
    }
    let sum = |of: fn(&Stretch) -> u64| stretches.iter().map(of).sum::<u64>();
    let few = sum(|s| s.resent.into()) * mss * POLICERS_PART < sum(Stretch::arrived);
    few && losses >= LOSSES && felt * 2 * LOSSES <= losses
}

/// What is in flight on the mean, in these rounds without a rest.
fn flight_of<'a>(rounds: impl Iterator<Item = &'a Stretch>) -> Option<u64> {
    let flights: Vec<u64> = rounds.take_while(|s| !s.is_idle()).map(|s| s.flight).collect();
    (flights.len() == NEXT).then(|| flights.iter().sum::<u64>() / NEXT as u64)
}

/// Whether so little was lost in the `repair` that the rounds `after` it, which are no more than that, could not have made good a cut for it.
fn was_too_little(repair: &[Stretch], after: &[Stretch], floor: Nanos, mss: u64) -> bool {
    let sum = |of: fn(&Stretch) -> u64| repair.iter().map(of).sum::<u64>();
    let resent = sum(|s| s.resent.into()) * mss;
    let few = sum(|s| s.timeouts.into()) == 0 && resent * POLICERS_PART < sum(Stretch::arrived);
    let rounds = after.iter().all(|s| s.duration() <= floor.scale(2, 1));
    few && rounds && after.iter().any(|s| s.flight >= REGAINED_LATER * mss)
}

impl Context<'_> {
    /// The window was not cut before stretch `i`, or so long ago that the window would have grown back.
    pub(crate) fn settled(&self, i: usize) -> bool {
        !self.may_be_cut(i) || self.outlasts_cubic(i)
    }

    /// The window was cut for a loss before stretch `i`, and has not been larger since than what is in flight around.
    pub(crate) fn may_be_cut(&self, i: usize) -> bool {
        self.cut_before(i) && !self.has_allowed_more(i)
    }

    /// More was in flight, by a quarter and more, since anything last made a congestion window smaller: a loss, a mark (RFC 3168), a pause as long
    /// as a retransmission timer (RFC 5681 section 4.1). Then that window does not hold what is in flight around stretch `i`.
    fn has_allowed_more(&self, i: usize) -> bool {
        let smaller = |s: &Stretch| s.resent > 0 || s.marks > 0 || s.restarts();
        let run = self.known_run(i);
        // The rounds before may be those in which it was more.
        let from = if run.end - i >= CALM_ROUNDS as usize { i } else { run.start };
        let rounds = &self.stretches[from..run.end];
        let now = rounds.iter().map(|s| s.flight).max().unwrap_or(0);
        // What was sent before still is on its way just after.
        let since = self.stretches[..i].iter().rposition(smaller).map_or(0, |k| k + 1 + AT_ONCE);
        let more = |s: &Stretch| s.flight >= now + (now / 4).max(MORE * self.mss);
        self.stretches.get(since..i).is_some_and(|since| since.iter().any(more))
    }

    /// No loss for so long around stretch `i` that any congestion control would have tried for more, and the flight is no higher at the
    /// end than in the beginning.
    fn outlasts_cubic(&self, i: usize) -> bool {
        let part = &self.stretches[self.between_losses(i)];
        let (Some(first), Some(last)) = (part.first(), part.last()) else { return false };
        let (early, late) = part.split_at(part.len() / 2);
        let highest = |half: &[Stretch]| half.iter().map(|s| s.flight).max().unwrap_or(0);
        // Linux's cubic never falls behind Reno (`tcp_friendliness`, RFC 9438 section 4.3): half a segment a round makes good
        // the three tenths that a loss took within 0.6 rounds a segment.
        let segments = (highest(late) / self.mss) as i64;
        let friendly =
            (self.floor.scale(segments * 6 + 80, 10) + LONG_ENOUGH).min(LONGER_THAN_CUBIC);
        let long = friendly.max(self.floor.scale(POLICED_ROUNDS, 1));
        last.to - first.from >= long && highest(late) <= highest(early) + self.mss
    }

    /// Nothing changes for many rounds, neither flight nor RTT, and nothing is lost. No congestion control leaves it at that: Reno and
    /// CUBIC add to cwnd every round (RFC 5681 section 3.1, RFC 9438 section 4.3), BBR sends a quarter more in one round of eight
    /// (draft-ietf-ccwg-bbr section 4.3.3), and either the flight or a queue grows.
    pub(crate) fn calm(&self, i: usize) -> bool {
        self.is_calm(i, &self.around(i))
    }

    /// As `calm`, of some rounds, with stretch `i` among them.
    pub(crate) fn is_calm(&self, i: usize, rounds: &Around) -> bool {
        rounds.rounds >= CALM_ROUNDS
            && rounds.time >= LONG_ENOUGH
            && self.settled(i)
            && rounds.resent == 0
            && self.stands(rounds)
            && self.flat(rounds)
            && !self.climbs(i)
    }

    /// The flight neither grows nor varies by more than a quarter, but for one odd round.
    pub(crate) fn stands(&self, around: &Around) -> bool {
        !around.grows(self.mss) && around.flight_next <= around.flight() / 4 * 5
    }

    /// The stretches around `i` without a retransmission or a mark.
    pub(crate) fn between_losses(&self, i: usize) -> Range<usize> {
        let lost = |k: &usize| self.stretches[*k].resent > 0 || self.stretches[*k].marks > 0;
        let from = (0..i).rev().find(lost).map_or(0, |k| k + 1);
        let to = (i..self.stretches.len()).find(lost).unwrap_or(self.stretches.len());
        from..to.max(from)
    }

    /// Something was resent in the rounds just before stretch `i`.
    pub(crate) fn lost_lately(&self, i: usize) -> bool {
        self.stretches[i.saturating_sub(AROUND)..i].iter().any(|s| s.resent > 0)
    }

    /// The window was cut for a loss before stretch `i`.
    pub(crate) fn cut_before(&self, i: usize) -> bool {
        self.first_cut.is_some_and(|first| first < i)
    }

    /// A congestion mark was echoed in stretch `i` or before.
    pub(crate) fn is_marked(&self, i: usize) -> bool {
        self.first_mark.is_some_and(|first| first <= i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::wait::Wait;
    use crate::kernel::RTO_MIN;
    use crate::limits::made::{MSS, rounds};

    const ROUND: Nanos = Nanos::from_millis(30);

    /// Where the window was first cut, of rounds in which round 20 sends something again, for nothing or not, and the flight is this.
    fn cut(needless: u32, flight: impl Fn(usize) -> u64) -> Option<usize> {
        let list = rounds(40, ROUND, |k, s| {
            s.flight = flight(k) * MSS;
            if k == 20 {
                (s.resent, s.needless) = (1, needless);
            }
        });
        first_cut(&list, ROUND, MSS)
    }

    #[test]
    fn a_cut_for_lost_acks_that_is_undone_at_once_is_none() {
        assert_eq!(cut(1, |_| 8), None);
        assert_eq!(cut(0, |_| 8), Some(20), "something was lost");
        let falls = |k: usize| if (20..24).contains(&k) { 5 } else { 8 };
        assert_eq!(cut(1, falls), Some(20), "it grew back");
        assert_eq!(cut(1, |k| if k == 20 { 1 } else { 8 }), None);
    }

    #[test]
    fn who_never_has_less_in_flight_after_a_loss_cuts_no_window() {
        // A loss every ten rounds, after which so many of forty segments are in flight for some time.
        let cut = |losses: usize, after: fn(usize) -> u64| {
            let list = rounds(10 * losses + 9, ROUND, |k, s| {
                let since = k.checked_sub(10).map(|k| k % 10);
                s.resent = u32::from(since == Some(0));
                s.flight = MSS * if matches!(since, Some(1..=5)) { after(k / 10) } else { 40 };
                s.arrived = s.flight as i64;
            });
            first_cut(&list, ROUND, MSS)
        };
        assert_eq!(cut(4, |_| 38), None, "BBR's comes and goes");
        assert_eq!(cut(3, |_| 38), Some(10), "three may be chance");
        assert_eq!(cut(4, |_| 28), Some(10));
        assert_eq!(cut(4, |k| if k == 3 { 28 } else { 38 }), Some(10));
        assert_eq!(cut(8, |k| if k == 3 { 28 } else { 38 }), None);
    }

    #[test]
    fn a_later_loss_cuts_the_window_all_the_same() {
        let list = rounds(40, ROUND, |k, s| {
            s.flight = if k > 30 { 5 * MSS } else { 8 * MSS };
            (s.resent, s.needless) = (u32::from(k == 10 || k == 30), u32::from(k == 10));
        });
        assert_eq!(first_cut(&list, ROUND, MSS), Some(30));
        assert_eq!(first_cut(&list[..30], ROUND, MSS), None);
        assert_eq!(first_cut(&list[10..], ROUND, MSS), Some(0), "nothing is known of before");
    }

    #[test]
    fn a_mark_cuts_the_window_that_held_the_flight() {
        let cut = |marks: u32, after: u64| {
            let list = rounds(40, ROUND, |k, s| {
                s.flight = if k > 20 { after } else { 100 } * MSS;
                s.marks = if k == 20 { marks } else { 0 };
            });
            first_cut(&list, ROUND, MSS)
        };
        assert_eq!([cut(1, 70), cut(1, 95), cut(0, 70)], [Some(20), None, None]);
    }

    #[test]
    fn a_window_that_has_allowed_more_since_its_cut_does_not_hold_less() {
        // Twelve segments until round 20, whose loss cuts them to eight; from round 30 on fewer, after a pause or not.
        let settled = |falls_to: u64, grows_to: u64, pause: bool| {
            let list = rounds(60, ROUND, |k, s| {
                s.flight = MSS
                    * match k {
                        0..=20 => 12,
                        21..30 => grows_to,
                        _ => falls_to,
                    };
                s.resent = u32::from(k == 20);
                if pause && k == 29 {
                    (s.wait, s.to) = (Wait::IdleSelf, s.from + RTO_MIN);
                }
            });
            Context::new(&list, ROUND, MSS).settled(45)
        };
        assert!(settled(4, 8, false));
        assert!(!settled(8, 8, false), "it may be as large");
        assert!(!settled(7, 8, false), "delayed ACKs");
        assert!(!settled(4, 8, true), "it began again with little");
    }

    #[test]
    fn a_flight_that_does_not_feel_a_loss_was_held_by_something_else() {
        let cut = |resent: u32, flight: fn(usize) -> u64| {
            let list = rounds(40, ROUND, |k, s| {
                (s.flight, s.arrived) = (flight(k) * MSS, (flight(k) * MSS) as i64);
                s.resent = if k == 20 { resent } else { 0 };
            });
            first_cut(&list, ROUND, MSS)
        };
        assert_eq!(cut(1, |_| 12), None);
        assert_eq!(cut(3, |_| 12), Some(20), "a policer's");
        assert_eq!(cut(1, |_| 4), Some(20), "it may have grown back");
        assert_eq!(cut(1, |k| if k > 20 { 9 } else { 12 }), Some(20));
        assert_eq!(
            cut(1, |k| if k < 16 { 6 } else { 12 }),
            Some(20),
            "it grew, and was larger than seen"
        );
    }
}
