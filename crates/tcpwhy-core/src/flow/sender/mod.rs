//! One direction at its sender's clock: what was sent, what came back, what each wait was.

mod closing;
mod corked;
mod ending;
mod hearing;
mod noting;
mod out_of_window;
mod pace;
mod reaction;
mod refused;
mod repairing;
mod sending;
mod streaming;
mod unseen;

use crate::flow::WAKE_UP;
use crate::flow::answers::Answers;
use crate::flow::burst::Bursts;
use crate::flow::capacity::Capacity;
use crate::flow::drops::Drops;
use crate::flow::ecn::Feedback;
use crate::flow::gap::{Gap, Piece, State};
use crate::flow::identification::Identification;
use crate::flow::in_vain::InVain;
use crate::flow::overflow::Overflow;
use crate::flow::packet::Packet;
use crate::flow::record::Stretches;
use crate::flow::remarks::Remarks;
use crate::flow::rhythm::Rhythm;
use crate::flow::rtt::RttMeter;
use crate::flow::scoreboard::Scoreboard;
use crate::flow::segment_size::SegmentSize;
use crate::flow::space::Space;
use crate::flow::tally::Tally;
use crate::flow::transfer::Transfers;
use crate::flow::turns::Turns;
use crate::flow::vantage::Standing;
use crate::flow::wait::Wait;
use crate::flow::window::Window;
use crate::observe::flags;
use crate::units::{Nanos, Seq};
use pace::Pace;
use refused::Before;
use unseen::Hole;

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
    turns: Turns,
    pub(crate) tally: Tally,
    pub(crate) capacity: Capacity,
    pub(crate) answers: Answers,
    pub(crate) in_vain: Option<InVain>,
    pub(crate) bursts: Bursts,
    pub(crate) overflow: Overflow,
    /// Most connections lose nothing.
    pub(crate) drops: Option<Box<Drops>>,
    gap: Gap,
    identification: Identification,
    marks: Feedback,
    /// Packets are missing before the newest.
    missing: bool,
    /// Segments of which it was to be supposed that they had been lost first.
    supposed_lost: u64,
    /// The number of the newest packet that was left out, see `is_out_of_window`, or came before all data.
    out_of_window: Option<u64>,
    /// Data that is not in the capture, or lost before it, after a long time of which it shows nothing.
    hole: Option<Hole>,
    pace: Pace,
    /// Whether the leg between the capture point and this sender has been measured.
    pub(crate) placed: bool,
    /// What left until then has no round trip that the capture's clock could tell.
    timed_since: Nanos,
    /// The last sending left the queue dry: it carried PSH or was short.
    dry: bool,
    /// As `dry`, where only the end of a write explains it.
    emptied: bool,
    short: bool,
    /// Where the newest segment ended that was not full (Linux: `tp->snd_sml`).
    small_end: u64,
    /// When the last write ended, by a small segment.
    ended: Option<Nanos>,
    room: u64,
    flight: u64,
    /// Probes and keep-alives since the last data.
    probes: u32,
    /// Last ACK that acknowledged data or moved the window's edge, and how late it was.
    released: Nanos,
    released_rtt: Nanos,
    /// When data left last with nothing in flight.
    begun: Nanos,
    /// Last data of the peer since the last of its own, and the first.
    peer_data: Option<Nanos>,
    spoke_first: Nanos,
    /// What shows that it had arrived, 0 if it is not known.
    spoke_frame: u64,
    remarks: Remarks,
    /// What it acknowledged last, of the peer's data.
    answered_to: Option<Seq>,
    /// Loss is being repaired until this is acknowledged.
    recover: Option<u64>,
    /// That repair began when a timer expired.
    timed_out: bool,
    /// What is being repaired is the tail that a timer sent again (TLP, RFC 8985 section 7): once, and nothing else.
    probed_tail: bool,
    /// Running mean of the waits between bursts.
    usual_wait: Nanos,
    rhythm: Rhythm,
    duplicate_acks: u32,
    /// ACK and window of the peer's data that was told last, as long as nothing else has happened.
    repeated: Option<(Seq, u16)>,
    /// First byte, and one past the highest byte of data; SYN and FIN not counted.
    data_start: u64,
    data_end: u64,
    /// The furthest number that a segment without data named as the next one (Linux: `tcp_send_ack` takes `snd_nxt`).
    told_next: u64,
    /// When data left last, if nothing but its way came after that.
    pub(crate) sent_all: Option<Nanos>,
    /// When everything sent had been acknowledged.
    pub(crate) done: Option<Nanos>,
    /// Last time anything of this direction happened.
    pub(crate) last: Nanos,
    /// See [`Sender::take_back`].
    before: Option<Box<Before>>,
}

/// How an ACK comes from the capture point to the sender.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    /// The round trip between the two, with the queue of the moment.
    pub(crate) leg: Nanos,
    /// For how long it had waited in queues when it passed the capture point, and then on its way from there, as far as clocks tell.
    pub(crate) queued_before: Nanos,
    pub(crate) queued_after: Nanos,
}

impl Way {
    /// For how long it waited in all.
    fn queued(&self) -> Nanos {
        self.queued_before + self.queued_after
    }
}

