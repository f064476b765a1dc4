//! What was lost because the scenario says so (outages, packets named by their number), and when it passed at last. Losses by chance are
//! not kept: nobody scheduled them.

use std::collections::BTreeMap;

use serde::Serialize;
use tcpwhy_core::link::{DropReason, Fate};
use tcpwhy_core::units::Nanos;

use super::tcp::Tcp;

/// More than a scenario of minutes has.
const MOST: usize = 10_000;

/// What was lost first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lost {
    /// A SYN or SYN/ACK.
    Syn,
    /// Payload.
    Data,
    /// Segments without payload.
    Ack,
}

/// From the first loss on one connection until what was lost has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Break {
    /// The loss, nanoseconds since the Unix epoch.
    pub from_ns: u64,
    /// The same bytes passed (of ACKs: any later packet); `None`: never.
    pub to_ns: Option<u64>,
    /// TCP ports: the sender's, the receiver's.
    pub ports: [u16; 2],
    /// What was lost.
    pub lost: Lost,
    /// Segments with payload that passed between.
    pub followed: u32,
}

/// What matters here of one TCP packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passage {
    ports: [u16; 2],
    seq: u32,
    /// Sequence numbers that it takes: its payload, one for a SYN.
    len: u32,
    syn: bool,
}

impl Passage {
    pub(super) fn of(tcp: &Tcp<'_>) -> Self {
        let (payload, syn) = (u32::try_from(tcp.payload()).unwrap_or(u32::MAX), tcp.is_syn());
        let len = payload.saturating_add(u32::from(syn));
        Self { ports: tcp.ports(), seq: tcp.seq(), len, syn }
    }

    fn lost(&self) -> Lost {
        match self {
            Self { syn: true, .. } => Lost::Syn,
            Self { len: 0, .. } => Lost::Ack,
            _ => Lost::Data,
        }
    }

    fn covers(&self, seq: u32) -> bool {
        seq.wrapping_sub(self.seq) < self.len
    }
}

/// The breaks of one direction.
#[derive(Debug, Default)]
pub(super) struct Breaks {
    all: Vec<Break>,
    /// Those that last: the place in `all`, and the sequence number that must pass.
    open: BTreeMap<([u16; 2], Lost), (usize, u32)>,
}

impl Breaks {
    /// A packet was offered to the link at `now` (since the Unix epoch).
    pub(super) fn see(&mut self, now: Nanos, packet: Passage, fate: Fate) {
        match fate {
            Fate::Dropped(DropReason::Outage | DropReason::Nth) => self.begin(now, packet),
            Fate::Accepted if !self.open.is_empty() => self.pass(now, packet),
            Fate::Accepted | Fate::Dropped(_) => {}
        }
    }

    fn begin(&mut self, now: Nanos, packet: Passage) {
        let key = (packet.ports, packet.lost());
        if self.open.contains_key(&key) || self.all.len() >= MOST {
            return;
        }
        self.open.insert(key, (self.all.len(), packet.seq));
        let (ports, lost) = key;
        self.all.push(Break { from_ns: epoch(now), to_ns: None, ports, lost, followed: 0 });
    }

    fn pass(&mut self, now: Nanos, packet: Passage) {
        let all = &mut self.all;
        self.open.retain(|(ports, lost), (place, seq)| {
            let Some(it) = all.get_mut(*place).filter(|_| *ports == packet.ports) else {
                return true;
            };
            let over = *lost == Lost::Ack || packet.covers(*seq);
            if over {
                it.to_ns = Some(epoch(now));
            } else if packet.len > 0 {
                it.followed = it.followed.saturating_add(1);
            }
            !over
        });
    }

    pub(super) fn into_all(self) -> Vec<Break> {
        self.all
    }
}

fn epoch(now: Nanos) -> u64 {
    u64::try_from(now.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(seq: u32, len: u32) -> Passage {
        Passage { ports: [5001, 40_000], seq, len, syn: false }
    }

    #[test]
    fn a_break_ends_when_the_lost_bytes_pass() {
        let mut breaks = Breaks::default();
        let lost = Fate::Dropped(DropReason::Nth);
        breaks.see(Nanos(10), packet(u32::MAX - 99, 1448), lost);
        // The same stretch: one break.
        breaks.see(Nanos(11), packet(1348, 1448), Fate::Dropped(DropReason::Outage));
        for at in 12..15 {
            breaks.see(Nanos(at), packet(2796, 1448), Fate::Accepted);
        }
        let other = Passage { ports: [5001, 40_001], ..packet(u32::MAX - 99, 1448) };
        breaks.see(Nanos(20), other, Fate::Accepted);
        // Cut in two when it was sent again: the half with the first byte counts.
        breaks.see(Nanos(21), packet(500, 700), Fate::Accepted);
        breaks.see(Nanos(22), packet(u32::MAX - 99, 700), Fate::Accepted);
        let [it] = breaks.into_all()[..] else { panic!("one break") };
        assert_eq!((it.from_ns, it.to_ns, it.lost, it.followed), (10, Some(22), Lost::Data, 4));
    }

    #[test]
    fn acks_and_syns_have_breaks_of_their_own_and_chance_has_none() {
        let mut breaks = Breaks::default();
        let out = Fate::Dropped(DropReason::Outage);
        breaks.see(Nanos(1), Passage { syn: true, ..packet(7, 1) }, out);
        breaks.see(Nanos(2), packet(9, 0), out);
        breaks.see(Nanos(3), packet(9, 5), Fate::Dropped(DropReason::Random));
        breaks.see(Nanos(4), Passage { syn: true, ..packet(7, 1) }, Fate::Accepted);
        let seen: Vec<_> = breaks.into_all().iter().map(|b| (b.lost, b.to_ns)).collect();
        assert_eq!(seen, [(Lost::Syn, Some(4)), (Lost::Ack, Some(4))]);
    }
}
