//! Runs in, finished connections out.

use super::conclude;
use super::conclusion::Judged;
use super::period::Period;
use super::runs::{Runs, Step};
use super::table::Place;
use crate::flow::Flow;
use crate::flow::placing::Placing;

/// The second part of the analysis: what happens inside each connection, and what it was in the end.
#[derive(Debug, Default)]
pub struct Judge {
    /// By the places that the sorter gives. Boxed: what one connection leaves, still in the cache, is
    /// taken by the next.
    seats: Vec<Option<Box<Seat>>>,
    finished: Vec<Judged>,
    /// What the answer is about.
    period: Period,
}

/// A connection before this judge.
#[derive(Debug)]
struct Seat {
    flow: Flow,
    /// Where the sorter has left that to the judge.
    placing: Option<Box<Placing>>,
}

impl Judge {
    /// A judge who has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A judge whose answers are about a part of the time, and about what was open in it.
    pub fn of(period: Period) -> Self {
        Self { period, ..Self::default() }
    }

    /// The next runs for this judge, of the one sorter that it listens to.
    pub fn take(&mut self, runs: &mut Runs) {
        runs.each(|step, run, spare| match step {
            Step::Begin { place, id, ends, start } => {
                self.begin(place, Flow::new(id, ends, start));
            }
            Step::Run { place, .. } => {
                if let Some(seat) = seat(&mut self.seats, place) {
                    run.each(&mut seat.flow);
                }
            }
            Step::Raw { place, queue } => {
                if let Some(seat) = seat(&mut self.seats, place) {
                    queue.place(&mut seat.placing, spare, &mut seat.flow);
                }
            }
            Step::End { place, turn, placing } => self.end(place, turn, placing.as_deref()),
        });
        runs.clear();
        runs.make_room();
    }

    fn begin(&mut self, place: Place, flow: Flow) {
        let place = place as usize;
        if place >= self.seats.len() {
            self.seats.resize_with(place + 1, || None);
        }
        self.seats[place] = Some(Box::new(Seat { flow, placing: None }));
    }

    /// Writes down the answer; the connection is freed as soon as it stands.
    fn end(&mut self, place: Place, turn: u64, placing: Option<&Placing>) {
        let Some(slot) = self.seats.get_mut(place as usize) else { return };
        if let Some(seat) = slot {
            let Seat { flow, placing: own } = &mut **seat;
            if let Some(own) = own {
                own.release_held(flow);
            }
            if let Some(placing) = placing.or(own.as_deref()) {
                self.finished.push(conclude::connection(flow, placing, turn, self.period));
            }
        }
        *slot = None;
    }

    /// Connections finished since the last call, for the one [`Conclusion`](super::Conclusion).
    pub fn take_finished(&mut self) -> Vec<Judged> {
        std::mem::take(&mut self.finished)
    }
}

/// The connection in this place.
fn seat(seats: &mut [Option<Box<Seat>>], place: Place) -> Option<&mut Seat> {
    seats.get_mut(place as usize)?.as_deref_mut()
}