/// What a new direction knows before its first data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beginning {
    pub(crate) first: Seq,
    /// The capture has seen the SYN before it.
    pub(crate) whole: bool,
    pub(crate) from: Nanos,
    pub(crate) handshake_rtt: Option<Nanos>,
    pub(crate) window: Window,
    pub(crate) size: SegmentSize,
    pub(crate) marks: Feedback,
    /// A number that it has named already.
    pub(crate) ahead: Option<Seq>,
}

impl Sender {
    pub(crate) fn new(b: Beginning) -> Self {
        let space = Space::starting_at(b.first);
        let first = space.locate(b.first).unwrap_or_default();
        let piece = Piece { from: b.from, state: State::Idle, window: u64::MAX, frame: 0 };
        let rtt = RttMeter::new(b.handshake_rtt);
        Self {
            space,
            board: if b.whole { Scoreboard::new(first) } else { Scoreboard::in_the_middle(first) },
            window: b.window,
            pace: Pace::of(rtt.floor_or_zero(), Nanos::ZERO),
            rtt,
            size: b.size,
            record: Stretches::new(b.from),
            transfers: Transfers::default(),
            turns: Turns::starting_at(first),
            tally: Tally::default(),
            capacity: Capacity::default(),
            answers: Answers::default(),
            in_vain: None,
            bursts: Bursts::default(),
            overflow: Overflow::default(),
            drops: None,
            gap: Gap::starting(piece),
            identification: Identification::default(),
            marks: b.marks,
            missing: false,
            supposed_lost: 0,
            out_of_window: b.ahead.and_then(|seq| space.locate(seq)),
            hole: None,
            placed: false,
            timed_since: Nanos(i64::MIN),
            dry: false,
            emptied: false,
            short: false,
            small_end: 0,
            ended: None,
            room: u64::MAX,
            flight: 0,
            probes: 0,
            released: Nanos(i64::MIN),
            released_rtt: Nanos::ZERO,
            begun: b.from,
            peer_data: None,
            spoke_first: b.from,
            spoke_frame: 0,
            remarks: Remarks::default(),
            answered_to: None,
            recover: None,
            timed_out: false,
            probed_tail: false,
            usual_wait: Nanos::ZERO,
            rhythm: Rhythm::default(),
            duplicate_acks: 0,
            repeated: None,
            data_start: first,
            data_end: first,
            told_next: first,
            sent_all: None,
            done: None,
            last: b.from,
            before: None,
        }
    }

    /// Payload bytes, each once.
    pub(crate) fn bytes(&self) -> u64 {
        self.data_end - self.data_start
    }

    /// Whether the newest acknowledgment is `ack`.
    pub(crate) fn is_acknowledged_to(&self, ack: Seq) -> bool {
        self.space.locate(ack) == Some(self.board.una)
    }

    /// The round trip that a stretch covers.
    pub(crate) fn round(&self) -> Nanos {
        self.rtt.smoothed()
    }

    /// The capture was taken a good part of the path away from this sender.
    pub(crate) fn is_far(&self) -> bool {
        self.pace.far
    }

    /// Whether that leg was measured, and since when the capture's clock tells round trips.
    pub(crate) fn knows(&mut self, standing: &Standing) {
        (self.placed, self.timed_since) = (standing.known, standing.since);
    }

    /// The round trip between the capture point and this sender is `leg` now, measured or not.
    pub(crate) fn stands_at(&mut self, leg: Nanos, standing: &Standing) {
        self.knows(standing);
        self.pace.follow(self.rtt.floor_or_zero(), leg);
    }

    fn room(&self) -> u64 {
        self.window.edge.saturating_sub(self.board.nxt)
    }

    /// The window holds the sender.
    #[inline(always)]
    fn has_no_room(&self) -> bool {
        // Nobody needs more than a full segment.
        self.room() < self.size.mss() && self.is_held()
    }

    /// As `has_no_room`, with room for less than a full segment.
    #[inline(never)]
    fn is_held(&self) -> bool {
        let (room, mss) = (self.room(), self.size.mss());
        let tight = room < self.window.need(mss);
        // A queue that ran dry had nothing more to send, whatever the window.
        tight && (self.window.is_telling(mss) || !self.dry && !self.window.is_passed())
    }

    #[inline(always)]
    fn state(&self) -> State {
        if self.has_no_room() {
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
    pub(crate) fn learn_window(&mut self, event: &Packet) {
        self.window.advertise(self.board.una, event.window, event.has(flags::SYN));
    }

    /// Data of the peer, in that `frame`, arrived at `time`.
    pub(crate) fn peer_spoke(&mut self, time: Nanos, frame: u64) {
        if self.peer_data.is_none() {
            self.spoke_first = time;
        }
        self.peer_data = Some(time);
        self.spoke_frame = frame;
        self.record.open().spoken += 1;
    }

    /// The handshake is over at `time`.
    pub(crate) fn established(&mut self, time: Nanos) {
        self.record.account(time, Wait::Handshake, Nanos(i64::MAX), |_| ());
        let piece = self.piece(time, 0);
        self.gap.restart(piece);
    }
}
