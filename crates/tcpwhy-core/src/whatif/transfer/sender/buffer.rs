//! The send buffer: what the application has written and the peer has not acknowledged (`tcp_sendmsg_locked`).

use crate::kernel::send::{SKB_OVERHEAD, may_queue, wakes_writer};
use std::collections::VecDeque;

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

/// A sent piece of an skb, and what it costs beside its payload.
#[derive(Debug)]
struct Sent {
    end: u64,
}

#[derive(Debug)]
pub(super) struct Buffer {
    /// Bytes of one call.
    write: u64,
    total: u64,
    call_left: u64,
    /// Payload of the skbs of which nothing has been sent.
    unsent: VecDeque<u64>,
    sent: VecDeque<Sent>,
    pub(super) written: u64,
    /// `pushed_seq`.
    pushed: u64,
    una: u64,
    /// `sk_wmem_queued`.
    queued: u64,
    pub(super) sndbuf: u64,
    /// SOCK_NOSPACE: the application waits for space.
    pub(super) blocked: bool,
}

impl Buffer {
    pub(super) fn new(sndbuf: u64, write: u64, total: u64) -> Self {
        Self {
            write: write.max(1),
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
        }
    }

    /// Fills the last skb up to `goal`, whatever the buffer holds; only a new skb asks for room.
    pub(super) fn write(&mut self, goal: u64) -> Wrote {
        if self.call_left == 0 {
            self.call_left = self.write.min(self.total - self.written);
        }
        if self.unsent.back().is_none_or(|tail| *tail >= goal) {
            if !may_queue(self.queued, self.sndbuf) {
                self.blocked = true;
                return Wrote::Blocked;
            }
            self.unsent.push_back(0);
            self.queued += SKB_OVERHEAD;
        }
        let Some(tail) = self.unsent.back_mut() else { return Wrote::Done };
        let bytes = self.call_left.min(goal - *tail);
        *tail += bytes;
        self.call_left -= bytes;
        self.written += bytes;
        self.queued += bytes;
        if self.call_left == 0 { Wrote::Done } else { Wrote::Full }
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

    /// Its first bytes leave; where some stay, both parts are skbs (`tso_fragment`).
    pub(super) fn send(&mut self, end: u64, bytes: u64) {
        if let Some(head) = self.unsent.front_mut() {
            *head = head.saturating_sub(bytes);
            if *head == 0 {
                self.unsent.pop_front();
            } else {
                self.queued += SKB_OVERHEAD;
            }
        }
        self.sent.push_back(Sent { end });
    }

    /// The peer has everything before `una`.
    pub(super) fn free(&mut self, una: u64) {
        self.queued -= una.saturating_sub(self.una);
        self.una = self.una.max(una);
        while self.sent.front().is_some_and(|sent| sent.end <= una) {
            self.sent.pop_front();
            self.queued -= SKB_OVERHEAD;
        }
    }

    /// `sk_stream_write_space`: the application goes on when a third is free.
    pub(super) fn wake(&mut self, unsent: u64, lowat: u64) {
        self.blocked &= !wakes_writer(self.queued, self.sndbuf, unsent, lowat);
    }
}
