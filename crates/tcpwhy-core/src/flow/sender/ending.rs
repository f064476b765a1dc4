//! The input is over: what the last wait was.

use super::Sender;
use crate::flow::due::Owed;
use crate::flow::gap::{Release, State};
use crate::flow::turns::Request;
use crate::flow::wait::Wait;
use crate::units::Nanos;

/// Least timeout before something is sent again, and round trips that it takes where they are longer: the first estimate (RFC 6298 sections
/// 2.2 and 2.4). Linux is sooner.
const TIMEOUT: Nanos = Nanos::from_secs(1);
const TIMEOUT_ROUNDS: i64 = 3;
/// Timeouts until it has been sent again twice (section 5.5): once may have been lost as well.
const TWICE: i64 = 3;
/// Keep-alives in a row without an answer.
const KEEP_ALIVES: u32 = 3;

/// Data that nobody acknowledged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unheard {
    /// When it began to leave, with nothing in flight.
    pub(crate) since: Nanos,
    /// When what came before was acknowledged last.
    pub(crate) heard: Nanos,
    pub(crate) bytes: u64,
    /// It may say no more than that its sender closes.
    pub(crate) is_last_word: bool,
}

impl Sender {
    /// The input is over: the time up to the last acknowledged byte, or, where data or a closed
    /// window was left behind, up to the last event, and what of it the peer waited for more.
    pub(crate) fn end(&mut self, owed: Option<Owed>) {
        let (end, release) = self.last_wait(owed);
        self.sent_all = matches!(release, Release::Nothing).then(|| self.gap.start());
        if self.done.is_none() {
            self.transfers.acknowledged(self.last, 0);
        }
        // What nobody answered gets a stretch of its own, and so does what never came.
        let asked = self.is_left_unanswered();
        let heard = self.silent_since().filter(|_| asked).or(owed.map(|owed| owed.since));
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
                    if wait == Wait::Window {
                        s.longest_stall = s.longest_stall.max(to - piece.from);
                    }
                });
                if heard == Some(to) {
                    record.end();
                }
            }
        });
        self.record.end();
    }

    /// When the last wait ended, and what it was a wait for.
    fn last_wait(&self, owed: Option<Owed>) -> (Nanos, Release) {
        let kept_alive = self.tally.keep_alives.times > 0;
        match (self.done, owed) {
            (Some(done), Some(owed)) => (owed.until.max(done), Release::PeerData(owed.since)),
            (Some(_), None) if kept_alive => (self.last, Release::OwnWill),
            (Some(done), None) => (done, Release::Nothing),
            (None, _) if self.answers.unanswered() > 0 => (self.last, Release::Repair),
            (None, _) => (self.last, Release::Ack),
        }
    }

    /// Since when nothing has come of what was due, though that was sent again twice in the meantime by all rules: the receiver has spoken since,
    /// and still lacks it. `spoke` is when any packet of this sender was seen last.
    pub(crate) fn lacks_since(&self, spoke: Nanos) -> Option<Nanos> {
        let since = self.gap.start();
        let timeout = TIMEOUT.max(self.round().scale(TIMEOUT_ROUNDS, 1));
        let left = match self.done {
            None => self.gap.state() == State::Waiting,
            Some(_) => self.breaks_off(),
        };
        let still = spoke <= since + self.round() && self.last - since >= timeout.scale(TWICE, 1);
        (left && still && self.answers.unanswered() < 2).then_some(since)
    }

    /// More was queued than ever came: what came last is a full segment that does not end a write (Linux: `tcp_push`), and there was room.
    fn breaks_off(&self) -> bool {
        self.state() == State::Idle && !self.dry && self.board.nxt == self.data_end
    }

    /// Whether the peer has spoken since this sender last sent data.
    pub(crate) fn is_asked(&self) -> bool {
        self.peer_data.is_some()
    }

    /// What it said last, if that was acknowledged; the connection was closed at `closed`.
    pub(crate) fn request(&self, closed: Option<Nanos>) -> Option<Request> {
        let request = self.turns.request(self.data_end, self.gap.start(), closed);
        let arrived = self.done.is_some() || request.until.is_some();
        (arrived && self.board.una >= request.end).then_some(request)
    }

    /// Data that was not acknowledged; its sender closed at `closed`.
    pub(crate) fn unheard(&self, closed: Option<Nanos>) -> Option<Unheard> {
        let bytes = self.data_end.checked_sub(self.board.una).filter(|bytes| *bytes > 0)?;
        let is_last_word = self.turns.is_last_word(bytes, self.begun, closed);
        Some(Unheard { since: self.begun, heard: self.released, bytes, is_last_word })
    }

    /// It has sent more than what the capture has seen, which nobody has acknowledged.
    pub(crate) fn is_ahead(&self) -> bool {
        // A FIN has a number, too.
        self.told_next > self.data_end + 1 && self.told_next > self.board.una
    }

    /// When the receiver answered last, or else data left after a rest in which nothing was to be answered.
    pub(crate) fn silent_since(&self) -> Option<Nanos> {
        if self.answers.is_tried_in_vain() && !self.answers.are_missing() {
            return Some(self.released.max(self.begun));
        }
        self.answers.last().map(|heard| match (self.window.is_closed(), self.done) {
            (true, _) => heard,
            (false, None) => heard.max(self.begun),
            // Nothing was due before a keep-alive asked for it.
            (false, Some(_)) => heard.max(self.answers.unanswered_since()),
        })
    }

    /// Retransmissions or probes that nobody answered, twice at least: once may be the end of the
    /// capture. Keep-alives are not sent again when they get lost (RFC 9293 section 3.8.4), so of these one more is needed.
    pub(crate) fn is_left_unanswered(&self) -> bool {
        let answers = &self.answers;
        if answers.went_on(self.data_end) {
            return false;
        }
        match self.done.is_none() || self.state() == State::NoRoom {
            true => answers.lacks_after(2) || answers.is_tried_in_vain(),
            false => answers.lacks_after(KEEP_ALIVES) && self.spoke_after_all().is_none(),
        }
    }

    /// When data of the peer came last, if nothing has been asked of it since.
    pub(super) fn spoke_after_all(&self) -> Option<Nanos> {
        self.peer_data.filter(|spoke| self.answers.asked_last().is_none_or(|asked| *spoke > asked))
    }
}
