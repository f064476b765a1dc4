//! One direction at its sender's clock: what was sent, what came back, what each wait was.

use super::ack::AckEvent;
use super::answers::Answers;
use super::gap::{Gap, Piece, Release, State};
use super::rtt::RttMeter;
use super::scoreboard::{Acked, Scoreboard, Sending};
use super::segment_size::SegmentSize;
use super::space::Space;
use super::stretch::{Stretch, Stretches, Wait};
use super::tally::Tally;
use super::train::Trains;
use super::transfer::Transfers;
use super::window::Window;
use crate::observe::{Segment, flags};
use crate::units::Nanos;

/// A scheduler's latency: data that leaves this soon after an ACK was released by it.
const WAKE_UP: Nanos = Nanos::from_micros(200);
/// Longest time that a release may take on a long path: a busy process, a jittery path.
const SLOW_RELEASE: Nanos = Nanos::from_millis(5);
/// Receivers delay ACKs by timers of 10 ms ticks and more (40 ms Linux, 100-200 ms others).
const DELAYED: Nanos = Nanos::from_millis(10);

/// The state of one direction.
#[derive(Debug, Clone)]
pub(crate) struct Sender {
    pub(crate) space: Space,
    pub(crate) board: Scoreboard,
    pub(crate) window: Window,
    pub(crate) rtt: RttMeter,
    pub(crate) size: SegmentSize,
    pub(crate) record: Stretches,
    pub(crate) transfers: Transfers,
    pub(crate) tally: Tally,
    pub(crate) trains: Trains,
    pub(crate) answers: Answers,
    gap: Gap,
    /// The round trip between the capture point and this sender.
    pub(crate) leg: Nanos,
    /// The last sending left the queue dry: it carried PSH or was short.
    dry: bool,
    short: bool,
    room: u64,
    /// Last ACK that acknowledged data or moved the window's edge, and how late it was.
    released: Nanos,
    released_rtt: Nanos,
    /// Last data of the peer.
    peer_data: Option<Nanos>,
    /// Loss is being repaired until this is acknowledged.
    recover: Option<u64>,
    duplicate_acks: u32,
    /// First byte, and one past the highest byte of data; SYN and FIN not counted.
    data_start: u64,
    data_end: u64,
    /// When everything sent had been acknowledged.
    pub(crate) done: Option<Nanos>,
    /// Last time anything of this direction happened.
    pub(crate) last: Nanos,
}

/// What a new direction knows before its first data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beginning {
    pub(crate) first: crate::units::Seq,
    pub(crate) from: Nanos,
    pub(crate) handshake_rtt: Option<Nanos>,
    pub(crate) window: Window,
    pub(crate) size: SegmentSize,
}

impl Sender {
    pub(crate) fn new(b: Beginning) -> Self {
        let space = Space::starting_at(b.first);
        let first = space.locate(b.first).unwrap_or_default();
        let piece = Piece { from: b.from, state: State::Idle, window: u64::MAX, frame: 0 };
        Self {
            space,
            board: Scoreboard::new(first),
            window: b.window,
            rtt: RttMeter::new(b.handshake_rtt),
            size: b.size,
            record: Stretches::new(b.from),
            transfers: Transfers::default(),
            tally: Tally::default(),
            trains: Trains::default(),
            answers: Answers::default(),
            gap: Gap::starting(piece),
            leg: Nanos::ZERO,
            dry: false,
            short: false,
            room: u64::MAX,
            released: Nanos(i64::MIN),
            released_rtt: Nanos::ZERO,
            peer_data: None,
            recover: None,
            duplicate_acks: 0,
            data_start: first,
            data_end: first,
            done: None,
            last: b.from,
        }
    }

    /// Payload bytes, each once.
    pub(crate) fn bytes(&self) -> u64 {
        self.data_end - self.data_start
    }

    /// The round trip that a stretch covers.
    fn round(&self) -> Nanos {
        self.rtt.smoothed()
    }

    /// How soon after its cause a packet leaves; seen from afar, the path's jitter comes on top.
    fn slack(&self) -> Nanos {
        let jitter = Nanos(self.leg.0 / 2);
        (Nanos(self.rtt.floor_or_zero().0 / 8) + jitter).max(WAKE_UP).min(SLOW_RELEASE)
    }

