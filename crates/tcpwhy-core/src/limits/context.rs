//! A direction's stretches with what holds for all of them, and the questions that several rules ask.

use super::losses::Losses;
use crate::flow::stretch::{Stretch, Wait};
use crate::model::WindowScale;
use crate::units::Nanos;
use std::cell::Cell;

/// Below this many segments in flight, a delayed ACK (one for every second segment, RFC 1122
/// section 4.2.3.2) cannot be told from a queue.
const FEW_SEGMENTS: u64 = 4;
/// Timers of captures and schedulers of hosts: a queue shorter than this is not seen.
const NOISE: Nanos = Nanos::from_millis(1);
/// Percent of segments with PSH up to which it tells something.
const TELLING: u32 = 34;
/// Rounds looked at on each side for what is steady and what grows.
const AROUND: usize = 8;

/// Everything that a rule may look at.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) stretches: &'a [Stretch],
    /// RTT floor.
    pub(crate) floor: Nanos,
    /// Payload of a full segment.
    pub(crate) mss: u64,
    pub(crate) scale: WindowScale,
    /// The window shift in the end: an inferred one has grown until it fitted.
    pub(crate) shift: u8,
    pub(crate) syn_retried: bool,
    /// No answer of the receiver was captured.
    pub(crate) blind: bool,
    /// It is known where between the ends the capture was taken.
    pub(crate) placed: bool,
    /// The capture was taken far from the sender.
    pub(crate) far: bool,
    /// Highest delivery rate over a few round trips, in bytes per second.
    pub(crate) peak: u64,
    /// Why segments are lost.
    pub(crate) losses: Losses,
    /// What was around the stretch asked for last.
    summed: Cell<Option<(usize, Around)>>,
}

/// Sums over neighbouring rounds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Around {
    pub(crate) rounds: u32,
    /// Rounds in which the flight reached the window's edge.
    pub(crate) filled: u32,
    pub(crate) stalls: u32,
    pub(crate) dry_stalls: u32,
    pub(crate) pauses: u32,
    pub(crate) dry_pauses: u32,
    pub(crate) short_pauses: u32,
    pub(crate) segments: u32,
    pub(crate) pushes: u32,
    pub(crate) flight_min: u64,
    pub(crate) flight_max: u64,
    /// Largest flight of the earlier and of the later half: a maximum, because a stretch may hold
    /// only a part of a round's burst.
    pub(crate) flight_early: u64,
    pub(crate) flight_late: u64,
    pub(crate) acked: u64,
    pub(crate) stalled: Nanos,
    pub(crate) time: Nanos,
}

impl<'a> Context<'a> {
    /// Prepares the facts that need all stretches.
    pub(crate) fn new(stretches: &'a [Stretch], floor: Nanos, mss: u64) -> Self {
        let peak = peak_rate(stretches, floor);
        let scale = WindowScale::Absent;
        let losses = Losses::Plain;
        Self {
            stretches,
            floor,
            mss: mss.max(1),
            scale,
            shift: 0,
            syn_retried: false,
            blind: false,
            placed: true,
            far: false,
            peak,
            losses,
            summed: Cell::new(None),
        }
    }

    /// What stretch `i` waited for. A window found closed under a shift that later proved too small
    /// was not closed.
    pub(crate) fn wait(&self, i: usize) -> Wait {
        let s = &self.stretches[i];
        if s.wait == Wait::Window && s.shift < self.shift && !s.zero_window {
            Wait::Ack
        } else {
            s.wait
        }
    }

    /// Data flows in stretch `i`: it says something about flight and rate.
    fn flows(&self, i: usize) -> bool {
        matches!(self.wait(i), Wait::Ack | Wait::Timer | Wait::Window)
    }

    /// How much the smallest RTT of stretch `i` lies above the floor: a queue that stood for all of
    /// it. `None` where it cannot be told.
    pub(crate) fn standing_queue(&self, i: usize) -> Option<Nanos> {
        let s = &self.stretches[i];
        let measured = s.rtt_min != Nanos::MAX && s.flight >= FEW_SEGMENTS * self.mss;
        measured.then(|| s.rtt_min - self.floor)
    }

    /// A queue counts when it adds a quarter to the round trip and is no noise.
    pub(crate) fn queue_stands(&self, i: usize) -> bool {
        let s = &self.stretches[i];
        // Packets that queue up come out evenly: a pause of most of a round trip is no queue's.
        let even = s.rtt_mean().is_some_and(|rtt| s.longest_stall.0 <= rtt.0 / 4 * 3);
        even && self.standing_queue(i).is_some_and(|q| q >= NOISE && q.0 >= self.floor.0 / 4)
    }

    /// The run of flowing stretches around `i`, at most `AROUND` on each side, broken by losses and
    /// by idle times.
    pub(crate) fn run(&self, i: usize) -> std::ops::Range<usize> {
        let mut from = i;
        while from > 0 && i - from < AROUND && self.flows(from - 1) {
            from -= 1;
        }
        let mut to = i + 1;
        while to < self.stretches.len() && to - i <= AROUND && self.flows(to) {
            to += 1;
        }
        from..to
    }

