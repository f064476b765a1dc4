//! The applications: one writes messages, the other asks for them and reads.

use super::receiver::Receiver;
use super::scenario::{Reader, Workload};
use super::sender::Sender;
use crate::model::{Cause, Limit};
use crate::units::{Nanos, time_at};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    AwaitRequest,
    Think(Nanos),
    Write,
    Done,
}

/// The application at the data sender.
#[derive(Debug)]
pub(super) struct Source {
    workload: Workload,
    phase: Phase,
    messages: u32,
    /// Left of the current message, and of the current write of it.
    message_left: u64,
    write_left: u64,
    next_write: Nanos,
    blocked: bool,
}

impl Source {
    /// An application that can act from `ready` on.
    pub(super) fn new(workload: Workload, ready: Nanos) -> Self {
        let phase = match (workload.messages, workload.request_bytes) {
            (0, _) => Phase::Done,
            (_, 0) => Phase::Think(ready + workload.think),
            _ => Phase::AwaitRequest,
        };
        Self {
            workload,
            phase,
            messages: 0,
            message_left: 0,
            write_left: 0,
            next_write: Nanos::ZERO,
            blocked: false,
        }
    }

    pub(super) fn wake_at(&self) -> Option<Nanos> {
        match self.phase {
            Phase::Think(at) => Some(at),
            Phase::Write if !self.blocked => Some(self.next_write),
            _ => None,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// What an empty send queue means.
    pub(super) fn limit(&self) -> (Limit, Cause) {
        match self.phase {
            Phase::AwaitRequest => (Limit::Application, Cause::WaitingForPeer),
            Phase::Write if self.blocked => (Limit::SendBuffer, Cause::None),
            _ => (Limit::Application, Cause::SenderApplication),
        }
    }

    /// Does what can be done now. `requested`: request bytes received so far.
    pub(super) fn run(&mut self, now: Nanos, sender: &mut Sender, requested: u64) {
        loop {
            match self.phase {
                Phase::AwaitRequest => {
                    let wanted = self.workload.request_bytes * u64::from(self.messages + 1);
                    if requested < wanted {
                        return;
                    }
                    self.phase = Phase::Think(now + self.workload.think);
                }
                Phase::Think(at) if now < at => return,
                Phase::Think(_) => {
                    self.message_left = self.workload.message_bytes;
                    self.next_write = now;
                    self.phase = Phase::Write;
                }
                Phase::Write if self.message_left == 0 => self.end_message(sender),
                Phase::Write => {
                    if !self.write(now, sender) {
                        return;
                    }
                }
                Phase::Done => return,
            }
        }
    }

    fn end_message(&mut self, sender: &mut Sender) {
        self.messages += 1;
        self.phase = Phase::AwaitRequest;
        if self.messages >= self.workload.messages {
            self.phase = Phase::Done;
            sender.close();
        }
    }

    /// One write call, as far as the buffer takes it; whether to go on.
    fn write(&mut self, now: Nanos, sender: &mut Sender) -> bool {
        if self.write_left == 0 {
            if now < self.next_write {
                return false;
            }
            self.write_left = self.workload.write_bytes.clamp(1, self.message_left);
            self.next_write += self.workload.write_every;
        }
        let space = if self.blocked && !sender.writable() { 0 } else { sender.space() };
        let bytes = self.write_left.min(space);
        sender.write(bytes);
        self.write_left -= bytes;
        self.message_left -= bytes;
        self.blocked = self.write_left > 0;
        !self.blocked
    }
}

/// The application at the data receiver.
#[derive(Debug)]
pub(super) struct Sink {
    workload: Workload,
    reader: Reader,
    start: Nanos,
    requests: u32,
    next_request: Option<Nanos>,
    next_read: Nanos,
    closed: bool,
}

impl Sink {
    pub(super) fn new(workload: Workload, reader: Reader, start: Nanos, now: Nanos) -> Self {
        Self {
            workload,
            reader,
            start,
            requests: 0,
            next_request: (workload.request_bytes > 0).then_some(now),
            next_read: now,
            closed: false,
        }
    }

    pub(super) fn wake_at(&self, receiver: &Receiver) -> Option<Nanos> {
        let read = (receiver.unread() > 0).then_some(self.next_read);
        [self.next_request, read].into_iter().flatten().min()
    }

    pub(super) fn run(&mut self, now: Nanos, sender: &mut Sender, receiver: &mut Receiver) {
        self.read(now, receiver);
        self.ask(now, sender, receiver.received());
        if receiver.finished() && !self.closed {
            self.closed = true;
            sender.close();
        }
    }

    fn ask(&mut self, now: Nanos, sender: &mut Sender, received: u64) {
        let w = &self.workload;
        let answered = w.message_bytes * u64::from(self.requests);
        let more = self.requests > 0 && self.requests < w.messages && w.request_bytes > 0;
        if more && self.next_request.is_none() && received >= answered {
            self.next_request = Some(now + w.peer_think);
        }
        if self.next_request.is_some_and(|at| at <= now) {
            self.next_request = None;
            self.requests += 1;
            sender.write(w.request_bytes);
        }
    }

    fn read(&mut self, now: Nanos, receiver: &mut Receiver) {
        while receiver.unread() > 0 && self.next_read <= now {
            if let Some(until) = self.paused(now) {
                self.next_read = until;
                return;
            }
            if self.reader.bytes_per_second == 0 {
                receiver.take(now, u64::MAX);
                return;
            }
            let bytes = self.reader.read_bytes.max(1).min(receiver.unread());
            receiver.take(now, bytes);
            let bits = self.reader.bytes_per_second.saturating_mul(8);
            self.next_read = now + time_at(bytes, bits).max(Nanos(1));
        }
    }

    fn paused(&self, now: Nanos) -> Option<Nanos> {
        let at = now - self.start;
        let pause = self.reader.pauses.iter().find(|(from, to)| (*from..*to).contains(&at))?;
        Some(self.start + pause.1)
    }
}
