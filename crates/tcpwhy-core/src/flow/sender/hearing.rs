//! Something reaches the sender: ACKs, window updates, the peer's data.

use super::{Sender, Way};
use crate::flow::packet::Packet;
use crate::flow::scoreboard::Acked;
use crate::observe::flags;
use crate::units::Nanos;

impl Sender {
    /// `event` reached the sender at `time`, not before anything else that it knows of.
    #[inline]
    pub(crate) fn acknowledged(&mut self, event: &Packet, time: Nanos, way: Way) {
        // Half of all packets: one more of a burst of data, whose headers all say the same.
        let again = self.repeated == Some((event.ack, event.window));
        if again && event.len > 0 && event.is_ordinary() {
            self.last = time;
            self.shows(event.frame);
            return self.hears_data(event, time);
        }
        self.repeated = None;
        self.told(event, time, way);
    }

    /// What comes in while data is under way shows what happened to it; what comes later, of the peer's, may come long after that.
    #[inline(always)]
    fn shows(&mut self, frame: u64) {
        if self.done.is_none() {
            self.record.open().touch(frame);
        }
    }

    #[inline(never)]
    fn told(&mut self, event: &Packet, time: Nanos, way: Way) {
        let Some(ack) = self.locate(event.ack, event.frame) else { return };
        let quiet = time - std::mem::replace(&mut self.last, time);
        if ack < self.board.una {
            return self.heard_of_before(event, ack);
        }
        if ack == self.board.una && self.is_mere_data(event) {
            return self.carried_data(event, time);
        }
        if self.answers.unanswered() >= 2 {
            self.doubt(time);
        }
        let edge = self.window.edge;
        let mut acked = self.board.acknowledge(ack, |level| self.bursts.delivered(level));
        self.space.advance_to(ack, event.ack);
        self.window.advertise(ack, event.window, event.has(flags::SYN));
        if acked.missed > 1 || self.hole.is_some() {
            self.leaves_out_unseen(&mut acked, event.frame, time);
        }
        let arrived = self.note_ack(event, &acked, way, quiet);
        if self.duplicate_acks > 0 {
            self.gap.notices(time);
        }
        if event.len > 0 {
            self.hears_data(event, time);
            self.capacity.breaks_off();
        } else if arrived > 0 {
            let pause = Nanos(self.round().0 / 4);
            self.capacity.begins(self.released_rtt);
            let mss = self.size.mss();
            self.capacity.acknowledged(arrived, event.time, mss, pause);
            if way.queued_before > Nanos::ZERO {
                self.capacity.acknowledged_late(arrived, event.time - way.queued_before, pause);
            }
        }
        if acked.bytes > 0 {
            self.progress(event, &acked, ack, time);
        } else {
            if arrived > 0 {
                self.answers.gets_through();
            }
            self.stood_still(event, self.window.edge > edge, time);
        }
        let piece = self.piece(time, event.frame);
        self.gap.falls(time, self.board.flight(), self.flight);
        self.gap.change(piece);
    }

    /// Whether the window is closed, and `event` would open it.
    pub(crate) fn would_open(&self, event: &Packet) -> bool {
        self.window.is_closed() && event.window > 0 && event.len == 0
    }

    /// An ACK of less than is known to have arrived: it was overtaken by a newer one, or what was under way when the capture began still is, and
    /// has its part of the window.
    #[cold]
    fn heard_of_before(&mut self, event: &Packet, ack: u64) {
        if !self.board.owes_from(ack) {
            return;
        }
        self.window.advertise(ack, event.window, event.has(flags::SYN));
        if event.reports_loss() {
            self.duplicate_acks = self.duplicate_acks.max(3);
        }
    }

    /// Nothing was acknowledged; the window's edge may have `moved`.
    #[inline(never)]
    fn stood_still(&mut self, event: &Packet, moved: bool, time: Nanos) {
        if moved {
            self.record.open().updates += 1;
            self.released = time;
        }
        if moved || (event.len == 0 && !event.has(flags::FIN)) {
            self.answers.heard(time);
        } else {
            self.answers.spoke();
        }
    }

    /// The peer's data; what it acknowledges is taken in.
    fn hears_data(&mut self, event: &Packet, time: Nanos) {
        self.remarks.spoke(event.len, self.board.flight() > 0);
        self.peer_spoke(time, event.frame);
    }

    /// Data whose header says nothing that was not known.
    fn is_mere_data(&self, event: &Packet) -> bool {
        event.len > 0 && event.is_ordinary() && self.window.repeats(self.board.una, event.window)
    }

    /// The short way for mere data.
    fn carried_data(&mut self, event: &Packet, time: Nanos) {
        self.duplicate_acks = 0;
        self.released_rtt = Nanos::ZERO;
        let window = self.window.bytes();
        self.shows(event.frame);
        self.record.open().saw_window(window);
        self.answers.spoke();
        self.hears_data(event, time);
        let piece = self.piece(time, event.frame);
        self.gap.change(piece);
        self.repeated = Some((event.ack, event.window));
    }

