//! Many segments at once: the same answer as one by one, with fewer ways to far memory.

use super::group::{Group, Groups};
use super::{Analyzer, Closed, Key, LINGER, MAX_OPEN, share};
use crate::flow::Flow;
use crate::observe::{Segment, flags};
use crate::units::Nanos;

/// Connections whose state is fetched together: as many as a core can wait for at a time.
const AHEAD: usize = 16;

impl Analyzer {
    /// The next segments, as by [`Analyzer::push`]. Those of one connection are taken together,
    /// as long as nothing begins anew or ends in between.
    pub fn push_all(&mut self, segments: &[Segment]) {
        let mut groups = std::mem::take(&mut self.groups);
        groups.start(segments.len());
        let mut oldest = Nanos::MAX;
        for (i, segment) in segments.iter().enumerate() {
            if !self.order.is_right(segment) {
                self.flush(&mut groups, segments);
                if let Some(segment) = self.order.sort(segment) {
                    self.process(&segment);
                }
                continue;
            }
            let Some(slot) = self.slot_without_turn(segment) else {
                self.flush(&mut groups, segments);
                self.process(segment);
                continue;
            };
            groups.add(slot, i as u32);
            oldest = oldest.min(segment.time);
            if self.is_due(segment.time, oldest) {
                self.flush(&mut groups, segments);
                self.conclude_lingering(segment.time);
                oldest = Nanos::MAX;
            }
        }
        self.flush(&mut groups, segments);
        if let Some(last) = segments.last() {
            self.conclude_lingering(last.time);
        }
        self.groups = groups;
    }

    /// The place of the segment's connection, unless the segment may end one: what came before it
    /// must be processed first then.
    fn slot_without_turn(&mut self, segment: &Segment) -> Option<usize> {
        let key = Key::of(segment);
        let known = match self.last {
            Some((last, slot)) if last == key => Some(slot),
            _ => self.index.get(&key).copied(),
        };
        let reopens = segment.has(flags::SYN) && !segment.has(flags::ACK);
        let slot = match known {
            Some(_) if reopens => return None,
            Some(slot) => slot,
            None if self.index.len() >= MAX_OPEN => return None,
            None => self.open(key, segment),
        };
        self.last = Some((key, slot));
        Some(slot)
    }

    /// Whether a connection that lingers has to go at `now`, be it one that closes with a segment
    /// that still waits, the oldest of which is of `oldest`.
    fn is_due(&self, now: Nanos, oldest: Nanos) -> bool {
        let closed = self.closing.front().map_or(Nanos::MAX, |c| c.at);
        now - closed.min(oldest) > LINGER
    }

    /// Processes what waits. Connections have nothing to do with each other.
    fn flush(&mut self, groups: &mut Groups, segments: &[Segment]) {
        let turn = |&group: &Group| {
            let flow = self.slab.get_mut(group.slot).and_then(Option::take)?;
            Some(Turn { flow, group })
        };
        let mut turns: Vec<Turn> = groups.all().iter().filter_map(turn).collect();
        let work = |turns: &mut [Turn]| process(turns, groups, segments);
        let mut closed = share::run(self.threads, &mut turns, work);
        for Turn { flow, group } in turns {
            self.slab[group.slot] = Some(flow);
        }
        closed.sort_unstable_by_key(|(i, _)| *i);
        self.closing.extend(closed.into_iter().map(|(_, closed)| closed));
        groups.clear();
    }
}

/// A connection and its packets of the batch.
struct Turn {
    flow: Box<Flow>,
    group: Group,
}

/// Processes the packets of `turns`; the connections that they close, each with the number of the
/// packet.
fn process(turns: &mut [Turn], groups: &Groups, segments: &[Segment]) -> Vec<(usize, Closed)> {
    let mut closed = Vec::new();
    for some in turns.chunks_mut(AHEAD) {
        if some.len() > 1 {
            fetch(some);
        }
        for Turn { flow, group } in some {
            for i in groups.packets(*group) {
                let Some(segment) = segments.get(i) else { break };
                let was_closed = flow.is_closed();
                flow.push(segment);
                if !was_closed && flow.is_closed() {
                    closed.push((i, Closed { at: segment.time, slot: group.slot, id: flow.id }));
                }
            }
        }
    }
    closed
}

/// Reads a little of all connections of `some`: the core waits for all of them at the same time,
/// not for each in turn.
fn fetch(some: &[Turn]) {
    let near = some.iter().fold(0, |sum, turn| sum ^ turn.flow.touch());
    let next = some.iter().fold(0, |sum, turn| sum ^ turn.flow.touch_near());
    let far = some.iter().fold(0, |sum, turn| sum ^ turn.flow.touch_far());
    std::hint::black_box(near ^ next ^ far);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Endpoint;
    use crate::units::Seq;
    use std::net::{IpAddr, Ipv4Addr};

    fn segment(i: u64) -> Segment {
        let end = |port| Endpoint::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        let port = 1000 + (i * 7919 % 13) as u16;
        let bits = [flags::SYN, flags::ACK, flags::ACK, flags::ACK | flags::FIN, flags::RST];
        let jump = if i.is_multiple_of(97) { 70_000 } else { 0 };
        Segment {
            time: Nanos::from_millis((i / 97 * 70_000 + jump + i) as i64),
            frame: i + 1,
            src: end(if i.is_multiple_of(3) { 80 } else { port }),
            dst: end(if i.is_multiple_of(3) { port } else { 80 }),
            seq: Seq((i * 100) as u32),
            len: (i % 5 * 100) as u32,
            flags: bits[(i * 31 / 7 % 5) as usize],
            ip_id: i as u16,
            ..Segment::default()
        }
    }

    #[test]
    fn a_batch_says_the_same_as_its_segments_one_by_one() {
        let segments: Vec<Segment> = (0..5000).map(segment).collect();
        let mut single = Analyzer::new();
        segments.iter().for_each(|s| single.push(s));
        let mut batched = Analyzer::on_threads(2);
        segments.chunks(1024).for_each(|s| batched.push_all(s));
        assert!(single.take_finished() == batched.take_finished());
        assert!(single.finish() == batched.finish());
    }
}
