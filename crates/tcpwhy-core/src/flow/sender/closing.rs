//! A gap is closed: what its end tells the stretch that it belongs to.

use super::Sender;
use crate::flow::gap::{Gap, Piece, Release, State};
use crate::flow::packet::Packet;
use crate::flow::record::Stretches;
use crate::flow::stretch::{Loss, Stretch};
use crate::flow::wait::Wait;
use crate::flow::{BUSY_HOST, PROMPT_PART};
use crate::units::Nanos;

/// An application has to read what the peer says (to decrypt it, to give its loop a turn) before it goes on: it does so within this part of
/// the wait, which a message that comes at any time meets once in so many waits.
const ANSWER_PART: i64 = 8;

/// What is known of a gap at its end.
#[derive(Clone, Copy)]
pub(super) struct End {
    /// The packet that ends it, and whether that is less than a full segment.
    pub(super) frame: u64,
    pub(super) small: bool,
    pub(super) shift: u8,
    pub(super) probes: u32,
    /// What the peer said last before it, 0 if that is not known.
    pub(super) heard: u64,
}

/// A gap that is longer than a wake-up takes, and how things stood at its start.
#[derive(Clone, Copy)]
pub(super) struct Pause {
    pub(super) length: Nanos,
    /// It is a good part of a round trip.
    pub(super) stall: bool,
    /// It ended with the short end of a write, which Nagle's rule had kept back.
    pub(super) held_back: bool,
    /// Something from outside ended it.
    pub(super) released: bool,
    pub(super) flight: u64,
    /// What is left of it.
    pub(super) left: u64,
    pub(super) room: u64,
    pub(super) dry: bool,
    pub(super) emptied: bool,
    pub(super) short: bool,
    pub(super) woken: bool,
    /// The time since the last ACK that made room, once there was one.
    pub(super) late: Option<Nanos>,
    /// No ACK had come for longer than a busy host sleeps.
    pub(super) unprompted: bool,
    /// Data of the peer had come just before.
    pub(super) answered: bool,
    pub(super) forgone: bool,
    /// The first ACK that made room did not end it.
    pub(super) passed_over: bool,
    /// One ACK took most of the flight, and ended it.
    pub(super) at_once: bool,
    /// It is twice as long as the waits before it.
    pub(super) stands_out: bool,
    /// The interval with which the burst before began, if it was as long as the one before and much less than a round trip.
    pub(super) repeated: Option<Nanos>,
}

impl Sender {
    /// Accounts the time since the last sending; `flight` was left of what had been sent then.
    #[inline(always)]
    pub(super) fn close_gap(
        &mut self,
        time: Nanos,
        packet: &Packet,
        release: Release,
        loss: Option<Loss>,
        flight: u64,
    ) {
        let length = time - self.gap.start();
        let end = self.end_with(packet);
        if length < self.pace.least_wait
            && loss.is_none()
            && let Some((wait, piece)) = self.gap.only_wait(release)
        {
            let round = self.rtt.smoothed();
            return self.record.account(time, wait, round, |s| end.note(s, piece));
        }
        self.close_pause(time, end, release, loss, flight);
    }

    /// As `close_gap`, where there is more to tell than that the gap is over.
    #[inline(never)]
    pub(super) fn close_pause(
        &mut self,
        time: Nanos,
        end: End,
        release: Release,
        loss: Option<Loss>,
        flight: u64,
    ) {
        let round = self.round();
        let length = time - self.gap.start();
        let waited = length >= self.pace.least_wait;
        let pause = waited.then(|| self.pause(length, time, end.small, release, flight));
        let record = &mut self.record;
        if let Some((wait, piece)) = self.gap.only_wait(release) {
            let pause = pause.as_ref();
            return record.account(time, wait, round, |s| end.note_all(s, piece, pause, loss));
        }
        end.note_parts(time, release, round, &self.gap, record, (pause.as_ref(), loss));
    }

    /// The gap ends with this packet.
    #[inline(always)]
    pub(super) fn end_with(&self, packet: &Packet) -> End {
        let (shift, probes) = (self.window.shift(), self.probes);
        let (frame, small) = (packet.frame, self.is_small(packet));
        End { frame, small, shift, probes, heard: self.spoke_frame }
    }

    /// The sender has waited for longer than a wake-up takes, and sends something now, `small` or not.
    fn pause(
        &mut self,
        length: Nanos,
        time: Nanos,
        small: bool,
        release: Release,
        left: u64,
    ) -> Pause {
        let late = Nanos(length.0 / PROMPT_PART).min(BUSY_HOST);
        let wake_up = self.pace.wake_up.max(late);
        let answer = Nanos(length.0 / ANSWER_PART);
        let pause = Pause {
            length,
            stall: length.0 >= self.round().0 / 4,
            held_back: self.was_held_back(small, time),
            released: !matches!(release, Release::Timer | Release::OwnWill),
            flight: self.flight,
            left,
            room: self.room,
            dry: self.dry,
            emptied: self.emptied,
            short: self.short,
            woken: time - self.released <= wake_up,
            late: (self.released > Nanos(i64::MIN)).then(|| time - self.released),
            unprompted: time - self.released > self.pace.slack.max(BUSY_HOST),
            answered: self.peer_data.is_some_and(|at| time - at <= wake_up.max(answer)),
            forgone: self.gap.is_forgone(time, BUSY_HOST),
            passed_over: self.gap.is_passed_over(time, wake_up),
            at_once: self.gap.fell_at(self.released),
            stands_out: length.0 / 2 > self.usual_wait.0,
            repeated: self.keeps_rhythm(length, time),
        };
        if let (Release::Timer, Some(after)) = (release, pause.late) {
            self.pace.learn(length, after);
        }
        if !pause.held_back {
            self.usual_wait = Nanos(self.usual_wait.0 / 8 * 7 + length.0 / 8);
        }
        pause
    }