    /// Returns how many bytes have newly arrived by what this ACK says, before which all was `quiet` for so long.
    fn note_ack(&mut self, event: &Packet, acked: &Acked, way: Way, quiet: Nanos) -> u64 {
        if acked.bytes > 0 {
            self.duplicate_acks = 0;
        } else {
            self.count_duplicate(event);
        }
        let (sampled, beyond) = if event.is_ordinary() {
            (acked.sent_at, 0)
        } else {
            let (sampled, beyond) = self.note_report(event, acked);
            let in_order = |at: &Nanos| !self.overtook(event.time - *at + way.leg);
            (acked.sent_at.or(sampled.filter(in_order)), beyond)
        };
        // A FIN or a probe's byte may go unseen; a hole in the capture is more.
        if acked.missed > 1 {
            self.tally.holes.add(event.frame);
        }
        // A FIN has a number, too, and is no data.
        let behind = self.board.una.saturating_sub(self.data_end).min(acked.bytes);
        let closing = if acked.unseen > 1 { 0 } else { behind };
        let window = self.window.bytes();
        let arrived = acked.arrived - acked.hidden + beyond;
        if acked.bytes > closing {
            self.record.open().touch(event.frame);
        } else {
            self.shows(event.frame);
        }
        let open = self.record.open();
        open.saw_window(window);
        open.acked += acked.bytes - closing - acked.hidden;
        open.arrived += arrived.saturating_sub(closing) as i64;
        open.acks += u32::from(arrived > closing);
        // Timestamps will tell where the capture was taken: until then the round trip is not known.
        let placed = self.placed || event.stamp().is_none();
        // By the clocks of two taps an ACK may come before its data: no time was measured then. One that comes with it shows a clock that
        // cannot measure this path: the floor is zero, which is what it is where nothing was measured.
        let sent_at = sampled.filter(|at| placed && *at > self.timed_since);
        let sample = sent_at.map(|at| event.time - at + way.leg).filter(|rtt| rtt.0 >= 0);
        if let Some(rtt) = sample {
            let kept =
                if event.len > 0 { self.kept(rtt - way.queued(), quiet) } else { Nanos::ZERO };
            self.tally.kept += kept;
            self.record.open().sampled(rtt, way.queued() + kept);
            if self.rtt.add(rtt) {
                self.pace.lower(self.rtt.floor_or_zero());
            }
            self.released_rtt = rtt;
        } else {
            self.released_rtt = Nanos::ZERO;
        }
        arrived
    }

    /// For how long at most an ACK was kept back that came with the peer's own data, by what it would be late otherwise: what acknowledged nothing while
    /// all was `quiet` may have waited for what the peer had to say (RFC 9293 section 3.8.6.3), and no queue is shown by it.
    #[inline(never)]
    fn kept(&self, rtt: Nanos, quiet: Nanos) -> Nanos {
        quiet.min(rtt - self.rtt.floor_or_zero()).max(Nanos::ZERO)
    }

    /// What is reported beyond a hole an eighth sooner than anything before has overtaken what was sent earlier (netem's `reorder` lets a packet skip
    /// the delay): it says nothing of the path.
    #[inline(never)]
    fn overtook(&self, rtt: Nanos) -> bool {
        let floor = self.rtt.floor_or_zero();
        rtt < floor - floor.scale(1, 8)
    }

    /// An ACK that acknowledges nothing new is a duplicate if it says nothing else either (RFC 5681 section 2).
    #[inline(never)]
    fn count_duplicate(&mut self, event: &Packet) {
        let duplicate = event.len == 0 && self.board.flight() > 0;
        if duplicate {
            self.suspects_loss();
        }
        self.duplicate_acks = if duplicate { self.duplicate_acks + 1 } else { 0 };
    }

    /// The first sign that something is lost behind what was acknowledged last.
    fn suspects_loss(&mut self) {
        if self.duplicate_acks == 0 && self.recover.is_none() {
            self.overflow.suspects(self.released_rtt);
        }
    }

    /// What the header of an ACK says of losses, duplicates and marks. Gives when the segment was sent that a SACK block reports, and
    /// how many bytes have arrived by that.
    #[inline(never)]
    fn note_report(&mut self, event: &Packet, acked: &Acked) -> (Option<Nanos>, u64) {
        if event.reports_loss() {
            self.suspects_loss();
            self.duplicate_acks = self.duplicate_acks.max(3);
        }
        let marks = self.marks.news(event);
        if marks > 0 {
            self.tally.marks.add_some(marks, event.frame);
            self.record.open().marks += marks;
        }
        if event.reports_duplicate() {
            self.tally.reported.add(event.frame);
            // As of `Sending::Needless`, which this may answer.
            self.record.open().needless += u32::from(!self.missing);
            if std::mem::take(&mut self.probed_tail) {
                // Such a probe changes no window (RFC 8985 section 7.4.2).
                self.record.needed_no_repair();
            }
        }
        let Some(beyond) = event.newest_reported().filter(|_| acked.bytes == 0) else {
            return (None, 0);
        };
        let (sampled, arrived, len) = self.board.reported(self.board.una + beyond);
        // Behind a hole, but it has come through.
        self.answers.delivered(len);
        (sampled, arrived)
    }

    /// Something was acknowledged.
    #[inline(always)]
    fn progress(&mut self, event: &Packet, acked: &Acked, ack: u64, time: Nanos) {
        self.released = time;
        self.answers.heard(time);
        self.answers.delivered(acked.largest);
        // The ACK of a FIN alone comes when the connection is closed, long after the last transfer maybe.
        let of_data = ack - acked.bytes < self.data_end;
        if ack - acked.bytes == self.data_start {
            self.tally.heard = Some(time);
        }
        if of_data {
            self.transfers.acknowledged(time, event.frame);
        }
        if self.recover.is_some_and(|point| ack >= point) {
            self.recover = None;
            self.gap.repairs(time);
        }
        if ack >= self.data_end && (of_data || self.done.is_none()) {
            self.done = Some(time);
        }
        if acked.unseen > 1 {
            self.sent_unseen(time, event.frame, ack);
        }
    }
}
