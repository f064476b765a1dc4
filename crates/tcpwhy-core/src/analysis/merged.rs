//! A connection that one scope shows from two points: a file into which the captures of both ends were merged, or a router's of all
//! interfaces at once.
//!
//! What is one segment to one of them may be several to the other (segmentation offload), so not every copy equals its original. But it
//! carries the timestamp that its original carries, and what its sender sends again carries a newer one (RFC 7323 section 3.2).

use super::seen::ELSEWHERE;
use crate::flow::packet::Packet;
use crate::units::{Nanos, Seq};
use std::collections::VecDeque;

/// Segments that are remembered of each side: so many cross a path of 20 ms at a gigabit a second.
const MANY: usize = 2048;

/// What was shown of a connection, by side.
#[derive(Debug, Default)]
pub(super) struct Merged {
    sides: [Shown; 2],
}

/// What was shown of one side.
#[derive(Debug, Default)]
struct Shown {
    /// Lately.
    segments: VecDeque<Segment>,
    /// Up to where.
    end: Option<Seq>,
    /// The newest timestamp of what was shown before that was remembered.
    before: Option<u32>,
}

/// With data.
#[derive(Debug, Clone, Copy)]
struct Segment {
    time: Nanos,
    start: Seq,
    len: u32,
    stamp: u32,
}

impl Merged {
    /// Of a connection whose newest packets, the last first, are these: what it has shown up to now is known by them only.
    pub(super) fn after<'a>(newest: impl Iterator<Item = &'a Packet>) -> Self {
        let mut merged = Self::default();
        for packet in newest.filter(|packet| packet.len > 0) {
            let shown = &mut merged.sides[packet.side as usize];
            shown.end.get_or_insert(packet.seq + packet.len);
            shown.before = shown.before.or(packet.stamp());
        }
        merged
    }

    /// The connection's next packet, which equals none: whether all of its data was shown with its timestamp.
    pub(super) fn has_shown(&mut self, packet: &Packet) -> bool {
        let Some(stamp) = packet.stamp().filter(|_| packet.len > 0) else { return false };
        let (time, start, len) = (packet.time, packet.seq, packet.len);
        self.sides[packet.side as usize].has_shown(Segment { time, start, len, stamp })
    }
}

impl Shown {
    fn has_shown(&mut self, segment: Segment) -> bool {
        let end = segment.start + segment.len;
        if self.end.is_some_and(|shown| end.distance(shown) <= 0) {
            let held =
                |byte| self.segments.iter().rev().any(|shown| shown.holds(byte, segment.stamp));
            let is_older = |before| Seq(segment.stamp).distance(Seq(before)) <= 0;
            if self.before.is_some_and(is_older) || held(segment.start) && held(end + u32::MAX) {
                return true;
            }
        } else {
            self.end = Some(end);
        }
        let is_old = |shown: &Segment| segment.time - shown.time > ELSEWHERE;
        while self.segments.len() >= MANY || self.segments.front().is_some_and(is_old) {
            self.segments.pop_front();
        }
        self.segments.push_back(segment);
        false
    }
}

impl Segment {
    fn holds(&self, byte: Seq, stamp: u32) -> bool {
        let at = u32::try_from(byte.distance(self.start));
        self.stamp == stamp && at.is_ok_and(|at| at < self.len)
    }
}
