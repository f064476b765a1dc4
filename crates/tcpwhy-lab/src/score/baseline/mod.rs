//! What others make of the same runs: the kernel's stopwatch, Wireshark's flags, T-RAT's rules.

mod flights;
mod stopwatch;
mod trat;
mod wireshark;

pub use stopwatch::stopwatch;
pub use trat::trat;
pub use wireshark::{is_installed as has_tshark, wireshark};

use super::timeline::Timeline;
use tcpwhy_core::model::Limit;

/// Another's answer for a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What it may mean: where the method cannot tell limits apart, all of them, and any of them counts as right.
    pub verdict: Vec<Limit>,
    /// The course of time, where the method has one.
    pub timeline: Option<Timeline>,
}