    /// Sums over the run around `i`; several rules ask for them in turn.
    pub(crate) fn around(&self, i: usize) -> Around {
        match self.summed.get() {
            Some((at, around)) if at == i => around,
            _ => {
                let around = self.sum(self.run(i));
                self.summed.set(Some((i, around)));
                around
            }
        }
    }

    /// As `around`, from stretch `i` on.
    pub(crate) fn ahead(&self, i: usize) -> Around {
        self.sum(i..self.run(i).end)
    }

    fn sum(&self, run: std::ops::Range<usize>) -> Around {
        let mut sum = Around { flight_min: u64::MAX, ..Around::default() };
        let half = run.start + run.len() / 2;
        for k in run.clone() {
            let s = &self.stretches[k];
            sum.rounds += 1;
            sum.filled += u32::from(s.filled > 0);
            sum.stalls += s.stalls;
            sum.dry_stalls += s.dry_stalls;
            sum.pauses += s.pauses;
            sum.dry_pauses += s.dry_pauses;
            sum.short_pauses += s.short_pauses;
            sum.segments += s.segments;
            sum.pushes += s.pushes;
            sum.stalled += s.stalled_time;
            sum.time += s.duration();
            if s.flight > 0 {
                sum.flight_min = sum.flight_min.min(s.flight);
                sum.flight_max = sum.flight_max.max(s.flight);
                let half = if k < half { &mut sum.flight_early } else { &mut sum.flight_late };
                *half = s.flight.max(*half);
            }
            sum.acked += s.acked;
        }
        sum
    }

    /// The stretches around `i` without a retransmission.
    pub(crate) fn between_losses(&self, i: usize) -> std::ops::Range<usize> {
        let lost = |k: &usize| self.stretches[*k].resent > 0;
        let from = (0..i).rev().find(lost).map_or(0, |k| k + 1);
        let to = (i..self.stretches.len()).find(lost).unwrap_or(self.stretches.len());
        from..to.max(from)
    }

    /// Something was resent before stretch `i`.
    pub(crate) fn lost_before(&self, i: usize) -> bool {
        self.stretches[..i].iter().any(|s| s.resent > 0)
    }
}

impl Around {
    /// Stalls that followed an emptied queue, in percent; `None` without stalls.
    pub(crate) fn dryness(&self) -> Option<u32> {
        (self.stalls > 0).then(|| self.dry_stalls * 100 / self.stalls)
    }

    /// The sender's queue ran dry before nearly every wait that no ACK ended: a segment shorter than
    /// the MSS says so, or PSH where few segments carry it (where every second one does, it marks
    /// pairs, not ends).
    pub(crate) fn runs_dry(&self) -> bool {
        let most = |n: u32| self.pauses > 0 && n * 4 >= self.pauses * 3;
        most(self.short_pauses) || (self.push_tells() && most(self.dry_pauses))
    }

    /// PSH is rare enough to mean something.
    pub(crate) fn push_tells(&self) -> bool {
        self.push_rate() <= TELLING
    }

    /// As `dryness`, of the waits that no ACK ended.
    pub(crate) fn dry_pauses(&self) -> Option<u32> {
        (self.pauses > 0).then(|| self.dry_pauses * 100 / self.pauses)
    }

    /// PSH on ordinary segments, in percent: where most carry it, it says nothing at a stall.
    pub(crate) fn push_rate(&self) -> u32 {
        self.pushes * 100 / self.segments.max(1)
    }

    /// The flight's growth between the two halves, in bytes per round.
    pub(crate) fn growth(&self) -> i64 {
        let rounds = i64::from(self.rounds / 2).max(1);
        (self.flight_late as i64 - self.flight_early as i64) / rounds
    }

    /// Delivery rate, in bytes per second.
    pub(crate) fn rate(&self) -> u64 {
        rate(self.acked, self.time)
    }

    /// Part of the time without sending, in percent.
    pub(crate) fn stalled_percent(&self) -> i64 {
        self.stalled.scale(100, self.time.0.max(1)).0
    }
}

fn rate(bytes: u64, time: Nanos) -> u64 {
    crate::units::bits_per_second(bytes, time) / 8
}

/// The best rate over any four neighbouring stretches: one alone is inflated by ACKs that bunch.
/// Repairs are left out: the ACK that ends one acknowledges many round trips' data at once.
fn peak_rate(stretches: &[Stretch], floor: Nanos) -> u64 {
    let repaired = |s: &Stretch| s.wait == Wait::Recovery || s.resent > 0;
    let mut clean: Vec<&Stretch> = Vec::with_capacity(stretches.len());
    let kept = stretches
        .iter()
        .enumerate()
        .filter(|&(i, s)| !(repaired(s) || i > 0 && repaired(&stretches[i - 1])));
    clean.extend(kept.map(|(_, s)| s));
    if clean.is_empty() {
        clean = stretches.iter().collect();
    }
    clean
        .windows(4.min(clean.len().max(1)))
        .filter_map(|w| {
            let time = w.iter().fold(Nanos::ZERO, |t, s| t + s.duration());
            let bytes = w.iter().map(|s| s.acked).sum();
            (time >= floor && time.0 > 0).then(|| rate(bytes, time))
        })
        .max()
        .unwrap_or(0)
}
