//! The record of a direction: a bounded list of stretches.
//!
//! Memory does not grow with packets: when the list is full, neighbours are merged and the round
//! that a stretch covers doubles.

use super::stretch::Stretch;
use super::wait::Wait;
use crate::units::Nanos;

/// Room made at first: most short connections need no more.
const AT_FIRST: usize = 16;
/// Stretches kept for one direction.
const MAX_STRETCHES: usize = 4096;

/// Stretches within which the answer to a probe comes in: the wait before the probe, the probe, its round trip.
const ROUNDS_TO_ANSWER: usize = 4;

/// The list with the stretch that is still open.
#[derive(Debug, Clone)]
pub(crate) struct Stretches {
    closed: Vec<Stretch>,
    open: Stretch,
    tally: [i64; Wait::COUNT],
    /// The wait with the most time in `tally`.
    dominant: Wait,
    /// Rounds that one stretch covers; doubled when the list is full.
    rounds: i64,
}

impl Stretches {
    /// An empty record that begins at `from`.
    pub(crate) fn new(from: Nanos) -> Self {
        Self {
            closed: Vec::with_capacity(AT_FIRST),
            open: Stretch::starting(from, Wait::Ack),
            tally: [0; Wait::COUNT],
            dominant: Wait::Ack,
            rounds: 1,
        }
    }

    /// The stretch that counters go to.
    pub(crate) fn open(&mut self) -> &mut Stretch {
        &mut self.open
    }

    /// Accounts the time up to `to` to `wait`; `round` is the smoothed RTT. `note` writes down what
    /// was seen in the stretch that this time goes to.
    #[inline(always)]
    pub(crate) fn account(
        &mut self,
        to: Nanos,
        wait: Wait,
        round: Nanos,
        note: impl FnOnce(&mut Stretch),
    ) {
        let span = to - self.open.to;
        if span.0 > 0 {
            self.spend(span, wait, round);
            self.open.to = to;
        }
        note(&mut self.open);
        if span.0 > 0 && self.open.duration().0 >= round.0.saturating_mul(self.rounds) {
            self.close();
        }
    }

    /// Puts `span`, which is about to be added to the open stretch, down to `wait`.
    #[inline]
    fn spend(&mut self, span: Nanos, wait: Wait, round: Nanos) {
        let long = span.0 >= round.0 / 4;
        // A burst and the wait after it are one round: what is short does not stand alone.
        let stands = self.open.duration().0 >= round.0 / 4;
        let before = self.dominant;
        // A repair begins and ends with an ACK, at any time in a round; so does the handshake end.
        let turns = (wait == Wait::Recovery) != (before == Wait::Recovery)
            || before == Wait::Handshake && wait != before;
        if (long || turns) && stands && !before.goes_with(wait) {
            self.close();
        }
        // What a long pause waited for says more than the gaps inside a burst.
        let weight = if long { span.0 } else { span.0 / 4 };
        self.tally[wait as usize] = self.tally[wait as usize].saturating_add(weight.max(1));
        if self.leads(wait) {
            self.dominant = wait;
        }
    }

    /// Whether `wait`, which has just grown, is dominant now. Among equals it is `Ack`, then the first in order.
    #[inline]
    fn leads(&self, wait: Wait) -> bool {
        let (new, most) = (self.tally[wait as usize], self.tally[self.dominant as usize]);
        let precedes = || {
            wait == Wait::Ack || (self.dominant != Wait::Ack && wait as u8 <= self.dominant as u8)
        };
        new > most || (new == most && precedes())
    }

    #[inline(never)]
    fn close(&mut self) {
        self.open.wait = self.dominant;
        // `push` would copy it twice.
        self.closed.extend_from_slice(std::slice::from_ref(&self.open));
        self.reopen();
        if self.closed.len() >= MAX_STRETCHES {
            self.coarsen();
        }
    }

    fn reopen(&mut self) {
        let Stretch { to, wait, shift, .. } = self.open;
        self.open = Stretch { shift, ..Stretch::starting(to, wait) };
        self.tally = [0; Wait::COUNT];
        self.dominant = Wait::Ack;
    }

    /// The newest repair was a single probe, and the receiver had all that it carried: the sender did nothing but wait for an ACK.
    #[cold]
    pub(crate) fn needed_no_repair(&mut self) {
        self.waits_for_acks_instead_of(Wait::Recovery);
        let lately = self.closed.iter_mut().rev().take(ROUNDS_TO_ANSWER);
        for stretch in std::iter::once(&mut self.open).chain(lately) {
            stretch.repaired_nothing();
        }
    }

