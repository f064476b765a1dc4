//! Data that is sent again and again though its ACK has passed the capture point: its sender does not hear any more.

use crate::kernel::RTO_MIN;
use crate::units::Nanos;

/// Retransmissions of one segment in a row that the receiver had acknowledged before each of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InVain {
    start: u64,
    /// One past the highest byte of data meanwhile.
    data_end: u64,
    times: u32,
    /// When the first of them was not yet sent.
    since: Nanos,
    /// When the last of them passed.
    last: Nanos,
}

impl InVain {
    /// One more at `time`, or the first of others; the gap before it began at `since`. A timer sends them, and nothing new between them.
    pub(crate) fn next(
        before: Option<Self>,
        (start, data_end): (u64, u64),
        time: Nanos,
        since: Nanos,
    ) -> Self {
        let first = Self { start, data_end, times: 1, since, last: time };
        let same = |b: &Self| (b.start, b.data_end) == (start, data_end);
        match before.filter(|b| same(b) && time - b.last >= RTO_MIN) {
            Some(b) => Self { times: b.times.saturating_add(1), last: time, ..b },
            None => first,
        }
    }

    /// Since when their sender has heard nothing, where it has said nothing else after them: `spoke` is when any packet of it passed last. Once
    /// may be an ACK that came late.
    pub(crate) fn deaf_since(&self, spoke: Nanos) -> Option<Nanos> {
        (self.times >= 2 && self.last == spoke).then_some(self.since)
    }
}
