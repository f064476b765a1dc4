//! What was read.

use serde::Serialize;

/// Where an analysis comes from, and what could not be used of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Source {
    /// The captures, in the order in which they were given.
    pub files: Vec<String>,
    /// Frames read.
    pub packets: u64,
    /// Frames that held a TCP segment.
    pub tcp_packets: u64,
    /// What could not be read or understood, a sentence each.
    pub warnings: Vec<String>,
}
