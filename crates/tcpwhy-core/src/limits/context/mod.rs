//! A direction's stretches with what holds for all of them, and the questions that several rules ask.

mod climb;
mod jitter;
mod link;
mod longer_way;
mod parts;
mod run;
mod still;

use super::around::Around;
use super::losses::Losses;
use crate::flow::BUSY_HOST;
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::model::WindowScale;
use crate::units::{Nanos, bytes_per_second};
pub(crate) use link::NOISE;
use parts::Parts;
pub(crate) use run::{AROUND, SEGMENTS};
use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;
pub(crate) use still::{CALM_ROUNDS, LONG_ENOUGH};

/// A run, and its sums.
type Summed = (Range<usize>, Rc<Around>);

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
    /// Until then the server had not taken the connection in: see [`FindingKind::NotAccepted`](crate::model::FindingKind::NotAccepted).
    pub(crate) accepted: Option<Nanos>,
    /// Frames of the first packet with SYN and of the last, 0 if none is there.
    pub(crate) opened_by: (u64, u64),
    /// No answer of the receiver was captured.
    pub(crate) blind: bool,
    /// It is known where between the ends the capture was taken.
    pub(crate) placed: bool,
    /// What is known of that is no guess.
    pub(crate) sure: bool,
    /// It is known nearly to the length.
    pub(crate) exact: bool,
    /// From one tick of the capture's clock to the next; zero where it is fine.
    pub(crate) tick: Nanos,
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
    /// The first stretch with a retransmission for which the congestion window was cut.
    first_cut: Option<usize>,
    /// The first stretch in which the receiver echoed a congestion mark.
    first_mark: Option<usize>,
    /// See [`Context::around`] and [`Context::ahead`]: what was asked for last.
    summed_around: RefCell<Summed>,
    summed_ahead: RefCell<Summed>,
    /// See [`Context::is_longer_way`].
    longer_ways: Parts,
    jitters: Parts,
    /// See [`Context::jitters`].
    carries_no_more: OnceCell<bool>,
    /// See [`Context::even_rate`].
    even: OnceCell<Option<u64>>,
    /// See [`Context::widest`].
    widest: OnceCell<u64>,
    /// See [`Context::all_along`].
    all_along: OnceCell<Box<Around>>,
    /// See [`Context::lets_go_by_a_timer`].
    by_a_timer: OnceCell<bool>,
    /// See [`Context::sends_at_once`].
    pub(super) at_once: OnceCell<bool>,
    /// The stretch asked for last, and the run around it.
    run: Cell<Option<(usize, usize, usize)>>,
    /// The stretch asked for last, and the answer of [`Context::climbs`].
    climb: Cell<Option<(usize, bool)>>,
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
            accepted: None,
            opened_by: (0, 0),
            blind: false,
            placed: true,
            sure: true,
            exact: true,
            tick: Nanos::ZERO,
            far: false,
            sees_queues: true,
            peak,
            capacity: None,
            first_window: None,
            losses,
            first_cut: still::first_cut(stretches, floor, mss),
            first_mark: stretches.iter().position(|s| s.marks > 0),
            summed_around: RefCell::default(),
            summed_ahead: RefCell::default(),
            longer_ways: Parts::default(),
            jitters: Parts::default(),
            carries_no_more: OnceCell::new(),
            even: OnceCell::new(),
            widest: OnceCell::new(),
            all_along: OnceCell::new(),
            by_a_timer: OnceCell::new(),
            at_once: OnceCell::new(),
            run: Cell::new(None),
            climb: Cell::new(None),
        }
    }

    /// What stretch `i` waited for. A window found closed under a shift that later proved too small
    /// was not closed.
    pub(crate) fn wait(&self, i: usize) -> Wait {
        let s = &self.stretches[i];
        if s.wait == Wait::Window && !self.knows_window_of(s) && !s.zero_window {
            Wait::Ack
        } else {
            s.wait
        }
    }

    /// Whether the server has not taken the connection in until stretch `i` ends: for it the handshake is not over (Linux drops the last ACK of one, and what
    /// follows, while its queue is full: `tcp_v4_syn_recv_sock`).
    pub(crate) fn is_not_accepted(&self, i: usize) -> bool {
        self.accepted.is_some_and(|accepted| self.stretches[i].to <= accepted)
    }

    /// What was taken for the window's shift then has not proved too small.
    pub(crate) fn knows_window_of(&self, s: &Stretch) -> bool {
        s.shift >= self.shift
    }

    /// The largest window that was ever advertised.
    pub(crate) fn widest(&self) -> u64 {
        let widest = || self.stretches.iter().map(|s| s.window_max).max().unwrap_or(0);
        *self.widest.get_or_init(widest)
    }

    /// Without the handshake the window's scale is what the data shows of it.
    pub(crate) fn guesses_scale(&self) -> bool {
        matches!(self.scale, WindowScale::Inferred { .. })
    }

    /// Data flows in stretch `i`: it says something about flight and rate.
    fn flows(&self, i: usize) -> bool {
        matches!(self.wait(i), Wait::Ack | Wait::Timer | Wait::Window | Wait::Nagle)
            || self.catches_breath(i)
    }

    /// Nothing was in flight, for no longer than a busy host takes to run the process that an ACK has woken.
    pub(crate) fn catches_breath(&self, i: usize) -> bool {
        self.wait(i) == Wait::IdleSelf && self.stretches[i].idle < BUSY_HOST
    }
}

/// The best rate over any four neighbouring stretches: one alone is inflated by ACKs that bunch.
/// Repairs are left out where no SACK tells what arrives meanwhile: the ACK that ends one acknowledges many round trips' data at once.
fn peak_rate(stretches: &[Stretch], floor: Nanos) -> u64 {
    let told = stretches.iter().any(|s| s.is_repair() && s.arrived() > s.acked);
    let mut clean: Vec<&Stretch> = Vec::with_capacity(stretches.len());
    let kept = stretches
        .iter()
        .enumerate()
        .filter(|&(i, s)| told || !(s.is_repair() || i > 0 && stretches[i - 1].is_repair()));
    clean.extend(kept.map(|(_, s)| s));
    if clean.is_empty() {
        clean = stretches.iter().collect();
    }
    clean
        .windows(4.min(clean.len().max(1)))
        .filter_map(|w| {
            let time = w.iter().fold(Nanos::ZERO, |t, s| t + s.duration());
            let bytes = w.iter().map(|s| s.arrived()).sum();
            (time >= floor && time.0 > 0).then(|| bytes_per_second(bytes, time))
        })
        .max()
        .unwrap_or(0)
}
