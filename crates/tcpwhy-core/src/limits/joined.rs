//! Neighbouring stretches under one judgement.

use super::Judgement;
use crate::flow::stretch::Stretch;
use crate::model::{Cause, Evidence, Interval, Limit, Source};
use crate::units::Nanos;

/// From this confidence on a limit shows in a round itself.
const SHOWN: u8 = 93;

/// Stretches under one judgement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joined {
    pub(super) sum: Stretch,
    pub(super) judgement: Judgement,
    /// Confidence weighted with time.
    weight: i128,
}

impl Joined {
    pub(super) fn new(s: &Stretch, judgement: Judgement) -> Self {
        let weight = i128::from(s.duration().0) * i128::from(judgement.confidence);
        Self { sum: *s, judgement, weight }
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
                | Cause::EcnMarked
        );
        limit && !cause && self.confidence() < SHOWN
    }

    pub(super) fn overrule(&mut self, judgement: Judgement) {
        *self = Self::new(&self.sum, judgement);
    }

    /// Takes in what follows; the longer one says what it was.
    fn take_in(&mut self, next: &Self) {
        if next.sum.duration() > self.sum.duration() {
            self.judgement = next.judgement;
        }
        self.sum.absorb(&next.sum);
        self.weight += next.weight;
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

    pub(super) fn interval(&self) -> Interval {
        let s = &self.sum;
        Interval {
            from: s.from,
            to: s.to,
            limit: self.judgement.limit,
            cause: self.judgement.cause,
            confidence: self.confidence(),
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
        room: measured(s.room),
        rtt_min: if s.rtt_min == Nanos::MAX { Nanos::ZERO } else { s.rtt_min },
        rtt_mean: s.rtt_mean().unwrap_or_default(),
        stalls: s.stalls,
        longest_stall: s.longest_stall,
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
