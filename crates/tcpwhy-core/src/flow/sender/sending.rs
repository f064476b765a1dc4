//! The sender puts something on the wire.

use super::{Sender, WAKE_UP};
use crate::flow::DELAYED;
use crate::flow::gap::{Release, State};
use crate::flow::packet::Packet;
use crate::flow::scoreboard::{Levels, Sending};
use crate::flow::turns::Rest;
use crate::kernel::start::INITIAL_WINDOW;
use crate::observe::flags;
use crate::units::Nanos;

impl Sender {
    /// The sender put `packet` on the wire at `time`, not before anything else that it knows of.
    #[inline(always)]
    pub(crate) fn sent(&mut self, packet: &Packet, time: Nanos) {
        let Some(start) = self.locate(packet.seq, packet.frame) else { return };
        let wire_segments = self.size.wire_segments(packet.len);
        self.missing = self.identification.next(packet.ip_id, wire_segments);
        if packet.len == 0 {
            self.sent_nothing(packet, start, time)
        } else {
            self.sent_data(packet, start, time)
        }
    }

    /// Data that begins at `start`.
    #[inline(never)]
    fn sent_data(&mut self, packet: &Packet, start: u64, time: Nanos) {
        self.repeated = None;
        self.last = time;
        if self.streams(packet, start) {
            self.sent_next(packet, time);
        } else {
            self.sent_anything(packet, start, time);
        }
    }

    /// Data of any kind, new or not, after a wait of any kind.
    #[inline(never)]
    fn sent_anything(&mut self, packet: &Packet, start: u64, time: Nanos) {
        let end = start + u64::from(packet.len);
        if self.is_probe(start, packet.len) {
            self.probed(packet.frame, time, self.window.bytes() == 0);
            return;
        }
        if self.may_be_probe(start, packet.len) {
            return;
        }
        self.board.sees(start);
        let flight = self.board.flight();
        if start != self.board.nxt || self.recover.is_some() {
            return self.sent_elsewhere(packet, start, time, flight);
        }
        // By itself, so that nothing of what follows asks whether this is a repair.
        let level = self.level(packet, end, time);
        self.board.send_next(end, time, level);
        self.note_sent(Sending::New, packet, end, time, flight);
    }

    /// Data that does not follow what was sent last, or during a repair.
    #[inline(never)]
    fn sent_elsewhere(&mut self, packet: &Packet, start: u64, time: Nanos, flight: u64) {
        let end = start + u64::from(packet.len);
        // What ends a repair is an ACK. Where none is captured, all that is known to belong to it is what was sent again.
        if start >= self.board.nxt && self.answers.are_missing() {
            self.recover = None;
        }
        let unseen = start.saturating_sub(self.board.nxt);
        let hole = if unseen > 0 { self.bursts.missing(unseen) } else { 0 };
        if unseen > 0 {
            self.skips_to(start, time);
            let offset = start.saturating_sub(self.data_start);
            let before = self.bursts.last().unwrap_or(time);
            self.drops.get_or_insert_default().misses(offset, before);
            self.window.misses();
        }
        let levels = Levels { segment: self.level(packet, end, time), hole };
        let sending = match self.board.send(start, end, time, levels, self.pace.soonest(packet)) {
            // It was sent before the capture began, and nobody has said that it arrived.
            Sending::Needless if !self.answers.are_captured() => {
                Sending::Again { times: 0, tail: false, level: 0, left: time, recanted: 0 }
            }
            sending => sending,
        };
        self.note_sent(sending, packet, end, time, flight);
    }

    /// How far into its burst a segment is that ends at `end`, if any of it is new.
    #[inline(always)]
    fn level(&mut self, packet: &Packet, end: u64, time: Nanos) -> u8 {
        let fresh = end > self.data_end;
        if fresh { self.bursts.sent(time, packet.len, self.pace.rest) } else { 0 }
    }

