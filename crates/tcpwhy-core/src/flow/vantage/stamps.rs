//! The stamps of packets on their way to an end, while their echo is awaited (RFC 7323 section 4).

use crate::flow::line::Line;
use crate::flow::sender_clock::TICK;
use crate::units::Nanos;

/// Stamps remembered; at a 1 ms clock about a second.
const MAX_PENDING: usize = 1024;
/// A capture may begin in the midst of a tick, behind the first packet with its stamp: an eighth less is no other path.
const MANY_TICKS: Nanos = Nanos(8 * TICK.0);
/// Room made at first.
const AT_FIRST: usize = 8;
/// An echo as old as this stands still: longer than any path holds a packet, with room to spare.
const STUCK: Nanos = Nanos::from_secs(5);

/// One of a clock's ticks.
#[derive(Debug, Clone, Copy, Default)]
struct Stamp {
    tsval: u32,
    /// The end takes it, and echoes it from then on.
    taken: bool,
    /// When the first packet with it passed.
    passed: Nanos,
}

/// Stamps, the oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Stamps {
    pending: Line<Stamp>,
    /// The newest that was echoed.
    echoed: Option<Stamp>,
    /// Of the packet that passed last.
    newest: Option<u32>,
    /// The very first packet has passed.
    whole: bool,
    /// The first stamp, where it may not have.
    begun: Option<u32>,
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
    /// Whether `tsval` is another than that of the packet before. A tick of the clock has many packets, on a short path even after the first of
    /// them was echoed.
    #[inline(always)]
    pub(super) fn is_another(&self, tsval: u32) -> bool {
        self.newest != Some(tsval)
    }

    /// The clock's other packets follow: what passes now is its first.
    pub(super) fn begin(&mut self) {
        self.whole = true;
    }

    /// The first packet with `tsval` passed on its way to the end; whether that takes it.
    #[inline(never)]
    pub(super) fn passed(&mut self, tsval: u32, taken: bool, passed: Nanos) {
        if self.newest.replace(tsval).is_none() && !self.whole {
            self.begun = Some(tsval);
        }
        if self.pending.len() >= MAX_PENDING {
            let mut thinned = Line::with_capacity(MAX_PENDING);
            for &every_other in self.pending.iter().step_by(2) {
                thinned.push_back(every_other, AT_FIRST);
            }
            self.pending = thinned;
        }
        self.pending.push_back(Stamp { tsval, taken, passed }, AT_FIRST);
    }

    /// When the packet passed that the end has heard of last, if it echoes `tsecr` now.
    #[inline]
    pub(super) fn when(&self, tsecr: u32) -> Option<Nanos> {
        let not_newer = |stamp: &&Stamp| stamp.tsval.wrapping_sub(tsecr) as i32 <= 0;
        // Nearly always it has been echoed before, and what waits is newer.
        let waiting = match self.pending.front().filter(not_newer) {
            Some(_) => self.pending.iter().take_while(not_newer).last(),
            None => self.echoed.as_ref(),
        };
        waiting.filter(|stamp| stamp.tsval == tsecr).map(|stamp| stamp.passed)
    }

    /// Whether an echo of `tsecr` at `time` tells anything: it is the first of a packet that passed.
    #[inline]
    pub(super) fn is_news(&self, tsecr: u32, time: Nanos) -> bool {
        self.pending.front().is_some_and(|stamp| {
            stamp.tsval.wrapping_sub(tsecr) as i32 <= 0 || time - stamp.passed > STUCK
        })
    }

    /// When the oldest passed that was not echoed, though the end takes it.
    pub(super) fn oldest(&self) -> Option<Nanos> {
        self.pending.iter().find(|stamp| stamp.taken).map(|stamp| stamp.passed)
    }

    /// `tsecr` was echoed at `time`: neither it nor what is older is awaited any more.
    #[inline(always)]
    pub(super) fn echoed(&mut self, tsecr: u32, time: Nanos) -> Echo {
        while let Some(&stamp) = self.pending.front() {
            let newer = stamp.tsval.wrapping_sub(tsecr) as i32;
            if newer > 0 {
                return if time - stamp.passed > STUCK { Echo::Stuck } else { Echo::Nothing };
            }
            self.pending.pop_front();
            if newer == 0 {
                self.echoed = Some(stamp);
                let tells = self.begun != Some(tsecr) || time - stamp.passed >= MANY_TICKS;
                return if tells { Echo::Of(stamp.passed) } else { Echo::Nothing };
            }
        }
        Echo::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_end_does_not_take_is_not_awaited() {
        let mut stamps = Stamps::default();
        stamps.begin();
        let ms = Nanos::from_millis;
        [(1, true, ms(0)), (2, false, ms(1)), (3, true, ms(5))]
            .into_iter()
            .for_each(|(tsval, taken, at)| stamps.passed(tsval, taken, at));
        assert!(matches!(stamps.echoed(1, ms(6)), Echo::Of(Nanos::ZERO)));
        assert_eq!(stamps.oldest(), Some(ms(5)));
        // If it does take it, because more was acknowledged meanwhile, its echo tells as any other.
        assert!(matches!(stamps.echoed(2, ms(7)), Echo::Of(at) if at == ms(1)));
    }
}