    /// The capture was taken a good part of the path away from this sender.
    fn is_far(&self) -> bool {
        self.leg.0 > self.rtt.floor_or_zero().0 / 4
    }

    fn room(&self) -> u64 {
        self.window.edge.saturating_sub(self.board.nxt)
    }

    fn state(&self) -> State {
        if self.window.largest > 0 && self.room() < self.window.need(self.size.mss()) {
            State::NoRoom
        } else if self.board.flight() > 0 {
            State::Waiting
        } else {
            State::Idle
        }
    }

    fn piece(&self, from: Nanos, frame: u64) -> Piece {
        Piece { from, state: self.state(), window: self.window.bytes(), frame }
    }

    /// The window that was advertised before there was any data.
    pub(crate) fn learn_window(&mut self, event: &AckEvent) {
        self.window.advertise(self.board.una, event.window, event.syn);
    }

    /// Data of the peer arrived at `time`.
    pub(crate) fn peer_spoke(&mut self, time: Nanos) {
        self.peer_data = Some(time);
    }

    /// The handshake is over at `time`.
    pub(crate) fn established(&mut self, time: Nanos) {
        self.record.account(time, Wait::Handshake, Nanos(i64::MAX), |_| ());
        self.gap = Gap::starting(self.piece(time, 0));
    }

    /// The sender put `segment` on the wire at `time`.
    pub(crate) fn sent(&mut self, segment: &Segment, time: Nanos) {
        let Some(start) = self.space.locate(segment.seq) else {
            self.tally.stray += 1;
            return;
        };
        if segment.len == 0 {
            self.sent_nothing(segment, start, time);
            return;
        }
        self.last = self.last.max(time);
        let end = start + u64::from(segment.len);
        if self.is_probe(start, segment.len) {
            self.probed(segment.frame, time, self.window.bytes() == 0);
            return;
        }
        let flight = self.board.flight();
        let fresh = end.saturating_sub(self.data_end);
        let again = u64::from(segment.len).saturating_sub(fresh);
        let sending = self.board.send(start, end, time, self.soonest_repair());
        self.space.advance_to(end, segment.seq + segment.len);
        self.window.sent(self.board.una, end);
        self.size.seen(segment.len);
        if let Sending::Again { .. } | Sending::Needless = sending {
            self.answers.asked_again(segment.len);
        }
        let release = self.release_of(sending, flight, segment, time);
        let hidden = sending == Sending::New && self.recover.is_none();
        self.close_gap(time, segment, release, hidden);
        let turn = flight == 0 && self.peer_data.is_some();
        self.transfers.sent(time, segment.frame, fresh, again, turn);
        self.tally.data(sending, segment, again);
        self.note_sending(sending, segment, flight);
        self.data_end = self.data_end.max(end);
        self.open_gap(segment, time);
    }

    /// A hole cannot have been noticed and repaired before about a round trip.
    fn soonest_repair(&self) -> Nanos {
        self.rtt.floor_or_zero().scale(3, 4).max(Nanos::from_millis(1))
    }

    /// No data: a FIN, a bare ACK, a keep-alive or a Linux window probe (0 bytes at una - 1).
    fn sent_nothing(&mut self, segment: &Segment, start: u64, time: Nanos) {
        if segment.has(flags::FIN) {
            self.board.send(start, start + 1, segment.time, self.soonest_repair());
        } else if start < self.board.nxt && start + 1 == self.board.una {
            self.probed(segment.frame, time, self.state() == State::NoRoom);
        }
    }

    /// A probe of a closed window says that more data waits: the transfer is not done.
    fn probed(&mut self, frame: u64, time: Nanos, closed: bool) {
        self.last = self.last.max(time);
        if closed {
            self.done = None;
        }
        self.record.open().probes += 1;
        self.tally.probe(frame, closed);
        self.answers.asked();
    }

    /// A byte or none below what is acknowledged, or beyond a closed window.
    fn is_probe(&self, start: u64, len: u32) -> bool {
        len == 1
            && (start + 1 == self.board.una
                || (self.window.bytes() == 0 && start >= self.window.edge))
    }

