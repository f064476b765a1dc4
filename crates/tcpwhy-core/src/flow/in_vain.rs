//! Data that is sent again and again though its ACK has passed the capture point: its sender does not hear any more.

use crate::kernel::RTO_MIN;
use crate::units::Nanos;

/// The next timeout is twice as long as the last (RFC 6298 section 5.5), and hosts are late.
const BACKOFF_EIGHTHS: i64 = 18;

/// No host gives up sooner (Windows: `TcpMaxDataRetransmissions`; RFC 1122 section 4.2.3.5 asks for 100 s).
const GIVES_UP: u32 = 5;

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
    pub(crate) last: Nanos,
    /// By when the next would have passed.
    pub(crate) due: Nanos,
}

impl InVain {
    /// One more at `time`, or the first of others; the gap before it began at `since`. A timer sends them, and nothing new between them.
    pub(crate) fn next(
        before: Option<Self>,
        (start, data_end): (u64, u64),
        time: Nanos,
        since: Nanos,
    ) -> Self {
        let first = Self { start, data_end, times: 1, since, last: time, due: time };
        let same = |b: &Self| (b.start, b.data_end) == (start, data_end);
        match before.filter(|b| same(b) && time - b.last >= RTO_MIN) {
            Some(b) => {
                let due = time + (time - b.last).scale(BACKOFF_EIGHTHS, 8);
                Self { times: b.times.saturating_add(1), last: time, due, ..b }
            }
            None => first,
        }
    }

    /// Since when their sender has heard nothing, if it `goes_on`, or has gone on until it gave up. Once may be an ACK that came late.
    pub(crate) fn deaf_since(&self, goes_on: bool) -> Option<Nanos> {
        (self.times >= if goes_on { 2 } else { GIVES_UP }).then_some(self.since)
    }
}
