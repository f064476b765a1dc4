//! What leaves now (`tcp_write_xmit`): windows, pacing, Nagle, and how much at once.

use super::super::path::{Packet, Path};
use super::recovery::State;
use super::timers::Kind;
use super::{Phase, Sender};
use crate::kernel::Version;
use crate::kernel::send::{GSO_MAX, autosized};
use crate::units::{Nanos, time_at};

/// Segments that leave unpaced at the start (`tcp_update_skb_after_send`).
const UNPACED: u64 = 10;
/// `sysctl_tcp_tso_win_divisor`: a third of the window is worth a packet.
const WINDOW_DIVISOR: u64 = 3;

/// From 6.10 on an skb that could be sent larger takes from the next one (`tcp_grow_skb`, "tcp: try to send bigger TSO packets").
const GROWS: Version = Version::new(6, 10);

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Push {
    /// An ACK or the end of a call: small segments wait for small ones.
    Nagle,
    /// A writer that is about to sleep, or half a window was written (`TCP_NAGLE_PUSH`).
    Everything,
    /// The only skb is full: one packet (`tcp_push_one`).
    One,
    /// A tail loss probe: one packet, whatever the congestion window says.
    Probe,
}

impl Sender {
    /// What keeps the next segment back, `None`: nothing.
    pub(in super::super) fn hold(&self, now: Nanos) -> Option<Phase> {
        if self.board.lost() > self.board.repeated() && self.board.flight() < self.cwnd() {
            return self.paced(now);
        }
        self.blocked_by(now, Push::Nagle)
    }

    /// Whose the time is in which nothing is sent; `None`: the application is in a call, and writes a little later.
    pub(in super::super) fn held(&self, now: Nanos) -> Option<Phase> {
        match self.hold(now) {
            Some(Phase::Last) => (!self.buffer.has_more()).then_some(Phase::Last),
            None => Some(self.deferred()),
            held => held,
        }
    }

    /// What would let a larger packet leave (`tcp_tso_should_defer`): the smaller one of the windows.
    fn deferred(&self) -> Phase {
        let room = self.edge.saturating_sub(self.nxt);
        let window = self.cwnd().saturating_sub(self.board.flight()).saturating_mul(self.mss());
        if room < window { Phase::ReceiveWindow } else { self.slow_start_or_later() }
    }

    fn paced(&self, now: Nanos) -> Option<Phase> {
        (self.window.pacing().is_some() && self.pace_at > now).then(|| self.slow_start_or_later())
    }

    fn blocked_by(&self, now: Nanos, push: Push) -> Option<Phase> {
        let idle = if self.buffer.blocked { Phase::SendBuffer } else { Phase::Last };
        let Some((head, last)) = self.buffer.head() else { return Some(idle) };
        let want = head.min(self.mss());
        let room = self.edge.saturating_sub(self.nxt);
        if room < want && !(room > 0 && self.board.flight() == 0) {
            return Some(Phase::ReceiveWindow);
        }
        if want < self.mss() && last && self.waits_for_small(push) {
            return Some(idle);
        }
        if self.board.flight() >= self.cwnd() && push != Push::Probe {
            return Some(self.slow_start_or_later());
        }
        self.paced(now)
    }

    /// Whether new data wait that the peer's window takes (`tcp_snd_wnd_test`).
    pub(super) fn has_new_to_send(&self) -> bool {
        let want = self.buffer.head().map(|(head, _)| head.min(self.mss()));
        want.is_some_and(|want| self.nxt + want <= self.edge)
    }

    pub(super) fn cwnd(&self) -> u64 {
        (self.window.segments as u64).max(1)
    }

    /// `tcp_nagle_check` with Minshall's variant: a small segment waits for an earlier small one only. The last of all is
    /// followed by FIN.
    fn waits_for_small(&self, push: Push) -> bool {
        !matches!(push, Push::Everything | Push::Probe)
            && self.t.nagle
            && self.buffer.has_more()
            && self.small > self.una
    }

