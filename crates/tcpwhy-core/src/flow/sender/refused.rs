//! What a sender that had given up was told in vain.

use super::Sender;
use crate::flow::answers::Answers;
use crate::flow::window::Window;
use crate::units::Nanos;

/// What was known before something came in that had been asked for in vain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    answers: Answers,
    window: Window,
    /// The next number then.
    next: u64,
    /// When it came in.
    heard: Nanos,
}

impl Sender {
    /// Something came in at `time` after retransmissions or probes that nobody answered: whether this sender still knew of them its next packet
    /// tells.
    #[cold]
    pub(super) fn doubt(&mut self, time: Nanos) {
        let (answers, window) = (self.answers, self.window);
        let before = Before { answers, window, next: self.board.nxt, heard: time };
        self.before = Some(Box::new(before));
    }

    /// It refused what came last, for it had given the connection up: nobody had answered.
    pub(crate) fn take_back(&mut self) {
        let is_last = |before: &Before| {
            self.answers.unanswered() == 0
                && self.board.nxt == before.next
                && self.answers.asked_last() == before.answers.asked_last()
        };
        let Some(before) = self.before.take().filter(|before| is_last(before)) else { return };
        let Some(asked) = before.answers.asked_last() else { return };
        (self.answers, self.window) = (before.answers, before.window);
        self.gap.forget_from(before.heard);
        self.last = asked;
    }
}
