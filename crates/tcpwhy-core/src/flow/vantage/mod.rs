//! Where the capture was taken: the round trip split at the capture point.
//!
//! A *leg* is the round trip from the capture point to one end and back. Packets from an end that
//! answer packets seen going to it measure its leg: SYN -> SYN/ACK, SYN/ACK -> ACK, and for every
//! later packet the timestamp echo (RFC 7323), which names the newest packet the end had seen; without timestamps, data and the
//! first acknowledgment of it, and the bursts that ACKs release. Where the handshake is missing, an end whose packets no router has passed on is
//! at the capture point.

mod ack_clock;
mod behind;
mod bounds;
mod leg;
mod pairs;
mod stamps;
mod standing;

use crate::units::Nanos;
pub(crate) use leg::Leg;
pub(crate) use standing::Standing;

/// Both legs and the position that follows from them.
#[derive(Debug, Clone)]
pub(crate) struct Legs {
    /// To the client and to the server.
    pub(crate) to: [Leg; 2],
}

impl Legs {
    pub(crate) fn new() -> Self {
        Self { to: [Leg::new(), Leg::new()] }
    }

    /// Themselves, if what is known of them may have changed since this was asked last.
    #[inline(always)]
    pub(crate) fn moved(&mut self) -> Option<&Self> {
        let [client, server] = &mut self.to;
        let moved = client.has_moved() | server.has_moved();
        moved.then_some(self)
    }

    /// Both together, without queues: the round trip as far as it is known.
    #[inline(always)]
    pub(crate) fn floor(&self) -> Nanos {
        self.to[0].floor() + self.to[1].floor()
    }

    /// What is known of both.
    #[inline(always)]
    pub(crate) fn standing(&self) -> [Standing; 2] {
        let [client, server] = &self.to;
        [client.standing(), server.standing()]
    }

    /// What passed until `time` is not compared with what comes later: the clock was set, or cannot be trusted.
    pub(crate) fn begin_anew(&mut self, time: Nanos) {
        self.to.iter_mut().for_each(|leg| leg.begin_anew(time));
    }

    /// 0 at the client, 1 at the server; and how sure. Where one leg was never measured it is what
    /// the other leaves of the whole round trip.
    pub(crate) fn position(&self, round_trip: Nanos) -> (f64, f64) {
        let [client, server] = &self.to;
        let both = client.known() && server.known();
        let rest = |known: &Leg| (round_trip - known.floor()).max(Nanos::ZERO);
        let (c, s) = match (client.known(), server.known()) {
            (true, false) => (client.floor(), rest(client)),
            (false, true) => (rest(server), server.floor()),
            _ => (client.floor(), server.floor()),
        };
        let (c, s) = (c.secs(), s.secs());
        if c + s <= 0.0 {
            return (0.5, 0.0);
        }
        let confidence =
            match (both, client.told || server.told || client.echoes().min(server.echoes()) > 8) {
                (true, true) => 0.95,
                (true, false) => 0.7,
                (false, _) => 0.3,
            };
        (c / (c + s), confidence)
    }
}

#[cfg(test)]
mod tests;
