//! What was sent last, and the acknowledgment that its sender waited for: the time of the way and of the receiver.

use super::figures::Figures;
use crate::model::Cause;
use crate::units::Nanos;

/// For so long receivers wait for more data before they acknowledge what came: the ticks of their timers, and half a second at most.
const SHORTEST_DELAY: Nanos = Nanos::from_millis(10);
const LONGEST_DELAY: Nanos = Nanos::from_millis(500);

impl Figures {
    /// Whether all of the data left at once, and nobody had waited for long before: what came then is the distance's time and the receiver's,
    /// though nothing was left to send.
    pub(crate) fn is_one_flight(&self) -> bool {
        self.verdict.cause == Cause::SenderApplication
            && (self.bytes > 0 && self.transfers == 1 && self.stalls == 0)
            && (self.is_sent_at_once() && self.held() - self.tail < self.rtt_floor)
    }

    /// As `is_one_flight`, of the last of the data: that took longer than all waits for something to send.
    pub(crate) fn is_last_flight(&self) -> bool {
        self.verdict.cause == Cause::SenderApplication
            && self.bytes > 0
            && (self.is_one_flight() || self.tail > self.held() - self.tail)
    }

    /// Whether the last of it left before the first can have been answered.
    pub(crate) fn is_sent_at_once(&self) -> bool {
        self.sending() < self.rtt_floor.max(Nanos(1))
    }

    /// From the first to the last data that left.
    pub(crate) fn sending(&self) -> Nanos {
        self.transfer - self.tail
    }

    /// Whether most of this part of all time is the way of what was sent last.
    pub(crate) fn is_tail(&self, part: f64) -> bool {
        self.tail.secs() * 2.0 > self.span.secs() * part
    }

    /// Whether the last acknowledgment was later than its way and small queues make it, by as much as a receiver may delay it (RFC 9293 section
    /// 3.8.6.3; Linux: 40 ms and more).
    pub(crate) fn is_delayed(&self) -> bool {
        let late = self.on_its_way() - self.rtt_floor.scale(5, 4);
        (SHORTEST_DELAY..=LONGEST_DELAY).contains(&late)
    }

    /// From what was sent last, all of it where that left at once, to its acknowledgment.
    pub(crate) fn on_its_way(&self) -> Nanos {
        if self.is_sent_at_once() { self.transfer } else { self.tail }
    }

    /// Whether that is a round trip and nothing more: a receiver may wait for more data, and a queue may have formed.
    pub(crate) fn is_prompt(&self) -> bool {
        self.on_its_way() <= self.rtt_floor.scale(5, 4)
    }

    /// Whether a receiver kept an acknowledgment back that Nagle's rule waited for: it took longer than its way.
    pub(crate) fn is_kept_back(&self) -> bool {
        self.longest_stall >= self.rtt_floor.scale(5, 4) + SHORTEST_DELAY
    }
}
