//! Data in mid-stream: nearly every segment of a transfer, in a tenth of the questions.

use super::Sender;
use crate::flow::WAKE_UP;
use crate::flow::packet::Packet;
use crate::flow::wait::Wait;
use crate::units::{Nanos, raise};

impl Sender {
    /// Whether the data of `packet`, which begins at `start`, is the next of a stream: in order, while more is in flight, nothing was lost,
    /// nobody else spoke, and the window has room for more.
    #[inline(always)]
    pub(super) fn streams(&self, packet: &Packet, start: u64) -> bool {
        let end = start + u64::from(packet.len);
        start == self.board.nxt
            && self.board.una < start
            && end + self.size.mss() <= self.window.edge
            && self.window.holds(end)
            && self.gap.is_of_one_wait()
            && self.peer_data.is_none()
            && self.recover.is_none()
            && self.duplicate_acks == 0
            && self.size.expects(packet)
            && is_allowed()
    }

    /// As [`sent_anything`](Sender::sent_anything), for what [`streams`](Sender::streams). Each line is one of that function's own:
    ///
    /// - In order and outside of a repair, it is new; with data in flight and room in the window, no probe.
    /// - With data in flight, and none of the peer's, an ACK just before released it, or a timer; what Nagle's rule kept back had waited.
    /// - So the gap, of one part that was a wait for ACKs, was a wait for that, and nothing was lost in it.
    /// - Within the furthest edge the window's scale is as good as before, and so is the segments' size if this one is as expected.
    /// - There is room for another segment behind it and something in flight: the next gap begins as a wait for ACKs, too.
    #[inline(always)]
    pub(super) fn sent_next(&mut self, packet: &Packet, time: Nanos) {
        let end = self.board.nxt + u64::from(packet.len);
        let left = self.board.flight();
        let level = self.bursts.sent(time, packet.len, self.pace.rest);
        self.board.send_next(end, time, level);
        self.space.advance_to(end, packet.seq + packet.len);
        self.size.seen(packet);
        let length = time - self.gap.start();
        let gap = self.end_with(packet);
        if length < self.pace.least_wait {
            let wait = if self.is_at_once(time) {
                Wait::Ack
            } else {
                self.note_behind(packet);
                Wait::Timer
            };
            let piece = self.gap.first();
            self.record.account(time, wait, self.rtt.smoothed(), |s| gap.note(s, piece));
        } else {
            let release = self.release_of_new(left, packet, time);
            self.close_pause(time, gap, release, None, left);
        }
        self.transfers.sent(time, packet.frame, end - self.data_end, 0, false);
        self.tally.data_segments += 1;
        self.data_end = end;
        self.probes = 0;
        self.room = self.room();
        self.flight = self.board.flight();
        self.done = None;
        raise(&mut self.tally.max_flight, self.flight);
        let open = self.record.open();
        open.touch(packet.frame);
        raise(&mut open.flight, self.flight);
        let mss = self.size.mss();
        self.note_new(packet, mss);
        self.note_queue(packet, mss, length >= WAKE_UP);
        self.note_end(packet);
        let window = self.window.bytes();
        self.gap.restart_waiting(time, window, packet.frame);
    }
}

/// The tests compare with what the general way says.
#[inline(always)]
fn is_allowed() -> bool {
    #[cfg(test)]
    return tests::allows();
    #[cfg(not(test))]
    true
}

#[cfg(test)]
mod tests;
