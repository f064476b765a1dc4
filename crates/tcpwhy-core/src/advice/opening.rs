//! What became of the opening of a connection.

use crate::model::{Connection, Limit};

/// Whether data could cross at last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    Done,
    /// An RST answered the SYN.
    Refused,
    /// It was tried until the end.
    InVain,
}

impl Opening {
    pub(crate) fn of(connection: &Connection) -> Self {
        let mut time = connection.directions.iter().flat_map(|d| d.timeline.iter());
        if connection.is_refused() {
            Self::Refused
        } else if time.all(|i| i.limit == Limit::Handshake) {
            Self::InVain
        } else {
            Self::Done
        }
    }
}
