//! What the running kernel knows of its TCP sockets.
#![cfg(target_os = "linux")]

pub mod host;
mod recorder;
pub mod sample;

pub use recorder::{Error, Host, Recorder, Summary};
