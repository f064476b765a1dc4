//! Observations in, analysis out: why was this TCP transfer slow?
//!
//! No IO, no clock, no threads. Time is an argument, packets are pushed in, the answer is pulled out:
//!
//! ```text
//! frame bytes -> decode -> Segment -> flow -> stretches -> limits -> timeline -> verdict, what-if, advice
//! ```
#![forbid(unsafe_code)]

pub mod advice;
pub mod analysis;
pub mod check;
pub mod decode;
mod flow;
pub mod kernel;
mod limits;
pub mod link;
pub mod model;
pub mod observe;
pub mod picture;
pub mod quantity;
pub mod random;
pub mod socket;
pub mod units;
pub mod whatif;