    /// What data up to `end` says, now that it is on the scoreboard; `flight` was in flight before. Inlined with all that it asks for:
    /// handing over what both know costs as much as the work.
    #[inline(always)]
    fn note_sent(&mut self, sending: Sending, packet: &Packet, end: u64, time: Nanos, flight: u64) {
        let fresh = end.saturating_sub(self.data_end);
        let again = match sending {
            Sending::Reordered | Sending::Doubled => 0,
            _ => u64::from(packet.len).saturating_sub(fresh),
        };
        self.space.advance_to(end, packet.seq + packet.len);
        if let Some(wider) = self.window.sent(self.board.una, end, self.size.mss()) {
            self.record.widen_windows(wider);
            self.gap.widen_windows(wider);
        }
        self.size.seen(packet);
        if sending != Sending::New {
            self.sent_again(sending, packet, time);
        }
        let release = match sending {
            Sending::New if self.recover.is_none() => self.release_of_new(flight, packet, time),
            _ => self.release_of_repair(sending),
        };
        let rested = self.gap.start();
        if flight == 0 {
            self.begun = time;
            if self.data_end > self.data_start {
                let rest = Rest { from: rested, spoken: self.spoke_first, to: time };
                self.turns.goes_on(release, self.data_end, rest, self.rtt.floor_or_zero());
                if release == Release::OwnWill {
                    self.note_cork(packet, time);
                }
            }
        }
        let alone = time - rested >= WAKE_UP;
        let loss = self.loss_in(sending, release, flight, time);
        self.close_gap(time, packet, release, loss, flight);
        let turn = flight == 0 && self.peer_data.is_some() && release != Release::OwnWill;
        self.transfers.sent(time, packet.frame, fresh, again, turn);
        self.tally.data(sending, packet, again);
        self.note_sending(sending, packet, alone);
        self.data_end = self.data_end.max(end);
        if !matches!(sending, Sending::Reordered | Sending::Doubled) {
            self.note_end(packet);
        }
        self.open_gap(packet, time);
    }

    /// Its SYN, which left at `time`, carried data (TCP Fast Open, RFC 7413), behind the SYN's own number. What comes next still waits for
    /// the handshake.
    #[cold]
    pub(crate) fn opened_with(&mut self, syn: &Packet, time: Nanos) {
        let first = syn.seq + 1;
        let Some(start) = self.space.locate(first).filter(|start| *start == self.board.nxt) else {
            return;
        };
        let end = start + u64::from(syn.len);
        self.space.advance_to(end, first + syn.len);
        self.board.send_next(end, time, 0);
        self.tally.data(Sending::New, syn, 0);
        self.transfers.sent(time, syn.frame, u64::from(syn.len), 0, false);
        self.data_end = end;
        self.open_gap(syn, time);
    }

    /// No data: a FIN, a bare ACK, a keep-alive or a Linux window probe (0 bytes at una - 1).
    #[inline]
    fn sent_nothing(&mut self, packet: &Packet, start: u64, time: Nanos) {
        if packet.has(flags::FIN) {
            self.repeated = None;
            let levels = Levels::default();
            self.board.send(start, start + 1, time, levels, self.pace.soonest(packet));
        } else if start < self.board.nxt && start + 1 == self.board.una {
            self.probed(packet.frame, time, self.state() == State::NoRoom);
        }
        self.told_next = self.told_next.max(start);
        if self.is_far() {
            self.hears_by_answering(packet, time);
        }
    }

    /// Behind a queue the peer's data reaches the sender later than it passed here: just before it is acknowledged. Of less than two segments
    /// that may be late (RFC 5681 section 4.2).
    fn hears_by_answering(&mut self, packet: &Packet, time: Nanos) {
        let before = self.answered_to.replace(packet.ack);
        let at_once =
            before.is_some_and(|ack| packet.ack.distance(ack) >= 2 * self.size.mss() as i32);
        if at_once {
            self.peer_data = self.peer_data.map(|spoke| spoke.max(time));
            self.spoke_frame = packet.frame;
        }
    }

    /// A probe of a closed window says that more data waits: the transfer is not done.
    #[cold]
    fn probed(&mut self, frame: u64, time: Nanos, closed: bool) {
        self.repeated = None;
        self.last = self.last.max(time);
        if closed {
            self.done = None;
        }
        // Whoever speaks is there, and need not be asked.
        if let Some(spoke) = self.spoke_after_all().filter(|_| self.done.is_some()) {
            self.answers.heard(spoke);
        }
        self.probes += 1;
        self.tally.probe(frame, closed);
        self.answers.asked(frame, time);
    }

    /// A byte or none below what is acknowledged, or beyond a closed window.
    #[inline]
    fn is_probe(&self, start: u64, len: u32) -> bool {
        len == 1
            && (start + 1 == self.board.una
                || (self.window.is_closed() && start >= self.window.edge))
    }

