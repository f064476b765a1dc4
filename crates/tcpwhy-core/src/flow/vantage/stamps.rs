//! The stamps of packets on their way to an end, while their echo is awaited (RFC 7323 section 4).

use crate::flow::line::Line;
use crate::units::Nanos;

/// Stamps remembered; at a 1 ms clock about a second.
const MAX_PENDING: usize = 1024;
/// Room made at first.
const AT_FIRST: usize = 8;
/// No path holds a packet for so long: an echo as old as this stands still.
const STUCK: Nanos = Nanos::from_secs(5);

/// Stamps, each with the time at which the first packet with it passed, the oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Stamps {
    pending: Line<(u32, Nanos)>,
    /// The newest that was echoed.
    echoed: Option<(u32, Nanos)>,
    /// The last that is pending, or else the newest that was echoed.
    newest: Option<u32>,
}

/// What an echo tells.
pub(super) enum Echo {
    /// The end had heard a packet that passed then.
    Of(Nanos),
    /// The end echoes an old stamp for ever.
    Stuck,
    Nothing,
}

impl Stamps {
    /// A packet with `tsval` passed on its way to the end.
    #[inline]
    pub(super) fn passed(&mut self, tsval: u32, time: Nanos) {
        // A tick of the clock has many packets, on a short path even after the first of them was echoed.
        if self.newest != Some(tsval) {
            self.remember(tsval, time);
        }
    }

    #[inline(never)]
    fn remember(&mut self, tsval: u32, time: Nanos) {
        if self.pending.len() >= MAX_PENDING {
            let mut thinned = Line::with_capacity(MAX_PENDING);
            for &every_other in self.pending.iter().step_by(2) {
                thinned.push_back(every_other, AT_FIRST);
            }
            self.pending = thinned;
        }
        self.pending.push_back((tsval, time), AT_FIRST);
        self.newest = Some(tsval);
    }

    /// When the packet passed that the end has heard of last, if it echoes `tsecr` now.
    #[inline]
    pub(super) fn when(&self, tsecr: u32) -> Option<Nanos> {
        let not_newer = |(tsval, _): &&(u32, Nanos)| tsval.wrapping_sub(tsecr) as i32 <= 0;
        // Nearly always it has been echoed before, and what waits is newer.
        let waiting = match self.pending.front().filter(not_newer) {
            Some(_) => self.pending.iter().take_while(not_newer).last(),
            None => self.echoed.as_ref(),
        };
        waiting.filter(|(tsval, _)| *tsval == tsecr).map(|&(_, passed)| passed)
    }

    /// Whether an echo of `tsecr` at `time` tells anything: it is the first of a packet that passed.
    #[inline]
    pub(super) fn is_news(&self, tsecr: u32, time: Nanos) -> bool {
        self.pending.front().is_some_and(|&(tsval, passed)| {
            tsval.wrapping_sub(tsecr) as i32 <= 0 || time - passed > STUCK
        })
    }

    /// When the oldest passed that was not echoed.
    pub(super) fn oldest(&self) -> Option<Nanos> {
        self.pending.front().map(|&(_, passed)| passed)
    }

    /// `tsecr` was echoed at `time`: neither it nor what is older is awaited any more.
    #[inline(always)]
    pub(super) fn echoed(&mut self, tsecr: u32, time: Nanos) -> Echo {
        let told = self.take(tsecr, time);
        self.newest = self.pending.last().or(self.echoed.as_ref()).map(|&(tsval, _)| tsval);
        told
    }

    fn take(&mut self, tsecr: u32, time: Nanos) -> Echo {
        while let Some(&(tsval, passed)) = self.pending.front() {
            let newer = tsval.wrapping_sub(tsecr) as i32;
            if newer > 0 {
                return if time - passed > STUCK { Echo::Stuck } else { Echo::Nothing };
            }
            self.pending.pop_front();
            if newer == 0 {
                self.echoed = Some((tsval, passed));
                return Echo::Of(passed);
            }
        }
        Echo::Nothing
    }
}
