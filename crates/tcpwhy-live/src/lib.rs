//! What the running kernel knows of its TCP sockets.
#![cfg(target_os = "linux")]

#[cfg(feature = "bpf")]
mod bpf;
pub mod capture;
pub mod causes;
pub mod cgroup;
pub mod events;
pub mod filter;
pub mod host;
mod kallsyms;
pub mod locks;
pub mod memory;
pub mod namespaces;
pub mod opens;
pub mod parts;
pub mod pcapng;
pub mod privileges;
pub mod process;
mod recorder;
pub mod sample;
pub mod settings;
mod table;
pub mod watch;

pub use recorder::{Error, Host, Options, Recorder, Summary};