    fn release_of(
        &mut self,
        sending: Sending,
        flight: u64,
        segment: &Segment,
        time: Nanos,
    ) -> Release {
        let into_closed_window = self.window.bytes() == 0 && self.window.largest > 0;
        match sending {
            Sending::Again { .. } if into_closed_window => return Release::Ack,
            Sending::Again { .. } => return Release::Repair,
            Sending::Needless | Sending::Reordered if self.recover.is_none() => {
                return Release::Ack;
            }
            _ => {}
        }
        if self.recover.is_some() {
            return Release::Repair;
        }
        let at_once = time - self.released <= self.slack();
        let small = u64::from(segment.len) < self.size.mss();
        let delay = self.released_rtt - self.rtt.floor_or_zero();
        // Within a tenth of the delay after its end: no coincidence.
        let soon = time - self.released <= self.slack().max(Nanos(delay.0 / 10));
        match (flight, self.peer_data) {
            (0, Some(peer)) => {
                Release::PeerData(if time - peer <= self.slack() { time } else { peer })
            }
            (0, None) if soon && self.short && small && delay >= DELAYED => Release::DelayedAck,
            (_, _) if at_once => Release::Ack,
            (0, None) if self.lost_on_the_way(time) => Release::Repair,
            (0, None) => Release::OwnWill,
            (_, _) => Release::Timer,
        }
    }

    /// Seen from afar, a lost tail looks like a pause: the segment that was lost is not in the
    /// capture, its retransmission seems new. But a queue that was not dry cannot pause with
    /// everything acknowledged and room in the window. The probe comes after two round trips
    /// (RFC 8985 section 7.2), the timeout later.
    fn lost_on_the_way(&self, time: Nanos) -> bool {
        let waited = time - self.gap.start();
        self.is_far()
            && !self.dry
            && self.tally.data_segments > 0
            && waited >= self.rtt.smoothed().scale(7, 4)
    }

    /// Accounts the time since the last sending.
    fn close_gap(&mut self, time: Nanos, segment: &Segment, release: Release, hidden: bool) {
        let round = self.round();
        let length = time - self.gap.start();
        let stall = length.0 >= round.0 / 4 && length >= WAKE_UP;
        let (dry, room, shift) = (self.dry, self.room, self.window.shift());
        let hidden = release == Release::Repair && hidden;
        let mut first = stall;
        for (to, wait, piece) in self.gap.resolve(time, release) {
            let is_stall = std::mem::take(&mut first);
            self.record.account(to, wait, round, |s: &mut Stretch| {
                s.touch(piece.frame);
                s.touch(segment.frame);
                s.shift = shift;
                s.saw_window(piece.window);
                if is_stall {
                    s.stalled(length, room, dry);
                }
                if is_stall && hidden {
                    s.timeouts += 1;
                    s.tail_losses += 1;
                }
            });
        }
    }

    fn note_sending(&mut self, sending: Sending, segment: &Segment, flight: u64) {
        let few = flight < 4 * self.size.mss();
        // Duplicate ACKs or SACK blocks reveal a loss; without them only a timer can.
        let timeout = self.duplicate_acks == 0;
        let mss = self.size.mss();
        let open = self.record.open();
        open.touch(segment.frame);
        match sending {
            Sending::New => {
                open.segments += 1;
                open.pushes += u32::from(segment.has(flags::PSH));
            }
            Sending::Again { times, tail } => {
                open.resent += 1;
                open.timeouts += u32::from(timeout);
                open.tail_losses += u32::from(tail);
                open.double_losses += u32::from(times > 0);
                open.small_flights += u32::from(few);
                if self.window.bytes() > 0 && self.recover.is_none() {
                    self.recover = Some(self.board.nxt);
                }
            }
            Sending::Needless => open.needless += 1,
            Sending::Reordered => {}
        }
        self.short = u64::from(segment.len) % mss != 0;
        self.dry = segment.has(flags::PSH) || (self.short && u64::from(segment.len) < mss);
    }