    /// The interval with which the burst before began, if intervals repeat; sending goes on at `time`.
    fn keeps_rhythm(&mut self, length: Nanos, time: Nanos) -> Option<Nanos> {
        let (mss, floor) = (self.size.mss(), self.rtt.floor_or_zero());
        self.rhythm.resumes(time, length, self.data_end, mss, floor)
    }

    /// A segment that is not full was kept back while another one was under way, and leaves as that is acknowledged (RFC 9293 section 3.7.4;
    /// Linux: `tcp_minshall_check`). Where less than a segment was under way it is no write's end: small writes are all that there is.
    fn was_held_back(&self, small: bool, time: Nanos) -> bool {
        let acknowledged = self.small_was_under_way() && self.small_end <= self.board.una;
        small && self.size.mss() <= self.flight && acknowledged && self.is_at_once(time)
    }
}

impl End {
    /// As `note_all`, for a gap of any number of parts.
    #[inline(never)]
    pub(super) fn note_parts(
        self,
        time: Nanos,
        release: Release,
        round: Nanos,
        gap: &Gap,
        record: &mut Stretches,
        (mut pause, loss): (Option<&Pause>, Option<Loss>),
    ) {
        gap.resolve(time, release, |to, wait, piece| {
            record.account(to, wait, round, |s| {
                // What was sent is said of the part that waited for it; how long all of it was, of the first part.
                let last = to >= time;
                let probes = if last { self.probes } else { 0 };
                let part = Self { probes, ..self };
                let (part, piece) = part.parted_by(wait, release, last, *piece);
                part.note_all(s, &piece, pause.take(), loss.filter(|_| last));
            });
        });
    }

    /// What ends a gap shows its last part alone. The peer's last words end the wait for them, and begin what its sender thought then.
    fn parted_by(self, wait: Wait, release: Release, last: bool, piece: Piece) -> (Self, Piece) {
        let heard = if matches!(release, Release::PeerData(_)) { self.heard } else { 0 };
        let ended = match wait {
            _ if last => self.frame,
            Wait::IdlePeer => heard,
            _ => 0,
        };
        let begun = if wait == Wait::IdleSelf && heard > 0 { heard } else { piece.frame };
        (Self { frame: ended, ..self }, Piece { frame: begun, ..piece })
    }

    /// As `note`, with a pause or a loss.
    #[inline(always)]
    pub(super) fn note_all(
        &self,
        s: &mut Stretch,
        piece: &Piece,
        pause: Option<&Pause>,
        loss: Option<Loss>,
    ) {
        self.note(s, piece);
        if let Some(pause) = pause {
            pause.note(s);
        }
        if let Some(loss) = loss {
            s.lost(loss);
        }
    }

    #[inline(always)]
    pub(super) fn note(&self, s: &mut Stretch, piece: &Piece) {
        s.touch(piece.frame);
        s.touch(self.frame);
        s.shift = self.shift;
        s.saw_window(piece.window);
        if piece.state == State::Idle {
            s.rests(s.to - piece.from, piece.frame);
        }
        s.probes += self.probes;
    }
}

impl Pause {
    #[inline(never)]
    fn note(&self, s: &mut Stretch) {
        s.held_back = self.held_back;
        if let Some(interval) = self.repeated {
            s.repeated.add(interval.0.unsigned_abs());
        }
        if self.held_back {
            // The write that it ends began before: how it left says nothing of what the writer waited for.
            s.stalled_time += if self.stall { self.length } else { Nanos::ZERO };
            return;
        }
        s.waits += 1;
        s.lengths.add(self.length.0.unsigned_abs());
        s.prompt += u32::from(self.woken);
        if self.answered {
            s.answers.add(self.length.0.unsigned_abs());
        }
        s.breaks += u32::from(self.stands_out);
        s.breaks_woken += u32::from(self.stands_out && self.woken);
        if self.stall {
            s.woken += u32::from(self.woken);
            if let Some(late) = self.late {
                s.late.add(late.0.unsigned_abs());
                s.woken_after += if self.woken { late } else { Nanos::ZERO };
            }
            s.unprompted += u32::from(self.unprompted);
            s.answered += u32::from(self.answered);
            s.forgone += u32::from(self.forgone);
            s.short_stalls += u32::from(self.short);
            if !self.at_once {
                s.drained(self.flight, self.left);
            }
            if self.woken && self.passed_over {
                s.passed_over.add(self.flight.saturating_sub(self.left));
            }
            s.stalled(self.length, self.flight, self.room, self.dry);
        }
        if !self.released {
            s.pauses += 1;
            s.dry_pauses += u32::from(self.emptied);
            s.short_pauses += u32::from(self.short);
        }
    }
}
