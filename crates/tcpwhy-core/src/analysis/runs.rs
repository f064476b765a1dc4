//! Packets in runs, each of one connection.

use super::table::Place;
use super::waiting::{Queue, Spare};
use crate::flow::placed::{Extent, Placed, Run};
use crate::flow::placing::Placing;
use crate::observe::Endpoint;
use crate::units::Nanos;

/// Packets in runs, each of one connection, with the connections' beginnings and ends: what a
/// [`Sorter`](super::Sorter) gives to one [`Judge`](super::Judge).
#[derive(Debug, Default)]
pub struct Runs {
    steps: Vec<Step>,
    placed: Placed,
    /// Packets that the judge places himself.
    raw: usize,
    /// Blocks that he is done with.
    pub(super) spare: Spare,
    /// Blocks more that the sorter would like to have.
    wanted: usize,
}

/// One thing to do for the connection in a place.
#[derive(Debug)]
pub(super) enum Step {
    /// A connection between `ends`, client and server, begins here.
    Begin { place: Place, id: u64, ends: [Endpoint; 2], start: Nanos },
    /// The next so many packets belong to it.
    Run { place: Place, extent: Extent },
    /// As `Run`, for packets that are not placed yet: all of this connection, or none.
    Raw { place: Place, queue: Queue },
    /// It is over, as the connection number `turn` that is; with what it was placed by, if it was.
    End { place: Place, turn: u64, placing: Option<Box<Placing>> },
}

/// Which of two judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    /// The one that all connections begin with, unless told otherwise.
    First,
    /// The one that helps.
    Second,
}

/// What there is to do for two judges, who may work at the same time: a connection stays with the one that it began with.
#[derive(Debug)]
pub struct Work {
    /// By [`Hand`].
    runs: [Runs; 2],
    begins_with: Hand,
}

impl Default for Work {
    fn default() -> Self {
        Self { runs: Default::default(), begins_with: Hand::First }
    }
}

impl Work {
    /// Connections that begin from now on are `hand`'s.
    pub fn begin_with(&mut self, hand: Hand) {
        self.begins_with = hand;
    }

    /// Who gets a connection that begins now.
    pub(super) fn begins_with(&self) -> Hand {
        self.begins_with
    }

    /// What there is to do for one of them.
    pub fn of(&mut self, hand: Hand) -> &mut Runs {
        &mut self.runs[hand as usize]
    }
}

impl Runs {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.wanted == 0
    }

    /// Whoever takes them is to make room for so many blocks more.
    pub(super) fn want(&mut self, blocks: usize) {
        self.wanted = blocks;
    }

    /// Makes the room that is wanted.
    pub(super) fn make_room(&mut self) {
        self.spare.make(std::mem::take(&mut self.wanted));
    }

    /// Packets in all runs.
    pub fn packets(&self) -> usize {
        self.placed.extent().packets + self.raw
    }

    /// Forgets everything and keeps the room.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.placed.clear();
        self.raw = 0;
    }

    pub(super) fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// What `place` adds to the packets belongs to the connection in `at`.
    pub(super) fn run(&mut self, at: Place, place: impl FnOnce(&mut Placed)) {
        let before = self.placed.extent();
        place(&mut self.placed);
        let extent = self.placed.extent().since(before);
        self.steps.push(Step::Run { place: at, extent });
    }

    /// As `run`, for packets that are not placed.
    pub(super) fn raw(&mut self, place: Place, queue: Queue) {
        self.raw += queue.len();
        self.steps.push(Step::Raw { place, queue });
    }

    /// Every step in order, with the packets of a `Run`, and a place for blocks that nobody needs any more.
    pub(super) fn each(&mut self, mut take: impl FnMut(Step, Run<'_>, &mut Spare)) {
        let mut rest = self.placed.all();
        let mut steps = self.steps.drain(..);
        fetch_next(steps.as_slice());
        while let Some(step) = steps.next() {
            let extent = match &step {
                Step::Run { extent, .. } => *extent,
                Step::Raw { .. } => {
                    fetch_next(steps.as_slice());
                    Extent::default()
                }
                _ => Extent::default(),
            };
            take(step, rest.take(extent), &mut self.spare);
        }
    }
}

/// Has the next packets that are not placed yet brought from memory, while others are judged.
fn fetch_next(steps: &[Step]) {
    let raw = steps.iter().find_map(|step| match step {
        Step::Raw { queue, .. } => Some(queue),
        _ => None,
    });
    if let Some(queue) = raw {
        queue.fetch();
    }
}
