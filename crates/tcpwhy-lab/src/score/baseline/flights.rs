//! A direction's data as flights: what leaves within one round trip, told by the gaps between packets.

use crate::score::variant::Judged;
use tcpwhy_core::observe::{Segment, flags};
use tcpwhy_core::units::{Nanos, Seq};

/// Packets that left together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flight {
    pub(super) from: Nanos,
    pub(super) to: Nanos,
    pub(super) packets: u64,
    pub(super) bytes: u64,
    /// Packets whose data had been sent before.
    pub(super) resent: u64,
    /// Payload of the last packet.
    pub(super) last_len: u32,
}

/// The data of a direction, cut where the sender was silent for half a round trip or has been sending for a whole one.
pub(super) fn flights(segments: &[Segment], judged: Judged, rtt: Nanos) -> Vec<Flight> {
    let mut all: Vec<Flight> = Vec::new();
    let mut highest: Option<Seq> = None;
    for s in data(segments, judged) {
        let end = s.seq + s.len;
        let resent = highest.is_some_and(|h| end.distance(h) <= 0);
        if !resent {
            highest = Some(end);
        }
        let fresh =
            Flight { from: s.time, to: s.time, packets: 0, bytes: 0, resent: 0, last_len: 0 };
        let over = |f: &Flight| s.time - f.to > rtt.scale(1, 2) || s.time - f.from >= rtt;
        if all.last().is_none_or(over) {
            all.push(fresh);
        }
        if let Some(f) = all.last_mut() {
            f.to = s.time;
            f.packets += 1;
            f.bytes += u64::from(s.len);
            f.resent += u64::from(resent);
            f.last_len = s.len;
        }
    }
    all
}

/// The data segments of a direction.
pub(super) fn data(segments: &[Segment], judged: Judged) -> impl Iterator<Item = &Segment> {
    segments.iter().filter(move |s| judged.has(s) && judged.sent(s) && s.len > 0)
}

/// The largest window that the receiver advertised, scaled by the shift in its SYN.
pub(super) fn largest_window(segments: &[Segment], judged: Judged) -> u64 {
    let theirs = || segments.iter().filter(|s| judged.has(s) && !judged.sent(s));
    let syn = theirs().find(|s| s.has(flags::SYN));
    let shift = syn.and_then(|s| s.options.window_scale).unwrap_or(0).min(14);
    let plain = theirs().filter(|s| !s.has(flags::SYN));
    plain.map(|s| u64::from(s.window) << shift).max().unwrap_or(0)
}
