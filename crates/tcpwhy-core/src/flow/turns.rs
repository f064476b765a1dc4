//! The turns of a conversation as one end takes them: whether it asks and waits for an answer, or says what it has to say whenever it likes.

use super::BUSY_HOST;
use super::gap::Release;
use crate::units::Nanos;

/// Who goes on so often though nothing was answered (a log shipper, a publisher of telemetry, a stream of events) waits for no answer. Once
/// may be a request in two writes.
const PUSHES: u32 = 2;

/// What one end has said so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Turns {
    /// Messages that the peer has answered.
    answered: u32,
    /// How often more followed a rest in which the peer had said nothing.
    pushed: u32,
    /// Where the newest message begins.
    start: u64,
    /// What followed the last such rest.
    added: Option<Added>,
    /// Some of it was not captured.
    gappy: bool,
}

/// New data after a rest.
#[derive(Debug, Clone, Copy)]
struct Added {
    /// When the data before it had left.
    rested: Nanos,
    time: Nanos,
    start: u64,
}

/// What was said last, and may wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request {
    /// By how the conversation went until then its sender waits for an answer.
    pub(crate) asks: bool,
    /// When its end left.
    pub(crate) left: Nanos,
    /// When whoever waited gave up with a last word: TLS says that it closes before TCP does (RFC 8446 section 6.1).
    pub(crate) until: Option<Nanos>,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Turns {
    /// New data at `start` leaves at `time` with nothing in flight: `released` by what, after others that left at `rested`.
    #[inline(never)]
    pub(crate) fn goes_on(&mut self, released: Release, start: u64, rested: Nanos, time: Nanos) {
        match released {
            Release::PeerData(_) => {
                self.answered = self.answered.saturating_add(1);
                (self.start, self.added) = (start, None);
            }
            Release::OwnWill => {
                self.pushed = self.pushed.saturating_add(1);
                self.added = Some(Added { rested, time, start });
            }
            _ => {}
        }
    }

    /// Data was acknowledged that the capture missed: nobody knows what it followed.
    pub(crate) fn misses(&mut self) {
        self.gappy = true;
    }

    /// What was said last. Data was sent from `first` to `end`, the last of it at `left`; its sender closed at `closed`.
    ///
    /// What is much smaller than all that was ever answered may say something else: that more may be sent, or that something was received
    /// (HTTP/2's WINDOW_UPDATE and SETTINGS, RFC 9113 sections 6.5 and 6.9).
    pub(crate) fn request(
        &self,
        (first, end): (u64, u64),
        left: Nanos,
        closed: Option<Nanos>,
    ) -> Request {
        let closing = |a: &Added| closed.is_some_and(|at| at >= a.time && at - a.time <= BUSY_HOST);
        let start = self.start.max(first);
        let (pushed, left, until, end) = match self.added.filter(closing) {
            Some(word) => (self.pushed - 1, word.rested, Some(word.time), word.start),
            None => (self.pushed, left, None, end),
        };
        let mean = (start - first).checked_div(self.answered.into()).unwrap_or_default();
        // A keep-alive may have a byte (RFC 1122 section 4.2.3.6).
        let least = 2.max(mean / 2);
        let asks = !self.gappy && pushed < PUSHES && end - start >= least;
        Request { asks, left, until, start, end }
    }
}

impl Request {
    /// Its payload.
    pub(crate) fn bytes(&self) -> u64 {
        self.end - self.start
    }
}
