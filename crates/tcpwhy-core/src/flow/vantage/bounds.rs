//! How long a leg may be, at least and at most, by the stamps that its end echoes.

use crate::units::Nanos;

/// Echoes among which one would name an older packet than the newest, if the end did not rest before each.
const MANY: u32 = 8;

/// What echoes tell of a leg's length.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bounds {
    /// It took as long at least, by the packets that the end had not seen when it answered.
    pub(super) at_least: Nanos,
    /// What most of the answers were judged by: its floor after the first quarter of them, or a half.
    at_most: Nanos,
    /// Takes the place of `at_most` when there are twice as many.
    marked: Nanos,
    pub(super) echoes: u32,
    /// Echoes before which nothing passed for most of the time that they took: their end may have rested, and not the path be as long.
    pub(super) rested: u32,
    /// What the first of them took.
    first: Nanos,
}

impl Bounds {
    /// One more echo, which took `leg`; the smallest so far is `floor`.
    pub(super) fn echoed(&mut self, leg: Nanos, floor: Nanos) {
        if self.echoes == 0 {
            self.first = leg;
        }
        self.echoes = self.echoes.saturating_add(1);
        if self.echoes <= MANY {
            (self.at_most, self.marked) = (floor, floor);
        } else if self.echoes.is_power_of_two() {
            self.at_most = std::mem::replace(&mut self.marked, floor);
        }
    }

    /// Whether what is known is the path's, or little beside a `round` trip: an end whose every packet names the newest that had passed may
    /// have thought for as long. Of a few packets that says nothing, unless most of them came after a rest, or all that follow echo the same: the
    /// end is `stuck`.
    pub(super) fn is_sure(&self, round: Nanos, stuck: bool) -> bool {
        let few = self.echoes < MANY && !stuck;
        few && self.rested * 2 < self.echoes.max(1)
            || self.at_least.0 >= self.at_most.0 / 2
            || self.is_exact(round)
    }

    /// As `is_sure`, nearly to the length: whoever rests before it goes on has not rested for a good part of that.
    pub(super) fn is_exact(&self, round: Nanos) -> bool {
        // What was judged before the last of a few echoes went by the first one.
        let near = self.at_most.0 < round.0 / 8 && (self.echoes >= MANY || self.first <= round);
        self.at_least.0 >= self.at_most.0 / 4 * 3 || near
    }
}
