//! The input is over: what the last wait was.

use super::Sender;
use crate::flow::gap::{Release, State};
use crate::units::Nanos;

/// Least timeout before something is sent again, and round trips that it takes where they are longer: the first estimate (RFC 6298 sections
/// 2.2 and 2.4). Linux is sooner.
const TIMEOUT: Nanos = Nanos::from_secs(1);
const TIMEOUT_ROUNDS: i64 = 3;
/// Timeouts until it has been sent again twice (section 5.5): once may have been lost as well.
const TWICE: i64 = 3;

impl Sender {
    /// The input is over: the time up to the last acknowledged byte, or, where data or a closed
    /// window was left behind, up to the last event; `owed_since` as [`Sender::owes_since`] says.
    pub(crate) fn end(&mut self, owed_since: Option<Nanos>) {
        let kept_alive = self.tally.keep_alives.times > 0;
        let (end, release) = match self.done {
            Some(_) if owed_since.is_some() => {
                (self.last, self.peer_data.map_or(Release::OwnWill, Release::PeerData))
            }
            Some(_) if kept_alive => (self.last, Release::OwnWill),
            Some(done) => (done, Release::Nothing),
            None if self.answers.unanswered() > 0 => (self.last, Release::Repair),
            None => (self.last, Release::Ack),
        };
        if self.done.is_none() {
            self.transfers.acknowledged(self.last, 0);
        }
        // What nobody answered gets a stretch of its own, and so does what never came.
        let asked = self.answers.unanswered() > 1;
        let heard = self.answers.last().filter(|_| asked).or(owed_since);
        let (round, mut probes) = (self.round(), self.probes);
        let asks = [self.answers.first_unanswered(), self.answers.last_unanswered()];
        let record = &mut self.record;
        self.gap.resolve(end, release, |to, wait, piece| {
            for to in heard.map(|h| h.min(to)).into_iter().chain([to]) {
                // Probes and keep-alives belong to the wait that lasts.
                let said = if to == end { std::mem::take(&mut probes) } else { 0 };
                let alone = heard.is_some_and(|h| to > h);
                let shown = if alone && asked { asks } else { [piece.frame; 2] };
                record.account(to, wait, round, |s| {
                    shown.into_iter().for_each(|frame| s.touch(frame));
                    s.saw_window(piece.window);
                    s.probes += said;
                });
            }
        });
        self.record.end();
    }

    /// Since when nothing has come of what was sent and not acknowledged, where it was due to be sent again twice: the receiver has spoken
    /// since, and still lacks it. `spoke` is when any packet of this sender was seen last.
    pub(crate) fn owes_since(&self, spoke: Nanos) -> Option<Nanos> {
        let sent = self.gap.start();
        let since = self.answers.last().map_or(sent, |heard| heard.max(sent));
        let timeout = TIMEOUT.max(self.round().scale(TIMEOUT_ROUNDS, 1));
        let waits = self.done.is_none() && self.gap.state() == State::Waiting;
        let still = spoke <= since + self.round() && self.last - since >= timeout.scale(TWICE, 1);
        (waits && still && self.answers.unanswered() < 2).then_some(since)
    }

    /// When the peer spoke last, if this sender has sent no data since.
    pub(crate) fn asked(&self) -> Option<Nanos> {
        self.peer_data
    }

    /// It has sent more than what the capture has seen, which nobody has acknowledged.
    pub(crate) fn is_ahead(&self) -> bool {
        // A FIN has a number, too.
        self.told_next > self.data_end + 1 && self.told_next > self.board.una
    }

    /// Retransmissions or probes that nobody answered, twice at least: once may be the end of the
    /// capture.
    pub(crate) fn is_left_unanswered(&self) -> bool {
        let waiting = self.done.is_none() || self.state() == State::NoRoom;
        waiting && self.answers.unanswered() >= 2
    }
}
