//! Something reaches the sender: ACKs, window updates, the peer's data.

use super::Sender;
use crate::flow::gap::Release;
use crate::flow::packet::Packet;
use crate::flow::scoreboard::Acked;
use crate::observe::flags;
use crate::units::Nanos;

impl Sender {
    /// `event` reached the sender at `time`; `leg` is the way between capture point and sender, with the queue of the moment.
    #[inline]
    pub(crate) fn acknowledged(&mut self, event: &Packet, time: Nanos, leg: Nanos) {
        // Half of all packets: one more of a burst of data, whose headers all say the same.
        let again = self.repeated == Some((event.ack, event.window));
        if again && event.len > 0 && event.is_ordinary() {
            self.last = self.last.max(time);
            self.record.open().touch(event.frame);
            return self.peer_spoke(time);
        }
        self.repeated = None;
        self.told(event, time, leg);
    }

    #[inline(never)]
    fn told(&mut self, event: &Packet, time: Nanos, leg: Nanos) {
        let Some(ack) = self.space.locate(event.ack) else {
            self.tally.stray += 1;
            return;
        };
        self.last = self.last.max(time);
        if ack < self.board.una {
            return; // overtaken by a newer one
        }
        if ack == self.board.una && self.is_mere_data(event) {
            return self.carried_data(event, time);
        }
        let edge = self.window.edge;
        let acked = self.board.acknowledge(ack, |level| self.bursts.delivered(level));
        self.space.advance_to(ack, event.ack);
        self.window.advertise(ack, event.window, event.has(flags::SYN));
        let arrived = self.note_ack(event, &acked, leg);
        if self.duplicate_acks > 0 {
            self.gap.notices(time);
        }
        let moved = acked.bytes > 0 || self.window.edge > edge;
        self.record.open().updates += u32::from(moved && acked.bytes == 0);
        if moved {
            self.released = time;
        }
        if moved || (event.len == 0 && !event.has(flags::FIN)) {
            self.answers.heard(time);
        } else {
            self.answers.spoke();
        }
        if event.len > 0 {
            self.peer_spoke(time);
        }
        self.answers.delivered(acked.largest);
        if arrived > 0 {
            let pause = Nanos(self.round().0 / 4);
            let late = Nanos((self.released_rtt - self.rtt.floor_or_zero()).0.max(0));
            self.capacity.begins(late);
            self.capacity.acknowledged(arrived, event.time, self.size.mss(), pause);
        }
        if acked.bytes > 0 {
            self.progress(event, &acked, ack, time);
        }
        let piece = self.piece(time, event.frame);
        self.gap.falls(time, self.board.flight(), self.flight);
        self.gap.change(piece);
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
        let open = self.record.open();
        open.touch(event.frame);
        open.saw_window(window);
        self.answers.spoke();
        self.peer_spoke(time);
        let piece = self.piece(time, event.frame);
        self.gap.change(piece);
        self.repeated = Some((event.ack, event.window));
    }

    /// Returns how many bytes have newly arrived by what this ACK says.
    fn note_ack(&mut self, event: &Packet, acked: &Acked, leg: Nanos) -> u64 {
        let duplicate = acked.bytes == 0 && event.len == 0 && self.board.flight() > 0;
        self.duplicate_acks = if duplicate { self.duplicate_acks + 1 } else { 0 };
        if event.reports_loss() {
            self.duplicate_acks = self.duplicate_acks.max(3);
        }
        self.tally.ack(event, acked);
        let window = self.window.bytes();
        let open = self.record.open();
        open.touch(event.frame);
        open.acked += acked.bytes;
        open.saw_window(window);
        open.marks += u32::from(event.echoes_mark());
        if event.reports_duplicate() {
            open.needless += 1;
            if std::mem::take(&mut self.probed_tail) {
                // Such a probe changes no window (RFC 8985 section 7.4.2).
                self.record.needed_no_repair();
            }
        }
        // Timestamps will tell where the capture was taken: until then the round trip is not known.
        let placed = self.placed || event.stamp().is_none();
        let reported = event.newest_reported().filter(|_| acked.bytes == 0);
        let una = self.board.una;
        let (sampled, beyond) =
            reported.map_or((None, 0), |beyond| self.board.reported(una + beyond));
        let arrived = acked.arrived + beyond;
        self.record.open().arrived += arrived as i64;
        // By the clocks of two taps an ACK may come before its data: no time was measured then. One that comes with it shows a clock that
        // cannot measure this path: the floor is zero, which is what it is where nothing was measured.
        let sent_at = acked.sent_at.or(sampled).filter(|_| placed);
        let sample = sent_at.map(|at| event.time - at + leg).filter(|rtt| rtt.0 >= 0);
        if let Some(rtt) = sample {
            self.record.open().sampled(rtt);
            self.rtt.add(rtt);
            self.pace.lower(self.rtt.floor_or_zero());
            self.released_rtt = rtt;
        } else {
            self.released_rtt = Nanos::ZERO;
        }
        arrived
    }

    fn progress(&mut self, event: &Packet, acked: &Acked, ack: u64, time: Nanos) {
        self.transfers.acknowledged(time, event.frame);
        if self.recover.is_some_and(|point| ack >= point) {
            self.recover = None;
            self.gap.repairs(time);
        }
        if ack >= self.data_end {
            self.done = Some(time);
        }
        if acked.unseen > 1 {
            self.sent_unseen(time, event.frame, ack);
        }
    }

    /// The capture missed what this ACK acknowledges: the gap ends here, nobody knows how.
    fn sent_unseen(&mut self, time: Nanos, frame: u64, ack: u64) {
        let round = self.round();
        let record = &mut self.record;
        self.gap.resolve(time, Release::Ack, |to, wait, piece| {
            record.account(to, wait, round, |s| {
                s.touch(frame);
                s.saw_window(piece.window);
            });
        });
        let fresh = ack.saturating_sub(self.data_end);
        let turn = self.peer_data.take().is_some();
        self.transfers.sent(time, frame, fresh, 0, turn);
        self.data_end = self.data_end.max(ack);
        let piece = self.piece(time, frame);
        self.gap.restart(piece);
        self.done = Some(time);
    }
}
