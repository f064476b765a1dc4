//! Whether the capture's clock was set forward: for seconds or hours nothing is captured, and the clocks of those who sent before and after it, which their
//! TCP timestamps show (TSval, RFC 7323 section 5.4), did not go on. Then no transfer stood still.
//!
//! Few packets are looked at, for all are decoded elsewhere, by whichever thread has the time.

use crate::decode::{Frame, decode_each};
use crate::observe::{Endpoint, Segment};
use crate::units::Nanos;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// The least step that is told. Smaller ones are pauses like many others, and slow clocks of 1 s a tick do not show them.
const LEAST: Nanos = Nanos::from_secs(2);
/// So often some frames are looked at, and more where time made a step.
const EVERY: Nanos = Nanos::from_millis(100);
const SOME: u32 = 4;
const AFTER_STEP: u32 = 256;
/// Ways from one end to another that are remembered.
const MOST: usize = 64;
/// For so long and so many ticks a clock must have been seen for its rate to be known: packets are delayed, and that differs.
const HISTORY: Nanos = Nanos::from_millis(200);
const TICKS: i32 = 5;

/// A capture's clock was set forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockStep {
    /// The first frame after it.
    pub frame: u64,
    /// By so much at least.
    pub by: Nanos,
    /// Hosts for which that time did not go by.
    pub hosts: usize,
}

/// What was seen of an end's clock, on its way to another one: the capture's time and TSval.
#[derive(Debug)]
struct Way {
    ends: [Endpoint; 2],
    first: (Nanos, u32),
    last: (Nanos, u32),
}

/// Time in which nothing was captured.
#[derive(Debug)]
struct Step {
    frame: u64,
    from: Nanos,
    to: Nanos,
    /// Hosts whose clocks did not go on, and by how much the capture's did at least.
    stood: BTreeSet<IpAddr>,
    by: Nanos,
    /// The clock of somebody went on.
    passed: bool,
}

/// The clocks of the capture and of those who send in it.
#[derive(Debug)]
pub struct CaptureClock {
    began: Option<Nanos>,
    last: Option<Nanos>,
    /// Frames from then on are looked at, so many.
    next: Nanos,
    left: u32,
    ways: Vec<Way>,
    step: Option<Step>,
    /// The largest one that was none of the hosts'.
    found: Option<Step>,
}

impl Default for CaptureClock {
    fn default() -> Self {
        let (next, ways) = (Nanos(i64::MIN), Vec::new());
        Self { began: None, last: None, next, left: SOME, ways, step: None, found: None }
    }
}

impl CaptureClock {
    /// The next frame of the capture.
    #[inline(always)]
    pub fn see(&mut self, frame: &Frame<'_>) {
        if frame.time >= self.next {
            self.look(frame);
        }
    }

    #[cold]
    fn look(&mut self, frame: &Frame<'_>) {
        self.began.get_or_insert(frame.time);
        let last = self.last.replace(frame.time).unwrap_or(frame.time);
        if frame.time - last >= LEAST {
            self.settle();
            let (stood, by) = (BTreeSet::new(), Nanos::MAX);
            let step =
                Step { frame: frame.number, from: last, to: frame.time, stood, by, passed: false };
            self.step = Some(step);
            self.left = AFTER_STEP;
        }
        decode_each(frame, &mut Segment::default(), |segment| self.hear(segment));
        self.left = self.left.saturating_sub(1);
        // Those that are still to be looked at may be of any time.
        self.next = Nanos(i64::MIN);
        if self.left == 0 {
            (self.left, self.next) = (SOME, frame.time + EVERY);
        }
    }

    /// When the first frame was captured.
    pub fn began(&self) -> Option<Nanos> {
        self.began
    }

    fn hear(&mut self, s: &Segment) {
        let Some((stamp, _)) = s.options.timestamps else { return };
        let (ends, seen) = ([s.src, s.dst], (s.time, stamp));
        let known = self.ways.iter().position(|way| way.ends == ends);
        let Some(way) = known.and_then(|at| self.ways.get_mut(at)) else {
            return self.remember(Way { ends, first: seen, last: seen });
        };
        if let Some(step) = self.step.as_mut().filter(|step| way.last.0 <= step.from) {
            step.compare(way, seen, s.src.addr());
            way.first = seen;
        }
        way.last = seen;
    }

    /// In the place of one that is silent, where there are many.
    fn remember(&mut self, new: Way) {
        if self.ways.len() < MOST {
            return self.ways.push(new);
        }
        let silent = self.ways.iter_mut().min_by_key(|way| way.last.0);
        if let Some(way) = silent.filter(|way| new.last.0 - way.last.0 > LEAST) {
            *way = new;
        }
    }

    /// All is known of a step.
    fn settle(&mut self) {
        let Some(step) = self.step.take() else { return };
        // One host's clock stands still where it sleeps.
        let was_set = !step.passed && step.stood.len() > 1;
        if was_set && self.found.as_ref().is_none_or(|found| found.by < step.by) {
            self.found = Some(step);
        }
    }

    /// The largest step that it was set by, once all was seen.
    pub fn step(mut self) -> Option<ClockStep> {
        self.settle();
        let Step { frame, by, stood, .. } = self.found?;
        Some(ClockStep { frame, by, hosts: stood.len() })
    }
}

impl Step {
    /// Whether time went by for an end that sends again.
    fn compare(&mut self, way: &Way, (time, stamp): (Nanos, u32), host: IpAddr) {
        let history = way.last.0 - way.first.0;
        let ticks = |from: u32, to: u32| to.wrapping_sub(from).cast_signed();
        let known = ticks(way.first.1, way.last.1);
        if history < HISTORY || known < TICKS {
            return;
        }
        let passed = history.scale(ticks(way.last.1, stamp).max(0).into(), known.into());
        let missing = time - way.last.0 - passed;
        if missing < (self.to - self.from).scale(1, 2) {
            self.passed = true;
        } else {
            self.stood.insert(host);
            self.by = self.by.min(missing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_slept_is_no_clock_that_was_set() {
        let mut clock = CaptureClock::default();
        let ends = [1, 2].map(|n| Endpoint::new(IpAddr::from([10, 0, 0, n]), 80));
        let mut hear = |ms: i64, from: usize, stamp: u32| {
            let time = Nanos::from_millis(ms);
            if ms == 9_000 && clock.step.is_none() {
                let (stood, by) = (BTreeSet::new(), Nanos::MAX);
                clock.step = Some(Step {
                    frame: 9,
                    from: Nanos::from_secs(1),
                    to: time,
                    stood,
                    by,
                    passed: false,
                });
            }
            let mut s =
                Segment { time, src: ends[from], dst: ends[1 - from], ..Segment::default() };
            s.options.timestamps = Some((stamp, 0));
            clock.hear(&s);
        };
        for ms in [0, 500, 1_000] {
            hear(ms, 0, ms as u32);
            hear(ms, 1, ms as u32);
        }
        hear(9_000, 0, 1_010);
        hear(9_000, 1, 9_000);
        assert_eq!(clock.step(), None);
    }
}
