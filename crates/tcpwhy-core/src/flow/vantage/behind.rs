//! A capture point that seems to be at an end, and has that end's queue before it: a router's other port, or a host whose own queueing
//! discipline limits the rate (Linux shows packets to a capture after it has let them go).

use crate::flow::BUSY_HOST;
use crate::units::Nanos;

/// How late an echo has to be: a host that is busy answers sooner.
const LATE: Nanos = Nanos(2 * BUSY_HOST.0);
/// So many echoes are no chance.
const ENOUGH: u8 = 4;

/// Looks for packets that left their end before it had seen what passed towards it long before: they have queued for as long.
#[derive(Debug, Clone, Default)]
pub(super) struct Behind {
    /// Stamps of two ACKs on their way to the end, the newer one first, and when they passed: one of them passed long ago, and not longer
    /// ago than need be.
    passed: [Option<(u32, Nanos)>; 2],
    /// Late echoes, and the last of them: one that never changes is no queue's doing.
    late: u8,
    echo: Option<u32>,
}

impl Behind {
    /// An ACK passed on its way to the end, which takes its `tsval`.
    #[inline(always)]
    pub(super) fn towards(&mut self, tsval: u32, time: Nanos) {
        let [newer, _] = self.passed;
        if newer.is_none_or(|(_, passed)| time - passed >= LATE) {
            self.passed = [Some((tsval, time)), newer];
        }
    }

    /// A packet of the end passed, which echoes `tsecr`. Whether it was late.
    #[inline(always)]
    pub(super) fn echoed(&mut self, tsecr: u32, time: Nanos) -> bool {
        let is_late = |towards: Option<(u32, Nanos)>| {
            towards.is_some_and(|(tsval, passed)| {
                time - passed >= LATE && (tsecr.wrapping_sub(tsval) as i32) < 0
            })
        };
        let [newer, older] = self.passed;
        let late = is_late(newer) || is_late(older);
        if late {
            self.count(tsecr);
        }
        late
    }

    #[cold]
    fn count(&mut self, tsecr: u32) {
        self.passed = [None; 2];
        if self.echo.replace(tsecr) != Some(tsecr) {
            self.late = self.late.saturating_add(1);
        }
    }

    /// Whether there is such a queue.
    #[inline(always)]
    pub(super) fn is_shown(&self) -> bool {
        self.late >= ENOUGH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a queue is shown by an end that answers what passed `queue` before, every millisecond.
    fn shown(queue: i64) -> bool {
        let mut behind = Behind::default();
        for n in queue..200 {
            behind.towards(n as u32, Nanos::from_millis(n));
            behind.echoed((n - queue) as u32, Nanos::from_millis(n));
        }
        behind.is_shown()
    }

    #[test]
    fn an_end_that_echoes_what_passed_long_ago_has_a_queue_before_it() {
        assert!(!shown(0));
        assert!(!shown(4));
        assert!(shown(9));
    }

    #[test]
    fn a_rest_is_no_queue_nor_is_an_echo_that_comes_late_once() {
        let mut behind = Behind::default();
        for n in 0..50 {
            behind.towards(n, Nanos::from_millis(100 * i64::from(n)));
            behind.echoed(n, Nanos::from_millis(100 * i64::from(n) + 50));
        }
        behind.echoed(48, Nanos::from_millis(4_990));
        assert!(!behind.is_shown());
    }

    #[test]
    fn an_echo_that_stands_still_is_no_queue() {
        let mut behind = Behind::default();
        for n in 1..200 {
            behind.towards(n, Nanos::from_millis(i64::from(n)));
            behind.echoed(0, Nanos::from_millis(i64::from(n)));
        }
        assert!(!behind.is_shown());
    }
}
