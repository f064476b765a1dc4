//! Whether anybody still answers.

use crate::units::Nanos;

/// What was asked of the receiver since its last word.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Answers {
    heard: Option<Nanos>,
    unanswered: u32,
    /// Payload of the last segment that was sent again.
    resent_len: u32,
    largest_delivered: u64,
}

impl Answers {
    pub(crate) fn heard(&mut self, time: Nanos) {
        self.heard = Some(time);
        self.unanswered = 0;
    }

    pub(crate) fn asked(&mut self) {
        self.unanswered = self.unanswered.saturating_add(1);
    }

    pub(crate) fn asked_again(&mut self, len: u32) {
        self.asked();
        self.resent_len = len;
    }

    pub(crate) fn delivered(&mut self, segment: u64) {
        self.largest_delivered = self.largest_delivered.max(segment);
    }

    /// Retransmissions and probes since the last answer.
    pub(crate) fn unanswered(&self) -> u32 {
        self.unanswered
    }

    /// The last answer.
    pub(crate) fn last(&self) -> Option<Nanos> {
        self.heard
    }

    /// What keeps being resent is larger than anything that ever arrived, and smaller segments did
    /// arrive: the size of the segment in question.
    pub(crate) fn too_large(&self) -> Option<u64> {
        let resent = u64::from(self.resent_len);
        (self.largest_delivered > 0 && resent > self.largest_delivered).then_some(resent)
    }
}
