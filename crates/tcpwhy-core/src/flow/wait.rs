//! What a sender waits for.

/// What the sender waited for, as far as one moment can tell. The limits that need the context of
/// many rounds are decided later, in `limits`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Wait {
    /// SYN, SYN/ACK and their retries: what every connection waits for first.
    #[default]
    Handshake,
    /// Data is being resent, or its loss has not been noticed yet.
    Recovery,
    /// The advertised window has no room for a segment.
    Window,
    /// Allowed by the window; the next data left when an ACK came in.
    Ack,
    /// Data in flight, allowed by the window; the next data left without an ACK.
    Timer,
    /// Everything acknowledged; the sending application had nothing to send.
    IdleSelf,
    /// Everything acknowledged; it was the peer's turn to speak.
    IdlePeer,
    /// A small segment waited for an ACK that the receiver delayed.
    Nagle,
    /// Everything was sent and is on its way: nothing followed.
    Tail,
    /// Nobody knows: the capture lacks what was sent, and what came back, for longer than a sender waits (four round trips).
    Unseen,
}

impl Wait {
    pub(super) const COUNT: usize = Self::Unseen as usize + 1;

    /// One round of bulk data holds both gaps inside a burst and the pause after it.
    pub(super) fn goes_with(self, other: Self) -> bool {
        let bulk = |w| matches!(w, Self::Ack | Self::Timer);
        self == other || (bulk(self) && bulk(other))
    }
}
