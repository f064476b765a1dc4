//! Connections that have closed, until they are concluded, and the packets that still come after that.

use super::seen::of_ends;
use super::table::Place;
use crate::observe::{Segment, flags};
use crate::units::Nanos;
use std::collections::VecDeque;

/// How long a closed connection waits for stragglers: TIME-WAIT on Linux.
const LINGER: Nanos = Nanos::from_secs(60);
/// As `LINGER`, where both ends know that it is over and somebody reads along: only a FIN is still sent again whose ACK was lost, and that after
/// a timer of a few seconds at most (RFC 6298 section 2). Of files another one may show it once more, by a clock that is late.
const SETTLED: Nanos = Nanos::from_secs(5);
/// Closed connections that may linger; beyond it the oldest is concluded. At a thousand a second, they linger for several retransmission
/// timeouts.
const MAX_LINGERING: usize = 1 << 12;
/// Of those, the newest; beyond it one is concluded if both ends know that it is over, and none of its packets can come once more from
/// another capture point. A busy server closes thousands in a second, and all that wait would push the open ones out of the cache.
const MAX_RECENT: usize = 1 << 8;
/// Concluded connections whose stragglers are known, a power of two.
const MAX_GONE: usize = 1 << 14;

/// A closed connection; its place may have been given away since, which its id tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closed {
    pub(super) at: Nanos,
    pub(super) place: Place,
    pub(super) id: u64,
}

/// The closed connections that are not concluded, in the order in which they have closed.
#[derive(Debug, Default)]
pub(super) struct Closing {
    lingering: VecDeque<Closed>,
    /// All of these have closed after those.
    recent: VecDeque<Closed>,
    /// See [`Closing::read_along`].
    reads_along: bool,
}

impl Closing {
    /// What is over is told soon, for somebody waits for it.
    pub(super) fn read_along(&mut self) {
        self.reads_along = true;
    }

    /// How long the recent ones wait until it is asked whether they are over.
    fn settled_after(&self) -> Nanos {
        if self.reads_along { SETTLED } else { LINGER }
    }

    /// One more that has closed.
    pub(super) fn push(&mut self, closed: Closed) {
        self.recent.push_back(closed);
    }

    /// Takes out one that is to be concluded `now`, if there is one; of the recent ones only what `is_over` for both ends, and is `copied_within`
    /// so much time.
    pub(super) fn take(
        &mut self,
        now: Nanos,
        copied_within: Nanos,
        is_over: impl Fn(&Closed) -> bool,
    ) -> Option<Closed> {
        while let Some(closed) = self.recent.front().copied() {
            let crowded = self.recent.len() > MAX_RECENT;
            let apart = if crowded { copied_within } else { self.settled_after() };
            if now - closed.at <= apart {
                break;
            }
            self.recent.pop_front();
            if is_over(&closed) {
                return Some(closed);
            }
            self.lingering.push_back(closed);
        }
        let many = self.lingering.len() + self.recent.len() > MAX_LINGERING;
        let oldest = if self.lingering.is_empty() { &mut self.recent } else { &mut self.lingering };
        oldest.front().filter(|closed| many || now - closed.at > LINGER)?;
        oldest.pop_front()
    }

    /// The place of the recent one that is concluded when so many others have closed.
    pub(super) fn soon(&self, others: usize) -> Option<Place> {
        self.recent.get(others).map(|closed| closed.place)
    }

    /// When the first of them may be concluded, however few there are.
    pub(super) fn until(&self) -> Nanos {
        let first = |list: &VecDeque<Closed>, after| list.front().map(|closed| closed.at + after);
        let (lingers, settles) =
            (first(&self.lingering, LINGER), first(&self.recent, self.settled_after()));
        lingers.into_iter().chain(settles).min().unwrap_or(Nanos::MAX)
    }
}

/// The last connections that were concluded before all of their stragglers can have come.
#[derive(Debug)]
pub(super) struct Gone {
    /// What their ends add to the print of each packet, and when they had closed.
    known: Box<[(u64, Nanos)]>,
}

impl Default for Gone {
    fn default() -> Self {
        Self { known: vec![(0, Nanos::ZERO); MAX_GONE].into_boxed_slice() }
    }
}

impl Gone {
    /// Remembers a connection whose ends have this print, if it is concluded `now` before all of its stragglers can have come.
    pub(super) fn remember(&mut self, print: u64, closed: Nanos, now: Nanos) {
        if now - closed <= LINGER {
            self.known[print as usize % MAX_GONE] = (print, closed);
        }
    }

    /// Whether `segment`, which belongs to no connection, is one of those that follow the end: an ACK, a FIN or a RST. Data begins
    /// something new: its SYN may have been missed.
    pub(super) fn has_left(&self, segment: &Segment) -> bool {
        let empty = segment.len == 0 || segment.has(flags::FIN);
        empty
            && !segment.has(flags::SYN)
            && (self.knows(of_ends(&segment.src, &segment.dst), segment.time)
                || self.knows(of_ends(&segment.dst, &segment.src), segment.time))
    }

    fn knows(&self, print: u64, now: Nanos) -> bool {
        let (known, closed) = self.known[print as usize % MAX_GONE];
        known == print && now - closed <= LINGER
    }
}
