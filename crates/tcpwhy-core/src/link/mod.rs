//! One direction of a link as pure code: packets go in with the time, and come out later, or never.
//!
//! Time is an argument. The lab drives it with the kernel's clock and real packets, the model with a virtual clock.

mod codel;
mod dice;
mod fate;
mod loss;
mod rate;
mod spec;
#[cfg(test)]
mod tests;
mod trace;
mod way;

pub use fate::{Counters, Delivery, DropReason, Fate, Parcel};
pub use spec::{Burst, Loss, Outage, Policer, Queue, QueueLimit, Rate, WaySpec};
pub use trace::TraceError;
pub use way::Way;
