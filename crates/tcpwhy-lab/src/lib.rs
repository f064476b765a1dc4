//! Reproduces slow TCP transfers on one machine: two hosts, a link between them, real sockets, and the truth about what held them.
//!
//! ```text
//! scenario file -> spec -> hosts + link + workload + recorders -> case folder -> score
//! ```
#![cfg(target_os = "linux")]

pub mod exec;
pub mod host;
mod keep;
pub mod link;
mod namespace;
mod ndjson;
mod parallel;
mod places;
pub mod run;
pub mod scenario;
pub mod score;
pub mod scratch;
pub mod spec;
pub mod sweep;
pub mod tap;
pub mod truth;
pub mod workload;
