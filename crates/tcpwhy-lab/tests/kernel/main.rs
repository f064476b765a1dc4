//! The rules of `tcpwhy_core::kernel` against the running kernel, between two namespaces with a link of their own: options read back, what
//! a send buffer takes, when its writer wakes, which window is offered. (`tcpwhy-core/tests/kernel_rules.rs` asks the loopback.)
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod buffers;
mod fill;
mod pair;
mod wake;
mod window;
