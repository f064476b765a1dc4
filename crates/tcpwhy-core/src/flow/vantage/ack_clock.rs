//! Bursts that ACKs release.

use crate::units::Nanos;

/// Bursts that must agree.
const WITNESSES: u32 = 4;
/// They agree if they deviate by less than this part.
const AGREE: i64 = 32;

/// For connections without timestamps whose round trip the handshake alone tells, and tells as longer than it is: first packets wait for
/// neighbours to be found, for a NAT's or a firewall's new entry, for a host that wakes up. An end that sends once a round trip and rests
/// for the greater part of it sends when the first ACK for its last burst has come. (That a self-clocked sender shows its round trip so:
/// Veal, Li and Lowenthal, "New Methods for Passive Estimation of TCP Round-Trip Times", PAM 2005.)
#[derive(Debug, Clone, Copy)]
pub(super) struct AckClock {
    /// The last data of this end.
    sent: Nanos,
    /// The first packet towards this end since its burst began.
    heard: Option<Nanos>,
    /// What most bursts agree on, and how many more than those that do not.
    lag: Nanos,
    agree: u32,
    /// SYNs since its last data.
    opens: u8,
}

impl Default for AckClock {
    fn default() -> Self {
        Self { sent: Nanos::MAX, heard: None, lag: Nanos::ZERO, agree: 0, opens: 0 }
    }
}

impl AckClock {
    /// A packet passes on its way to this end.
    #[inline]
    pub(super) fn heard(&mut self, time: Nanos) {
        self.heard.get_or_insert(time);
    }

    /// A SYN of this end passes at `time`.
    pub(super) fn opened(&mut self, time: Nanos) {
        (self.sent, self.heard) = (time, None);
        self.opens = self.opens.saturating_add(1);
    }

    /// Data of this end passes at `time`; its leg is told as `floor` and more, the whole round trip as `round`. Its leg, once most
    /// bursts show it to be shorter than that. Much shorter is no error of the handshake: a timer, or a burst in two parts.
    #[inline]
    pub(super) fn sent(&mut self, time: Nanos, floor: Nanos, round: Nanos) -> Option<Nanos> {
        let rest = time - self.sent;
        self.sent = time;
        // Nobody sends data before the other end's part of the handshake has come (RFC 9293 section 3.5).
        let opens = std::mem::take(&mut self.opens);
        if opens > 0 {
            let lag = time - self.heard.take()?;
            return (opens == 1 && lag < floor).then_some(lag);
        }
        if rest.0 < round.0 / 2 {
            return None;
        }
        let lag = time - self.heard.take()?;
        (!self.is_told() && lag < floor && lag.0 >= floor.0 / 4 * 3).then(|| self.vote(lag))?
    }

    /// The majority's, by the algorithm of Boyer and Moore.
    fn vote(&mut self, lag: Nanos) -> Option<Nanos> {
        if self.agree == 0 {
            self.lag = lag;
        }
        if (lag - self.lag).0.abs() <= self.lag.0 / AGREE {
            self.lag = self.lag.min(lag);
            self.agree += 1;
        } else {
            self.agree -= 1;
        }
        self.is_told().then_some(self.lag)
    }

    /// Enough agree; nobody is asked any more.
    fn is_told(&self) -> bool {
        self.agree >= WITNESSES
    }
}
