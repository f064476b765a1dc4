//! Packets whose legs have been measured, on their way to the rest of the analysis.

use super::Flow;
use super::packet::Packet;
use super::vantage::{Legs, Standing};
use crate::units::Nanos;

/// Bits of [`Packet::beside`].
mod beside {
    /// When it left its sender, if not as it passed.
    pub(super) const LEFT: u8 = 0x01;
    /// What is known of both legs, because it has changed.
    pub(super) const STANDING: u8 = 0x02;
}

/// Who takes packets whose legs have been measured, one after the other.
pub(crate) trait Taker {
    /// The next packet, which left its sender at `left`, as its clock and its legs tell; and the legs, if what is known of them may have
    /// changed.
    fn take(&mut self, packet: &Packet, left: Nanos, moved: Option<&Legs>);
}

/// Packets, and beside them what few of them have.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    packets: Vec<Packet>,
    lefts: Vec<Nanos>,
    standings: Vec<[Standing; 2]>,
}

/// How many of each.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extent {
    pub(crate) packets: usize,
    lefts: usize,
    standings: usize,
}

/// Some of them, one after the other.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Run<'a> {
    packets: &'a [Packet],
    lefts: &'a [Nanos],
    standings: &'a [[Standing; 2]],
}

impl Taker for Placed {
    #[inline(always)]
    fn take(&mut self, packet: &Packet, left: Nanos, moved: Option<&Legs>) {
        self.packets.push(*packet);
        if left != packet.time || moved.is_some() {
            self.put_beside(packet, left, moved);
        }
    }
}

impl Placed {
    #[inline(never)]
    fn put_beside(&mut self, packet: &Packet, left: Nanos, moved: Option<&Legs>) {
        let Some(last) = self.packets.last_mut() else { return };
        if left != packet.time {
            last.beside |= beside::LEFT;
            self.lefts.push(left);
        }
        if let Some(legs) = moved {
            last.beside |= beside::STANDING;
            self.standings.push(legs.standing());
        }
    }

    /// How much there is.
    pub(crate) fn extent(&self) -> Extent {
        Extent {
            packets: self.packets.len(),
            lefts: self.lefts.len(),
            standings: self.standings.len(),
        }
    }

    /// All of it.
    pub(crate) fn all(&self) -> Run<'_> {
        Run { packets: &self.packets, lefts: &self.lefts, standings: &self.standings }
    }

    /// Forgets everything and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.packets.clear();
        self.lefts.clear();
        self.standings.clear();
    }
}

impl Extent {
    /// What has come since `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            packets: self.packets - before.packets,
            lefts: self.lefts - before.lefts,
            standings: self.standings - before.standings,
        }
    }
}

impl<'a> Run<'a> {
    /// The next so many, taken off the front.
    pub(crate) fn take(&mut self, extent: Extent) -> Self {
        Self {
            packets: take(&mut self.packets, extent.packets),
            lefts: take(&mut self.lefts, extent.lefts),
            standings: take(&mut self.standings, extent.standings),
        }
    }

    /// Gives every packet.
    #[inline(always)]
    pub(crate) fn each(self, to: &mut Flow) {
        let (mut lefts, mut standings) = (self.lefts.iter(), self.standings.iter());
        for packet in self.packets {
            let mut left = packet.time;
            if packet.beside != 0 {
                if packet.beside & beside::LEFT != 0 {
                    left = lefts.next().copied().unwrap_or(left);
                }
                if packet.beside & beside::STANDING != 0
                    && let Some(standing) = standings.next()
                {
                    to.stand(*standing);
                }
            }
            to.take(packet, left, None);
        }
    }
}

/// The first so many of a slice, which keeps the rest.
fn take<'a, T>(from: &mut &'a [T], many: usize) -> &'a [T] {
    let (first, rest) = from.split_at_checked(many).unwrap_or_default();
    *from = rest;
    first
}
