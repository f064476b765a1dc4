//! What the running kernel knows of its TCP sockets.
#![cfg(target_os = "linux")]

mod recorder;
pub mod sample;

pub use recorder::{Error, Host, Recorder, Summary};
