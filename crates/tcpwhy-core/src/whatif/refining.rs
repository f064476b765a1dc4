//! Where the model takes the place of the arithmetic, and how much of it there may be.

use super::analytic::{Path, predict};
use super::{lifted, moving};
use crate::model::{Connection, Direction, Interval, Traits};

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
    direction.what_if = what_if;
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
    let what_if = predict(&path(direction, &moving, traits));
    direction.what_if = what_if.into();
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
