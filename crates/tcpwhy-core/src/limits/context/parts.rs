//! Judgements of many stretches together, made when one of them is asked about and kept.

use crate::flow::stretch::Stretch;
use std::cell::OnceCell;

/// Stretches looked at together; the next ones begin in the middle of these.
pub(super) const TOGETHER: usize = 64;

/// For each part of a direction's stretches whether it is such.
#[derive(Debug, Default)]
pub(super) struct Parts(OnceCell<Box<[bool]>>);

impl Parts {
    /// Whether one of the parts that stretch `i` is in `is_such`.
    pub(super) fn is_in(
        &self,
        i: usize,
        stretches: &[Stretch],
        is_such: impl Fn(&[Stretch]) -> bool,
    ) -> bool {
        let half = TOGETHER / 2;
        let parts = self.0.get_or_init(|| {
            let starts = (0..stretches.len()).step_by(half);
            starts
                .map(|from| is_such(&stretches[from..stretches.len().min(from + TOGETHER)]))
                .collect()
        });
        let at = i / half;
        [at.checked_sub(1), Some(at)].into_iter().flatten().any(|k| parts.get(k) == Some(&true))
    }
}
