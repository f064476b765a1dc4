//! A connection whose packets pass several capture points: the captures of both ends together, or a pod's interface, its bridge and the
//! tunnel behind it.
//!
//! Their clocks differ, and what is one packet to one of them may be many to another (segmentation offload). So one point tells of the
//! connection, and what the others show are copies, equal or not.

use super::seen::{APART, ELSEWHERE};
use crate::flow::packet::Packet;
use crate::observe::flags;
use crate::units::{Nanos, Seq};

/// The scopes of a capture.
#[derive(Debug)]
pub(super) struct Scopes {
    /// The only one, if there is one only.
    only: u64,
    several: bool,
}

impl Default for Scopes {
    fn default() -> Self {
        Self { only: Self::NONE, several: false }
    }
}

impl Scopes {
    /// No scope is this.
    const NONE: u64 = u64::MAX;

    /// Whether there are several, now that `scope` is one of them.
    #[inline(always)]
    pub(super) fn are_several(&mut self, scope: u32) -> bool {
        self.only != u64::from(scope) && self.meet(scope)
    }

    #[cold]
    fn meet(&mut self, scope: u32) -> bool {
        let is_first = self.only == Self::NONE && !self.several;
        (self.only, self.several) =
            if is_first { (scope.into(), false) } else { (Self::NONE, true) };
        self.several
    }

    /// A copy of a packet comes in less than this, as far as clocks agree.
    pub(super) fn copied_within(&self) -> Nanos {
        if self.several { ELSEWHERE } else { APART }
    }
}

/// Which points tell of a connection.
#[derive(Debug)]
pub(super) struct Points {
    /// For each side the first one that has shown a packet of it, where that is known.
    sides: [Option<Shown>; 2],
    /// Since when others have shown more than these, which were silent.
    outrun: Option<Nanos>,
}

/// What a point has shown of the packets of one side.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shown {
    scope: u32,
    /// Up to where.
    end: Option<Seq>,
    /// What they have acknowledged.
    ack: Option<Seq>,
}

impl Points {
    /// Of a connection whose sides these scopes have shown first.
    pub(super) fn new(first: [Option<u32>; 2]) -> Self {
        let nothing = |scope| Shown { scope, end: None, ack: None };
        Self { sides: first.map(|scope| scope.map(nothing)), outrun: None }
    }

    /// Whether `packet`, which `scope` shows, is a copy of one that the point has shown, or will, that tells of its side.
    pub(super) fn is_copy(&mut self, packet: &Packet, scope: u32) -> bool {
        let nothing = Shown { scope, end: None, ack: None };
        let mut shown = self.sides[packet.side as usize].unwrap_or(nothing);
        if shown.scope != scope {
            // What crosses the path is soon there, too.
            let is_soon = |since: Nanos| packet.time - since <= ELSEWHERE;
            if shown.with(packet) == shown || is_soon(*self.outrun.get_or_insert(packet.time)) {
                return true;
            }
            self.sides = [Some(nothing); 2];
            shown = nothing;
        }
        self.sides[packet.side as usize] = Some(shown.with(packet));
        self.outrun = None;
        false
    }
}

impl Shown {
    /// With `packet`, too.
    fn with(self, packet: &Packet) -> Self {
        let later = |known: Option<Seq>, new: Seq| {
            known.filter(|known| new.distance(*known) <= 0).or(Some(new))
        };
        let ack = if packet.acknowledges() { later(self.ack, packet.ack) } else { self.ack };
        Self { end: later(self.end, end_of(packet)), ack, ..self }
    }
}

/// The number behind a packet.
fn end_of(packet: &Packet) -> Seq {
    packet.seq + packet.len + u32::from(packet.has_any(flags::SYN | flags::FIN))
}