    /// Bytes per second (`tcp_update_pacing_rate`), or what bbr says.
    fn rate(&self) -> u64 {
        if let Some(bps) = self.window.pacing() {
            return bps / 8;
        }
        let twice = self.window.segments < self.window.threshold / 2.0;
        let gain = if twice { 2.0 } else { 1.2 };
        let segments = self.window.segments.max(self.board.out() as f64);
        (gain * segments * self.t.mss as f64 / self.rtt.smoothed.secs().max(1e-6)) as u64
    }

    /// Segments that leave as one (`tcp_tso_autosize`).
    pub(super) fn burst(&self) -> u64 {
        if !self.t.offload {
            return 1;
        }
        (autosized(self.rate(), self.window.least_rtt) / self.mss()).max(2)
    }

    pub(super) fn train_slack(&self) -> Nanos {
        let four = time_at(4 * GSO_MAX, self.rate().saturating_mul(8));
        four.min(Nanos::from_millis(1))
    }

    /// `tcp_write_xmit`.
    pub(super) fn send(&mut self, now: Nanos, path: &mut Path, push: Push) {
        // tcp_tsq_write: what pacing held back of the repetitions goes first.
        if self.window.pacing().is_some() {
            self.repeat_lost(now, path);
        }
        let before = self.nxt;
        let mut deferred = false;
        while self.blocked_by(now, push).is_none() {
            if matches!(push, Push::Nagle | Push::Everything)
                && let Some(by_window) = self.defers(now)
            {
                deferred = by_window;
                break;
            }
            let bytes = self.send_new(now, path, push);
            self.pace(now, bytes);
            if matches!(push, Push::One | Push::Probe) || bytes == 0 {
                break;
            }
        }
        if self.nxt > before && push != Push::Probe {
            self.arm_probe(now, false);
        }
        if self.nxt > before || deferred {
            self.note_usage(deferred);
        }
    }

    fn pace(&mut self, now: Nanos, bytes: u64) {
        if self.delivery.sent() < UNPACED {
            return;
        }
        if let Some(rate) = self.window.pacing() {
            let length = time_at(bytes, rate);
            let credit = (now - self.pace_at).max(Nanos::ZERO).min(length.scale(1, 2));
            self.pace_at = self.pace_at.max(now) + (length - credit);
        }
    }

    /// `tcp_tso_should_defer`: a packet that may become larger waits for the next ACK, if that comes within a millisecond.
    /// `Some`: it waits; whether the congestion window is why.
    fn defers(&self, now: Nanos) -> Option<bool> {
        let (head, last) = self.buffer.head()?;
        let mss = self.mss();
        let recent = now - self.last_sent <= Nanos::from_millis(1);
        // What ends with a FIN gets no more data.
        if self.recovery.state >= State::Recovery
            || head <= mss
            || !recent
            || !self.buffer.has_more()
        {
            return None;
        }
        let room = self.edge.saturating_sub(self.nxt);
        let window = self.cwnd().saturating_sub(self.board.flight()) * mss;
        let limit = room.min(window);
        let chunk = (self.edge - self.una).min(self.cwnd() * mss) / WINDOW_DIVISOR;
        if limit >= self.burst() * mss || (!last && limit >= head) || limit >= chunk {
            return None;
        }
        let expected = self.board.front()?.stamp.sent + self.rtt.smoothed - now;
        let soon = self.rtt.smoothed.scale(1, 2).min(Nanos::from_millis(1));
        (expected <= soon).then_some(window < room && window <= head)
    }

    /// Segments that may leave at once: the free part of the window, half of it at most (`tcp_cwnd_test`), a burst at most.
    fn quota(&self, push: Push) -> u64 {
        let cwnd = self.cwnd();
        let free = cwnd.saturating_sub(self.board.flight()).max(u64::from(push == Push::Probe));
        free.min((cwnd / 2).max(1)).min(self.burst())
    }

