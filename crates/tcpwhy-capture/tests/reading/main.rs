//! Captures built by hand, in every variant, whole and broken.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]
mod build;
mod compressed;
mod damage;
mod foreign;
mod merge;
mod pcap;
mod pcapng;
mod shared;
mod stream;
