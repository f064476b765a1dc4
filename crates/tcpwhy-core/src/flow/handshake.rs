//! SYN and SYN/ACK: roles, options, the first round trip.

use super::ecn::Feedback;
use super::packet::Packet;
use super::segment_size::SegmentSize;
use super::window::{MAX_SHIFT, Window};
use crate::model::{Side, WindowScale};
use crate::observe::flags;
use crate::units::{Nanos, Seq};

/// One end's SYN.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Syn {
    pub(crate) seq: Seq,
    /// What comes behind it and its data.
    next: Seq,
    pub(crate) last: Nanos,
    pub(crate) times: u64,
    pub(crate) frame: u64,
    pub(crate) second_frame: u64,
    /// It came with an ACK.
    answers: bool,
    pub(crate) offer: Offer,
}

/// What a SYN offers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer {
    pub(crate) mss: Option<u16>,
    pub(crate) window_scale: Option<u8>,
    timestamps: bool,
    /// See [`Packet::congestion_bits`].
    congestion_bits: u8,
    /// The snap length cut the options.
    cut: bool,
}

impl Offer {
    fn of(packet: &Packet) -> Self {
        Self {
            mss: packet.mss(),
            window_scale: packet.window_scale(),
            timestamps: packet.timestamps().is_some(),
            congestion_bits: packet.congestion_bits(),
            cut: packet.options_cut(),
        }
    }
}

/// What is known of the opening.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Handshake {
    /// The client's SYN and the server's SYN/ACK.
    pub(crate) syn: [Option<Syn>; 2],
    /// The third packet, or the first data; where the capture lacks that, the second one.
    pub(crate) established: Option<Nanos>,
}

impl Handshake {
    /// The next packet: anything before the connection is established, and any SYN.
    #[inline(never)]
    pub(super) fn note(&mut self, packet: &Packet) {
        if packet.has(flags::SYN) {
            self.syn(packet);
        } else if packet.side == Side::Client {
            // Whoever acknowledges something has had the answer to its SYN, though the capture may lack it.
            let answered = self.syn[0].is_some() && packet.acknowledges();
            if answered || self.syn[1].is_some() {
                let lacking = self.syn[1].filter(|_| self.lacks_before(packet));
                self.established.get_or_insert(lacking.map_or(packet.time, |syn| syn.last));
            }
        }
    }

    /// The capture lacks what the client has sent between its SYN and this `packet`, the answer to the other SYN maybe among it.
    pub(super) fn lacks_before(&self, packet: &Packet) -> bool {
        self.syn[0].is_some_and(|syn| packet.seq.distance(syn.next) > 0)
    }

    /// Whether a packet of this kind says nothing of the opening.
    #[inline(always)]
    pub(super) fn is_over(&self, packet: &Packet) -> bool {
        self.established.is_some() && !packet.has(flags::SYN)
    }

    /// A SYN or SYN/ACK.
    fn syn(&mut self, packet: &Packet) {
        let slot = &mut self.syn[packet.side as usize];
        let answers = packet.has(flags::ACK);
        match slot {
            // Both ends' SYNs have crossed: each goes on with a SYN/ACK (RFC 9293 section 3.5, figure 7).
            Some(syn) if syn.seq == packet.seq && answers && !syn.answers => {
                (syn.last, syn.answers) = (packet.time, true);
            }
            Some(syn) if syn.seq == packet.seq => {
                syn.last = packet.time;
                syn.times += 1;
                if syn.times == 2 {
                    syn.second_frame = packet.frame;
                }
            }
            _ => {
                *slot = Some(Syn {
                    seq: packet.seq,
                    next: packet.seq + 1 + packet.len,
                    last: packet.time,
                    times: 1,
                    frame: packet.frame,
                    second_frame: 0,
                    answers,
                    offer: Offer::of(packet),
                });
            }
        }
    }

    fn both(&self) -> Option<(Syn, Syn)> {
        self.syn[0].zip(self.syn[1])
    }

    /// A SYN or SYN/ACK was sent again.
    pub(crate) fn is_retried(&self) -> bool {
        self.syn.iter().flatten().any(|syn| syn.times > 1)
    }

    /// The scale of the window that `receiver` advertises (RFC 7323 section 2.2: in use only when
    /// both SYNs carry the option).
    pub(crate) fn scale_of(&self, receiver: Side) -> WindowScale {
        let unknown = WindowScale::Inferred { min: 0, max: MAX_SHIFT };
        let Some((client, server)) = self.both() else {
            // A SYN without the option is enough to know that scaling is off.
            let off =
                self.syn.iter().flatten().any(|s| !s.offer.cut && s.offer.window_scale.is_none());
            return if off { WindowScale::Absent } else { unknown };
        };
        if client.offer.cut || server.offer.cut {
            return unknown;
        }
        match (client.offer.window_scale, server.offer.window_scale) {
            (Some(c), Some(s)) => {
                let shift = if receiver == Side::Client { c } else { s };
                WindowScale::Known(shift.min(MAX_SHIFT))
            }
            _ => WindowScale::Absent,
        }
    }

    /// Payload of a full segment: the smaller MSS of the two, less 12 bytes where timestamps are in
    /// use (RFC 7323 appendix A).
    pub(crate) fn segment_size(&self) -> SegmentSize {
        let announced = self.both().and_then(|(c, s)| {
            let mss = u32::from(c.offer.mss?.min(s.offer.mss?));
            let stamped = c.offer.timestamps && s.offer.timestamps;
            // What a short capture does not hold of a SYN may have been those.
            if !stamped && (c.offer.cut || s.offer.cut) {
                return None;
            }
            Some(if stamped { mss.saturating_sub(12) } else { mss })
        });
        SegmentSize::new(announced)
    }

    /// How the ends tell each other of congestion marks.
    pub(crate) fn marks(&self) -> Feedback {
        let bits = |syn: Syn| syn.offer.congestion_bits;
        self.both().map_or(Feedback::Echo, |(c, s)| Feedback::agreed(bits(c), bits(s)))
    }

    /// A window for the direction towards `receiver`.
    pub(crate) fn window(&self, receiver: Side) -> Window {
        Window::new(self.scale_of(receiver))
    }
}
