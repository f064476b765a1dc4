//! Whether anybody still answers.

use crate::units::{Nanos, raise};

/// What was asked of the receiver since its last word.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Answers {
    heard: Option<Nanos>,
    unanswered: u32,
    /// The first of these.
    first_frame: u64,
    /// The last of these.
    last_frame: u64,
    /// The most that ever went unanswered in a row.
    most: u32,
    /// The receiver spoke of something else meanwhile: it is alive.
    alive: bool,
    /// Payload of the last segment that was sent again.
    resent_len: u32,
    largest_delivered: u64,
}

impl Answers {
    pub(crate) fn heard(&mut self, time: Nanos) {
        self.heard = Some(time);
        self.unanswered = 0;
        self.alive = false;
    }

    /// Data or a FIN of the receiver's own, which acknowledges nothing new.
    pub(crate) fn spoke(&mut self) {
        self.alive |= self.unanswered > 0;
    }

    pub(crate) fn asked(&mut self, frame: u64) {
        if self.unanswered == 0 {
            self.first_frame = frame;
        }
        self.last_frame = frame;
        self.unanswered = self.unanswered.saturating_add(1);
        self.most = self.most.max(self.unanswered);
    }

    pub(crate) fn asked_again(&mut self, frame: u64, len: u32) {
        self.asked(frame);
        self.resent_len = len;
    }

    pub(crate) fn delivered(&mut self, segment: u64) {
        raise(&mut self.largest_delivered, segment);
    }

    /// Retransmissions and probes since the last answer.
    pub(crate) fn unanswered(&self) -> u32 {
        self.unanswered
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
        let resent = u64::from(self.resent_len);
        let small_passes = self.largest_delivered > 0 || self.alive;
        (small_passes && resent > self.largest_delivered).then_some(resent)
    }
}
