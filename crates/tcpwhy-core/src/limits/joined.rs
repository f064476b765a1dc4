//! Neighbouring stretches under one judgement.

use super::Judgement;
use super::around::nearly;
use super::context::NOISE;
use super::likeliest::ONE_OBSERVATION;
use crate::flow::stretch::Stretch;
use crate::model::{Cause, Evidence, Interval, Limit, Source};
use crate::units::{Nanos, bytes_per_second};

/// From this confidence on a limit shows in a round itself.
const SHOWN: u8 = 93;

/// Part of the time in which what is inferred is wrong however many rounds say so: some transfers look like others. Measured in the lab on
/// paths by which no rule was made.
const MISLED: f64 = 0.07;
/// The same where queues do not show: far from a sender without timestamps. Measured over real sockets.
const MISLED_UNSEEN: f64 = 0.15;

/// Stretches under one judgement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joined {
    pub(super) sum: Stretch,
    pub(super) judgement: Judgement,
    /// Confidence weighted with time.
    weight: i128,
    /// For how long its own rounds said another limit, see [`Joined::overrule`].
    dissent: Nanos,
}

impl Joined {
    pub(super) fn new(s: &Stretch, judgement: Judgement) -> Self {
        let weight = i128::from(s.duration().0) * i128::from(judgement.confidence);
        Self { sum: *s, judgement, weight, dissent: Nanos::ZERO }
    }

    pub(super) fn same_as(&self, j: Judgement) -> bool {
        self.judgement.limit == j.limit && self.judgement.cause == j.cause
    }

    pub(super) fn add(&mut self, s: &Stretch, judgement: Judgement) {
        self.sum.absorb(s);
        self.weight += i128::from(s.duration().0) * i128::from(judgement.confidence);
    }

    /// Inferred from many rounds: by a limit that none of them shows alone, or by none.
    pub(super) fn is_inferred(&self) -> bool {
        let limit = matches!(
            self.judgement.limit,
            Limit::SendBuffer
                | Limit::CongestionWindow
                | Limit::PathBandwidth
                | Limit::Application
                | Limit::Unknown
        );
        let cause = matches!(
            self.judgement.cause,
            Cause::SlowStart
                | Cause::IdleRestart
                | Cause::WaitingForPeer
                | Cause::KeepAlive
                | Cause::Policer
        );
        limit && !cause && self.confidence() < SHOWN
    }

    /// Less arrives than in the `other`, and round trips are nearly as short as the path is: the link that is full there is not full here.
    pub(super) fn queues_less(&self, other: &Self, floor: Nanos) -> bool {
        let noise = NOISE.max(Nanos(floor.0 / 16));
        let short = self.sum.forth_mean().is_some_and(|rtt| rtt - floor < noise);
        let rate_of = |s: &Stretch| bytes_per_second(s.arrived(), s.duration());
        short && rate_of(&self.sum) < nearly(rate_of(&other.sum))
    }

    /// The rounds before and after know better than these what held them.
    pub(super) fn overrule(&mut self, judgement: Judgement) {
        let dissents = self.judgement.limit != Limit::Unknown;
        let dissent = if dissents { self.sum.duration() } else { Nanos::ZERO };
        *self = Self { dissent, ..Self::new(&self.sum, judgement) };
    }

    /// Takes in what follows; the longer one says what it was.
    fn take_in(&mut self, next: &Self) {
        if next.sum.duration() > self.sum.duration() {
            self.judgement = next.judgement;
        }
        self.sum.absorb(&next.sum);
        self.weight += next.weight;
        self.dissent += next.dissent;
    }

    /// Percent.
    pub(super) fn confidence(&self) -> u8 {
        let duration = self.sum.duration().0.max(1);
        // Dividing 128 bits costs ten times as much, for more than a year.
        let confidence = match i64::try_from(self.weight) {
            Ok(weight) => i128::from(weight / duration),
            Err(_) => self.weight / i128::from(duration),
        };
        confidence.clamp(0, 100) as u8
    }

    /// How many of the shortest round trips it lasts.
    pub(super) fn rounds(&self, floor: Nanos) -> f64 {
        self.sum.duration().0 as f64 / floor.0 as f64
    }

    /// Percent. What was inferred is the surer the more rounds say the same: each eight of them are one more observation of it. Where a part of
    /// them says another limit, one of the two rules is misled: there it is either.
    fn settled_confidence(&self, floor: Nanos, sees_queues: bool) -> u8 {
        let stated = self.confidence();
        if !self.is_inferred() || self.judgement.limit == Limit::Unknown || floor.0 <= 0 {
            return stated;
        }
        let observations = self.rounds(floor) / ONE_OBSERVATION;
        let by_chance = (1.0 - f64::from(stated) / 100.0).powf(1.0 + observations);
        let misled = if sees_queues { MISLED } else { MISLED_UNSEEN };
        let dissent = self.dissent.0 as f64 / self.sum.duration().0.max(1) as f64;
        (100.0 * (1.0 - misled) * (1.0 - by_chance) * (1.0 - dissent / 2.0)).round() as u8
    }

