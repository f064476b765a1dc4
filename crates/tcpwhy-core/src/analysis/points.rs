//! A connection whose packets pass several capture points: the captures of both ends together, or a pod's interface, its bridge and the
//! tunnel behind it.
//!
//! Their clocks differ, and what is one packet to one of them may be many to another (segmentation offload). So one point tells of the
//! connection, and what the others show are copies, equal or not.

use super::seen::{APART, ELSEWHERE};
use super::waiting::Queue;
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
    /// Who has shown more than these, which have been silent since then.
    ahead: Option<(u32, Nanos)>,
    /// What has passed meanwhile; what this one did not show is a copy in any case.
    pub(super) held: Queue,
}

/// What becomes of a packet that one of several points shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// The point that tells of its side shows it: whatever is held was its copy.
    Tells,
    /// That point has shown it.
    Copy,
    /// That point may show it still: it is held until then.
    Waits,
    /// As `Waits`, and who shows it is not the one that would tell of it.
    CopyWaits,
    /// That point has ended, and another one tells of the connection: what is held comes first, then this is asked again.
    Passes,
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
        let sides = first.map(|scope| scope.map(Shown::nothing));
        Self { sides, ahead: None, held: Queue::default() }
    }

    /// What becomes of `packet`, which `scope` shows; whether no more can be held.
    pub(super) fn turn(&mut self, packet: &Packet, scope: u32, full: bool) -> Turn {
        let side = packet.side as usize;
        let shown = self.sides[side].unwrap_or(Shown::nothing(scope));
        if shown.scope == scope {
            self.sides[side] = Some(shown.with(packet));
            self.ahead = None;
            return Turn::Tells;
        }
        if self.ahead.is_none() && shown.with(packet) == shown {
            return Turn::Copy;
        }
        let (next, since) = *self.ahead.get_or_insert((scope, packet.time));
        // What crosses the path is soon there, too.
        if packet.time - since <= ELSEWHERE && !full {
            return if next == scope { Turn::Waits } else { Turn::CopyWaits };
        }
        self.sides = [Some(Shown::nothing(next)); 2];
        self.ahead = None;
        Turn::Passes
    }
}

impl Shown {
    fn nothing(scope: u32) -> Self {
        Self { scope, end: None, ack: None }
    }

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
