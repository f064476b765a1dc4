//! Times during which something held.

/// Spans in order of their beginning, nanoseconds since the Unix epoch.
#[derive(Debug, Clone, Default)]
pub(super) struct Spans(Vec<(u64, u64)>);

impl Spans {
    /// Adds one; [`Spans::sort`] comes after the last.
    pub(super) fn push(&mut self, from: u64, to: u64) {
        self.0.push((from, to));
    }

    /// Puts them in order.
    pub(super) fn sort(&mut self) {
        self.0.sort_unstable();
    }

    /// Whether it held at that moment.
    pub(super) fn contains(&self, t_ns: u64) -> bool {
        let after = self.0.partition_point(|(from, _)| *from <= t_ns);
        after.checked_sub(1).and_then(|i| self.0.get(i)).is_some_and(|(_, to)| t_ns < *to)
    }

    /// How long it held in all.
    pub(super) fn total(&self) -> u64 {
        self.0.iter().map(|(from, to)| to.saturating_sub(*from)).sum()
    }

    /// How long it held between two moments.
    pub(super) fn within(&self, from_ns: u64, to_ns: u64) -> u64 {
        let part = |(from, to): &(u64, u64)| (*to).min(to_ns).saturating_sub((*from).max(from_ns));
        self.0.iter().map(part).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_ends_where_it_ends() {
        let mut spans = Spans::default();
        spans.push(20, 30);
        spans.push(0, 10);
        spans.sort();
        assert_eq!([0, 9, 10, 25, 30].map(|t| spans.contains(t)), [true, true, false, true, false]);
        assert_eq!((spans.total(), spans.within(5, 22)), (20, 7));
    }
}
