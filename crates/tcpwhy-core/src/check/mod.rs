//! A host and the paths from it: what would limit a transfer, which setting, and what changing it brings.
//!
//! Only judging is here: reading a host is for others. A setting is blamed where the model ([`transfer`](crate::whatif::transfer))
//! says that changing it makes the transfer faster, or where it switches off what TCP cannot do without.

mod finding;
mod general;
mod host;
mod judge;
mod path;
pub mod saved;
mod side;
mod sockets;
mod transfers;
mod trial;

#[cfg(test)]
mod tests;

pub use finding::{Cost, Finding, Gain, Leave, NEVER, Weight, What};
pub use host::{Device, Host, Locks, Route, Socket};
pub use judge::{Judged, Report, judge};
pub use path::{Path, Source, seen};
