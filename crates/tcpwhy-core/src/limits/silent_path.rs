//! `silent_path`: one side sends into a hole until it gives up (`tcp_retries2`, RFC 1122 section
//! 4.2.3.5), without FIN or RST. Beyond the hole only what does not come is seen of it: no repair
//! of data that still lacks (RFC 6298 section 5).

use super::Judgement;
use crate::model::{Cause, Limit};
use crate::units::Nanos;

/// The end of a direction that nobody answers any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Silence {
    /// The last answer, or the last that came.
    pub(crate) from: Nanos,
    pub(crate) cause: Cause,
}

impl Silence {
    pub(super) fn judgement(&self) -> Judgement {
        Judgement::new(Limit::SilentPath, self.cause, 90)
    }
}
