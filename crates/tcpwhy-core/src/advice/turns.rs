//! What the figures say of a conversation: turns, and what a protocol's own window grants.

use super::figures::Figures;
use super::quantity::round_trips;
use crate::units::Nanos;
use crate::whatif::LEAST_GRANT;

/// Turns of a connection that TCP's handshake makes six, of which two, with that of TLS 1.3, are a third.
const MOST_TURNS: u64 = 5;
/// Part of the time in which small segments wait that is worth a step of its own.
const WORTH_A_STEP: f64 = 0.2;

impl Figures {
    /// Whether one round trip for each turn of the conversation explains most of the verdict's
    /// time in which the path was not busy with what was said: distance, not anybody's thinking.
    pub(crate) fn is_chatty(&self) -> bool {
        self.turns_take_over(0.6, self.held() - self.carried)
    }

    /// Whether those round trips are a part of it that is worth telling.
    pub(crate) fn is_partly_chatty(&self) -> bool {
        self.turns_take_over(0.1, self.held())
    }

    /// Whether the path took so much of the verdict's time for what was said that nobody waited for the applications alone.
    pub(crate) fn waits_for_path(&self) -> bool {
        self.carried > Nanos::ZERO && self.carried.scale(10, 1) >= self.held()
    }

    /// Whether one round trip for each turn takes more than this part of what was `waited`.
    fn turns_take_over(&self, part: f64, waited: Nanos) -> bool {
        let ways = round_trips(self.transfers, self.rtt_floor);
        self.transfers > 1 && ways.secs() > part * waited.secs()
    }

    /// Whether opening the connection may have taken a third of its turns: one for TCP's handshake, and with TLS 1.3 one more (RFC 8446
    /// section 2), with TLS 1.2 two (RFC 5246 section 7.3).
    pub(crate) fn is_opened_for_little(&self) -> bool {
        self.is_whole && (2..=MOST_TURNS).contains(&self.transfers)
    }

    /// Whether the peer's messages let more go, many times within each transfer: it grants what may be under way. A turn waits once, and
    /// where turns do not explain the time, more went than their flights.
    pub(crate) fn is_granted(&self) -> bool {
        let flights = self.acked / self.flight.max(1);
        let many =
            self.stalls > 4 * self.transfers || flights > 2 * self.transfers && !self.is_chatty();
        many && self.flight > 0 && self.rtt_floor > Nanos::ZERO
    }

    /// Whether as much moves in each turn as the smallest windows that protocols keep for themselves let through: what looks like an answer may be
    /// what such a window granted.
    pub(crate) fn moves_much_in_turns(&self) -> bool {
        self.rtt_floor > Nanos::ZERO && self.acked / self.transfers.max(1) >= LEAST_GRANT
    }

    /// Whether small segments waited for ACKs for a good part of the time besides.
    pub(crate) fn waits_for_acks_too(&self) -> bool {
        self.delayed_ack >= WORTH_A_STEP
    }
}
