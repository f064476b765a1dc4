//! What a segment adds to the stretch, and what it says of the queue that it came from.

use super::Sender;
use crate::flow::packet::Packet;
use crate::flow::scoreboard::Sending;
use crate::observe::flags;
use crate::units::Nanos;

impl Sender {
    /// `alone`: nothing was sent just before.
    #[inline(always)]
    pub(super) fn note_sending(&mut self, sending: Sending, packet: &Packet, alone: bool) {
        let mss = self.size.mss();
        let full = self.has_no_room();
        let open = self.record.open();
        open.touch(packet.frame);
        match sending {
            Sending::New => {
                open.filled += u32::from(full);
                self.note_new(packet, mss);
            }
            Sending::Again { tail, .. } if self.window.bytes() > 0 => {
                self.repairs(tail, u64::from(packet.len));
            }
            // It left before what was seen last, and the queue was not empty behind it.
            Sending::Reordered | Sending::Doubled => return,
            Sending::Again { .. } | Sending::Needless => {}
        }
        self.note_queue(packet, mss, alone);
    }

    /// It is less than a full segment.
    #[inline(always)]
    pub(super) fn is_small(&self, packet: &Packet) -> bool {
        packet.size(self.size.mss()) < self.size.mss()
    }

    /// What a segment of new data adds to the stretch.
    #[inline(always)]
    pub(super) fn note_new(&mut self, packet: &Packet, mss: u64) {
        let len = packet.size(mss);
        let open = self.record.open();
        open.segments += 1;
        if packet.has(flags::PSH) {
            open.pushes += 1;
        }
        if len < mss {
            open.short_segments += 1;
        } else if len > mss && len.is_multiple_of(mss) {
            open.whole_segments += 1;
        }
    }

    /// What a segment says of the queue that it came from; `alone`: nothing was sent just before.
    #[inline(always)]
    pub(super) fn note_queue(&mut self, packet: &Packet, mss: u64, alone: bool) {
        let (len, push) = (packet.size(mss), packet.has(flags::PSH));
        // A division costs as much as the rest; most segments are full.
        self.short = len != mss && len % mss != 0;
        let last = self.short && len < mss;
        self.dry = push || last;
        // Linux marks the end of every packet that it hands over in one piece (`__tcp_transmit_skb`): only on a segment by itself does
        // the flag tell of a write that ended.
        self.emptied = (push && alone) || last;
    }

    /// No ACK released `packet`: it may be small, and leave while another small one is under way.
    #[inline(always)]
    pub(super) fn note_behind(&mut self, packet: &Packet) {
        let small = self.is_small(packet);
        let behind = small && self.small_end > self.board.una;
        self.record.open().small_behind += u32::from(behind);
    }

    /// Where `packet`'s segment ends, which was sent last, if it was small.
    #[inline(always)]
    pub(super) fn note_end(&mut self, packet: &Packet) {
        if self.short {
            self.small_end = self.data_end;
            if packet.has(flags::PSH) {
                self.note_end_of_write(packet.time);
            }
        }
    }

    /// The last segment of a write carries PSH (`tcp_push`); one that is short without it is full for a path whose MTU is less than the SYNs
    /// told. By the capture's own clock: a sender's stamps tell milliseconds only.
    #[inline(never)]
    fn note_end_of_write(&mut self, time: Nanos) {
        if let Some(ended) = self.ended.replace(time) {
            let since = (time - ended).0.max(0).unsigned_abs();
            self.record.open().ends.add(since);
        }
    }
}
