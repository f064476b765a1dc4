//! The clock: what happens next, until the last byte is read.

use super::account::Account;
use super::path::Path;
use super::receiver::{Receiver, Told};
use super::sender::Sender;
use super::{Phase, Prediction, Transfer};
use crate::units::{Nanos, bits_per_second};
use std::collections::VecDeque;

/// The model gives up after this much virtual time, or this many events.
const LONGEST: Nanos = Nanos::from_secs(7 * 86_400);
const MOST_EVENTS: u64 = 60_000_000;

struct World {
    path: Path,
    sender: Sender,
    receiver: Receiver,
    /// On their way back: arrival, and what they say.
    acks: VecDeque<(Nanos, Told)>,
    /// When the next request arrives.
    asked_at: Option<Nanos>,
}

/// Runs the transfer.
#[must_use]
pub fn predict(t: &Transfer) -> Prediction {
    // Zeros would divide; a segment has a byte, a round trip a nanosecond.
    let t = &Transfer { mss: t.mss.max(88), rtt: t.rtt.max(Nanos(1_000)), ..t.clone() };
    let before = if t.warm { t.size } else { 0 };
    let total = before.saturating_add(t.size);
    let receiver = Receiver::new(t);
    let mut world = World {
        path: Path::new(t),
        sender: Sender::new(t, if t.warm { before } else { total }, receiver.edge),
        receiver,
        acks: VecDeque::new(),
        asked_at: None,
    };
    world.run(t, before, total)
}

impl World {
    fn run(&mut self, t: &Transfer, before: u64, total: u64) -> Prediction {
        // The SYN, its answer, and the request's way.
        let begin = t.rtt.scale(3, 2);
        let mut now = begin;
        let mut account = Account::new(t);
        let mut start = if before > 0 { None } else { Some(Nanos::ZERO) };
        let mut half = begin;
        let mut arrived = None;
        let mut events = 0;
        self.step(now);
        while self.receiver.read < total && now < LONGEST && events < MOST_EVENTS {
            let Some(next) = self.next(now) else { break };
            if start.is_some() {
                let time = (next - now).max(Nanos::ZERO);
                // The link stays busy until its queue is empty, whatever holds the sender.
                let busy = self.path.busy(now).min(time).max(Nanos::ZERO);
                account.pass(time, busy, self.held(now));
            }
            let resent = self.sender.resent;
            now = next.max(now);
            if self.asked_at.is_some_and(|at| at <= now) {
                self.asked_at = None;
                self.sender.asked_for(t.size);
                start = Some(now);
            }
            self.step(now);
            if self.sender.resent > resent {
                account.repeats(self.by(Phase::Congestion));
            }
            events += 1;
            // The answer to the request before has been read.
            if start.is_none() && self.asked_at.is_none() && self.receiver.read >= before {
                self.asked_at = Some(now + self.path.backward);
            }
            if self.receiver.read < before + t.size / 2 {
                half = now;
            }
            if arrived.is_none() && self.receiver.next >= total {
                arrived = Some(now);
            }
        }
        // A filled hole makes much readable at once: no link is faster than itself.
        let fastest = if t.rate_bps == 0 { u64::MAX } else { t.rate_bps };
        let steady = bits_per_second(t.size - t.size / 2, now - half).min(fastest);
        Prediction {
            time: now - start.unwrap_or(Nanos::ZERO),
            arrived: arrived.unwrap_or(now) - start.unwrap_or(Nanos::ZERO),
            complete: self.receiver.read >= total,
            phases: account.end(),
            steady_bps: steady,
            resent: self.sender.resent,
            segments: self.sender.segments(),
            sndbuf: self.sender.sndbuf(),
            rcvbuf: self.receiver.rcvbuf,
        }
    }

    fn held(&self, now: Nanos) -> Option<Phase> {
        self.sender.held(now).map(|phase| self.by(phase))
    }

    /// Whose time it is: a window that a policer's drops hold down is the path's, as in an analysis.
    fn by(&self, phase: Phase) -> Phase {
        match phase {
            Phase::SlowStart | Phase::Congestion if self.path.polices => Phase::Path,
            phase => phase,
        }
    }

    fn next(&self, now: Nanos) -> Option<Nanos> {
        let unread = self.receiver.next > self.receiver.read;
        let paced = self.sender.window.pacing().map(|_| self.sender.pace_at);
        [
            self.path.due(),
            self.acks.front().map(|a| a.0),
            self.asked_at,
            self.receiver.ack_at(),
            unread.then_some(self.receiver.read_at),
            self.sender.timer(),
            self.sender.runs_at(now),
            paced.filter(|at| *at > now && self.sender.hold(*at).is_none()),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn step(&mut self, now: Nanos) {
        while let Some(packet) = self.path.take(now) {
            let due = self.receiver.on_data(now, packet);
            let update = self.receiver.on_read(now);
            if due || update {
                self.ack(now);
            }
        }
        if self.receiver.on_read(now) || self.receiver.ack_at().is_some_and(|at| at <= now) {
            self.ack(now);
        }
        while let Some((_, told)) = self.acks.front().copied().filter(|a| a.0 <= now) {
            self.acks.pop_front();
            self.sender.on_ack(now, &told, &mut self.path);
            self.sender.work(now, &mut self.path);
        }
        if self.sender.timer().is_some_and(|at| at <= now) {
            self.sender.on_timer(now, &mut self.path);
        }
        self.sender.work(now, &mut self.path);
    }

    fn ack(&mut self, now: Nanos) {
        let told = self.receiver.ack(now);
        self.acks.push_back((now + self.path.backward, told));
    }
}
