//! `silent_path`: one side sends into a hole until it gives up (`tcp_retries2`, RFC 1122 section
//! 4.2.3.5), without FIN or RST. Beyond the hole only what does not come is seen of it: no repair
//! of data that still lacks (RFC 6298 section 5).

use super::Judgement;
use crate::flow::due::{Due, Fate};
use crate::model::{Cause, Limit};
use crate::units::Nanos;

/// The end of a direction in which nobody answered any more, or nothing came of what was due.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Silence {
    /// The last answer, or the last that came.
    pub(crate) from: Nanos,
    pub(crate) judgement: Judgement,
}

impl Silence {
    /// Who speaks, or is spoken to, is gone.
    pub(crate) fn of_path(from: Nanos, cause: Cause) -> Self {
        Self { from, judgement: Judgement::new(Limit::SilentPath, cause, 90) }
    }

    /// The answer that is `due` did not come.
    pub(crate) fn of_answer(due: &Due) -> Self {
        let (limit, cause, confidence) = match due.fate {
            Fate::Lost => (Limit::SilentPath, Cause::None, 90),
            Fate::Held => (Limit::Application, Cause::SenderApplication, 90),
            Fate::Unknown => (Limit::Application, Cause::SenderApplication, 60),
            Fate::Undue => (Limit::Application, Cause::SenderApplication, 50),
        };
        Self { from: due.time.since, judgement: Judgement::new(limit, cause, confidence) }
    }
}
