//! The rounds around a stretch, summed up.

use super::still::LONG_ENOUGH;
use super::{Context, Summed};
use crate::flow::WAKE_UP;
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::limits::application::paced_burst;
use crate::limits::around::{Around, EVEN};
use crate::units::Nanos;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// Segments in a window next to which two hardly count.
pub(crate) const SEGMENTS: u64 = 8;

/// Rounds looked at on each side for what is steady and what grows.
pub(crate) const AROUND: usize = 8;

impl Context<'_> {
    /// The run of flowing stretches around `i`, broken by losses and by idle times: on each side `AROUND` rounds and at least
    /// `LONG_ENOUGH`.
    pub(crate) fn run(&self, i: usize) -> Range<usize> {
        let (mut from, mut to) = (i, i + 1);
        let middle = &self.stretches[i];
        let enough = |rounds: usize, time: Nanos| rounds >= AROUND && time >= LONG_ENOUGH;
        while from > 0
            && self.flows(from - 1)
            && !enough(i - from, middle.from - self.stretches[from].from)
        {
            from -= 1;
        }
        while to < self.stretches.len()
            && self.flows(to)
            && !enough(to - i - 1, self.stretches[to - 1].to - middle.to)
        {
            to += 1;
        }
        from..to
    }

    /// Sums over the run around `i`; several rules ask for them in turn.
    pub(crate) fn around(&self, i: usize) -> Rc<Around> {
        self.sums(&self.summed_around, self.known_run(i))
    }

    /// As `around`, from stretch `i` on.
    pub(crate) fn ahead(&self, i: usize) -> Rc<Around> {
        self.sums(&self.summed_ahead, i..self.known_run(i).end)
    }

    /// As `run`; several rules ask for it in turn.
    pub(super) fn known_run(&self, i: usize) -> Range<usize> {
        match self.run.get() {
            Some((at, from, to)) if at == i => from..to,
            _ => {
                let run = self.run(i);
                self.run.set(Some((i, run.start, run.end)));
                run
            }
        }
    }

    /// As `sum`; neighbours mostly have their run in common. They are many numbers, so nobody gets a copy of them.
    fn sums(&self, last: &RefCell<Summed>, run: Range<usize>) -> Rc<Around> {
        let mut last = last.borrow_mut();
        if last.0 != run {
            last.0 = run.clone();
            *Rc::make_mut(&mut last.1) = self.sum(run);
        }
        Rc::clone(&last.1)
    }

    fn sum(&self, run: Range<usize>) -> Around {
        let half = run.start + run.len() / 2;
        self.sum_of(run, half)
    }

    /// Sums over these stretches, of which those from `half` on are the later ones.
    fn sum_of(&self, stretches: impl Iterator<Item = usize>, half: usize) -> Around {
        let mut sum = Around { window_min: u64::MAX, ..Around::default() };
        let mut halves = [(0, 0, 0); 2];
        for k in stretches {
            let s = &self.stretches[k];
            sum.rounds += 1;
            let known = self.knows_window_of(s);
            sum.filled += u32::from(known && s.filled > 0 || self.wait(k) == Wait::Window);
            sum.stalls += s.stalls;
            sum.dry_stalls += s.dry_stalls;
            sum.pauses += s.pauses;
            sum.dry_pauses += s.dry_pauses;
            sum.short_pauses += s.short_pauses;
            sum.segments += s.segments;
            sum.pushes += s.pushes;
            sum.short_segments += s.short_segments;
            sum.whole_segments += s.whole_segments;
            sum.acks += s.acks;
            sum.window_min = sum.window_min.min(s.window_min);
            sum.window_max = sum.window_max.max(s.window_max);
            sum.waits += s.waits;
            sum.prompt += s.prompt;
            sum.lengths.join(&s.lengths);
            sum.short_stalls += s.short_stalls;
            sum.woken += s.woken;
            sum.woken_after += s.woken_after;
            sum.passed_over.join(&s.passed_over);
            sum.unprompted += s.unprompted;
            sum.answered += s.answered;
            sum.spoken += s.spoken;
            sum.forgone += s.forgone;
            sum.top.join(&s.top);
            sum.left.join(&s.left);
            sum.late.join(&s.late);
            sum.ends.join(&s.ends);
            sum.answers.join(&s.answers);
            sum.repeated.join(&s.repeated);
            // The smallest shift that holds the data puts an edge next to a small flight by chance.
            let least = if self.guesses_scale() && s.shift > 0 { 2 * SEGMENTS } else { SEGMENTS };
            let large = known && s.window_min >= least * self.mss;
            let near = s.flight + 2 * self.mss + self.blur(s) >= s.window_min;
            sum.near += u32::from(large && near);
            sum.close += u32::from(large && s.flight >= s.window_min - s.window_min / 8);
            sum.breaks += s.breaks;
            sum.breaks_woken += s.breaks_woken;
            sum.resent += s.resent;
            sum.rtt_high = sum.rtt_high.max(s.forth_mean().unwrap_or_default());
            sum.stalled += s.stalled_time;
            sum.time += s.duration();
            if s.flight > 0 {
                sum.flight_next = sum.flight_next.max(s.flight.min(sum.flight_max));
                sum.flight_max = sum.flight_max.max(s.flight);
                let half = &mut halves[usize::from(k >= half)];
                *half = (half.0 + s.flight, half.1 + 1, half.2.max(s.flight));
            }
            sum.arrived += s.arrived();
        }
        [sum.flight_early, sum.flight_late] = halves.map(|(flight, n, _)| flight / n.max(1));
        [sum.highest_early, sum.highest_late] = halves.map(|(.., highest)| highest);
        sum
    }

    /// Sums over all stretches in which data flows: each of several transfers may be too short to tell.
    pub(crate) fn all_along(&self) -> &Around {
        let count = self.stretches.len();
        let flowing = || (0..count).filter(|&i| self.flows(i));
        self.all_along.get_or_init(|| Box::new(self.sum_of(flowing(), count / 2)))
    }

    /// Data left by a timer all along, as little at a time as pacing makes; only near the sender it can be told.
    pub(crate) fn is_paced(&self) -> bool {
        let waits: u32 = self.stretches.iter().map(|s| s.waits).sum();
        if self.far || waits < EVEN {
            return false;
        }
        let sum = self.all_along();
        let small = sum.burst() <= paced_burst(self, sum.sending_rate());
        sum.waits >= EVEN && small && !sum.is_woken_by_acks()
    }

    /// All arrives before more leaves, full segments alone come in lumps as pacing makes them, at even intervals, all along. Writes by a clock all
    /// end in segments that are not full, and a slow link passes on one segment at a time; answers have waited for a question.
    pub(crate) fn lets_go_by_a_timer(&self) -> bool {
        *self.by_a_timer.get_or_init(|| {
            // A reader that stops, and a loss, hold a pacer, too.
            let is_free = |&i: &usize| {
                let s = &self.stretches[i];
                s.wait != Wait::Window && !s.is_repair()
            };
            let count = self.stretches.len();
            let sum = self.sum_of((0..count).filter(is_free), count / 2);
            let rests = |wait| self.stretches.iter().filter(|s| s.wait == wait).count();
            let drained = rests(Wait::IdleSelf);
            sum.waits >= 2 * EVEN
                && drained * 2 >= sum.waits as usize
                && rests(Wait::IdlePeer) * 2 <= drained
                && sum.short_segments * EVEN <= sum.waits
                && sum.is_regular_within(if self.far { 4 } else { 8 })
                && sum.burst() >= self.mss / 2 * 3
                && sum.burst() <= paced_burst(self, sum.rate())
        })
    }

    /// How much more than was seen may have been in flight: seen from afar, when an ACK released data is known but for the time that hosts
    /// take to wake up, and on a short path that is a good part of a flight.
    fn blur(&self, s: &Stretch) -> u64 {
        let part = |n: u64| crate::units::mul_div(n, WAKE_UP.0 as u64, self.floor.0.max(1) as u64);
        if self.far { part(s.flight).min(s.flight / 4) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::made::{MSS, rounds};

    #[test]
    fn a_timer_that_lets_large_packets_go_is_pacing_and_one_whose_writes_end_short_is_not() {
        let lumps = |wait, segments: u64, short: u32, vary: u64| {
            let list = rounds(80, Nanos::from_millis(6), |k, s| {
                (s.wait, s.waits, s.segments) = (wait, 1, segments as u32);
                (s.arrived, s.short_segments) = ((segments * MSS) as i64, short);
                s.lengths.add(5_000_000 + vary * (k as u64 % 4));
            });
            Context::new(&list, Nanos::from_millis(1), MSS).lets_go_by_a_timer()
        };
        let paced = |segments, short, vary| lumps(Wait::IdleSelf, segments, short, vary);
        assert!(paced(12, 0, 0) && paced(2, 0, 0));
        assert!(!paced(12, 1, 0), "the ends of writes");
        assert!(!paced(12, 0, 1_000_000), "at odd intervals");
        assert!(!paced(40, 0, 0), "more than pacing lets go");
        assert!(!paced(1, 0, 0), "a slow link's segments");
        assert!(!lumps(Wait::Ack, 12, 0, 0), "what is in flight may keep back the ends of writes");
    }

    #[test]
    fn answers_that_leave_evenly_are_let_go_by_questions() {
        let paces = |asked: usize, stops: bool| {
            let list = rounds(80, Nanos::from_millis(6), |k, s| {
                s.wait = if k % 4 < asked { Wait::IdlePeer } else { Wait::IdleSelf };
                (s.waits, s.segments, s.arrived) = (1, 2, 2 * MSS as i64);
                s.lengths.add(5_000_000);
                if stops && k == 40 {
                    s.wait = Wait::Window;
                    s.lengths.add(1_500_000_000);
                }
            });
            Context::new(&list, Nanos::from_millis(1), MSS).lets_go_by_a_timer()
        };
        assert!(paces(0, false) && paces(1, false) && !paces(2, false));
        assert!(paces(0, true), "while the reader stopped nothing was let go");
    }

    #[test]
    fn a_timer_that_lets_little_go_at_a_time_is_pacing() {
        let paced = |waits: u32, prompt: u32, far: bool| {
            let list = rounds(10, Nanos::from_millis(100), |_, s| {
                (s.arrived, s.waits, s.prompt, s.rtt_count) = (100 * MSS as i64, waits, prompt, 50);
                (0..waits).for_each(|_| s.lengths.add(2_000_000));
            });
            let mut ctx = Context::new(&list, Nanos::from_millis(100), MSS);
            ctx.far = far;
            ctx.is_paced()
        };
        assert!(paced(50, 10, false));
        // Each wait ended by an ACK; more at once; from afar nobody can tell.
        assert!(!paced(50, 50, false));
        assert!(!paced(5, 0, false));
        assert!(!paced(50, 10, true));
    }
}