    /// The last byte again, where no ACK is captured: a probe of a closed window, or a keep-alive, for what is lost is sent again by the segment.
    #[inline]
    fn may_be_probe(&self, start: u64, len: u32) -> bool {
        len == 1 && start + 1 == self.board.nxt && self.answers.are_missing()
    }

    /// What released new data.
    #[inline(always)]
    pub(super) fn release_of_new(&mut self, flight: u64, packet: &Packet, time: Nanos) -> Release {
        let slack = self.pace.slack;
        let at_once = self.is_at_once(time);
        let small = self.is_small(packet);
        match (flight, self.peer_data) {
            (0, Some(peer)) if time - peer <= slack => Release::PeerData(time),
            (0, Some(_)) if self.remarks.is_one() => Release::OwnWill,
            (0, Some(peer)) => Release::PeerData(peer),
            (0, None) if self.was_delayed(packet, time) => Release::DelayedAck,
            (1.., None) if at_once && small && self.was_kept_back(time) => Release::DelayedAck,
            (_, _) if at_once => Release::Ack,
            (0, None) if self.lost_on_the_way(packet, time) => Release::Repair,
            (0, None) => Release::OwnWill,
            (_, _) => {
                self.note_behind(packet);
                Release::Timer
            }
        }
    }

    /// What leaves at `time` does so as soon as an ACK could release it.
    #[inline(always)]
    pub(super) fn is_at_once(&self, time: Nanos) -> bool {
        time - self.released <= self.pace.slack
    }

    /// An ACK released this small segment after another one: it came late, or nothing but that other one was in flight (Nagle's rule,
    /// RFC 9293 section 3.7.4, which costs a round trip where no ACK is delayed), or that one and the full segments behind it: Linux keeps
    /// back the end of a write while something small is under way (`tcp_minshall_check`). Others keep it back while anything is (RFC 896): then
    /// it leaves at once when the last full segment's ACK comes, which was delayed, and no sooner.
    #[inline(never)]
    fn was_delayed(&self, packet: &Packet, time: Nanos) -> bool {
        let delay = self.released_rtt - self.rtt.floor_or_zero();
        // Within a tenth of the delay after its end: no coincidence.
        let soon = time - self.released <= self.pace.slack.max(Nanos(delay.0 / 10));
        let small = self.is_small(packet);
        let small_out = self.small_was_under_way();
        let single = self.flight < self.size.mss();
        let behind = !self.short && self.flight < INITIAL_WINDOW * self.size.mss();
        let strict =
            self.is_at_once(time) && !self.short && packet.has(flags::PSH) && delay >= DELAYED;
        soon && small && (strict || small_out && (delay >= DELAYED || single || behind))
    }

    /// As `was_delayed`, of a small segment, where full segments behind the small one before it, which has been acknowledged, are under way still.
    #[inline(never)]
    fn was_kept_back(&self, time: Nanos) -> bool {
        let waited = time - self.gap.start() >= self.pace.least_wait;
        let released = self.small_was_under_way() && self.small_end <= self.board.una;
        let behind = !self.short && self.flight < INITIAL_WINDOW * self.size.mss();
        waited && released && behind
    }

    /// A segment that was not full was under way when the wait began: what was in flight then ended where data ends without what ends the wait.
    #[inline]
    pub(super) fn small_was_under_way(&self) -> bool {
        self.small_end > self.data_end.saturating_sub(self.flight)
    }

    /// This was all that was written: a sender that has more fills a segment where there is room for one.
    #[inline(never)]
    fn has_written_out(&self, packet: &Packet) -> bool {
        let (sent, mss) = (u64::from(packet.len), self.size.mss());
        self.short && sent < mss && self.room + sent >= mss
    }

    #[inline(always)]
    fn open_gap(&mut self, packet: &Packet, time: Nanos) {
        self.peer_data = None;
        self.answered_to = Some(packet.ack);
        self.room = self.room();
        self.probes = 0;
        self.flight = self.board.flight();
        let open = self.record.open();
        open.flight = open.flight.max(self.flight);
        self.tally.max_flight = self.tally.max_flight.max(self.flight);
        let piece = self.piece(time, packet.frame);
        self.gap.restart(piece);
        if piece.state == State::NoRoom && self.has_written_out(packet) {
            self.gap.begins_written_out();
        }
        if self.recover.is_some() || self.duplicate_acks > 0 {
            self.gap.notices(time);
        }
        if self.board.una < self.data_end {
            self.done = None;
        }
    }
}
