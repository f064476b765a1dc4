//! An answer that is due: what the other end had said last, and that this one did not answer with data.

use super::sender::Sender;
use super::turns::Request;
use super::{Flow, LONGER_THAN_A_PATH};
use crate::kernel::RTO_MIN;
use crate::kernel::start::INITIAL_WINDOW;
use crate::model::Side;
use crate::units::Nanos;

/// Ports below are for services, not for clients (RFC 6335 section 6).
const SYSTEM_PORTS: u16 = 1024;
/// Ports from here on are those of clients (Linux: `ip_local_port_range`; others: from 49152 on).
const CLIENT_PORTS: u16 = 32_768;

/// The time at the end in which an end, or the path from it, owed data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owed {
    /// When the peer's last words had arrived, or the last came of what lacks, at the clock of the end that owes it.
    pub(crate) since: Nanos,
    /// When the first of both closed the connection, or the newest packet passed.
    pub(crate) until: Nanos,
}

/// An answer that the peer waited for until it gave up, or the connection was silent to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) time: Owed,
    pub(crate) fate: Fate,
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// More was sent than ever came by, the connection was forgotten without a word, or its end has vanished.
    Lost,
    /// The end that owes it, which has answered before, has spoken long after it was asked: had it sent data, its sequence numbers would tell.
    Held,
    /// It may have got lost as well, or there is none: not every protocol has answers.
    Unknown,
    /// What was said before was no mere question, but more than a first window: there may be no answer to it.
    Undue,
}

impl Flow {
    /// The answer that `side` owed at the end to what it had acknowledged, where its peer has waited longer for it than any path takes.
    /// Clients ask, and servers answer.
    pub(crate) fn due_from(&self, side: Side) -> Option<Due> {
        let own = side as usize;
        let peer = self.senders[side.other() as usize].as_ref()?;
        let answers = self.senders[own].as_ref().is_some_and(|sender| !sender.is_asked());
        if side == Side::Client || answers {
            return None;
        }
        let over = self.over.map(|over| over.time);
        let request = peer.request(over)?;
        // Whoever has sent what never came by was asked, whatever it looks like.
        let is_due = request.asks && self.knows_who_asks() || self.sent_more_than_came(side);
        let since = request.left + self.legs[own].now;
        let until = request.until.or(over).unwrap_or(self.last);
        let due = Due { time: Owed { since, until }, fate: self.fate(side, peer, &request, since) };
        (is_due && until - since >= self.least_wait(peer)).then_some(due)
    }

    /// How long an end that sent as `asker` must have waited for an answer. Where one of both broke the connection off, an answer is missing after what
    /// one takes that was lost and sent again.
    fn least_wait(&self, asker: &Sender) -> Nanos {
        match self.broken_off() {
            Some(_) => RTO_MIN.max(asker.round().scale(4, 1)),
            None => LONGER_THAN_A_PATH,
        }
    }

    /// What became of the answer of `side` to a `request` that `peer` sent, and which had arrived at `since`.
    fn fate(&self, side: Side, peer: &Sender, request: &Request, since: Nanos) -> Fate {
        let forgotten = self.resets[side as usize].is_some_and(|reset| reset.is_late);
        let told = (since + LONGER_THAN_A_PATH..Nanos::MAX).contains(&self.newest[side as usize])
            && self.senders[side as usize].is_some();
        if forgotten || peer.is_left_unanswered() || self.sent_more_than_came(side) {
            Fate::Lost
        } else if request.bytes() > INITIAL_WINDOW * peer.size.mss() {
            Fate::Undue
        } else if told {
            Fate::Held
        } else {
            Fate::Unknown
        }
    }

    /// A bare ACK of `side` has a sequence number behind data that never passed here, nor was acknowledged (Linux: `tcp_send_ack` takes
    /// `snd_nxt`).
    fn sent_more_than_came(&self, side: Side) -> bool {
        match &self.senders[side as usize] {
            Some(sender) => sender.is_ahead(),
            None => self.words[side as usize].ahead.is_some(),
        }
    }

    /// Whether it is the client who asks. One with a service's port does not (FTP's data connection in active mode, RFC 959 section 3.2); and
    /// without a handshake the client is a guess by the ports, which can be told from their numbers only.
    fn knows_who_asks(&self) -> bool {
        let [client, server] = self.ends.map(|end| end.port);
        if self.handshake.syn.iter().any(Option::is_some) {
            return client >= SYSTEM_PORTS || server < SYSTEM_PORTS;
        }
        server < CLIENT_PORTS && client >= CLIENT_PORTS
    }
}
