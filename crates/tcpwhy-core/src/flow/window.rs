//! The receiver's advertised window as the sender knows it (RFC 9293 section 3.8.6, RFC 7323).

use crate::model::WindowScale;
use crate::units::{lower, raise};

/// Largest legal shift (RFC 7323 section 2.3).
pub(crate) const MAX_SHIFT: u8 = 14;

/// Data that may run ahead of the ACK that allowed it: two full segments.
const EARLY: u64 = 2 * 1460;

/// As many as the capture may lack in a row of the ACKs that allowed it, where it is known to lack packets: they are for two segments each.
const LACKING: u64 = 4;

/// Segments below which an inferred window proves nothing: it is the smallest that holds the data, so
/// a small flight reaches its edge by chance.
const TELLING: u64 = 16;

/// Flights that show where they end: in one or two of a start that doubles, any edge may lie.
const FLIGHTS: u32 = 4;

/// Segments that end before an edge, with no room for another, for one that passes it: more are no chance.
const AT_AN_EDGE: u32 = 6;

/// As `AT_AN_EDGE`, where the capture is known to lack packets: of an edge that is none more segments pass than end before it.
const AT_AN_EDGE_BLIND: u32 = 2;

/// Data that passes the edge once in so many ACKs (in one of eight flights of a dozen segments, with an ACK for each two) does so as a rule.
const AS_A_RULE: u32 = 48;

/// The send window of one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    scale: WindowScale,
    /// The shift in use.
    shift: u8,
    raw: u16,
    /// `raw` is a SYN's: never scaled (RFC 7323 section 2.2).
    of_syn: bool,
    /// `raw`, scaled; `u64::MAX` before the first ACK.
    bytes: u64,
    /// The last ACK, where it was no SYN and the shift has not changed since.
    last: Option<u64>,
    /// The ACK and the window in its header that allowed most.
    furthest: (u64, u16),
    /// Times that data ended at the furthest edge to the byte, so near that no full segment had room before it, and beyond it, under an
    /// inferred shift.
    at_edge: u32,
    near: u32,
    beyond: u32,
    /// ACKs under that shift.
    acks: u32,
    /// The edge that they set, by the shift in use.
    furthest_edge: u64,
    /// The capture lacks data that left since the last ACK, and may lack ACKs that allowed it.
    lacks: bool,
    /// It has lacked some at some time.
    holed: bool,
    /// Right edge: highest position that may be sent. `u64::MAX` before the first ACK.
    pub(crate) edge: u64,
    /// Largest window advertised, scaled.
    pub(crate) largest: u64,
    /// Smallest window advertised after the handshake, scaled.
    pub(crate) smallest: u64,
}

impl Window {
    /// A window not yet advertised, with what the handshake said of its scale.
    pub(crate) fn new(scale: WindowScale) -> Self {
        let shift = shift_of(scale);
        Self {
            scale,
            shift,
            raw: 0,
            of_syn: false,
            bytes: u64::MAX,
            last: None,
            furthest: (0, 0),
            at_edge: 0,
            near: 0,
            beyond: 0,
            acks: 0,
            furthest_edge: 0,
            lacks: false,
            holed: false,
            edge: u64::MAX,
            largest: 0,
            smallest: u64::MAX,
        }
    }

    /// An ACK for `ack` with the header's window arrived at the sender.
    pub(crate) fn advertise(&mut self, ack: u64, raw: u16, syn: bool) {
        self.raw = raw;
        self.lacks = false;
        self.of_syn = syn;
        self.bytes = self.scaled();
        self.last = (!syn).then_some(ack);
        // Another shift widens all but a SYN's.
        if !(syn && self.is_inferred()) {
            raise(&mut self.largest, self.bytes);
        }
        self.edge = ack.saturating_add(self.bytes);
        self.acks = self.acks.saturating_add(1);
        if !syn {
            lower(&mut self.smallest, self.bytes);
        }
        if !syn && self.edge >= self.furthest_edge {
            self.furthest = (ack, raw);
            self.furthest_edge = self.edge;
        }
    }

    /// Data was sent that the capture does not show.
    #[cold]
    pub(crate) fn misses(&mut self) {
        (self.lacks, self.holed) = (true, true);
    }

    fn is_inferred(&self) -> bool {
        matches!(self.scale, WindowScale::Inferred { .. })
    }

    /// Whether an ACK for `ack` with the header's window says the same as the last one.
    pub(crate) fn repeats(&self, ack: u64, raw: u16) -> bool {
        self.last == Some(ack) && self.raw == raw
    }

    fn scaled(&self) -> u64 {
        u64::from(self.raw) << if self.of_syn { 0 } else { self.shift }
    }

