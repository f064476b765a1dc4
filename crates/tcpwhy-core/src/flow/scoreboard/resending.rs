//! What is sent again.

use super::{Scoreboard, Sending, Sent, Soonest};
use crate::units::Nanos;

/// Up to so many entries one is parted when some of it is sent again: all behind it move for that.
const MAX_MOVED: usize = 1 << 12;

impl Scoreboard {
    /// As `send`, below what was sent before.
    #[inline(never)]
    pub(super) fn send_again(&mut self, fresh: Sent, soonest: Soonest) -> Sending {
        let Sent { start, end, time, .. } = fresh;
        let arrived = if self.una == self.since { self.before } else { self.una };
        if end <= arrived {
            return Sending::Needless;
        }
        let kind = self.resend(start, end, time, soonest);
        if end > self.nxt {
            self.record(Sent { start: self.nxt, ..fresh });
            self.nxt = end;
        }
        kind
    }

    fn resend(&mut self, start: u64, end: u64, time: Nanos, soonest: Soonest) -> Sending {
        self.part(start);
        self.part(end);
        let at = self.outstanding.partition_point(|s| s.end <= start);
        let tail = end >= self.nxt;
        let Some(sent) = self.outstanding.get_mut(at) else {
            return Sending::Again { times: 0, tail, level: 0, left: time, recanted: 0 };
        };
        let since = time - sent.time;
        if sent.hole && since < soonest.repair {
            sent.hole = sent.end > end;
            return Sending::Reordered;
        }
        let (times, level, left) = (sent.resent, sent.level, sent.time);
        // In other pieces it may be sent again sooner, when a router on the way says that they are too large (RFC 1191).
        if since < soonest.again && self.left_as_one(at, start, end) {
            return Sending::Doubled;
        }
        let (mut i, mut recanted) = (at, 0);
        while let Some(s) = self.outstanding.get_mut(i).filter(|s| s.start < end) {
            s.resent = s.resent.saturating_add(1);
            s.time = time;
            s.hole = false;
            s.parted = false;
            // Where too much is outstanding to part an entry, the rest of it has arrived.
            if s.arrived && start <= s.start && s.end <= end {
                s.arrived = false;
                recanted += s.end - s.start;
            }
            i += 1;
        }
        Sending::Again { times, tail, level, left, recanted }
    }

    /// Entry `at` and those behind it are `start..end`, and were sent at one time.
    fn left_as_one(&self, at: usize, start: u64, end: u64) -> bool {
        let of = |s: &&Sent| s.start < end;
        let all = self.outstanding.get(at..).unwrap_or_default().iter().take_while(of);
        let (mut next, mut left) = (start, None);
        for s in all {
            let known = !s.hole && !s.merged && !s.parted;
            if !known || s.start != next || *left.get_or_insert(s.time) != s.time {
                return false;
            }
            next = s.end;
        }
        next == end
    }

    /// What lies before and behind `boundary` in one entry becomes two: the segments of a hole come one by one, in any order, and of an offloaded one
    /// some are lost.
    fn part(&mut self, boundary: u64) {
        let at = self.outstanding.partition_point(|s| s.end <= boundary);
        let small = self.outstanding.len() < MAX_MOVED;
        let parts = |s: &&mut Sent| s.start < boundary && small;
        let Some(entry) = self.outstanding.get_mut(at).filter(parts) else { return };
        entry.parted = true;
        let before = Sent { end: boundary, ..*entry };
        entry.start = boundary;
        self.outstanding.insert(at, before);
    }
}
