//! Reproduces slow TCP transfers on one machine: two hosts, a link between them, real sockets, and the truth about what held them.
//!
//! ```text
//! scenario file -> spec -> hosts + link + workload + recorders -> case folder -> score
//! ```
#![cfg(target_os = "linux")]

pub mod spec;
pub mod truth;
