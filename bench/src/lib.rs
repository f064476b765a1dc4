//! Captures of any size, made of simulated connections: written fast, the same bytes every time.
#![forbid(unsafe_code)]

pub mod frame;
mod jitter;
pub mod many;
pub mod one;

pub use jitter::Jitter;
