//! A connection that several capture points show.

use super::open::Open;
use super::points::{Points, Turn};
use super::seen::{Seeing, Seen, Sight};
use super::waiting::{Spare, Waiting};
use crate::flow::packet::Packet;
use crate::model::Side;

impl Open {
    /// The next packet of the connection, with this print, one of several points shows; how many wait now.
    #[inline(never)]
    pub(super) fn push_of_several(
        &mut self,
        packet: &Packet,
        (print, seeing): (u64, Seeing),
        seen: &mut Seen,
        waiting: &mut Waiting,
    ) -> usize {
        let (side, scope) = (packet.side, seeing.1);
        // A side's first packet is known again, however long ago it came: how far clocks are apart nobody knows.
        let first = self.first[side as usize].filter(|(first, at)| *first == print && *at != scope);
        self.find_points(side, first.map(|(_, scope)| scope));
        while let Some(points) = &mut self.points {
            match points.turn(packet, scope, waiting.is_full()) {
                Turn::Tells => {
                    self.release_held(waiting, Packet::copied);
                    break;
                }
                Turn::Passes => self.release_held(waiting, |held| held),
                Turn::Copy => return self.push_copy(*packet, waiting),
                Turn::Waits => return self.hold(*packet, waiting),
                Turn::CopyWaits => return self.hold(packet.copied(), waiting),
            }
        }
        let any_twice = seen.any_twice;
        let sight = seen.look(print, seeing, || self.identified_within(packet, any_twice));
        if let Sight::Elsewhere(first) = sight {
            self.find_points(side, Some(first));
        }
        if self.is_seen_again(packet, sight, seen) {
            return self.push_copy(*packet, waiting);
        }
        self.push(packet, waiting)
    }

    /// Has a packet wait until it is known whether it is a copy; as many wait to be judged as before.
    fn hold(&mut self, packet: Packet, waiting: &mut Waiting) -> usize {
        self.last = self.last.max(packet.time);
        if let Some(points) = &mut self.points {
            waiting.push(&mut points.held, &packet);
        }
        self.waits()
    }

    /// What is held is no longer: it is `told` so.
    pub(super) fn release_held(&mut self, waiting: &mut Waiting, told: impl Fn(Packet) -> Packet) {
        let Some(points) = self.points.as_mut().filter(|points| points.held.len() > 0) else {
            return;
        };
        let mut done = Spare::default();
        let held = waiting.take(&mut points.held, &mut done);
        held.each(&mut done, |some| {
            for packet in some {
                self.push(&told(*packet), waiting);
            }
        });
        waiting.spare.append(&mut done);
    }

    /// Finds out which points tell of it, where a packet of `side` is there again that this scope has shown. Who began in the middle of it
    /// is taken to have shown both sides.
    fn find_points(&mut self, side: Side, shown_by: Option<u32>) {
        let Some(scope) = shown_by.filter(|_| self.points.is_none()) else { return };
        let mut scopes = self.first.map(|first| first.map(|(_, scope)| scope));
        scopes[side as usize] = Some(scope);
        if self.syn[side as usize].is_none() {
            scopes[side.other() as usize].get_or_insert(scope);
        }
        self.points = Some(Box::new(Points::new(scopes)));
    }
}
