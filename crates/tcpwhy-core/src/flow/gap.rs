//! The time between two sendings, and what the sender waited for in it.
//!
//! The question is always the same: why did the sender not put the next byte on the wire now? The
//! state between two events is constant; what the wait *was* is known when the next data leaves and
//! shows what had released it.

use super::wait::Wait;
use super::window::widened;
use crate::units::Nanos;

/// What the sender's own variables say between two events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// No room in the advertised window.
    NoRoom,
    /// Data in flight and room for more.
    Waiting,
    /// Nothing in flight and room for more.
    Idle,
}

/// A part of a gap with one state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) from: Nanos,
    pub(crate) state: State,
    /// Advertised window in bytes.
    pub(crate) window: u64,
    pub(crate) frame: u64,
}

/// Pieces kept; a gap with more changes goes on with its last state.
const MAX_PIECES: usize = 6;

/// What released the data that ends a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Release {
    /// It was sent again, or the sender is still repairing a loss.
    Repair,
    /// An ACK that came in just before.
    Ack,
    /// As `Ack`; everything had been acknowledged, late, and the segments were small.
    DelayedAck,
    /// The peer's data, last seen at that time; all of ours had been acknowledged.
    PeerData(Nanos),
    /// The application, with nothing in flight.
    OwnWill,
    /// A timer or the application, with data in flight.
    Timer,
    /// None was: all that was sent has been acknowledged.
    Nothing,
    /// Nobody knows: other data left before it, unseen.
    Unseen,
}

/// The gap since the last sending.
#[derive(Debug, Clone)]
pub(crate) struct Gap {
    pieces: [Piece; MAX_PIECES],
    len: usize,
    /// When the first of what was in flight at the start was acknowledged.
    opened: Option<Nanos>,
    /// When less than a third of it was left.
    drained: Option<Nanos>,
    /// When the first sign of a loss came in.
    noticed: Option<Nanos>,
    /// When all that was lost had arrived.
    repaired: Option<Nanos>,
    /// What was sent last was no full segment though the window had room for one: all that was written had left.
    written_out: bool,
}

impl Gap {
    pub(crate) fn starting(piece: Piece) -> Self {
        Self {
            pieces: [piece; MAX_PIECES],
            len: 1,
            opened: None,
            drained: None,
            noticed: None,
            repaired: None,
            written_out: false,
        }
    }

    /// The next gap. Only the first piece is written: most gaps have no other.
    pub(crate) fn restart(&mut self, piece: Piece) {
        self.pieces[0] = piece;
        self.len = 1;
        self.opened = None;
        self.drained = None;
        self.noticed = None;
        self.repaired = None;
        self.written_out = false;
    }

    /// Nothing more was written when it began.
    #[cold]
    pub(crate) fn begins_written_out(&mut self) {
        self.written_out = true;
    }

    /// As `restart`, after a gap that [is of one wait](Gap::is_of_one_wait).
    #[inline(always)]
    pub(crate) fn restart_waiting(&mut self, from: Nanos, window: u64, frame: u64) {
        self.pieces[0] = Piece { from, window, frame, ..self.pieces[0] };
        self.opened = None;
        self.drained = None;
        self.noticed = None;
    }

    /// The window scale was found to be larger by so many bits: there was room where there seemed to be none.
    #[cold]
    pub(crate) fn widen_windows(&mut self, bits: u8) {
        for piece in &mut self.pieces[..self.len] {
            if piece.state == State::NoRoom && piece.window > 0 {
                piece.state = State::Waiting;
            }
            piece.window = widened(piece.window, bits);
        }
    }

    /// A loss is reported.
    pub(crate) fn notices(&mut self, time: Nanos) {
        self.noticed.get_or_insert(time);
    }

    /// The repair is over.
    pub(crate) fn repairs(&mut self, time: Nanos) {
        self.repaired = Some(time);
    }

    /// `flight` is left at `time` of what was `before` at the start.
    pub(crate) fn falls(&mut self, time: Nanos, flight: u64, before: u64) {
        if self.opened.is_none() && flight < before {
            self.opened = Some(time);
        }
        if self.drained.is_none() && flight < before / 3 {
            self.drained = Some(time);
        }
    }

