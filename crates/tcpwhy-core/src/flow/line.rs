//! A queue that lies in one piece: what waits is a slice, found without arithmetic on places that wrap.

use std::ops::{Deref, DerefMut};

/// First in, first out. What has left stays in front until its room is needed, so that leaving costs a count.
#[derive(Debug, Clone)]
pub(super) struct Line<T> {
    items: Vec<T>,
    /// So many at the front have left; fewer than there are, unless there are none.
    left: usize,
}

impl<T> Default for Line<T> {
    fn default() -> Self {
        Self { items: Vec::new(), left: 0 }
    }
}

impl<T: Copy> Line<T> {
    /// With room for `n` items.
    pub(super) fn with_capacity(n: usize) -> Self {
        Self { items: Vec::with_capacity(n), left: 0 }
    }

    /// Adds an item at the back; the first takes room for `at_first`.
    #[inline(always)]
    pub(super) fn push_back(&mut self, item: T, at_first: usize) {
        if self.items.len() == self.items.capacity() {
            self.make_room(at_first);
        }
        self.items.push(item);
    }

    /// Adds an item before that at `at`: those behind it move.
    pub(super) fn insert(&mut self, at: usize, item: T) {
        self.items.insert((self.left + at).min(self.items.len()), item);
    }

    /// Where half of the room is that of items that left, it is used again: so an item moves once at most on its way through.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, at_first: usize) {
        if 2 * self.left >= self.items.len() {
            self.items.drain(..self.left);
            self.left = 0;
        }
        if self.items.capacity() == 0 {
            self.items.reserve_exact(at_first);
        }
    }

    /// The item at the front.
    #[inline(always)]
    pub(super) fn front(&self) -> Option<&T> {
        self.items.get(self.left)
    }

    /// Takes the item at the front.
    #[inline(always)]
    pub(super) fn pop_front(&mut self) -> Option<T> {
        let front = *self.front()?;
        self.drop_front(1);
        Some(front)
    }

    /// So many items leave, at most those that there are.
    #[inline(always)]
    pub(super) fn drop_front(&mut self, many: usize) {
        self.left += many;
        if self.left >= self.items.len() {
            self.items.clear();
            self.left = 0;
        }
    }
}

impl<T> Deref for Line<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        self.items.get(self.left..).unwrap_or_default()
    }
}

impl<T> DerefMut for Line<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        self.items.get_mut(self.left..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn it_is_a_queue(pushes in proptest::collection::vec(any::<bool>(), 0..400)) {
            let (mut line, mut queue) = (Line::default(), VecDeque::new());
            for (i, push) in pushes.into_iter().enumerate() {
                if push {
                    line.push_back(i, 4);
                    queue.push_back(i);
                } else {
                    prop_assert_eq!(line.pop_front(), queue.pop_front());
                }
                prop_assert!(line.iter().eq(&queue));
            }
        }
    }

    #[test]
    fn its_room_follows_what_waits_and_not_what_passed() {
        let mut line = Line::with_capacity(8);
        for i in 0..10_000 {
            line.push_back(i, 8);
            if i >= 20 {
                line.pop_front();
            }
        }
        assert_eq!(line.len(), 20);
        assert!(line.items.capacity() <= 64, "{}", line.items.capacity());
    }
}
