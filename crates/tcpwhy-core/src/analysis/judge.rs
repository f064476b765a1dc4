//! Runs in, finished connections out.

use super::conclude;
use super::runs::{Runs, Step};
use super::table::Place;
use crate::flow::Flow;
use crate::model::Connection;
use crate::whatif::lifted::Budget;

/// The second half of the analysis: what happens inside each connection, and what it was in the end.
#[derive(Debug, Default)]
pub struct Judge {
    /// By the places that the sorter gives. Boxed: what one connection leaves, still in the cache, is
    /// taken by the next.
    flows: Vec<Option<Box<Flow>>>,
    finished: Vec<Connection>,
    /// What the model may still cost.
    budget: Budget,
}

impl Judge {
    /// A judge who has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next runs of the one sorter that this judge listens to.
    pub fn take(&mut self, runs: &Runs) {
        runs.each(|step, packets| match *step {
            Step::Begin { place, id, ends, first } => {
                self.begin(place, Flow::new(id, ends, &first))
            }
            Step::Run { place, .. } => {
                if let Some(flow) = self.flows.get_mut(place as usize).and_then(Option::as_mut) {
                    flow.push(packets);
                }
            }
            Step::End { place } => self.end(place),
        });
    }

    fn begin(&mut self, place: Place, flow: Flow) {
        let place = place as usize;
        if place >= self.flows.len() {
            self.flows.resize_with(place + 1, || None);
        }
        self.flows[place] = Some(Box::new(flow));
    }

    /// Writes down the answer; the connection is freed as soon as it stands.
    fn end(&mut self, place: Place) {
        let Some(slot) = self.flows.get_mut(place as usize) else { return };
        if let Some(flow) = slot {
            self.finished.push(conclude::connection(flow, &mut self.budget));
        }
        *slot = None;
    }

    /// Connections finished since the last call, in the order in which they finished.
    pub fn take_finished(&mut self) -> Vec<Connection> {
        std::mem::take(&mut self.finished)
    }
}
