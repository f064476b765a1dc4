//! Counters of one direction: what the findings are made of.

use super::packet::Packet;
use super::scoreboard::Sending;

/// How often something happened and the first frame that shows it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Count {
    pub(crate) times: u64,
    pub(crate) frame: u64,
}

impl Count {
    pub(crate) fn add(&mut self, frame: u64) {
        if self.times == 0 {
            self.frame = frame;
        }
        self.times += 1;
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
    pub(crate) needless: Count,
    pub(crate) marks: Count,
    pub(crate) holes: Count,
    /// Probes of a closed window, and keep-alives.
    pub(crate) probes: Count,
    pub(crate) keep_alives: Count,
    /// Segments that cannot belong to this stream.
    pub(crate) stray: u64,
}

impl Tally {
    pub(crate) fn probe(&mut self, frame: u64, closed: bool) {
        if closed { self.probes.add(frame) } else { self.keep_alives.add(frame) }
    }

    pub(crate) fn data(&mut self, sending: Sending, packet: &Packet, again: u64) {
        self.data_segments += 1;
        match sending {
            Sending::New => {}
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
