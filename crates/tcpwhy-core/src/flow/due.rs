//! An answer that is due: what the other end had said last, and that this one never answered with data.

use super::{Flow, LATE};
use crate::model::Side;
use crate::units::Nanos;

/// The peer waited for data until it gave up, or the connection was silent to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    /// When the peer's last words had arrived, at the clock of the end that owes the answer.
    pub(crate) since: Nanos,
    /// When the first of both closed the connection, or the newest packet passed.
    pub(crate) until: Nanos,
    /// More was sent than ever came by, or the connection was forgotten without a word: the answer got lost, or its sender was gone.
    pub(crate) lost: bool,
    /// The end that owes it has spoken long after it was asked: had it sent data, its sequence numbers would tell.
    pub(crate) told: bool,
}

impl Flow {
    /// The answer that `side` owed at the end to what it had acknowledged, where its peer has waited longer for it than any path takes.
    /// Clients ask, and servers answer.
    pub(crate) fn due_from(&self, side: Side) -> Option<Due> {
        if side == Side::Client {
            return None;
        }
        let own = side as usize;
        self.senders[side.other() as usize].as_ref()?.done?;
        let since = match &self.senders[own] {
            Some(sender) => sender.asked(),
            None => self.words[own].data.map(|passed| passed + self.legs[own].now),
        }?;
        let until = self.over.map_or(self.last, |over| over.time);
        let lost = self.is_forgotten_by(side) || self.sent_more_than_came(side);
        let told = (since + LATE..Nanos::MAX).contains(&self.newest[own]);
        let due = Due { since, until, lost, told };
        (until - since >= LATE).then_some(due)
    }

    /// `side` refused a packet of a connection that it had given up without a word.
    fn is_forgotten_by(&self, side: Side) -> bool {
        self.resets[side as usize].is_some_and(|reset| reset.is_late)
    }

    /// A bare ACK of `side` has a sequence number behind data that never passed here, nor was acknowledged (Linux: `tcp_send_ack` takes
    /// `snd_nxt`).
    fn sent_more_than_came(&self, side: Side) -> bool {
        match &self.senders[side as usize] {
            Some(sender) => sender.is_ahead(),
            None => self.words[side as usize].ahead,
        }
    }
}
