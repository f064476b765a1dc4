//! Packets back in the order of their timestamps.
//!
//! A capture that is written from several queues or taps holds packets a little out of order; an ACK
//! written after the data that it released would turn cause and effect round.

use crate::flow::packet::Packet;
use crate::model::Side;
use crate::observe::Segment;
use crate::units::Nanos;
use std::cmp::Ordering;
use std::collections::VecDeque;

/// Packets among which the order is mended, once it was found broken.
const HORIZON: usize = 256;
/// A larger step back is another clock, not another queue.
const STEP: Nanos = Nanos::from_secs(1);

/// Passes everything through until the first step back; then sorts.
#[derive(Debug)]
pub(super) struct Order {
    newest: Nanos,
    waiting: VecDeque<Sorted>,
    broken: bool,
}

/// A segment in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sorted {
    pub(super) segment: Segment,
    /// The capture has it behind a later one of its connection.
    pub(super) late: bool,
}

impl Default for Order {
    fn default() -> Self {
        Self { newest: Nanos(i64::MIN), waiting: VecDeque::new(), broken: false }
    }
}

impl Order {
    /// Whether a segment of this time may be processed at once: nothing has ever been out of order.
    #[inline]
    pub(super) fn is_right(&mut self, time: Nanos) -> bool {
        if self.broken {
            return false;
        }
        if time < self.newest && self.newest - time < STEP {
            self.broken = true;
        }
        self.newest = time;
        !self.broken
    }

    /// Whether something has been out of order.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Takes `segment` in and gives out what no later packet can overtake.
    pub(super) fn sort(&mut self, segment: &Segment) -> Option<Sorted> {
        let near = |s: &Segment| s.time > segment.time && s.time - segment.time < STEP;
        let (mut at, mut late, mut compared) = (self.waiting.len(), false, false);
        while at > 0 && near(&self.waiting[at - 1].segment) {
            let before = &self.waiting[at - 1].segment;
            if !compared && (before.src, before.dst) == (segment.src, segment.dst) {
                compared = true; // The newest of them says it for all.
                if was_sent_later(segment, before) {
                    break;
                }
            }
            at -= 1;
            late |= are_one_connections(&self.waiting[at].segment, segment);
        }
        self.waiting.insert(at, Sorted { segment: *segment, late });
        if self.waiting.len() > HORIZON { self.waiting.pop_front() } else { None }
    }

    /// What still waits, in order.
    pub(super) fn rest(&mut self) -> VecDeque<Sorted> {
        std::mem::take(&mut self.waiting)
    }
}

/// Whether the end that sent both has sent `one` after `other`, whatever their times: then no queue was written late, but the clock was set
/// back, which the connection's own packets show.
fn was_sent_later(one: &Segment, other: &Segment) -> bool {
    let packet = |segment| Packet::of(segment, Side::Client);
    packet(one).sent_order(&packet(other)) == Ordering::Greater
}

fn are_one_connections(one: &Segment, other: &Segment) -> bool {
    let ends = (other.src, other.dst);
    (one.src, one.dst) == ends || (one.dst, one.src) == ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Segment {
        Segment { time: Nanos::from_millis(ms), ..Segment::default() }
    }

    #[test]
    fn a_sorted_stream_is_not_delayed() {
        let mut order = Order::default();
        assert!((0..10).all(|ms| order.is_right(Nanos::from_millis(ms))));
        assert!(order.rest().is_empty());
    }

    #[test]
    fn after_a_step_back_the_timestamps_decide() {
        let mut order = Order::default();
        let mut out = Vec::new();
        for ms in [0, 5, 3, 9, 8, 7, 10] {
            let segment = at(ms);
            if order.is_right(segment.time) {
                out.push(ms);
            } else {
                out.extend(order.sort(&segment).map(|s| s.segment.time.0 / 1_000_000));
            }
        }
        out.extend(order.rest().iter().map(|s| s.segment.time.0 / 1_000_000));
        assert_eq!(out, [0, 5, 3, 7, 8, 9, 10], "only the packet that revealed it comes late");
    }

    #[test]
    fn another_clock_is_left_as_it_is() {
        let mut order = Order::default();
        assert!(order.is_right(Nanos::from_secs(100)));
        assert!(order.is_right(Nanos::ZERO));
    }
}
