//! SYN and SYN/ACK: roles, options, the first round trip.

use super::segment_size::SegmentSize;
use super::window::{MAX_SHIFT, Window};
use crate::model::{Side, WindowScale};
use crate::observe::{Options, Segment};
use crate::units::{Nanos, Seq};

/// One end's SYN.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Syn {
    pub(crate) seq: Seq,
    pub(crate) last: Nanos,
    pub(crate) times: u64,
    pub(crate) frame: u64,
    pub(crate) second_frame: u64,
    pub(crate) options: Options,
    options_cut: bool,
}

/// What is known of the opening.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Handshake {
    /// The client's SYN and the server's SYN/ACK.
    pub(crate) syn: [Option<Syn>; 2],
    /// The third packet, or the first data.
    pub(crate) established: Option<Nanos>,
}

impl Handshake {
    /// A SYN or SYN/ACK from `side`; says whether it opens another connection than the known one.
    pub(crate) fn syn(&mut self, side: Side, segment: &Segment) {
        let slot = &mut self.syn[side as usize];
        match slot {
            Some(syn) if syn.seq == segment.seq => {
                syn.last = segment.time;
                syn.times += 1;
                if syn.times == 2 {
                    syn.second_frame = segment.frame;
                }
            }
            _ => {
                *slot = Some(Syn {
                    seq: segment.seq,
                    last: segment.time,
                    times: 1,
                    frame: segment.frame,
                    second_frame: 0,
                    options: segment.options,
                    options_cut: segment.options_cut,
                });
            }
        }
    }

    fn both(&self) -> Option<(Syn, Syn)> {
        self.syn[0].zip(self.syn[1])
    }

    /// The scale of the window that `receiver` advertises (RFC 7323 section 2.2: in use only when
    /// both SYNs carry the option).
    pub(crate) fn scale_of(&self, receiver: Side) -> WindowScale {
        let unknown = WindowScale::Inferred { min: 0, max: MAX_SHIFT };
        let Some((client, server)) = self.both() else {
            // A SYN without the option is enough to know that scaling is off.
            let off = self
                .syn
                .iter()
                .flatten()
                .any(|s| !s.options_cut && s.options.window_scale.is_none());
            return if off { WindowScale::Absent } else { unknown };
        };
        if client.options_cut || server.options_cut {
            return unknown;
        }
        match (client.options.window_scale, server.options.window_scale) {
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
            let mss = u32::from(c.options.mss?.min(s.options.mss?));
            let stamped = c.options.timestamps.is_some() && s.options.timestamps.is_some();
            Some(if stamped { mss.saturating_sub(12) } else { mss })
        });
        SegmentSize::new(announced)
    }

    /// A window for the direction towards `receiver`.
    pub(crate) fn window(&self, receiver: Side) -> Window {
        Window::new(self.scale_of(receiver))
    }
}
