//! The analysis as a whole: what it must never do, what it must find, and how often it does.
#![allow(clippy::expect_used, clippy::panic)] // Helpers of tests, outside of #[test] functions.

mod ack_queue;
mod clocks;
mod closing;
mod corked;
mod crowd;
mod facts;
mod frames;
mod grid;
mod hanging;
mod last_flight;
mod midstream;
mod opening;
mod period;
mod properties;
mod random;
mod rhythm;
mod script;
mod segments;
mod sharing;
mod silence;
mod small_writes;
mod thinking;
mod transfer;
mod traps;
mod truth;
mod turns;
mod unanswered;
mod writers;
