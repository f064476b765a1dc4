//! Runs in, finished connections out.

use super::conclude;
use super::conclusion::Judged;
use super::runs::{Runs, Step};
use super::table::Place;
use crate::flow::Flow;
use crate::flow::placing::Placing;

/// The second part of the analysis: what happens inside each connection, and what it was in the end.
#[derive(Debug, Default)]
pub struct Judge {
    /// By the places that the sorter gives. Boxed: what one connection leaves, still in the cache, is
    /// taken by the next.
    flows: Vec<Option<Box<Flow>>>,
    finished: Vec<Judged>,
}

impl Judge {
    /// A judge who has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next runs for this judge, of the one sorter that it listens to.
    pub fn take(&mut self, runs: &Runs) {
        runs.each(|step, run| match step {
            Step::Begin { place, id, ends, start } => {
                self.begin(*place, Flow::new(*id, *ends, *start));
            }
            Step::Run { place, .. } => {
                if let Some(flow) = self.flows.get_mut(*place as usize).and_then(Option::as_mut) {
                    flow.push(run);
                }
            }
            Step::End { place, turn, placing } => self.end(*place, *turn, placing),
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
    fn end(&mut self, place: Place, turn: u64, placing: &Placing) {
        let Some(slot) = self.flows.get_mut(place as usize) else { return };
        if let Some(flow) = slot {
            self.finished.push(conclude::connection(flow, placing, turn));
        }
        *slot = None;
    }

    /// Connections finished since the last call, for the one [`Conclusion`](super::Conclusion).
    pub fn take_finished(&mut self) -> Vec<Judged> {
        std::mem::take(&mut self.finished)
    }
}