    /// Whether the sender let more than `wake_up` pass at `time` after the first ACK that made room. What comes in one bunch is heard as one.
    pub(crate) fn is_passed_over(&self, time: Nanos, wake_up: Nanos) -> bool {
        self.opened.is_some_and(|since| time - since > wake_up)
    }

    /// Whether the sender let more than `wake_up` pass at `time` after its flight had fallen to a third, with room in the window
    /// all the while. A writer that waits for room in the send buffer is woken when a third is free (`sk_stream_write_space`), and
    /// cwnd lets each ACK release what it acknowledges, but for a third that is saved up (`tcp_tso_should_defer`).
    pub(crate) fn is_forgone(&self, time: Nanos, wake_up: Nanos) -> bool {
        let open = self.pieces[..self.len].iter().all(|p| p.state != State::NoRoom);
        open && self.drained.is_some_and(|since| time - since > wake_up)
    }

    /// What came at `time` took the flight from more than a third to less.
    pub(crate) fn fell_at(&self, time: Nanos) -> bool {
        self.drained == Some(time)
    }

    /// The state changes with an event.
    pub(crate) fn change(&mut self, piece: Piece) {
        let last = &mut self.pieces[self.len - 1];
        if last.state == piece.state {
            last.window = last.window.min(piece.window);
        } else if self.len < MAX_PIECES {
            self.pieces[self.len] = piece;
            self.len += 1;
        }
    }

    /// What happened from `time` on, after its start, did not.
    pub(crate) fn forget_from(&mut self, time: Nanos) {
        let later = self.pieces[1..self.len].iter().position(|piece| piece.from >= time);
        self.len = later.map_or(self.len, |later| later + 1);
    }

    pub(crate) fn start(&self) -> Nanos {
        self.pieces[0].from
    }

    /// It waits for ACKs, with room in the window, as it has from the start: nothing was repaired.
    #[inline(always)]
    pub(crate) fn is_of_one_wait(&self) -> bool {
        self.len == 1 && self.pieces[0].state == State::Waiting && self.repaired.is_none()
    }

    /// Its first part.
    pub(crate) fn first(&self) -> &Piece {
        &self.pieces[0]
    }

    /// The state in which the gap ends.
    pub(crate) fn state(&self) -> State {
        self.pieces[self.len - 1].state
    }

    /// What the gap was a wait for, where that is one thing: most are of one piece.
    pub(crate) fn only_wait(&self, release: Release) -> Option<(Wait, &Piece)> {
        let cut = matches!(release, Release::PeerData(_)) || self.turn(release).is_some();
        let piece = &self.pieces[0];
        (self.len == 1 && !cut).then(|| (self.wait_in(piece, release), piece))
    }

    /// Tells the parts of the gap up to `end`, each with what it was a wait for.
    pub(crate) fn resolve(
        &self,
        end: Nanos,
        release: Release,
        mut tell: impl FnMut(Nanos, Wait, &Piece),
    ) {
        let turn = self.turn(release).filter(|(at, _)| *at < end);
        let pieces = &self.pieces[..self.len];
        for (i, piece) in pieces.iter().enumerate() {
            let to = pieces.get(i + 1).map_or(end, |next| next.from).min(end);
            match turn {
                Some((at, before)) if at >= to => self.split(piece, to, before, &mut tell),
                Some((at, before)) if at > piece.from => {
                    self.split(piece, at, before, &mut tell);
                    self.split(piece, to, release, &mut tell);
                }
                _ => self.split(piece, to, release, &mut tell),
            }
        }
    }

    /// Where a repair begins or ends within the gap, and what the time before it was a wait for. Until the sender hears of a loss it
    /// waits for ACKs as ever; until the last hole is filled it repairs, whatever comes next.
    fn turn(&self, release: Release) -> Option<(Nanos, Release)> {
        let inside = |at: &Nanos| *at > self.start();
        match release {
            Release::Repair => self.noticed.filter(inside).map(|at| (at, Release::Ack)),
            _ => self.repaired.filter(inside).map(|at| (at, Release::Repair)),
        }
    }

    /// One piece by what released the data after it; the peer's last words cut it in two.
    fn split(
        &self,
        piece: &Piece,
        to: Nanos,
        release: Release,
        tell: &mut impl FnMut(Nanos, Wait, &Piece),
    ) {
        let wait = self.wait_in(piece, release);
        let turn = match release {
            Release::PeerData(at) if wait == Wait::IdlePeer => at.max(piece.from).min(to),
            _ => to,
        };
        tell(turn, wait, piece);
        if turn < to {
            tell(to, Wait::IdleSelf, piece);
        }
    }

