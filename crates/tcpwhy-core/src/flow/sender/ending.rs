//! The input is over: what the last wait was.

use super::Sender;
use crate::flow::gap::{Release, State};

impl Sender {
    /// The input is over: the time up to the last acknowledged byte, or, where data or a closed
    /// window was left behind, up to the last event.
    pub(crate) fn end(&mut self) {
        let kept_alive = self.tally.keep_alives.times > 0;
        let (end, release) = match self.done {
            Some(_) if kept_alive => (self.last, Release::OwnWill),
            Some(done) => (done, Release::Nothing),
            None if self.answers.unanswered() > 0 => (self.last, Release::Repair),
            None => (self.last, Release::Ack),
        };
        if self.done.is_none() {
            self.transfers.acknowledged(self.last, 0);
        }
        // What nobody answered gets a stretch of its own.
        let heard = self.answers.last().filter(|_| self.answers.unanswered() > 1);
        let (round, mut probes) = (self.round(), self.probes);
        let asked = [self.answers.first_unanswered(), self.answers.last_unanswered()];
        let record = &mut self.record;
        self.gap.resolve(end, release, |to, wait, piece| {
            for to in heard.map(|h| h.min(to)).into_iter().chain([to]) {
                // Probes and keep-alives belong to the wait that lasts.
                let said = if to == end { std::mem::take(&mut probes) } else { 0 };
                let alone = heard.is_some_and(|h| to > h);
                let shown = if alone { asked } else { [piece.frame; 2] };
                record.account(to, wait, round, |s| {
                    shown.into_iter().for_each(|frame| s.touch(frame));
                    s.saw_window(piece.window);
                    s.probes += said;
                });
            }
        });
        self.record.end();
    }

    /// Retransmissions or probes that nobody answered, twice at least: once may be the end of the
    /// capture.
    pub(crate) fn is_left_unanswered(&self) -> bool {
        let waiting = self.done.is_none() || self.state() == State::NoRoom;
        waiting && self.answers.unanswered() >= 2
    }
}
