//! Bytes in flight as the sender sees them, wherever the capture was taken.

use super::series::Series;
use crate::units::Nanos;
use std::collections::VecDeque;

/// ACKs on their way to the sender; a capture has no more of them within one leg.
const MAX_ON_THE_WAY: usize = 1 << 16;

/// Sent minus acknowledged: data left the sender one leg before it was captured, ACKs reach it one leg after.
#[derive(Debug, Clone)]
pub(super) struct Flight {
    leg: Nanos,
    next: i64,
    acked: i64,
    on_the_way: VecDeque<(Nanos, i64, u64)>,
}

impl Flight {
    pub(super) fn new(leg: Nanos) -> Self {
        Self { leg, next: 0, acked: 0, on_the_way: VecDeque::new() }
    }

    /// New data up to `end` was captured at `time`.
    pub(super) fn sent(&mut self, time: Nanos, end: i64, frame: u64, into: &mut Series) {
        let left = time - self.leg;
        self.arrive(left, into);
        self.next = self.next.max(end);
        self.draw(left, frame, into);
    }

    /// An ACK was captured at `time`.
    pub(super) fn ack(&mut self, time: Nanos, ack: i64, frame: u64, into: &mut Series) {
        // What data may still be captured left the sender after this.
        self.arrive(time - self.leg, into);
        if self.on_the_way.len() < MAX_ON_THE_WAY {
            self.on_the_way.push_back((time + self.leg, ack, frame));
        }
    }

    pub(super) fn finish(&mut self, into: &mut Series) {
        self.arrive(Nanos::MAX, into);
    }

    fn arrive(&mut self, until: Nanos, into: &mut Series) {
        while let Some(&(time, ack, frame)) = self.on_the_way.front()
            && time <= until
        {
            self.on_the_way.pop_front();
            if ack > self.acked {
                self.acked = ack;
                self.draw(time, frame, into);
            }
        }
    }

    fn draw(&self, time: Nanos, frame: u64, into: &mut Series) {
        let bytes = self.next.saturating_sub(self.acked).max(0);
        into.push(time, bytes, bytes, frame);
    }
}
