//! A direction's stretches with what holds for all of them, and the questions that several rules ask.

use super::around::{Around, nearly, rate};
use super::losses::Losses;
use crate::flow::stretch::{Stretch, Wait};
use crate::flow::{BUSY_HOST, WAKE_UP};
use crate::model::WindowScale;
use crate::units::Nanos;
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// Below this many segments in flight, a delayed ACK (one for every second segment, RFC 1122
/// section 4.2.3.2) cannot be told from a queue.
const FEW_SEGMENTS: u64 = 4;
/// Timers of captures and schedulers of hosts: a queue shorter than this is not seen.
pub(crate) const NOISE: Nanos = Nanos::from_millis(1);
/// CUBIC stands still around its last maximum for at most about twice its period K, a few seconds
/// (RFC 9438 section 4.2); then it grows again.
const LONGER_THAN_CUBIC: Nanos = Nanos::from_secs(10);
/// BBR keeps to a constant rate for 48 rounds where it takes losses for a policer's (`bbr_lt_bw_max_rtts`), and then probes again for as
/// long as nothing is lost: twice that.
const POLICED_ROUNDS: i64 = 96;
/// Variation of a round trip that hosts cause.
const FLAT: Nanos = Nanos::from_micros(100);
/// Rounds in which any congestion control would have tried for more.
pub(crate) const CALM_ROUNDS: u32 = 8;
/// Rounds looked at on each side for what is steady and what grows.
const AROUND: usize = 8;
/// Linux's cubic looks at its window 32 times a second at most (`bictcp_update`): two looks.
pub(crate) const LONG_ENOUGH: Nanos = Nanos::from_millis(62);