    /// What a wait in this `piece` was, by what released the data after it.
    fn wait_in(&self, piece: &Piece, release: Release) -> Wait {
        let closed = piece.window == 0;
        match (release, piece.state) {
            (Release::Nothing, _) => Wait::Tail,
            (Release::Unseen, State::NoRoom) if closed => Wait::Window,
            (Release::Unseen, _) => Wait::Unseen,
            (Release::Repair, State::NoRoom) if closed => Wait::Window,
            (Release::Repair, _) => Wait::Recovery,
            // What the peer asked for had left: no window held it.
            (Release::PeerData(_), State::NoRoom) if self.written_out => Wait::IdlePeer,
            (_, State::NoRoom) => Wait::Window,
            (Release::Ack, _) => Wait::Ack,
            (Release::DelayedAck, _) => Wait::Nagle,
            (Release::OwnWill, _) => Wait::IdleSelf,
            (Release::Timer, _) => Wait::Timer,
            (Release::PeerData(_), _) => Wait::IdlePeer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(from: i64, state: State) -> Piece {
        Piece { from: Nanos(from), state, window: 1000, frame: 1 }
    }

    fn resolved(gap: &Gap, release: Release) -> Vec<(i64, Wait)> {
        let mut parts = Vec::new();
        gap.resolve(Nanos(100), release, |to, wait, _| parts.push((to.0, wait)));
        parts
    }

    #[test]
    fn a_closed_window_stays_a_window_whatever_released_the_data() {
        let mut gap = Gap::starting(piece(0, State::NoRoom));
        gap.change(piece(60, State::Idle));
        assert_eq!(resolved(&gap, Release::OwnWill), [(60, Wait::Window), (100, Wait::IdleSelf)]);
        assert_eq!(resolved(&gap, Release::Ack), [(60, Wait::Window), (100, Wait::Ack)]);
    }

    #[test]
    fn think_time_belongs_to_whoever_thinks() {
        let mut gap = Gap::starting(piece(0, State::Waiting));
        gap.change(piece(20, State::Idle));
        assert_eq!(
            resolved(&gap, Release::PeerData(Nanos(70))),
            [(20, Wait::IdlePeer), (70, Wait::IdlePeer), (100, Wait::IdleSelf)]
        );
    }

    #[test]
    fn a_window_that_is_too_small_for_more_holds_nobody_who_has_no_more() {
        let mut gap = Gap::starting(piece(0, State::NoRoom));
        gap.change(piece(60, State::Idle));
        let asked = Release::PeerData(Nanos(100));
        assert_eq!(resolved(&gap, asked), [(60, Wait::Window), (100, Wait::IdlePeer)]);
        gap.begins_written_out();
        assert_eq!(resolved(&gap, asked), [(60, Wait::IdlePeer), (100, Wait::IdlePeer)]);
        // It may have been the end of what the kernel had put together, and not of all.
        assert_eq!(resolved(&gap, Release::Ack), [(60, Wait::Window), (100, Wait::Ack)]);
    }

    #[test]
    fn a_repair_lasts_from_the_report_of_the_loss_to_the_ack_that_ends_it() {
        let mut first = Gap::starting(piece(0, State::Waiting));
        first.notices(Nanos(30));
        first.notices(Nanos(50));
        assert_eq!(resolved(&first, Release::Repair), [(30, Wait::Ack), (100, Wait::Recovery)]);
        let mut last = Gap::starting(piece(0, State::Waiting));
        last.repairs(Nanos(90));
        assert_eq!(resolved(&last, Release::Ack), [(90, Wait::Recovery), (100, Wait::Ack)]);
        last.restart(piece(0, State::Waiting));
        assert_eq!(resolved(&last, Release::Repair), [(100, Wait::Recovery)]);
    }

    #[test]
    fn changes_beyond_the_bound_go_on_with_the_last_state() {
        let mut gap = Gap::starting(piece(0, State::Idle));
        for i in 1..50 {
            gap.change(piece(i, if i % 2 == 0 { State::Idle } else { State::Waiting }));
        }
        assert_eq!(resolved(&gap, Release::Timer).last().map(|x| x.0), Some(100));
    }
}
