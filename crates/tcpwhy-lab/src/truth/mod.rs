//! What held a transfer back, moment by moment, derived from the sender's kernel state. Never from packets, nor from the kernel's stopwatch.
//!
//! ```text
//! events.ndjson  -> state before each event, sleepers -+
//! samples.ndjson -> state every 2 ms ------------------+-> row of states -> timeline -> causes -> truth.json
//! app.ndjson     -> when the application wrote --------+
//! ```

mod cause;
mod derive;
mod events;
mod file;
mod load;
mod read;
mod sender;
mod spans;
mod writes;

pub use derive::derive;
pub use file::{Direction, End, Interval, SCHEMA, Scheduled, Source, Stopwatch, Truth, Watched};
pub use read::{again, read, write};
pub use tcpwhy_core::socket::State;
