//! What is outstanding: sent and not yet acknowledged, in order, with the time of each sending.

mod acknowledging;
mod resending;

pub(crate) use self::acknowledging::Acked;
use super::line::Line;
use crate::units::Nanos;

/// Entries kept; beyond it neighbours are merged, and RTT samples are rarer.
const MAX_OUTSTANDING: usize = 1 << 15;

/// Room made at first: most flights of short connections fit.
const AT_FIRST: usize = 32;

/// One stretch of sequence space as it was sent.
#[derive(Debug, Clone, Copy)]
struct Sent {
    start: u64,
    end: u64,
    /// Last time that any of it was sent.
    time: Nanos,
    /// Times it was sent again.
    resent: u16,
    /// How far into a burst it was sent, see `burst`.
    level: u8,
    /// The capture has not seen it: lost before the capture point, reordered, or dropped by the capture.
    hole: bool,
    /// A SACK block reported it, or something beyond it, and it was not sent again since.
    arrived: bool,
    /// What was sent at several times: none of them is known for its last byte.
    merged: bool,
    /// Of what was sent, or missing, as one, and is sent again in other pieces.
    parted: bool,
}

impl Sent {
    /// `[start, end)`, sent for the first time.
    #[inline(always)]
    fn new(start: u64, end: u64, time: Nanos, level: u8) -> Self {
        Self {
            start,
            end,
            time,
            resent: 0,
            level,
            hole: false,
            arrived: false,
            merged: false,
            parted: false,
        }
    }

    /// Sent once, in order, and nothing heard of it.
    fn is_plain(&self) -> bool {
        self.resent == 0 && !self.hole && !self.arrived && !self.merged
    }

    /// When it was sent, for its round trip.
    fn sample(&self) -> Option<Nanos> {
        (!self.hole && !self.merged).then_some(self.time)
    }
}

/// How far into their bursts a segment, and the hole before it, were sent.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Levels {
    pub(crate) segment: u8,
    pub(crate) hole: u8,
}

/// The least times in which a sender sends again what was lost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Soonest {
    /// Not yet seen: what comes sooner was only out of order.
    pub(crate) repair: Nanos,
    /// Seen: what comes again sooner was not sent again.
    pub(crate) again: Nanos,
}

/// How a data segment relates to what was sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sending {
    /// Nothing sent before carries any of it.
    New,
    /// Sent again; how often before.
    Again {
        /// Earlier retransmissions of the same bytes.
        times: u16,
        /// Nothing newer than this segment had been sent: the tail of a burst.
        tail: bool,
        /// The level in the burst at which it was first sent.
        level: u8,
        /// When it was sent before; of a hole, when the segment behind it passed.
        left: Nanos,
        /// Bytes of it that had been taken for arrived.
        recanted: u64,
    },
    /// Already acknowledged when sent: the retransmission was not needed.
    Needless,
    /// Fills a hole too soon to be a retransmission: the network changed the order.
    Reordered,
    /// Comes again too soon to be one: the network or the capture doubled it.
    Doubled,
}

/// One direction's scoreboard, in unwrapped sequence space.
#[derive(Debug, Clone)]
pub(crate) struct Scoreboard {
    /// Highest cumulative ACK that has reached the sender.
    pub(crate) una: u64,
    /// One past the highest byte sent.
    pub(crate) nxt: u64,
    outstanding: Line<Sent>,
    /// One past the highest byte that a SACK block was sent for.
    reported: u64,
    /// Bytes that the capture missed though they were acknowledged.
    pub(crate) missed: u64,
    /// The first byte that it can have missed.
    since: u64,
    /// One past the last byte before the capture's first that is known to have arrived.
    before: u64,
}

impl Scoreboard {
    /// Nothing sent yet; the next byte is `first`.
    pub(crate) fn new(first: u64) -> Self {
        Self {
            una: first,
            nxt: first,
            outstanding: Line::with_capacity(AT_FIRST),
            reported: 0,
            missed: 0,
            since: first,
            before: first,
        }
    }

    /// As `new`, where the capture may have begun while some of what comes before the first segment was under way.
    pub(crate) fn in_the_middle(first: u64) -> Self {
        Self { since: u64::MAX, ..Self::new(first) }
    }

    /// The capture has seen what begins at `start`. What it sees later of what comes before its first segment is sent again.
    #[inline(always)]
    pub(crate) fn sees(&mut self, start: u64) {
        if self.since == u64::MAX {
            self.since = start;
        }
    }

    /// An ACK in the middle of a connection says that what comes before the capture's first segment is still under way from `ack` on.
    /// Whether it does.
    #[cold]
    pub(crate) fn owes_from(&mut self, ack: u64) -> bool {
        let owed = self.una == self.since;
        if owed {
            self.before = ack;
        }
        owed
    }

    /// Sent and not acknowledged, in bytes.
    pub(crate) fn flight(&self) -> u64 {
        self.nxt.saturating_sub(self.una)
    }

    /// Records a data segment up to `end` that follows what was sent last.
    #[inline(always)]
    pub(crate) fn send_next(&mut self, end: u64, time: Nanos, level: u8) {
        self.record(Sent::new(self.nxt, end, time, level));
        self.nxt = end;
    }

    /// Records a data segment `[start, end)`. `soonest` tells in which time the sender can have learnt of a loss.
    pub(crate) fn send(
        &mut self,
        start: u64,
        end: u64,
        time: Nanos,
        levels: Levels,
        soonest: Soonest,
    ) -> Sending {
        let fresh = Sent::new(start, end, time, levels.segment);
        if start < self.nxt {
            return self.send_again(fresh, soonest);
        }
        if start > self.nxt {
            let hole =
                Sent { start: self.nxt, end: start, level: levels.hole, hole: true, ..fresh };
            self.record(hole);
        }
        self.record(fresh);
        self.nxt = end;
        Sending::New
    }

    #[inline(always)]
    fn record(&mut self, sent: Sent) {
        if self.outstanding.len() >= MAX_OUTSTANDING {
            self.thin();
        }
        self.outstanding.push_back(sent, AT_FIRST);
    }

    /// Halves the entries by merging neighbours, which give no samples then.
    #[cold]
    fn thin(&mut self) {
        let mut fewer = Line::with_capacity(self.outstanding.len() / 2 + 1);
        let mut entries = self.outstanding.iter().copied();
        while let Some(mut a) = entries.next() {
            if let Some(b) = entries.next() {
                a.end = b.end;
                a.time = a.time.max(b.time);
                a.resent = a.resent.max(b.resent);
                a.hole &= b.hole;
                a.arrived &= b.arrived;
                a.merged = true;
            }
            fewer.push_back(a, AT_FIRST);
        }
        self.outstanding = fewer;
    }
}

#[cfg(test)]
mod tests;
