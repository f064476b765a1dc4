//! Workloads on the loopback device of a network namespace of their own.

mod flows;
mod options;
mod place;
mod programs;
mod readers;
mod relays;
