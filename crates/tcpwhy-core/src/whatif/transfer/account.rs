//! Whose time it is: what held the sender, and where the link was the limit.
//!
//! A link that is busy is not the limit for that: a small buffer's burst keeps it busy for a part of every round trip, too, and then it waits
//! for the sender. The link is the limit where it is busy without a pause, so that it still has work when the ACKs come; a round trip in
//! which it pauses is wholly that of whatever held the sender in the pauses, as in an analysis (`docs/limits.md`).

use super::path::HEADERS;
use super::{Control, Phase, Transfer};
use crate::units::{Nanos, time_at};

/// A link that pauses for less than a tenth of a round is busy: no other limit lifted would make the transfer faster by more.
const PAUSES: i64 = 10;
/// Segments that leave a steady sender at once: a delayed ACK releases two.
const TOGETHER: u64 = 2;

/// The time by phase, booked a round trip at a time.
#[derive(Debug)]
pub(super) struct Account {
    /// How long a round is at least: what leaves now is answered then.
    round: Nanos,
    phases: [Nanos; 7],
    /// Of this round: time in which the link was busy, and in which it was idle, by what held the sender.
    busy: Nanos,
    idle: [Nanos; 7],
    /// What held the sender last.
    held: Phase,
    /// bbr: its pauses are between packets that leave at the rate which it measured of the path.
    paced: bool,
}

impl Account {
    pub(super) fn new(t: &Transfer) -> Self {
        let mut phases = [Nanos::ZERO; 7];
        // The SYN, its answer, and the request's way.
        phases[Phase::Handshake as usize] = if t.warm { Nanos::ZERO } else { t.rtt.scale(3, 2) };
        Self {
            round: t.rtt + time_at(TOGETHER * (t.mss + HEADERS), t.rate_bps),
            phases,
            busy: Nanos::ZERO,
            idle: [Nanos::ZERO; 7],
            held: Phase::SlowStart,
            paced: t.control == Control::Bbr,
        }
    }

    /// Time passes, in which the link is busy first; `held` is what keeps the sender back, `None`: nothing, its application is about to
    /// write, after what held it before.
    pub(super) fn pass(&mut self, time: Nanos, busy: Nanos, held: Option<Phase>) {
        self.held = held.unwrap_or(self.held);
        self.busy += busy;
        self.idle[self.held as usize] += time - busy;
        if self.length() >= self.round {
            self.close();
        }
    }

    /// Something is sent again: what seemed to be the last bytes' way was a loss.
    pub(super) fn repeats(&mut self, by: Phase) {
        for times in [&mut self.phases, &mut self.idle] {
            let last = std::mem::take(&mut times[Phase::Last as usize]);
            times[by as usize] += last;
        }
    }

    /// The time in each phase.
    pub(super) fn end(mut self) -> [Nanos; 7] {
        self.close();
        self.phases
    }

    fn length(&self) -> Nanos {
        self.idle.iter().fold(self.busy, |sum, time| sum + *time)
    }

    fn close(&mut self) {
        let whose = self.holder().unwrap_or(Phase::Path);
        self.phases[whose as usize] += std::mem::take(&mut self.busy);
        for (phase, idle) in self.phases.iter_mut().zip(std::mem::take(&mut self.idle)) {
            *phase += idle;
        }
    }

    /// What held the sender longest while the link paused, where that is worth a word. The last bytes hold nothing back.
    fn holder(&self) -> Option<Phase> {
        let held = |phase: &Phase| self.idle[*phase as usize];
        let holds = |phase: &Phase| match phase {
            Phase::Last => false,
            Phase::Congestion => !self.paced,
            _ => true,
        };
        let holders = Phase::ALL.into_iter().filter(holds);
        let pauses = holders.clone().fold(Nanos::ZERO, |sum, phase| sum + held(&phase));
        if pauses.scale(PAUSES, 1) < self.length() {
            return None;
        }
        holders.max_by_key(held)
    }
}
