//! What became of the opening of a connection.

use crate::model::{Connection, FindingKind, Limit, Side};

/// Whether data could cross at last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    Done,
    /// An RST answered the SYN.
    Refused,
    /// It was tried until the end.
    InVain,
    /// As `InVain`, by the server alone: the client's only SYN had arrived.
    AnswerUnheard,
}

impl Opening {
    pub(crate) fn of(connection: &Connection) -> Self {
        let mut time = connection.directions.iter().flat_map(|d| d.timeline.iter());
        if connection.is_refused() {
            Self::Refused
        } else if time.all(|i| i.limit == Limit::Handshake) {
            if is_server_alone(connection) { Self::AnswerUnheard } else { Self::InVain }
        } else {
            Self::Done
        }
    }
}

/// Whether the server alone sent its SYN again.
fn is_server_alone(connection: &Connection) -> bool {
    let by = |side| {
        connection.findings.iter().any(|f| f.kind == FindingKind::SynRetries && f.side == side)
    };
    by(Side::Server) && !by(Side::Client)
}
