//! Data for an end that had closed the connection: it refuses it with an RST, "to show that data was lost" (RFC 1122 section 4.2.2.13).

use super::Flow;
use super::turns::LAST_WORD;
use crate::model::Side;
use crate::units::Nanos;

/// Data that came after the other end's FIN, and was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AfterClose {
    pub(crate) bytes: u64,
    /// For how long its sender could have known when it left; none where both were under way at the same time.
    pub(crate) late: Nanos,
    /// The RST.
    pub(crate) frame: u64,
}

impl Flow {
    /// What `side` said to an end that had closed, and that refused it: a request on a connection that a server no longer keeps, or an answer
    /// for which nobody waits any longer. The end of a stream that was cut off is neither, nor is what is said because the other end closes.
    pub(crate) fn after_close(&self, side: Side) -> Option<AfterClose> {
        let (own, peer) = (side as usize, side.other() as usize);
        let closed = self.over.filter(|over| over.side != side)?.time;
        let refused = self.resets[peer].filter(|_| self.closed[peer].is_some())?;
        let unheard = self.senders[own].as_ref()?.unheard(self.closed[own])?;
        let [here, there] = [own, peer].map(|end| self.legs[end].now);
        let late = unheard.since - (closed + here);
        let in_time = unheard.since + there <= closed;
        // Whoever only has nothing more to say still acknowledges what comes.
        let half_closed = unheard.heard >= closed + here + LAST_WORD;
        let reacts = match side {
            Side::Client => unheard.is_last_word,
            Side::Server => late < LAST_WORD,
        };
        let told =
            AfterClose { bytes: unheard.bytes, late: late.max(Nanos::ZERO), frame: refused.frame };
        (!in_time && !half_closed && !reacts).then_some(told)
    }
}
