//! Where the model takes the place of the arithmetic, and how much of it there may be.

use super::analytic::{Path, predict};
use super::{lifted, moving};
use crate::model::{Connection, Direction, Interval, Traits, Transfer, WhatIf};
use crate::units::{Nanos, mul_div};

/// How much the model may be used in one analysis: short connections come in hundreds of thousands, and a model of each would cost more
/// than their packets. What comes once it is used up is left to the arithmetic.
#[derive(Debug)]
pub struct Budget {
    /// Segments that may be followed.
    segments: u64,
}

impl Default for Budget {
    /// About a tenth of a second.
    fn default() -> Self {
        Self { segments: 300_000 }
    }
}

impl Budget {
    /// So many segments.
    #[cfg(test)]
    pub(super) fn of(segments: u64) -> Self {
        Self { segments }
    }

    /// For a few directions: each one's predictions together take tens of milliseconds at most.
    pub fn unlimited() -> Self {
        Self { segments: u64::MAX }
    }

    /// Packets were analysed: the model may take a few percent of their time.
    pub(super) fn earn(&mut self, packets: u64) {
        self.segments = self.segments.saturating_add(packets / 64);
    }

    /// Earns with a connection, and spends on it.
    pub fn refine(&mut self, connection: &mut Connection) {
        self.earn(connection.packets);
        for direction in &mut connection.directions {
            refine(direction, self);
        }
    }

    /// Takes what following so many segments costs, if there is as much.
    pub(super) fn spend(&mut self, segments: u64) -> Option<()> {
        self.segments = self.segments.checked_sub(segments)?;
        Some(())
    }
}

/// Has the model make the predictions of a direction again, where it knows better than the arithmetic and the budget allows. It does
/// that once: what it goes by is taken from the direction.
pub fn refine(direction: &mut Direction, budget: &mut Budget) {
    let Some(traits) = direction.traits.take() else { return };
    let moving = moving(&direction.timeline, &direction.transfers);
    let mut what_if = std::mem::take(&mut direction.what_if);
    lifted::refine(&path(direction, &moving, traits), &mut what_if, budget);
    keep_round_trips(direction, &mut what_if);
    direction.what_if = what_if;
}

/// Whatever is lifted, a turn that took a round trip takes one: the other end asks for more when it has what was sent before.
fn keep_round_trips(direction: &Direction, list: &mut [WhatIf]) {
    let (rtt, listed) = (direction.facts.rtt_floor, direction.transfers.len() as u64);
    let mut over = Nanos(i64::MIN);
    let after_another = |turn: &&Transfer| {
        let whole = turn.from >= over && turn.to - turn.from >= rtt;
        over = over.max(turn.to);
        whole
    };
    let whole = direction.transfers.iter().filter(after_another).count() as u64;
    let turns = mul_div(whole, direction.turns(), listed.max(1));
    let least = rtt.scale(i64::try_from(turns).unwrap_or(i64::MAX), 1).min(direction.transfer);
    list.iter_mut().for_each(|what_if| what_if.transfer = what_if.transfer.max(least));
}

/// Makes the predictions of a direction by the arithmetic, anew where its timeline has changed; none that the model has made already.
pub(crate) fn predict_simply(direction: &mut Direction) {
    if let Some(traits) = direction.traits {
        predict_by(direction, traits);
    }
}

/// The same by such `traits`.
pub(crate) fn predict_by(direction: &mut Direction, traits: Traits) {
    let moving = moving(&direction.timeline, &direction.transfers);
    let mut what_if = predict(&path(direction, &moving, traits));
    keep_round_trips(direction, &mut what_if);
    // A list that is only shrunk may keep the room that it grew to.
    direction.what_if = what_if.as_slice().into();
}

/// What the predictions of a direction start from.
pub(super) fn path<'a>(
    direction: &'a Direction,
    moving: &'a [Interval],
    traits: Traits,
) -> Path<'a> {
    Path {
        timeline: moving,
        facts: &direction.facts,
        transfer: direction.transfer,
        bytes: direction.bytes,
        turns: direction.turns(),
        traits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::made::{facts, interval};
    use crate::model::{Cause, Limit, Side, Verdict};

    #[test]
    fn turns_that_took_round_trips_keep_them() {
        let predicted = |turns: &[(i64, i64)]| {
            let ms = Nanos::from_millis;
            let transfers: Vec<Transfer> = turns
                .iter()
                .map(|&(from, to)| Transfer {
                    from: ms(from),
                    to: ms(to),
                    bytes: 1,
                    retransmitted: 0,
                    first_frame: 1,
                    last_frame: 2,
                })
                .collect();
            let timeline = [interval(Limit::LossRecovery, (ms(0), ms(900)), 3)];
            let cause = Cause::None;
            let verdict =
                Verdict { limit: Limit::LossRecovery, cause, share: 1.0, confidence: 0.9 };
            let mut direction =
                Direction::without_data(Side::Server, timeline.into(), verdict, facts());
            (direction.transfer, direction.transfers) = (ms(900), transfers.into());
            let lift = Limit::LossRecovery;
            let mut list = [WhatIf { lift, transfer: ms(1), next: Limit::Unknown, at_most: false }];
            keep_round_trips(&direction, &mut list);
            list[0].transfer
        };
        assert_eq!(predicted(&[(0, 300), (300, 600), (600, 900)]), Nanos::from_millis(60));
        // Both ends send all the time: nobody waits for the end of a turn.
        assert_eq!(predicted(&[(0, 300), (280, 600), (610, 620)]), Nanos::from_millis(20));
        assert_eq!(predicted(&[]), Nanos::from_millis(1));
    }
}