    /// How much of an skb of `head` bytes leaves (`tcp_mss_split_point`): whole segments, and the rest of it where Nagle allows.
    fn split(&self, head: u64, last: bool, quota: u64, push: Push) -> u64 {
        let mss = self.mss();
        if head <= mss {
            return head;
        }
        let (most, room) = (quota * mss, self.edge.saturating_sub(self.nxt));
        if quota == 1 || (most <= room && !last) {
            return most.min(head);
        }
        let needed = head.min(room);
        if most <= needed {
            return most;
        }
        let part = needed % mss;
        if part > 0 && self.waits_for_small(push) { needed - part } else { needed }
    }

    /// One packet of up to [`Self::burst`] segments.
    fn send_new(&mut self, now: Nanos, path: &mut Path, push: Push) -> u64 {
        let quota = self.quota(push);
        let mss = self.mss();
        if self.t.offload && self.t.sender.version >= GROWS {
            self.buffer.grow(quota * mss);
        }
        let Some((head, last)) = self.buffer.head() else { return 0 };
        let room = self.edge.saturating_sub(self.nxt);
        let bytes = self.split(head, last, quota, push).min(room);
        let end = self.nxt + bytes;
        if !bytes.is_multiple_of(mss) {
            self.small = end;
        }
        let rearm = self.board.out() == 0 || self.timer.is_some_and(|t| t.kind == Kind::Probe);
        // Linux sets PSH on what runs the queue dry and on every packet of several segments, which the last of them carries.
        let pushed = bytes > mss || (last && bytes == head);
        self.buffer.send(end, bytes);
        while self.nxt < end {
            let len = mss.min(end - self.nxt);
            let stamp = self.delivery.stamp(now, self.board.out());
            self.board.push(self.nxt, len, stamp);
            let push = pushed && self.nxt + len == end;
            path.send(self.packet(self.nxt, len, now, push));
            self.nxt += len;
            self.recovery.out += u64::from(self.recovery.state == State::Recovery);
        }
        self.last_sent = now;
        // tcp_event_new_data_sent
        if rearm {
            self.rearm(now);
        }
        bytes
    }

    fn packet(&self, seq: u64, len: u64, sent: Nanos, push: bool) -> Packet {
        Packet { seq, len, sent, echo: self.echo, push }
    }

    /// `tcp_retransmit_skb`; a probe (`is_probe`) is not counted as a repetition.
    pub(super) fn repeat(&mut self, now: Nanos, path: &mut Path, place: u64, is_probe: bool) {
        let stamp = self.delivery.stamp(now, self.board.out());
        let Some((seq, len)) = self.board.repeat(place, stamp, is_probe) else { return };
        path.send(self.packet(seq, len, now, false));
        self.resent += 1;
        if !is_probe {
            self.recovery.repeated_at.get_or_insert(now);
        }
    }

    /// `tcp_xmit_retransmit_queue`: what is lost, as far as the window and pacing allow.
    pub(super) fn repeat_lost(&mut self, now: Nanos, path: &mut Path) {
        while self.board.flight() < self.cwnd() && self.paced(now).is_none() {
            let Some(place) = self.board.next_to_repeat() else { break };
            let first = place == self.board.first();
            self.repeat(now, path, place, false);
            self.pace(now, self.t.mss);
            if self.recovery.state == State::Recovery {
                self.recovery.out += 1;
            }
            if first && self.timer.is_none_or(|t| t.kind != Kind::Reorder) {
                let timeout = self.rtt.timeout(self.backoff);
                self.set_timer(now, Kind::Retransmit, timeout);
            }
        }
    }

    /// `tcp_cwnd_validate`: once full, the window counts as used for the round.
    fn note_usage(&mut self, deferred: bool) {
        let full = deferred || self.board.flight() >= self.cwnd();
        let out = self.board.out();
        let usage = &mut self.usage;
        if self.una >= usage.round_end || full || (!usage.limited && out > usage.most) {
            usage.limited = full;
            usage.most = out;
            usage.round_end = self.nxt;
        }
    }
}
