//! Steps to take, as instructions.

mod buffer;
mod life;
mod network;
mod work;

use crate::advice::step::Step;

/// One step as an instruction.
pub(crate) fn step(step: &Step) -> String {
    match step {
        Step::Work(step) => work::step(step),
        Step::Buffer(step) => buffer::step(step),
        Step::Network(step) => network::step(step),
        Step::Life(step) => life::step(step),
    }
}