    /// The capture lacks what was sent and came back between `from` and `to`, lately. That a window was closed its receiver had said before.
    #[cold]
    pub(crate) fn lacks(&mut self, from: Nanos, to: Nanos) {
        for stretch in self.closed.iter_mut().rev().take_while(|s| s.to > from) {
            let inside = to.min(stretch.to) - from.max(stretch.from);
            let closed = stretch.wait == Wait::Window && stretch.zero_window;
            if inside.scale(2, 1) > stretch.duration() && !closed {
                stretch.wait = Wait::Unseen;
            }
        }
        // In flight was less than it seemed until now, and the window had more room.
        if self.open.from >= from {
            (self.open.flight, self.open.room) = (0, u64::MAX);
            self.dominant = Wait::Unseen;
            self.end();
            self.reopen();
        }
    }

    /// So many bytes arrived in the time before, of which the capture shows nothing.
    #[cold]
    pub(crate) fn arrived_unseen(&mut self, bytes: u64) {
        let before = self.closed.last_mut().filter(|before| before.wait == Wait::Unseen);
        let stretch = before.unwrap_or(&mut self.open);
        stretch.acked += bytes;
        stretch.arrived += bytes as i64;
    }

    /// The window scale was found to be larger by so many bits: what seemed full until now was not.
    #[cold]
    pub(crate) fn widen_windows(&mut self, bits: u8) {
        for stretch in self.closed.iter_mut().chain([&mut self.open]) {
            stretch.widen_windows(bits);
        }
        if !self.open.zero_window {
            self.open.filled = 0;
            self.waits_for_acks_instead_of(Wait::Window);
        }
    }

    fn waits_for_acks_instead_of(&mut self, wait: Wait) {
        let (other, ack) = (wait as usize, Wait::Ack as usize);
        self.tally[ack] = self.tally[ack].saturating_add(std::mem::take(&mut self.tally[other]));
        if self.dominant == wait {
            self.dominant = Wait::Ack;
        }
    }

    fn coarsen(&mut self) {
        self.rounds = self.rounds.saturating_mul(2);
        let mut merged: Vec<Stretch> = Vec::with_capacity(MAX_STRETCHES / 2 + 1);
        for pair in self.closed.chunks(2) {
            let mut first = pair[0];
            if let Some(second) = pair.get(1) {
                first.absorb(second);
            }
            merged.push(first);
        }
        self.closed = merged;
    }

    /// Nothing more will come, or nothing of the kind: the open stretch is closed.
    pub(crate) fn end(&mut self) {
        if self.open.duration().0 > 0 {
            self.close();
        } else if let Some(last) = self.closed.last_mut() {
            last.absorb(&self.open);
        }
    }

    /// As `closed`, for what is learnt later.
    pub(crate) fn closed_mut(&mut self) -> &mut [Stretch] {
        &mut self.closed
    }

    /// All stretches but the open one.
    pub(crate) fn closed(&self) -> &[Stretch] {
        &self.closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND: Nanos = Nanos::from_millis(20);

    #[test]
    fn a_long_wait_of_another_kind_gets_a_stretch_of_its_own() {
        let mut s = Stretches::new(Nanos::ZERO);
        s.account(Nanos::from_millis(10), Wait::Ack, ROUND, |_| ());
        s.account(Nanos::from_millis(11), Wait::Timer, ROUND, |_| ());
        s.account(Nanos::from_millis(500), Wait::IdleSelf, ROUND, |_| ());
        s.end();
        let list = s.closed();
        let waits: Vec<Wait> = list.iter().map(|x| x.wait).collect();
        assert_eq!(waits, [Wait::Ack, Wait::IdleSelf]);
        assert_eq!(list[1].from, Nanos::from_millis(11));
    }

    #[test]
    fn a_window_that_seemed_full_under_too_small_a_scale_was_not() {
        let found = |raw: u64| {
            let mut s = Stretches::new(Nanos::ZERO);
            s.account(Nanos::from_millis(8), Wait::Window, ROUND, |open| {
                (open.filled, open.shift) = (1, 5);
                open.saw_window(raw << 5);
            });
            s.widen_windows(1);
            s.account(Nanos::from_millis(10), Wait::Ack, ROUND, |open| open.shift = 6);
            s.end();
            let first = &s.closed()[0];
            (first.wait, first.filled, first.window_min)
        };
        assert_eq!(found(400), (Wait::Ack, 0, 400 << 6));
        assert_eq!(found(0), (Wait::Window, 1, 0), "no scale opens that");
    }

    #[test]
    fn the_list_is_bounded_and_keeps_all_time() {
        let mut s = Stretches::new(Nanos::ZERO);
        for i in 1..100_000 {
            s.open().acked += 1;
            s.account(ROUND.scale(i, 1), Wait::Ack, ROUND, |_| ());
        }
        s.end();
        let list = s.closed();
        assert!(list.len() <= MAX_STRETCHES);
        assert_eq!(list.iter().map(|x| x.acked).sum::<u64>(), 99_999);
        assert!(list.windows(2).all(|w| w[0].to == w[1].from));
    }
}
