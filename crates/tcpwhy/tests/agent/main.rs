//! `tcpwhy agent`: what it exports, to whom, and what is deployed with it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)] // Helpers of tests, outside of #[test] functions.

#[path = "../common/mod.rs"]
mod common;

mod agent;
mod deploy;
mod limits;
mod metrics;
mod otlp;
mod prometheus;
mod services;
