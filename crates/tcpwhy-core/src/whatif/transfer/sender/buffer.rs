//! The send buffer: what the application has written and the peer has not acknowledged (`tcp_sendmsg_locked`).

use crate::kernel::Version;
use crate::kernel::send::{may_queue, skb_overhead, wakes_writer};
use crate::random::Rng;
use crate::units::Nanos;
use crate::whatif::transfer::Transfer;
use std::collections::VecDeque;

/// From waking a writer until it runs, microseconds: 5 to 40 were measured (`sk_stream_wait_memory`, events of a Linux 6.18). ACKs that
/// come together are all processed before it writes.
const WAKING: (u64, u64) = (5, 40);
/// What a call takes, and bytes that it copies and sends in a nanosecond (calls of 64 KB took 50 to 70 us there). ACKs that come meanwhile
/// are processed between calls: a small segment that they acknowledge lets the next one go, so that the queue runs dry.
const CALL: Nanos = Nanos::from_micros(1);
const COPIED: f64 = 1.2;

/// How far one step of a write came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrote {
    /// The last skb is full, the call goes on.
    Full,
    /// The call has written everything.
    Done,
    /// The buffer takes no other skb: the caller sleeps.
    Blocked,
}

#[derive(Debug)]
pub(super) struct Buffer {
    version: Version,
    /// What an skb costs beside its payload.
    overhead: u64,
    /// TCP_NOTSENT_LOWAT.
    lowat: u64,
    /// How long a woken writer takes to run.
    chance: Rng,
    /// Bytes of one call.
    write: u64,
    total: u64,
    call_left: u64,
    /// Payload of the skbs of which nothing has been sent.
    unsent: VecDeque<u64>,
    /// Where the skbs end that have been sent.
    sent: VecDeque<u64>,
    pub(super) written: u64,
    /// `pushed_seq`.
    pushed: u64,
    una: u64,
    /// `sk_wmem_queued`.
    queued: u64,
    pub(super) sndbuf: u64,
    /// SOCK_NOSPACE: the application waits for space.
    pub(super) blocked: bool,
    /// It has been woken, and runs then.
    pub(super) woken_at: Option<Nanos>,
    /// When its call has copied what it passed.
    done_at: Nanos,
}

impl Buffer {
    pub(super) fn new(t: &Transfer, sndbuf: u64, total: u64) -> Self {
        Self {
            version: t.sender.version,
            overhead: skb_overhead(t.sender.version),
            lowat: t.sender.sysctls.tcp_notsent_lowat,
            chance: Rng::new(t.seed),
            write: t.write.max(1),
            total,
            call_left: 0,
            unsent: VecDeque::new(),
            sent: VecDeque::new(),
            written: 0,
            pushed: 0,
            una: 0,
            queued: 0,
            sndbuf,
            blocked: false,
            woken_at: None,
            done_at: Nanos::ZERO,
        }
    }

    /// The application is asked for so many bytes more.
    pub(super) fn asked_for(&mut self, bytes: u64) {
        self.total = self.total.saturating_add(bytes);
    }

    /// Fills the last skb up to `goal`, whatever the buffer holds; only a new skb asks for room.
    pub(super) fn write(&mut self, now: Nanos, goal: u64) -> Wrote {
        if self.call_left == 0 {
            self.call_left = self.write.min(self.total - self.written);
            self.done_at = now + CALL;
        }
        if self.unsent.back().is_none_or(|tail| *tail >= goal) {
            if !may_queue(self.queued, self.sndbuf, self.waiting(), self.lowat) {
                self.blocked = true;
                return Wrote::Blocked;
            }
            self.unsent.push_back(0);
            self.queued += self.overhead;
        }
        let Some(tail) = self.unsent.back_mut() else { return Wrote::Done };
        let bytes = self.call_left.min(goal - *tail);
        *tail += bytes;
        self.call_left -= bytes;
        self.written += bytes;
        self.queued += bytes;
        self.done_at = self.done_at.max(now) + Nanos((bytes as f64 / COPIED) as i64);
        if self.call_left == 0 { Wrote::Done } else { Wrote::Full }
    }

    /// Whether the application passes its next bytes in a new call.
    pub(super) fn begins_call(&self) -> bool {
        self.call_left == 0
    }

    /// Bytes that have not left.
    fn waiting(&self) -> u64 {
        self.written - self.sent.back().map_or(self.una, |end| *end)
    }

    /// Whether the application has more.
    pub(super) fn has_more(&self) -> bool {
        self.written < self.total
    }

    /// Whether only one skb waits (`skb == tcp_send_head`): what leaves of it makes room in it.
    pub(super) fn is_single(&self) -> bool {
        self.unsent.len() == 1
    }

    /// `forced_push`: half of the largest window was written since the last push.
    pub(super) fn is_push_due(&self, largest_window: u64) -> bool {
        self.written > self.pushed + largest_window / 2
    }

    pub(super) fn mark_pushed(&mut self) {
        self.pushed = self.written;
    }

    /// Payload of the first skb that waits, and whether it is the last.
    pub(super) fn head(&self) -> Option<(u64, bool)> {
        self.unsent.front().map(|len| (*len, self.unsent.len() == 1))
    }

    /// The first skb takes from the next until it has `bytes` (`tcp_grow_skb`).
    pub(super) fn grow(&mut self, bytes: u64) {
        let [Some(head), Some(next)] = [0, 1].map(|at| self.unsent.get(at).copied()) else {
            return;
        };
        let moved = bytes.saturating_sub(head).min(next);
        self.unsent[0] += moved;
        self.unsent[1] -= moved;
        if moved == next {
            self.unsent.remove(1);
            self.queued -= self.overhead;
        }
    }

    /// Its first bytes leave; where some stay, both parts are skbs (`tso_fragment`).
    pub(super) fn send(&mut self, end: u64, bytes: u64) {
        if let Some(head) = self.unsent.front_mut() {
            *head = head.saturating_sub(bytes);
            if *head == 0 {
                self.unsent.pop_front();
            } else {
                self.queued += self.overhead;
            }
        }
        self.sent.push_back(end);
    }

    /// The peer has everything before `una`.
    pub(super) fn free(&mut self, una: u64) {
        self.queued -= una.saturating_sub(self.una);
        self.una = self.una.max(una);
        while self.sent.front().is_some_and(|end| *end <= una) {
            self.sent.pop_front();
            self.queued -= self.overhead;
        }
    }

    /// `sk_stream_write_space`: the application is woken when a third is free, and runs a little later.
    pub(super) fn wake(&mut self, now: Nanos) {
        let unsent = self.waiting();
        if self.woken_at.is_none()
            && wakes_writer(self.version, self.queued, self.sndbuf, unsent, self.lowat)
        {
            let after = WAKING.0 + self.chance.below(WAKING.1 - WAKING.0 + 1);
            self.woken_at = Some(now + Nanos::from_micros(after as i64));
        }
    }

    /// Whether the application goes on now.
    pub(super) fn writes(&self, now: Nanos) -> bool {
        !self.blocked && self.has_more() && (self.call_left > 0 || self.done_at <= now)
    }

    /// When it does, if that is later.
    pub(super) fn runs_at(&self, now: Nanos) -> Option<Nanos> {
        if self.blocked {
            return self.woken_at;
        }
        (self.has_more() && self.done_at > now).then_some(self.done_at)
    }

    /// The application runs again.
    pub(super) fn run(&mut self, now: Nanos) {
        if self.woken_at.is_some_and(|at| at <= now) {
            self.woken_at = None;
            self.blocked = false;
        }
    }
}
