//! Packets in runs, each of one connection.

use super::table::Place;
use crate::flow::packet::Packet;
use crate::observe::Endpoint;

/// Packets in runs, each of one connection, with the connections' beginnings and ends: what a
/// [`Sorter`](super::Sorter) gives to a [`Judge`](super::Judge).
#[derive(Debug, Default)]
pub struct Runs {
    steps: Vec<Step>,
    packets: Vec<Packet>,
}

/// One thing to do for the connection in a place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A connection between `ends`, client and server, begins here with the packet `first`.
    Begin { place: Place, id: u64, ends: [Endpoint; 2], first: Packet },
    /// The next so many packets belong to it.
    Run { place: Place, packets: usize },
    /// It is over.
    End { place: Place },
}

impl Runs {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Packets in all runs.
    pub fn packets(&self) -> usize {
        self.packets.len()
    }

    /// Forgets everything and keeps the room.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.packets.clear();
    }

    pub(super) fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// The next so many packets, which [`Runs::extend`] adds, belong to the connection in `place`.
    pub(super) fn start(&mut self, place: Place, packets: usize) {
        self.steps.push(Step::Run { place, packets });
    }

    pub(super) fn extend(&mut self, packets: &[Packet]) {
        self.packets.extend_from_slice(packets);
    }

    /// Every step in order, a run with its packets.
    pub(super) fn each(&self, mut take: impl FnMut(&Step, &[Packet])) {
        let mut rest = self.packets.as_slice();
        for step in &self.steps {
            let len = if let Step::Run { packets, .. } = step { *packets } else { 0 };
            let (run, after) = rest.split_at_checked(len).unwrap_or_default();
            take(step, run);
            rest = after;
        }
    }
}
