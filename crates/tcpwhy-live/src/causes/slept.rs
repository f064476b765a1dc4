//! Where threads slept: `struct place`, `struct slept` and `struct sleeper` of `bpf/slept.h`, in the machine's byte order.

use std::collections::{HashMap, HashSet};

use super::record::{i32_at, text, u64_at};

/// Bytes of a place.
pub(super) const PLACE: usize = 32;
/// Bytes of what was slept there.
pub(super) const SLEPT: usize = 32;
/// Bytes of a thread that sleeps.
pub(super) const SLEEPER: usize = 8 + PLACE;

/// Where a thread slept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place(pub [u8; PLACE]);

impl Place {
    pub(super) fn inode(self) -> u32 {
        u64_at(&self.0, 0).and_then(|inode| inode.try_into().ok()).unwrap_or(0)
    }

    pub(super) fn process(self) -> u32 {
        self.word(8).cast_unsigned()
    }

    pub(super) fn thread(self) -> u32 {
        self.word(12).cast_unsigned()
    }

    pub(super) fn writes(self) -> bool {
        self.word(16) != 0
    }

    /// Number of the program's stack.
    pub(super) fn user(self) -> Option<u32> {
        self.word(20).try_into().ok()
    }

    /// Number of the kernel's stack.
    pub(super) fn kernel(self) -> Option<u32> {
        self.word(24).try_into().ok()
    }

    fn word(self, at: usize) -> i32 {
        i32_at(&self.0, at).unwrap_or(0)
    }
}

/// Nanoseconds, and the thread's name.
pub(super) fn slept(raw: &[u8; SLEPT]) -> (u64, String) {
    (u64_at(raw, 0).unwrap_or(0), text(&raw[16..]))
}

/// Since when a thread sleeps (`CLOCK_MONOTONIC`), and where.
pub(super) fn sleeper(raw: &[u8; SLEEPER]) -> (u64, Place) {
    let mut place = [0; PLACE];
    place.copy_from_slice(&raw[8..]);
    (u64_at(raw, 0).unwrap_or(0), Place(place))
}

/// Sums that only grow -> what was added since the last look.
#[derive(Debug, Default)]
pub(super) struct Growth {
    sums: HashMap<Place, u64>,
    /// Of the last look, those that had no sum any more.
    missed: HashSet<Place>,
}

impl Growth {
    /// What was added to the sum of a place. A sum may seem to shrink while a thread wakes between two looks: that adds nothing.
    pub(super) fn of(&mut self, place: Place, sum: u64) -> u64 {
        let before = self.sums.entry(place).or_default();
        let added = sum.saturating_sub(*before);
        *before = sum.max(*before);
        added
    }

    /// Drops a place whose sum begins again.
    pub(super) fn forget(&mut self, place: Place) {
        self.sums.remove(&place);
    }

    /// Drops places that had no sum in this look and in the one before. Not in one alone: a thread that wakes while the kernel's maps are
    /// read may be in none of them.
    pub(super) fn keep<T>(&mut self, found: &HashMap<Place, T>) {
        let absent = self.sums.keys().filter(|place| !found.contains_key(place)).copied();
        let before = std::mem::replace(&mut self.missed, absent.collect());
        for place in self.missed.intersection(&before) {
            self.sums.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_and_grows() {
        let mut raw = [0; SLEEPER];
        raw[0] = 9;
        for (at, word) in [(8, 77_i32), (16, 5), (20, 6), (24, 1), (28, -1), (32, 3)] {
            raw[at..at + 4].copy_from_slice(&word.to_ne_bytes());
        }
        let (since, place) = sleeper(&raw);
        assert_eq!((since, place.inode(), place.process(), place.thread()), (9, 77, 5, 6));
        assert_eq!((place.writes(), place.user(), place.kernel()), (true, None, Some(3)));
        let mut growth = Growth::default();
        let added: Vec<u64> = [10, 25, 20, 30].map(|sum| growth.of(place, sum)).into();
        assert_eq!(added, [10, 15, 0, 5]);
        growth.forget(place);
        assert_eq!(growth.of(place, 4), 4);
    }

    #[test]
    fn a_place_where_nobody_sleeps_any_more_is_forgotten_at_the_second_look() {
        let (mut growth, place) = (Growth::default(), Place([1; PLACE]));
        let (some, none) = (HashMap::from([(place, ())]), HashMap::<Place, ()>::new());
        for found in [&some, &none, &some, &none] {
            growth.of(place, 7);
            growth.keep(found);
        }
        assert_eq!(growth.of(place, 7), 0, "it was there between");
        growth.keep(&none);
        assert!(growth.sums.is_empty());
    }
}
