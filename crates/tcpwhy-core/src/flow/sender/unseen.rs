//! The capture lacks what the sender put on the wire.

use super::Sender;
use crate::flow::gap::Release;
use crate::flow::scoreboard::Acked;
use crate::units::Nanos;

/// Data that the capture does not show, up to `end`, and when it must have left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hole {
    from: Nanos,
    to: Nanos,
    end: u64,
    /// Most in flight before: until it is acknowledged, all of it seems to be.
    most: u64,
}

impl Sender {
    /// Data that begins at `start` follows other data that the capture did not show.
    #[cold]
    pub(super) fn skips_to(&mut self, start: u64, time: Nanos) {
        if self.is_unseen(time, start.saturating_sub(self.board.nxt)) {
            let (from, most) = (self.gap.start(), self.tally.max_flight);
            self.hole.get_or_insert(Hole { from, to: time, end: start, most });
        }
    }

    /// So many bytes have left since the last sending that the capture shows, for longer than a sender waits that hears of nothing: one probe of what
    /// was lost comes after two round trips (RFC 8985 section 7.2), and a timeout sends again what is first. Or in a round trip and more they are more
    /// than was ever in flight.
    fn is_unseen(&self, time: Nanos, bytes: u64) -> bool {
        let (pause, round) = (time - self.gap.start(), self.rtt.smoothed());
        let most = self.tally.max_flight;
        pause > round.scale(4, 1).max(self.pace.rest) || pause > round && bytes > most && most > 0
    }

    /// An ACK at `time` may acknowledge what the capture missed. Where that is more than one flight, nobody knows what the sender waited for
    /// meanwhile, and what arrived then says nothing of the round in which the capture goes on.
    #[cold]
    pub(super) fn leaves_out_unseen(&mut self, acked: &mut Acked, frame: u64, time: Nanos) {
        let una = self.board.una;
        let hole = self.hole.take_if(|hole| hole.end <= una);
        if acked.missed <= 1 {
            return; // it was out of order, or sent again
        }
        match hole {
            Some(hole) => {
                self.record.lacks(hole.from, hole.to);
                self.tally.max_flight = hole.most.max(self.board.flight());
            }
            None if self.is_unseen(time, acked.missed) => {
                self.ends_unseen(time, frame, Release::Unseen)
            }
            None => return,
        }
        self.capacity.breaks_off();
        acked.hidden = acked.missed.min(acked.arrived);
        self.record.arrived_unseen(acked.hidden);
    }

    /// The gap ends here: the capture does not show what was sent.
    fn ends_unseen(&mut self, time: Nanos, frame: u64, release: Release) {
        let round = self.round();
        let record = &mut self.record;
        self.gap.resolve(time, release, |to, wait, piece| {
            record.account(to, wait, round, |s| {
                s.touch(frame);
                s.saw_window(piece.window);
            });
        });
    }

    /// The capture missed what this ACK acknowledges: nobody knows when it left.
    #[cold]
    pub(super) fn sent_unseen(&mut self, time: Nanos, frame: u64, ack: u64) {
        self.ends_unseen(time, frame, Release::Ack);
        let fresh = ack.saturating_sub(self.data_end);
        self.turns.misses();
        let turn = self.peer_data.take().is_some();
        self.transfers.sent(time, frame, fresh, 0, turn);
        self.data_end = self.data_end.max(ack);
        let piece = self.piece(time, frame);
        self.gap.restart(piece);
        self.flight = self.board.flight();
        // What the capture shows of its data may have left before.
        if ack >= self.data_end {
            self.done = Some(time);
        }
    }
}
