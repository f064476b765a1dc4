//! Whether anybody still answers.

use super::packet::Packet;
use crate::kernel::RTO_MIN;
use crate::units::{Nanos, raise};

/// Payload of a packet of 1280 bytes, which every link carries (RFC 8200 section 5), with the headers and options of a usual one.
const PASSES_ANYWHERE: u64 = 1280 - 40 - 20 - 12;

/// Chance loses the same segment once or twice more.
const TRIES: u32 = 4;

/// What was asked of the receiver since its last word.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Answers {
    heard: Option<Nanos>,
    unanswered: u32,
    /// The first of these, and when it left.
    first_frame: u64,
    first: Nanos,
    /// The last of these.
    last_frame: u64,
    /// The most that ever went unanswered in a row.
    most: u32,
    /// The receiver spoke of something else meanwhile: it is alive.
    alive: bool,
    /// Payload of the last segment that was sent again.
    resent_len: u32,
    largest_delivered: u64,
    /// When something was asked last.
    asked: Option<Nanos>,
    /// Timeouts since anything new has arrived.
    timeouts: u32,
    /// Retransmissions since the last answer.
    tries: u32,
    /// Where the last of what was sent again since then begins, and how far new data had been sent.
    furthest: u64,
    sent: u64,
    /// The last answer is one that the capture lacks.
    missed: bool,
    /// The capture has answers.
    captured: bool,
}

impl Answers {
    pub(crate) fn heard(&mut self, time: Nanos) {
        self.answered(time);
        self.missed = false;
        self.captured = true;
    }

    #[inline]
    fn answered(&mut self, time: Nanos) {
        self.heard = Some(time);
        self.unanswered = 0;
        self.tries = 0;
        self.alive = false;
    }

    /// Data or a FIN of the receiver's own, which acknowledges nothing new.
    pub(crate) fn spoke(&mut self) {
        self.alive |= self.unanswered > 0;
    }

    pub(crate) fn asked(&mut self, frame: u64, time: Nanos) {
        self.asked = Some(time);
        if self.unanswered == 0 {
            (self.first_frame, self.first) = (frame, time);
        }
        self.last_frame = frame;
        self.unanswered = self.unanswered.saturating_add(1);
        self.most = self.most.max(self.unanswered);
    }

    /// `packet` sends data again that begins at `start`; `sent` is how far new data has been sent.
    pub(crate) fn asked_again(&mut self, packet: &Packet, start: u64, sent: u64) {
        let (time, len) = (packet.time, packet.len);
        let further = !self.captured && self.tries >= 2 && start > self.furthest;
        if let Some(asked) = self.asked.filter(|_| further || self.went_on(sent)) {
            self.answered(asked);
            self.gets_through();
            self.missed = true;
        }
        self.furthest = if self.tries == 0 { start } else { self.furthest.max(start) };
        self.tries = self.tries.saturating_add(1);
        self.sent = sent;
        // What is repaired in one round is one try.
        if self.asked.is_none_or(|before| time - before >= RTO_MIN) {
            self.timeouts = self.timeouts.saturating_add(1);
        }
        self.asked(packet.frame, time);
        self.resent_len = len;
    }

    pub(crate) fn delivered(&mut self, segment: u64) {
        raise(&mut self.largest_delivered, segment);
        self.gets_through();
    }

    /// Something new has arrived.
    pub(crate) fn gets_through(&mut self) {
        self.timeouts = 0;
    }

    /// New data, now up to `sent`, left after two retransmissions without an answer: one was seen by the sender and not by the capture. After
    /// a probe of the tail (RFC 8985 section 7.3) new data may go on; the second one is a timeout, after which nothing new
    /// leaves until something is acknowledged (RFC 5681 section 3.1), nor anything further on of what is sent again.
    pub(crate) fn went_on(&self, sent: u64) -> bool {
        self.tries >= 2 && sent > self.sent
    }

    /// Whether what was asked `times` times, without an answer in the capture, would have been answered by now. Where answers came that the
    /// capture lacks, retransmissions that follow each other at once may have been asked for by others: timeouts alone tell.
    pub(crate) fn lacks_after(&self, times: u32) -> bool {
        let asked = if self.missed { self.timeouts } else { self.unanswered };
        asked >= times
    }

    /// Nothing that the receiver says is in the capture now, or yet.
    pub(crate) fn are_missing(&self) -> bool {
        self.missed || !self.captured
    }

    /// The capture has some.
    pub(crate) fn are_captured(&self) -> bool {
        self.captured
    }

    /// When something was asked last.
    pub(crate) fn asked_last(&self) -> Option<Nanos> {
        self.asked
    }

    /// Data was sent again and again and still lacks, whatever the receiver says: its own words ask for that, too.
    pub(crate) fn is_tried_in_vain(&self) -> bool {
        self.timeouts >= TRIES
    }

    /// Retransmissions and probes since the last answer.
    pub(crate) fn unanswered(&self) -> u32 {
        self.unanswered
    }

    /// When the first of these left.
    pub(crate) fn unanswered_since(&self) -> Nanos {
        self.first
    }

    /// The frame of the first of these.
    pub(crate) fn first_unanswered(&self) -> u64 {
        self.first_frame
    }

    /// The frame of the last of these.
    pub(crate) fn last_unanswered(&self) -> u64 {
        self.last_frame
    }

    /// The longest row of these.
    pub(crate) fn most_unanswered(&self) -> u32 {
        self.most
    }

    /// The last answer.
    pub(crate) fn last(&self) -> Option<Nanos> {
        self.heard
    }

    /// What keeps being resent is larger than anything that ever arrived, though smaller segments did
    /// arrive or the receiver is known to be alive: the size of the segment in question.
    pub(crate) fn too_large(&self) -> Option<u64> {
        let resent = Some(u64::from(self.resent_len)).filter(|&len| len > PASSES_ANYWHERE)?;
        let small_passes = self.largest_delivered > 0 || self.alive;
        (small_passes && resent > self.largest_delivered).then_some(resent)
    }
}