    /// Data up to `end` was sent with `una` acknowledged: where the scale is only inferred, no data
    /// may pass the furthest edge ever allowed (a receiver should not take back what it has allowed,
    /// RFC 9293 section 3.8.6), so the shift is at least what makes it fit. A little beyond the edge
    /// proves nothing, where the sender has seen an ACK that the capture shows only after the data; as a
    /// rule it does. A full segment has `mss` bytes. Gives by how many bits more all windows so far have to be shifted.
    pub(crate) fn sent(&mut self, una: u64, end: u64, mss: u64) -> Option<u8> {
        let WindowScale::Inferred { min, max } = self.scale else { return None };
        let (allowed, raw) = self.furthest;
        if self.holds(end) || raw == 0 || min >= max {
            self.at_edge = self.at_edge.saturating_add(u32::from(end == self.furthest_edge));
            self.near = self.near.saturating_add(u32::from(end + mss > self.furthest_edge));
            return None;
        }
        if self.lacks {
            return None;
        }
        self.beyond = self.beyond.saturating_add(1);
        let need = end.saturating_sub(allowed);
        // A bit more is twice the window. What passes this one by less than that after so many flights that ended there followed an ACK that
        // the capture lacks.
        let stands = self.near >= AT_AN_EDGE * self.beyond.max(FLIGHTS);
        if stands && need <= u64::from(raw) << (min + 1) {
            return None;
        }
        let fits = |shift: u8| {
            let window = u64::from(raw) << shift;
            let unseen = if self.holed { (window / 4).min(LACKING * EARLY) } else { 0 };
            need <= window + (window / 16).max(EARLY).max(unseen)
        };
        let mut shift = min + u8::from(self.is_passed_as_a_rule());
        while shift < max && !fits(shift) {
            shift += 1;
        }
        if shift == min {
            return None;
        }
        let wider = shift - min;
        self.scale = WindowScale::Inferred { min: shift, max };
        self.shift = shift;
        (self.at_edge, self.near, self.beyond, self.acks) = (0, 0, 0, 0);
        self.last = None;
        self.bytes = self.scaled();
        self.edge = una.saturating_add(self.bytes);
        self.furthest_edge = allowed.saturating_add(u64::from(raw) << shift);
        self.largest <<= wider;
        self.smallest = widened(self.smallest, wider);
        Some(wider)
    }

    /// Data up to `end` lies within the furthest edge ever allowed: [`Window::sent`] learns nothing from it but that it ends there.
    pub(crate) fn holds(&self, end: u64) -> bool {
        end <= self.furthest_edge
    }

    /// By how much another window would lie apart, where this `number` lies beyond the furthest edge by more than that, with a known scale.
    #[cold]
    pub(crate) fn falls_short_of(&self, number: u64) -> Option<u64> {
        let reach = self.largest.max(u16::MAX.into());
        let edge = self.edge.max(self.furthest_edge);
        (!self.is_inferred() && number > edge.saturating_add(reach)).then_some(reach)
    }

    /// The window of the newest ACK in bytes; `u64::MAX` before the first.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What is known of the scale.
    pub(crate) fn scale(&self) -> WindowScale {
        self.scale
    }

    /// The shift in use.
    pub(crate) fn shift(&self) -> u8 {
        self.shift
    }

    /// Whether the edge can be told: it is known, the window is closed under any scale, it is so
    /// many segments away that a flight hardly ends there by chance, or flights end at it to the byte: one
    /// that a buffer or cwnd holds ends there under one of 65,536 values of the header's window.
    pub(crate) fn is_telling(&self, mss: u64) -> bool {
        let met = self.at_edge >= FLIGHTS && self.at_edge >= self.beyond;
        !self.is_inferred() || self.raw == 0 || self.largest >= TELLING * mss || met
    }

    /// An inferred edge is none: data is sent beyond it more often than up to it. What the capture lost or shows late of the ACKs lets a few
    /// segments pass of those that end before an edge with no room for another.
    pub(crate) fn is_passed(&self) -> bool {
        let for_one = if self.holed { AT_AN_EDGE_BLIND } else { AT_AN_EDGE };
        self.beyond >= FLIGHTS && self.beyond > self.at_edge.max(self.near / for_one)
    }

    /// As `is_passed`, and far more often than the capture shows an ACK late.
    fn is_passed_as_a_rule(&self) -> bool {
        self.is_passed() && self.beyond.saturating_mul(AS_A_RULE) >= self.acks
    }

    /// The receiver has said that there is no room at all.
    pub(crate) fn is_closed(&self) -> bool {
        self.bytes == 0
    }

    /// Room a sender needs before it sends a full segment: one MSS, or half of a small receiver's
    /// largest window (sender's silly-window avoidance, RFC 1122 section 4.2.3.4).
    pub(crate) fn need(&self, mss: u64) -> u64 {
        mss.min((self.largest / 2).max(1))
    }
}

/// A window under a shift that has grown by so many bits; `u64::MAX` is none.
pub(crate) fn widened(window: u64, bits: u8) -> u64 {
    if window == u64::MAX { window } else { window << bits }
}

fn shift_of(scale: WindowScale) -> u8 {
    match scale {
        WindowScale::Known(shift) => shift,
        WindowScale::Absent => 0,
        WindowScale::Inferred { min, .. } => min,
    }
}

#[cfg(test)]
mod tests;
