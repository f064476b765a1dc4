//! The sender's scoreboard: every transmission not yet cumulatively acknowledged.

use crate::units::Nanos;
use std::collections::VecDeque;

/// Transmissions that must be delivered after a hole before it counts as lost (RFC 5681, RFC 6675).
const DUPLICATE_THRESHOLD: u64 = 3;

/// A segment in flight.
#[derive(Debug, Clone, Copy)]
pub(super) struct InFlight {
    pub(super) seq: u64,
    pub(super) end: u64,
    pub(super) sent: Nanos,
    /// Grows with every transmission: what was sent later has the larger one.
    order: u64,
    pub(super) times: u32,
    sacked: bool,
    lost: bool,
}

#[derive(Debug, Default)]
pub(super) struct Board {
    segments: VecDeque<InFlight>,
    next_order: u64,
    /// Bytes believed to be in the network.
    pipe: u64,
    lost: usize,
    sacked: usize,
    newest_delivered: u64,
    newest_sent: Nanos,
}

/// What an ACK told.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Delivery {
    /// Bytes newly acknowledged, cumulatively or selectively.
    pub(super) bytes: u64,
    /// Send time of the newest newly acknowledged segment that was sent only once (Karn).
    pub(super) sent_once: Option<Nanos>,
}

impl Board {
    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    pub(super) fn pipe(&self) -> u64 {
        self.pipe
    }

    pub(super) fn has_lost(&self) -> bool {
        self.lost > 0
    }

    pub(super) fn any_sacked(&self) -> bool {
        self.sacked > 0
    }

    pub(super) fn first(&self) -> Option<&InFlight> {
        self.segments.front()
    }

    pub(super) fn push(&mut self, seq: u64, end: u64, now: Nanos) {
        let order = self.order();
        self.pipe += end - seq;
        self.segments.push_back(InFlight {
            seq,
            end,
            sent: now,
            order,
            times: 1,
            sacked: false,
            lost: false,
        });
    }

    /// Takes the cumulative ACK and the SACK blocks.
    pub(super) fn acknowledge(&mut self, ack: u64, blocks: &[(u64, u64)]) -> Delivery {
        let mut delivery = Delivery::default();
        while self.segments.front().is_some_and(|s| s.end <= ack) {
            let Some(s) = self.segments.pop_front() else { break };
            self.settle(&s, &mut delivery);
            self.sacked -= usize::from(s.sacked);
        }
        if !blocks.is_empty() {
            let mut segments = std::mem::take(&mut self.segments);
            for s in segments.iter_mut().filter(|s| !s.sacked) {
                if blocks.iter().any(|b| b.0 <= s.seq && s.end <= b.1) {
                    self.settle(s, &mut delivery);
                    (s.sacked, s.lost) = (true, false);
                    self.sacked += 1;
                }
            }
            self.segments = segments;
        }
        delivery
    }

    /// Accounts for a segment that has arrived.
    fn settle(&mut self, s: &InFlight, delivery: &mut Delivery) {
        if s.sacked {
            return;
        }
        if s.lost {
            self.lost -= 1;
        } else {
            self.pipe -= s.end - s.seq;
        }
        delivery.bytes += s.end - s.seq;
        if s.times == 1 {
            delivery.sent_once = delivery.sent_once.max(Some(s.sent));
        }
        if s.order >= self.newest_delivered {
            (self.newest_delivered, self.newest_sent) = (s.order, s.sent);
        }
    }

    /// Marks what must be lost because enough that was sent later has arrived, by number (RFC 6675) or by
    /// time (RACK, RFC 8985). Whether anything new was marked.
    pub(super) fn mark_passed_over(&mut self, reordering: Nanos) -> bool {
        if self.sacked == 0 {
            return false;
        }
        let before = self.lost;
        for s in self.segments.iter_mut().filter(|s| !s.sacked && !s.lost) {
            let by_number = s.order + DUPLICATE_THRESHOLD <= self.newest_delivered;
            let by_time =
                s.order < self.newest_delivered && s.sent + reordering <= self.newest_sent;
            if by_number || by_time {
                s.lost = true;
                self.lost += 1;
                self.pipe -= s.end - s.seq;
            }
        }
        self.lost > before
    }

    /// Marks the first segment (NewReno, RFC 6582).
    pub(super) fn mark_first(&mut self) {
        if let Some(s) = self.segments.front_mut().filter(|s| !s.lost && !s.sacked) {
            s.lost = true;
            self.lost += 1;
            self.pipe -= s.end - s.seq;
        }
    }

    /// Marks everything that is not known to have arrived: the retransmission timer fired.
    pub(super) fn mark_all(&mut self) {
        for s in self.segments.iter_mut().filter(|s| !s.sacked && !s.lost) {
            s.lost = true;
            self.lost += 1;
        }
        self.pipe = 0;
    }

    /// Hands out the first lost segment to be sent again.
    pub(super) fn resend_lost(&mut self, now: Nanos) -> Option<InFlight> {
        if self.lost == 0 {
            return None;
        }
        let order = self.order();
        let s = self.segments.iter_mut().find(|s| s.lost)?;
        (s.lost, s.sent, s.order) = (false, now, order);
        s.times += 1;
        self.lost -= 1;
        self.pipe += s.end - s.seq;
        Some(*s)
    }

    /// Sends the last segment again as a probe (TLP, RFC 8985 section 7).
    pub(super) fn resend_last(&mut self, now: Nanos) -> Option<InFlight> {
        let order = self.order();
        let s = self.segments.back_mut().filter(|s| !s.sacked && !s.lost)?;
        (s.sent, s.order) = (now, order);
        s.times += 1;
        Some(*s)
    }

    fn order(&mut self) -> u64 {
        self.next_order += 1;
        self.next_order
    }
}
