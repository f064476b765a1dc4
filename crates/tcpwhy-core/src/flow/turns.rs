//! The turns of a conversation as one end takes them: whether it asks and waits for an answer, or says what it has to say whenever it likes.

use super::gap::Release;
use crate::units::Nanos;

/// Who goes on so often though nothing was answered (a log shipper, a publisher of telemetry, a stream of events) waits for no answer. Once
/// may be a request in two writes, if it follows soon.
const PUSHES: u32 = 2;
const SOON: Nanos = Nanos::from_secs(1);

/// Answered messages that tell how long a question is.
const YARDSTICKS: usize = 5;

/// A process that gives up says so and closes within this time.
pub(crate) const LAST_WORD: Nanos = Nanos::from_millis(50);

/// The longest alert of TLS: a header of 5 bytes, a block of 16, and two bytes with SHA-384's 48 in blocks (RFC 5246 section 6.2.3.2).
const ALERT: u64 = 5 + 16 + 64;

/// What one end has said so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Turns {
    /// Messages that the peer has answered, and the lengths of the newest, a ring.
    answered: u32,
    lengths: [u32; YARDSTICKS],
    /// How often more followed a rest in which the peer had said nothing: before the newest message, and in it.
    pushed_before: u32,
    pushed: u32,
    /// Such a rest in the newest message was long.
    rested_long: bool,
    /// Where the newest message begins, and when what was said of it before the first such rest had left.
    start: u64,
    paused: Nanos,
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

/// When a rest began, when the peer spoke first in it, and when it ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rest {
    pub(crate) from: Nanos,
    pub(crate) spoken: Nanos,
    pub(crate) to: Nanos,
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
    start: u64,
    pub(crate) end: u64,
}

impl Turns {
    /// The first message begins at `first`.
    pub(crate) fn starting_at(first: u64) -> Self {
        Self { start: first, ..Self::default() }
    }

    /// New data at `start` leaves after a `rest` with nothing in flight: `released` by what. No answer comes within a round trip, whose
    /// `floor` is known: what does was under way.
    #[inline(never)]
    pub(crate) fn goes_on(&mut self, released: Release, start: u64, rest: Rest, floor: Nanos) {
        match released {
            Release::PeerData(_) => {
                if rest.spoken - rest.from >= floor.scale(3, 4) {
                    let length = u32::try_from(start - self.start).unwrap_or(u32::MAX);
                    self.lengths[self.answered as usize % YARDSTICKS] = length;
                    self.answered = self.answered.saturating_add(1);
                }
                self.pushed_before = self.pushed_before.saturating_add(self.pushed);
                (self.start, self.pushed, self.rested_long, self.added) = (start, 0, false, None);
            }
            Release::OwnWill => {
                if self.pushed == 0 {
                    self.paused = rest.from;
                }
                self.pushed = self.pushed.saturating_add(1);
                self.rested_long |= rest.to - rest.from >= SOON;
                self.added = Some(Added { rested: rest.from, time: rest.to, start });
            }
            _ => {}
        }
    }

    /// Data was acknowledged that the capture missed: nobody knows what it followed.
    pub(crate) fn misses(&mut self) {
        self.gappy = true;
    }

    /// What was said last. The last data was sent at `left`, up to `end`; its sender closed at `closed`.
    pub(crate) fn request(&self, end: u64, left: Nanos, closed: Option<Nanos>) -> Request {
        let start = self.start;
        let closing = |a: &Added| {
            let closed = closed.filter(|at| *at >= a.time);
            closes_soon(closed, a.time) && end - a.start < a.start - start
        };
        let (pushed, left, until, end) = match self.added.filter(closing) {
            Some(word) => (self.pushed - 1, word.rested, Some(word.time), word.start),
            None => (self.pushed, left, None, end),
        };
        let goes_on = pushed > 0 && (pushed >= PUSHES || self.rested_long);
        let strict = self.pushed_before < PUSHES && (!goes_on || pushed < self.answered);
        let asks = !self.gappy && strict && end - start >= self.least_question();
        Request { asks, left: if goes_on { self.paused } else { left }, until, start, end }
    }

    /// Whether `bytes` that left last, at `left`, say no more than that their sender closes, as it did at `closed`.
    pub(crate) fn is_last_word(&self, bytes: u64, left: Nanos, closed: Option<Nanos>) -> bool {
        let is_alert = closes_soon(closed, left) && bytes <= ALERT;
        bytes < self.least_question() || is_alert || self.gappy
    }

    /// What is shorter may say something else: that more may be sent, or that something was received (HTTP/2's WINDOW_UPDATE and SETTINGS,
    /// RFC 9113 sections 6.5 and 6.9). A keep-alive may have a byte (RFC 1122 section 4.2.3.6).
    fn least_question(&self) -> u64 {
        let mut known = self.lengths;
        let known = &mut known[..YARDSTICKS.min(self.answered as usize)];
        known.sort_unstable();
        let usual = known.get(known.len().saturating_sub(1) / 2);
        2.max(u64::from(usual.copied().unwrap_or_default()) / 2)
    }
}

/// Whether who spoke at `said` closed just after that.
fn closes_soon(closed: Option<Nanos>, said: Nanos) -> bool {
    closed.is_some_and(|at| at - said <= LAST_WORD)
}

impl Request {
    /// Its payload.
    pub(crate) fn bytes(&self) -> u64 {
        self.end - self.start
    }
}
