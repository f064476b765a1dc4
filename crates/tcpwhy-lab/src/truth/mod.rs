//! What held a transfer back, moment by moment, derived from the sender's kernel state. Never from packets, nor from the kernel's stopwatch.

mod derive;
mod file;
mod read;
mod writes;

pub use derive::derive;
pub use file::{Direction, End, Interval, SCHEMA, Stopwatch, Truth};
pub use read::{read, write};
pub use tcpwhy_core::socket::State;