    /// As one interval of the timeline, over a path whose shortest round trip is `floor` and whose queues show or do not.
    pub(super) fn interval(&self, floor: Nanos, sees_queues: bool) -> Interval {
        let s = &self.sum;
        Interval {
            from: s.from,
            to: s.to,
            limit: self.judgement.limit,
            cause: self.judgement.cause,
            confidence: self.settled_confidence(floor, sees_queues),
            source: Source::Packets,
            first_frame: s.first_frame,
            last_frame: s.last_frame,
            evidence: evidence(s),
        }
    }
}

fn evidence(s: &Stretch) -> Evidence {
    let measured = |window: u64| match window {
        u64::MAX => 0,
        bytes => u32::try_from(bytes).unwrap_or(u32::MAX),
    };
    Evidence {
        acked: s.acked,
        flight: s.flight,
        window: measured(s.window_min),
        // Measured at stalls alone; the window was smallest at another time, maybe, and left no more then.
        room: measured(s.room.min(s.window_min)),
        rtt_min: if s.rtt_min == Nanos::MAX { Nanos::ZERO } else { s.rtt_min },
        rtt_mean: s.rtt_mean().unwrap_or_default(),
        stalls: s.stalls,
        // A wait may go on in the stretch behind.
        longest_stall: s.longest_stall.min(s.duration()),
        retransmissions: s.resent,
    }
}

/// Joins with its predecessor what `joins` says of the two.
pub(super) fn join(
    list: Vec<Joined>,
    mut joins: impl FnMut(&Joined, &Joined) -> bool,
) -> Vec<Joined> {
    let mut joined: Vec<Joined> = Vec::with_capacity(list.len());
    for next in list {
        match joined.last_mut() {
            Some(last) if joins(last, &next) => last.take_in(&next),
            _ => joined.push(next),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::super::made::{joined, rounds};
    use super::*;

    const ROUND: Nanos = Nanos::from_millis(20);

    /// So many rounds that say this with this confidence.
    fn said(limit: Limit, confidence: u8, times: usize) -> Joined {
        let judgement = Judgement::new(limit, Cause::None, confidence);
        joined(&rounds(times, ROUND, |_, _| ()), judgement)
    }

    /// How sure that is.
    fn sure(limit: Limit, confidence: u8, times: usize) -> u8 {
        said(limit, confidence, times).interval(ROUND, true).confidence
    }

    #[test]
    fn what_many_rounds_say_is_surer_than_what_few_do_and_never_certain() {
        let said = [1, 4, 16, 64, 1000].map(|times| sure(Limit::SendBuffer, 70, times));
        assert!(said.is_sorted_by(|few, many| few <= many), "{said:?}");
        assert!(
            (65..=75).contains(&said[0]),
            "one round says little more than the rule by itself: {said:?}"
        );
        assert_eq!(said[3..], [93, 93]);
        assert!(sure(Limit::SendBuffer, 60, 4) < sure(Limit::SendBuffer, 80, 4));
    }

    #[test]
    fn rounds_that_say_another_limit_are_none_of_those_that_agree() {
        let sure_beside = |limit| {
            let list = rounds(100, ROUND, |_, _| ());
            let mut others = joined(&list[60..], Judgement::new(limit, Cause::None, 70));
            others.overrule(Judgement::new(Limit::SendBuffer, Cause::None, 60));
            let most = joined(&list[..60], Judgement::new(Limit::SendBuffer, Cause::None, 70));
            let all = join(vec![most, others], |last, next| last.same_as(next.judgement));
            all[0].interval(ROUND, true).confidence
        };
        assert_eq!(sure_beside(Limit::Application), 74, "four fifths of 93");
        assert_eq!(sure_beside(Limit::Unknown), 93, "they say nothing");
    }

    #[test]
    fn where_queues_do_not_show_no_number_of_rounds_makes_as_sure() {
        let unseen = |limit| said(limit, 70, 1000).interval(ROUND, false).confidence;
        assert_eq!(unseen(Limit::SendBuffer), 85);
        assert_eq!(unseen(Limit::ReceiveWindow), 70, "the window itself is seen");
    }

    #[test]
    fn what_shows_in_a_round_itself_and_what_is_unknown_stay_as_they_are() {
        assert_eq!(sure(Limit::ReceiveWindow, 70, 64), 70);
        assert_eq!(sure(Limit::SendBuffer, SHOWN, 64), SHOWN);
        assert_eq!(sure(Limit::Unknown, 50, 64), 50);
    }
}
