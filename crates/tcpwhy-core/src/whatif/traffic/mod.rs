//! A small deterministic TCP simulator that emits labelled traffic: the segments that a capture at any
//! place of the path would have seen, and beside them what held the sender back at every moment.
//!
//! Virtual time in whole nanoseconds, one seed, no IO: the same scenario gives the same trace everywhere.
//!
//! ```
//! use tcpwhy_core::whatif::traffic::{Scenario, simulate};
//! let trace = simulate(&Scenario { send_buffer: 16 * 1024, ..Scenario::default() });
//! let at_the_sender = trace.capture(0.0);
//! let at_the_receiver = trace.capture(1.0);
//! assert!(!at_the_sender.is_empty() && !at_the_receiver.is_empty());
//! ```

mod app;
mod board;
mod congestion;
mod host;
mod link;
mod opening;
mod packet;
mod receiver;
mod rtt;
mod scenario;
mod sender;
mod tap;
mod truth;
mod world;

#[cfg(test)]
mod tests;

pub use scenario::{Control, Loss, Reader, Scenario, Window, Workload};
pub use tap::Trace;
pub use truth::TruthInterval;
pub use world::simulate;
