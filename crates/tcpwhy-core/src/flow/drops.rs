//! When what the network dropped had left, and when it was sent again: what got through between two drops tells the rate of what drops.

use std::collections::VecDeque;

use crate::units::Nanos;

/// Drops that are kept of a direction, its first ones: more do not tell more.
const MOST: usize = 512;
/// Holes that are kept, the newest ones: they are filled within a few round trips.
const MOST_HOLES: usize = 256;

/// One segment, or several in a row, that the network dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// It left between these times; they are the same where the capture has seen it.
    pub(crate) left: [Nanos; 2],
    /// When it was sent again.
    pub(crate) again: Nanos,
    /// Bytes of the direction before it, and its own.
    pub(crate) start: u64,
    pub(crate) len: u64,
    /// What left then had been sent before.
    pub(crate) repair: bool,
}

/// The drops of one direction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drops {
    list: Vec<Dropped>,
    /// Where holes end that nothing has filled yet, and when what comes before each had passed.
    holes: VecDeque<(u64, Nanos)>,
}

impl Drops {
    pub(crate) fn list(&self) -> &[Dropped] {
        &self.list
    }

    /// The capture misses what ends at `end`; at `before` the last segment ahead of it passed.
    pub(crate) fn misses(&mut self, end: u64, before: Nanos) {
        if self.holes.len() == MOST_HOLES {
            self.holes.pop_front();
        }
        self.holes.push_back((end, before));
    }

    /// What was sent first, or seen to be missing, at `left` is sent again for the first time.
    pub(crate) fn sent_again(&mut self, start: u64, len: u64, left: Nanos, again: Nanos) {
        let at = self.holes.partition_point(|(end, _)| *end <= start);
        // Of a hole it is known when the segment behind it passed.
        let hole = self.holes.get(at);
        let fills = hole.filter(|(end, before)| *before <= left && start + len <= *end);
        let earliest = fills.map_or(left, |(_, before)| *before);
        self.add(Dropped { left: [earliest, left], again, start, len, repair: false });
    }

    /// As `sent_again`, and not for the first time: what had repaired it was dropped, too.
    pub(crate) fn sent_once_more(&mut self, start: u64, len: u64, left: Nanos, again: Nanos) {
        // One of those that were kept, or of several that were sent again as one.
        if self.list.iter().any(|d| (d.start..d.start + d.len).contains(&start)) {
            self.add(Dropped { left: [left; 2], again, start, len, repair: true });
        }
    }

    fn add(&mut self, dropped: Dropped) {
        if self.list.len() < MOST {
            self.list.push(dropped);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: i64) -> Nanos {
        Nanos::from_millis(ms)
    }

    #[test]
    fn what_fills_a_hole_had_left_between_its_neighbours() {
        let mut drops = Drops::default();
        drops.misses(3_000, ms(10));
        drops.misses(9_000, ms(20));
        drops.sent_again(2_000, 1_000, ms(12), ms(50));
        drops.sent_again(4_000, 1_000, ms(15), ms(51));
        drops.sent_again(9_000, 1_000, ms(23), ms(52));
        let left: Vec<_> = drops.list().iter().map(|d| d.left).collect();
        let seen = [ms(15); 2];
        assert_eq!(left, [[ms(10), ms(12)], seen, [ms(23); 2]], "seen ones leave when they leave");
    }

    #[test]
    fn only_what_was_repaired_before_is_a_repair_in_vain() {
        let mut drops = Drops::default();
        drops.sent_once_more(1_000, 500, ms(10), ms(20));
        drops.sent_again(0, 1_000, ms(1), ms(10));
        drops.sent_once_more(0, 1_000, ms(10), ms(20));
        drops.sent_once_more(500, 500, ms(20), ms(30));
        let repairs: Vec<_> = drops.list().iter().map(|d| (d.start, d.repair)).collect();
        assert_eq!(repairs, [(0, false), (0, true), (500, true)]);
    }

    #[test]
    fn no_more_is_kept_than_tells_more() {
        let mut drops = Drops::default();
        for k in 0..100_000 {
            drops.misses(k * 10 + 5, ms(1));
            drops.sent_again(k * 10, 5, ms(2), ms(30));
        }
        assert_eq!((drops.list.len(), drops.holes.len()), (MOST, MOST_HOLES));
    }
}
