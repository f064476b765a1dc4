//! Counters of one direction: what the findings are made of.

use super::packet::Packet;
use super::scoreboard::Sending;
use crate::units::Nanos;

/// How often something happened and the first frame that shows it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Count {
    pub(crate) times: u64,
    pub(crate) frame: u64,
}

impl Count {
    pub(crate) fn add(&mut self, frame: u64) {
        self.add_some(1, frame);
    }

    /// As `add`, for what one frame shows several times.
    pub(crate) fn add_some(&mut self, times: u32, frame: u64) {
        if self.times == 0 {
            self.frame = frame;
        }
        self.times += u64::from(times);
    }

    /// It was wrong to add the last one.
    pub(crate) fn take_back(&mut self) {
        self.times = self.times.saturating_sub(1);
    }
}

/// The counters.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    /// Payload bytes sent again.
    pub(crate) retransmitted: u64,
    pub(crate) data_segments: u64,
    pub(crate) max_flight: u64,
    pub(crate) resent: Count,
    pub(crate) reordered: Count,
    /// Sent again when they had been acknowledged.
    needless: Count,
    /// Segments that the receiver reports to have come twice (RFC 2883).
    pub(crate) reported: Count,
    pub(crate) marks: Count,
    pub(crate) holes: Count,
    /// Probes of a closed window, and keep-alives.
    pub(crate) probes: Count,
    pub(crate) keep_alives: Count,
    /// Its first data sent again when nothing had ever been acknowledged, and when something was at last.
    pub(crate) unheard: Count,
    pub(crate) heard: Option<Nanos>,
    /// Openings of its closed window that never reached the sender.
    pub(crate) updates_lost: Count,
    /// Ends of writes that a timer sent, see `Sender::note_cork`.
    pub(crate) corked: Count,
    /// For how long ACKs were kept back at most that came with the peer's own data.
    pub(crate) kept: Nanos,
    /// Packets whose numbers cannot be those of its data.
    pub(crate) out_of_window: Count,
}

impl Tally {
    /// Retransmissions of what had arrived: what was seen to be and what the receiver reports are mostly the same ones.
    pub(crate) fn needless(&self) -> Count {
        if self.reported.times > self.needless.times { self.reported } else { self.needless }
    }

    pub(crate) fn probe(&mut self, frame: u64, closed: bool) {
        if closed { self.probes.add(frame) } else { self.keep_alives.add(frame) }
    }

    pub(crate) fn data(&mut self, sending: Sending, packet: &Packet, again: u64) {
        self.data_segments += 1;
        match sending {
            Sending::New | Sending::Doubled => {}
            // Where the capture has changed the order, nothing is known of the network.
            Sending::Reordered if packet.is_late() => {}
            Sending::Reordered => self.reordered.add(packet.frame),
            Sending::Again { .. } => {
                self.retransmitted += again;
                self.resent.add(packet.frame);
            }
            Sending::Needless => {
                self.retransmitted += again;
                self.needless.add(packet.frame);
            }
        }
    }
}