    fn open_gap(&mut self, segment: &Segment, time: Nanos) {
        self.peer_data = None;
        self.room = self.room();
        let flight = self.board.flight();
        let open = self.record.open();
        open.flight = open.flight.max(flight);
        self.tally.max_flight = self.tally.max_flight.max(flight);
        self.gap = Gap::starting(self.piece(time, segment.frame));
        self.done = None;
    }

    /// `event` reached the sender at `time`; `leg` is the way between capture point and sender.
    pub(crate) fn acknowledged(&mut self, event: &AckEvent, time: Nanos, leg: Nanos) {
        let Some(ack) = self.space.locate(event.ack) else {
            self.tally.stray += 1;
            return;
        };
        self.last = self.last.max(time);
        if ack < self.board.una {
            return; // overtaken by a newer one
        }
        let edge = self.window.edge;
        let acked = self.board.acknowledge(ack);
        self.space.advance_to(ack, event.ack);
        self.window.advertise(ack, event.window, event.syn);
        self.note_ack(event, &acked, leg);
        let moved = acked.bytes > 0 || self.window.edge > edge;
        if moved {
            self.released = time;
        }
        if moved || (event.data == 0 && !event.fin) {
            self.answers.heard(time);
        } else {
            self.answers.spoke();
        }
        if event.data > 0 {
            self.peer_spoke(time);
        }
        self.answers.delivered(acked.largest);
        self.trains.acknowledged(acked.bytes, event.time, Nanos(self.round().0 / 4));
        if acked.bytes > 0 {
            self.progress(event, &acked, ack, time);
        }
        let piece = self.piece(time, event.frame);
        self.gap.change(piece);
    }

    fn note_ack(&mut self, event: &AckEvent, acked: &Acked, leg: Nanos) {
        let duplicate = acked.bytes == 0 && event.data == 0 && self.board.flight() > 0;
        self.duplicate_acks = if duplicate { self.duplicate_acks + 1 } else { 0 };
        if event.sack {
            self.duplicate_acks = self.duplicate_acks.max(3);
        }
        self.tally.ack(event, acked);
        let window = self.window.bytes();
        let open = self.record.open();
        open.touch(event.frame);
        open.acked += acked.bytes;
        open.saw_window(window);
        open.marks += u32::from(event.echo);
        open.needless += u32::from(event.duplicate);
        if let Some(sent_at) = acked.sent_at {
            let rtt = (event.time - sent_at + leg).max(Nanos(1));
            open.sampled(rtt);
            self.rtt.add(rtt);
            self.released_rtt = rtt;
        } else {
            self.released_rtt = Nanos::ZERO;
        }
    }

    fn progress(&mut self, event: &AckEvent, acked: &Acked, ack: u64, time: Nanos) {
        self.transfers.acknowledged(time, event.frame);
        if self.recover.is_some_and(|point| ack >= point) {
            self.recover = None;
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
        self.record.account(time, Wait::Ack, round, |s| s.touch(frame));
        self.data_end = self.data_end.max(ack);
        self.gap = Gap::starting(self.piece(time, frame));
        self.done = Some(time);
    }
}

impl Sender {
    /// The input is over: the time up to the last acknowledged byte, or, where data or a closed
    /// window was left behind, up to the last event.
    pub(crate) fn end(&mut self) {
        let kept_alive = self.tally.keep_alives.times > 0;
        let (end, release) = match self.done {
            Some(_) if kept_alive => (self.last, Release::OwnWill),
            Some(done) => (done, Release::Ack),
            None if self.answers.unanswered() > 0 => (self.last, Release::Repair),
            None => (self.last, Release::Ack),
        };
        // What nobody answered gets a stretch of its own.
        let heard = self.answers.last().filter(|_| self.answers.unanswered() > 1);
        let round = self.round();
        for (to, wait, piece) in self.gap.resolve(end, release) {
            for to in heard.map(|h| h.min(to)).into_iter().chain([to]) {
                self.record.account(to, wait, round, |s| {
                    s.touch(piece.frame);
                    s.saw_window(piece.window);
                });
            }
        }
    }

    /// Data or a probe was left without an answer.
    pub(crate) fn is_waiting(&self) -> bool {
        self.done.is_none() || self.state() == State::NoRoom
    }
}