/// ACKs come in bunches, which tell no rate in less.
const TELLS_RATE: Nanos = Nanos::from_millis(10);

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
    /// Frame of the first SYN, 0 if it is not there.
    pub(crate) opened_by: u64,
    /// No answer of the receiver was captured.
    pub(crate) blind: bool,
    /// It is known where between the ends the capture was taken.
    pub(crate) placed: bool,
    /// The capture was taken far from the sender.
    pub(crate) far: bool,
    /// Queues on all of the path show in the RTT: without timestamps those between a capture point and a sender far from it do not.
    pub(crate) sees_queues: bool,
    /// Highest delivery rate over a few round trips, in bytes per second.
    pub(crate) peak: u64,
    /// What the narrowest link carries by the spacing of ACKs, in bytes per second.
    pub(crate) capacity: Option<u64>,
    /// As `capacity`, by the first window alone, which left at once: no sender has spread it out.
    pub(crate) first_window: Option<u64>,
    /// Why segments are lost.
    pub(crate) losses: Losses,
    /// The first stretch with a retransmission.
    first_loss: Option<usize>,
    /// The run summed last, and its sums.
    summed: RefCell<(Range<usize>, Around)>,
    /// The stretch asked for last, and the run around it.
    run: Cell<Option<(usize, usize, usize)>>,
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
            opened_by: 0,
            blind: false,
            placed: true,
            far: false,
            sees_queues: true,
            peak,
            capacity: None,
            first_window: None,
            losses,
            first_loss: stretches.iter().position(|s| s.resent > 0),
            summed: RefCell::default(),
            run: Cell::new(None),
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
        matches!(self.wait(i), Wait::Ack | Wait::Timer | Wait::Window) || self.catches_breath(i)
    }

    /// Nothing was in flight, for no longer than a busy host takes to run the process that an ACK has woken.
    pub(crate) fn catches_breath(&self, i: usize) -> bool {
        self.wait(i) == Wait::IdleSelf && self.stretches[i].idle < BUSY_HOST
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
        let stands = |q: Nanos| q >= NOISE && q.0 >= self.floor.0 / 4;
        // A busy host is as late; but less in flight than fills the path makes no queue.
        let explained = |q: Nanos| q >= BUSY_HOST.scale(2, 1) || !self.is_underfull(s.flight);
        even && self.standing_queue(i).is_some_and(|q| stands(q) && explained(q))
    }

    /// Less is in flight than the narrowest link carries in a round trip; nobody knows without a capacity.
    fn is_underfull(&self, flight: u64) -> bool {
        let link = self.capacity.max(self.first_window);
        let second = 1_000_000_000;
        let holds = |rate| crate::units::mul_div(rate, self.floor.0.max(0) as u64, second);
        link.is_some_and(|rate| flight < nearly(holds(rate)))
    }

    /// Data comes out of the path as fast as the narrowest link carries it, give or take a tenth: what goes faster for rounds was not held
    /// by that link. One ACK for a whole round says nothing of the link.
    pub(crate) fn busy(&self, around: &Around) -> bool {
        let carries = self.capacity.unwrap_or(self.peak);
        let at_its_rate = (nearly(carries)..=carries + carries / 10).contains(&around.rate());
        around.samples >= 4 * around.rounds && at_its_rate
    }

    /// As `busy`, in one stretch; nobody knows without a capacity.
    pub(crate) fn fills(&self, s: &Stretch) -> bool {
        self.capacity.is_some_and(|carries| rate(s.arrived(), s.duration()) >= nearly(carries))
    }

    /// Bytes that the narrowest link lets through in `time`; nobody knows without a capacity.
    pub(crate) fn carries_in(&self, time: Nanos) -> Option<u64> {
        let second = 1_000_000_000;
        self.capacity.map(|carries| crate::units::mul_div(carries, time.0.max(0) as u64, second))
    }

    /// Around stretch `i`, for as long as tells a rate, data arrived as fast as the narrowest link carries it.
    pub(crate) fn carried_all(&self, i: usize) -> bool {
        self.capacity.is_some_and(|carries| self.arrived_at(i, carries))
    }

    /// As `carried_all`, by a link or a policer that lets so many bytes per second through.
    pub(crate) fn arrived_at(&self, i: usize, carries: u64) -> bool {
        let middle = &self.stretches[i];
        let lacking = Nanos((TELLS_RATE - middle.duration()).0.max(0) / 2);
        let near = |s: &&Stretch| s.to > middle.from - lacking && s.from < middle.to + lacking;
        let before = self.stretches[..i].iter().rev().take_while(near);
        let (bytes, time) = before
            .chain(self.stretches[i..].iter().take_while(near))
            .fold((0, Nanos::ZERO), |(b, t), s| (b + s.arrived, t + s.duration()));
        rate(u64::try_from(bytes).unwrap_or(0), time) >= nearly(carries)
    }

    /// In no round around was the RTT above the floor: nothing queues, not even now and then.
    pub(crate) fn flat(&self, around: &Around) -> bool {
        let queue = around.rtt_high - self.floor;
        self.sees_queues
            && around.rtt_high > Nanos::ZERO
            && queue < FLAT.max(Nanos(self.floor.0 / 16))
    }

    /// Nothing was lost before stretch `i`, or so long ago that the window would have grown back.
    pub(crate) fn settled(&self, i: usize) -> bool {
        !self.lost_before(i) || self.outlasts_cubic(i)
    }

    /// No loss for so long around stretch `i` that any congestion control would have tried for more, and the flight is no higher at the
    /// end than in the beginning.
    fn outlasts_cubic(&self, i: usize) -> bool {
        let part = &self.stretches[self.between_losses(i)];
        let (Some(first), Some(last)) = (part.first(), part.last()) else { return false };
        let (early, late) = part.split_at(part.len() / 2);
        let highest = |half: &[Stretch]| half.iter().map(|s| s.flight).max().unwrap_or(0);
        // Linux's cubic never falls behind Reno (`tcp_friendliness`, RFC 9438 section 4.3): half a segment a round makes good
        // the three tenths that a loss took within 0.6 rounds a segment.
        let segments = (highest(late) / self.mss) as i64;
        let friendly =
            (self.floor.scale(segments * 6 + 80, 10) + LONG_ENOUGH).min(LONGER_THAN_CUBIC);
        let long = friendly.max(self.floor.scale(POLICED_ROUNDS, 1));
        last.to - first.from >= long && highest(late) <= highest(early) + self.mss
    }

    /// Nothing changes for many rounds, neither flight nor RTT, and nothing is lost. No congestion control leaves it at that: Reno and
    /// CUBIC add to cwnd every round (RFC 5681 section 3.1, RFC 9438 section 4.3), BBR sends a quarter more in one round of eight
    /// (draft-ietf-ccwg-bbr section 4.3.3), and either the flight or a queue grows.
    pub(crate) fn calm(&self, i: usize) -> bool {
        let around = self.around(i);
        around.rounds >= CALM_ROUNDS
            && around.time >= LONG_ENOUGH
            && self.settled(i)
            && around.resent == 0
            && self.stands(&around)
            && self.flat(&around)
    }

    /// The flight neither grows nor varies by more than a quarter.
    pub(crate) fn stands(&self, around: &Around) -> bool {
        !around.grows(self.mss) && around.flight_max <= around.flight() / 4 * 5
    }

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
    pub(crate) fn around(&self, i: usize) -> Around {
        self.sums(self.known_run(i))
    }

    /// As `around`, from stretch `i` on.
    pub(crate) fn ahead(&self, i: usize) -> Around {
        self.sums(i..self.known_run(i).end)
    }

    /// As `run`.
    fn known_run(&self, i: usize) -> Range<usize> {
        match self.run.get() {
            Some((at, from, to)) if at == i => from..to,
            _ => {
                let run = self.run(i);
                self.run.set(Some((i, run.start, run.end)));
                run
            }
        }
    }

    /// As `sum`; neighbours mostly have their run in common.
    fn sums(&self, run: Range<usize>) -> Around {
        let mut summed = self.summed.borrow_mut();
        if summed.0 != run {
            *summed = (run.clone(), self.sum(run));
        }
        summed.1
    }

    fn sum(&self, run: Range<usize>) -> Around {
        let mut sum = Around { window_min: u64::MAX, ..Around::default() };
        let half = run.start + run.len() / 2;
        let mut halves = [(0, 0, 0); 2];
        for k in run.clone() {
            let s = &self.stretches[k];
            sum.rounds += 1;
            sum.filled += u32::from(s.filled > 0 || self.wait(k) == Wait::Window);
            sum.stalls += s.stalls;
            sum.dry_stalls += s.dry_stalls;
            sum.pauses += s.pauses;
            sum.dry_pauses += s.dry_pauses;
            sum.short_pauses += s.short_pauses;
            sum.segments += s.segments;
            sum.pushes += s.pushes;
            sum.short_segments += s.short_segments;
            sum.whole_segments += s.whole_segments;
            sum.samples += s.rtt_count;
            sum.window_min = sum.window_min.min(s.window_min);
            sum.window_max = sum.window_max.max(s.window_max);
            sum.waits += s.waits;
            sum.prompt += s.prompt;
            sum.lengths.join(&s.lengths);
            sum.short_stalls += s.short_stalls;
            sum.woken += s.woken;
            sum.forgone += s.forgone;
            sum.top.join(&s.top);
            sum.left.join(&s.left);
            sum.near += u32::from(s.flight + 2 * self.mss + self.blur(s) >= s.window_min);
            sum.breaks += s.breaks;
            sum.breaks_woken += s.breaks_woken;
            sum.resent += s.resent;
            sum.rtt_high = sum.rtt_high.max(s.rtt_mean().unwrap_or_default());
            sum.stalled += s.stalled_time;
            sum.time += s.duration();
            if s.flight > 0 {
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

    /// How much more than was seen may have been in flight: seen from afar, when an ACK released data is known but for the time that hosts
    /// take to wake up, and on a short path that is a good part of a flight.
    fn blur(&self, s: &Stretch) -> u64 {
        let part = |n: u64| crate::units::mul_div(n, WAKE_UP.0 as u64, self.floor.0.max(1) as u64);
        if self.far { part(s.flight).min(s.flight / 4) } else { 0 }
    }

    /// The stretches around `i` without a retransmission.
    pub(crate) fn between_losses(&self, i: usize) -> Range<usize> {
        let lost = |k: &usize| self.stretches[*k].resent > 0;
        let from = (0..i).rev().find(lost).map_or(0, |k| k + 1);
        let to = (i..self.stretches.len()).find(lost).unwrap_or(self.stretches.len());
        from..to.max(from)
    }

    /// Something was resent in the rounds just before stretch `i`.
    pub(crate) fn lost_lately(&self, i: usize) -> bool {
        self.stretches[i.saturating_sub(AROUND)..i].iter().any(|s| s.resent > 0)
    }

    /// Nothing was ever lost, and in most rounds no queue stood: neither a link nor a policer had too much to do.
    pub(crate) fn is_never_full(&self) -> bool {
        let least = NOISE.max(Nanos(self.floor.0 / 32));
        let measured = self.stretches.iter().filter(|s| s.rtt_count > 0);
        let (queued, all) = measured.fold((0, 0), |(queued, all), s| {
            (queued + u32::from(s.rtt_min - self.floor >= least), all + 1)
        });
        self.first_loss.is_none() && queued * 2 < all
    }

    /// Something was resent before stretch `i`.
    pub(crate) fn lost_before(&self, i: usize) -> bool {
        self.first_loss.is_some_and(|first| first < i)
    }
}

/// The best rate over any four neighbouring stretches: one alone is inflated by ACKs that bunch.
/// Repairs are left out: the ACK that ends one acknowledges many round trips' data at once.
fn peak_rate(stretches: &[Stretch], floor: Nanos) -> u64 {
    let mut clean: Vec<&Stretch> = Vec::with_capacity(stretches.len());
    let kept = stretches
        .iter()
        .enumerate()
        .filter(|&(i, s)| !(s.is_repair() || i > 0 && stretches[i - 1].is_repair()));
    clean.extend(kept.map(|(_, s)| s));
    if clean.is_empty() {
        clean = stretches.iter().collect();
    }
    clean
        .windows(4.min(clean.len().max(1)))
        .filter_map(|w| {
            let time = w.iter().fold(Nanos::ZERO, |t, s| t + s.duration());
            let bytes = w.iter().map(|s| s.arrived()).sum();
            (time >= floor && time.0 > 0).then(|| rate(bytes, time))
        })
        .max()
        .unwrap_or(0)
}
