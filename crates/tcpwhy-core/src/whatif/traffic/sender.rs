//! The sending half of a TCP endpoint: what may be sent now, what holds it, and its timers.

use super::board::{Board, InFlight};
use super::congestion::Congestion;
use super::packet::Packet;
use super::rtt::Rtt;
use super::scenario::Control;
use crate::model::{Cause, Limit};
use crate::units::Nanos;

/// Linux `tcp_retries2`.
const RETRIES: u32 = 15;

/// A piece of the stream to put on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outgoing {
    pub(super) seq: u64,
    pub(super) len: u32,
    pub(super) push: bool,
    pub(super) fin: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimerKind {
    Retransmit,
    Tail,
    Persist,
}

/// How a sender is set up.
#[derive(Debug, Clone, Copy)]
pub(super) struct SenderConfig {
    /// Payload of a full segment.
    pub(super) mss: u64,
    /// 0: ample.
    pub(super) buffer: u64,
    pub(super) nagle: bool,
    pub(super) sack: bool,
    pub(super) control: Control,
    pub(super) initial_cwnd: u32,
}

#[derive(Debug)]
pub(super) struct Sender {
    config: SenderConfig,
    una: u64,
    nxt: u64,
    /// End of what the application has written.
    written: u64,
    closing: bool,
    edge: u64,
    window: u64,
    max_window: u64,
    board: Board,
    congestion: Congestion,
    rtt: Rtt,
    /// Recovery lasts until this is acknowledged.
    recovery: Option<(u64, Cause)>,
    duplicates: u32,
    small_end: u64,
    timer: Option<(Nanos, TimerKind)>,
    backoff: u32,
    /// Timer expiries since anything was heard.
    unanswered: u32,
    limited: bool,
    /// Held by pacing until then.
    paced_until: Option<Nanos>,
    probe: Option<Outgoing>,
    last_sent: Nanos,
    last_ack: Nanos,
    dead: bool,
}

impl Sender {
    /// After the handshake, which took `rtt`; `window` is the peer's first.
    pub(super) fn new(config: SenderConfig, now: Nanos, rtt: Nanos, window: u64) -> Self {
        Self {
            config,
            una: 1,
            nxt: 1,
            written: 1,
            closing: false,
            edge: 1 + window,
            window,
            max_window: window,
            board: Board::default(),
            congestion: Congestion::new(config.control, config.mss, config.initial_cwnd),
            rtt: Rtt::new(rtt),
            recovery: None,
            duplicates: 0,
            small_end: 0,
            timer: None,
            backoff: 0,
            unanswered: 0,
            limited: false,
            paced_until: None,
            probe: None,
            last_sent: now,
            last_ack: now,
            dead: false,
        }
    }

    /// Room in the send buffer.
    pub(super) fn space(&self) -> u64 {
        match self.config.buffer {
            0 => u64::MAX,
            size => size.saturating_sub(self.written - self.una),
        }
    }

    /// Whether a writer that found the buffer full would be woken: a third must be free (Linux
    /// `sk_stream_is_writeable`).
    pub(super) fn writable(&self) -> bool {
        self.config.buffer == 0 || self.space() >= self.config.buffer.div_ceil(3)
    }

    pub(super) fn write(&mut self, bytes: u64) {
        self.written += bytes;
    }

    pub(super) fn close(&mut self) {
        self.closing = true;
    }

    pub(super) fn is_dead(&self) -> bool {
        self.dead
    }

    pub(super) fn kill(&mut self) {
        self.dead = true;
        self.timer = None;
    }

    pub(super) fn all_acked(&self) -> bool {
        self.una >= self.written
    }

    pub(super) fn una(&self) -> u64 {
        self.una
    }

    /// The sequence number of a segment without data.
    pub(super) fn next_seq(&self) -> u64 {
        self.nxt
    }

    /// Whether it was a closed window that the sender gave up on.
    pub(super) fn gave_up_probing(&self) -> bool {
        self.board.is_empty()
    }

    pub(super) fn last_ack(&self) -> Nanos {
        self.last_ack
    }

    pub(super) fn timeout(&self) -> Option<Nanos> {
        [self.timer.map(|t| t.0), self.paced_until].into_iter().flatten().min()
    }

    /// The limit that loss recovery gives, if it is going on.
    pub(super) fn recovering(&self) -> Option<Cause> {
        self.recovery.map(|r| r.1)
    }

    pub(super) fn on_ack(&mut self, now: Nanos, packet: &Packet, window: u64) {
        if packet.ack > self.nxt || packet.ack < self.una {
            return;
        }
        let advanced = packet.ack > self.una;
        self.unanswered = 0;
        let same_window = packet.ack + window == self.edge.max(packet.ack);
        self.una = packet.ack;
        self.edge = self.edge.max(packet.ack + window);
        self.window = window;
        self.max_window = self.max_window.max(window);
        let delivery = self.board.acknowledge(packet.ack, packet.sack_blocks());
        if let Some(sent) = delivery.sent_once {
            self.rtt.sample(now - sent);
        }
        if delivery.bytes > 0 {
            self.last_ack = now;
            self.backoff = 0;
        }
        if advanced {
            self.duplicates = 0;
        } else if packet.len == 0 && same_window && !self.board.is_empty() {
            self.duplicates += 1;
        }
        self.recover(now, packet, advanced);
        if self.recovery.is_none() || self.congestion.cause() == Cause::SlowStart {
            self.congestion.on_ack(now, delivery.bytes, self.rtt.min, self.limited);
        }
        if delivery.bytes > 0 || self.board.is_empty() {
            self.arm(now);
        }
    }

    /// Finds losses and starts or ends recovery.
    fn recover(&mut self, now: Nanos, packet: &Packet, advanced: bool) {
        if self.recovery.is_some_and(|r| self.una >= r.0) {
            self.recovery = None;
        }
        let found = if self.config.sack {
            self.board.mark_passed_over(self.rtt.min.scale(1, 4).max(Nanos(1)))
        } else {
            let found = match self.recovery {
                None => self.duplicates >= 3,
                Some((_, cause)) => advanced && cause == Cause::FastRetransmit,
            };
            if found {
                self.board.mark_first();
            }
            found
        };
        let repairing = self.recovery.is_some_and(|r| r.1 != Cause::TailLoss);
        if found && !repairing && packet.ack < self.nxt {
            self.congestion.on_loss(self.nxt - self.una);
            self.recovery = Some((self.nxt, Cause::FastRetransmit));
            self.arm(now);
        }
    }

    /// A timer has expired. Returns since when the sender has been waiting for it in vain.
    pub(super) fn on_timeout(&mut self, now: Nanos) -> Option<Nanos> {
        let (at, kind) = self.timer?;
        if at > now {
            return None;
        }
        self.timer = None;
        let expected = self.last_ack.max(self.last_sent + self.rtt.smoothed).min(now);
        match kind {
            TimerKind::Persist => self.probe_window(),
            TimerKind::Tail => {
                if let Some(s) = self.board.resend_last(now) {
                    self.probe = Some(self.again(&s));
                    self.recovery = Some((self.nxt, Cause::TailLoss));
                }
                self.timer = Some((now + self.rtt.timeout(0), TimerKind::Retransmit));
                return Some(expected);
            }
            TimerKind::Retransmit => {
                self.retransmission_timeout(now);
                return Some(expected);
            }
        }
        self.arm(now);
        None
    }

    fn retransmission_timeout(&mut self, now: Nanos) {
        if self.unanswered >= RETRIES {
            self.kill();
            return;
        }
        self.unanswered += 1;
        let cause = match self.board.first() {
            Some(s) if s.times > 1 && self.backoff == 0 => Cause::DoubleLoss,
            _ if self.board.any_sacked() && self.board.len() < 4 => Cause::SmallFlight,
            _ if self.recovering() == Some(Cause::TailLoss) => Cause::TailLoss,
            _ => Cause::Timeout,
        };
        if self.backoff == 0 {
            self.congestion.on_timeout(self.nxt - self.una);
        }
        self.backoff += 1;
        self.board.mark_all();
        let cause = self.recovery.filter(|_| self.backoff > 1).map_or(cause, |r| r.1);
        self.recovery = Some((self.nxt, cause));
        self.timer = Some((now + self.rtt.timeout(self.backoff), TimerKind::Retransmit));
    }

    /// A probe beyond a closed window: Linux sends no byte, one before the expected sequence number.
    fn probe_window(&mut self) {
        if self.unanswered >= RETRIES {
            self.kill();
            return;
        }
        self.unanswered += 1;
        self.backoff += 1;
        let room = self.edge.saturating_sub(self.nxt).min(self.written.saturating_sub(self.nxt));
        self.probe = Some(match room {
            0 => Outgoing { seq: self.una - 1, len: 0, push: false, fin: false },
            _ => self.cut(room),
        });
    }

    /// What goes on the wire now; asked until it gives nothing.
    pub(super) fn next(&mut self, now: Nanos) -> Option<Outgoing> {
        if self.dead {
            return None;
        }
        let out = self.probe.take().or_else(|| self.pick(now))?;
        self.congestion.on_send(now, u64::from(out.len), self.rtt.smoothed);
        if out.seq + u64::from(out.len) + u64::from(out.fin) > self.nxt {
            self.board.push(out.seq, out.seq + u64::from(out.len) + u64::from(out.fin), now);
            self.nxt = out.seq + u64::from(out.len) + u64::from(out.fin);
            if u64::from(out.len) < self.config.mss {
                self.small_end = self.nxt;
            }
        }
        self.last_sent = now;
        if !matches!(self.timer, Some((_, TimerKind::Retransmit)) if self.recovery.is_some()) {
            self.arm(now);
        }
        Some(out)
    }

    fn pick(&mut self, now: Nanos) -> Option<Outgoing> {
        if self.has_work() && self.board.is_empty() && now - self.last_sent > self.rtt.timeout(0) {
            self.congestion.on_idle();
        }
        if self.hold(now).is_some() {
            return None;
        }
        if self.board.has_lost() {
            let s = self.board.resend_lost(now)?;
            return Some(self.again(&s));
        }
        let room = self.edge.saturating_sub(self.nxt).min(self.written.saturating_sub(self.nxt));
        Some(self.cut(room))
    }

    /// Whether there is anything to send that the sender does not send.
    fn has_work(&self) -> bool {
        self.board.has_lost() || self.nxt < self.written || self.wants_fin()
    }

    fn wants_fin(&self) -> bool {
        self.closing && self.nxt == self.written
    }

    fn cut(&self, room: u64) -> Outgoing {
        let len = room.min(self.config.mss);
        let end = self.nxt + len;
        let fin = self.closing && end == self.written;
        let push = len > 0 && end == self.written;
        Outgoing { seq: self.nxt, len: len as u32, push, fin }
    }

    fn again(&self, s: &InFlight) -> Outgoing {
        let fin = s.end > self.written;
        let len = s.end - s.seq - u64::from(fin);
        Outgoing { seq: s.seq, len: len as u32, push: len > 0 && s.end >= self.written, fin }
    }

    /// What holds the next segment back; `None`: nothing does.
    pub(super) fn hold(&self, now: Nanos) -> Option<Hold> {
        if !self.has_work() {
            return Some(Hold::Empty);
        }
        // Limited transmit by packet conservation: NewReno counts duplicates as departures.
        let departed =
            if self.config.sack { 0 } else { u64::from(self.duplicates) * self.config.mss };
        let pipe = self.board.pipe().saturating_sub(departed);
        let want = match self.board.has_lost() {
            true => self.config.mss,
            false => self.config.mss.min(self.written - self.nxt),
        };
        let cwnd_full = pipe > 0 && pipe + want > self.congestion.window();
        if !self.board.has_lost() && !self.wants_fin() {
            let room = self.edge.saturating_sub(self.nxt);
            // Silly window avoidance (RFC 9293 section 3.8.6.2.1).
            let silly = room < want && room < self.max_window / 2;
            if room == 0 || (silly && !cwnd_full) {
                return Some(Hold::Window);
            }
            let small = want < self.config.mss && !self.closing;
            if small && self.config.nagle && self.small_end > self.una {
                return Some(Hold::Nagle);
            }
        }
        if cwnd_full {
            return Some(Hold::Congestion);
        }
        (self.congestion.next_send() > now).then_some(Hold::Pacing)
    }

    /// Remembers whether the congestion window was what held the last burst.
    pub(super) fn note(&mut self, now: Nanos, hold: Hold) {
        self.limited = hold == Hold::Congestion;
        self.paced_until = (hold == Hold::Pacing).then(|| self.congestion.next_send());
        if hold == Hold::Window && self.timer.is_none() {
            self.arm(now);
        }
    }

    /// The limit that a hold other than `Empty` means.
    pub(super) fn limit(&self, hold: Hold, growing: bool, unscaled: bool) -> (Limit, Cause) {
        match hold {
            Hold::Empty => (Limit::Application, Cause::SenderApplication),
            Hold::Nagle => (Limit::DelayedAck, Cause::Nagle),
            Hold::Congestion | Hold::Pacing => (Limit::CongestionWindow, self.congestion.cause()),
            Hold::Window => (Limit::ReceiveWindow, self.window_cause(growing, unscaled)),
        }
    }

    fn window_cause(&self, growing: bool, unscaled: bool) -> Cause {
        match self.window {
            w if w < self.config.mss.min(self.max_window / 4) => Cause::ZeroWindow,
            w if w < self.max_window / 2 => Cause::SlowReader,
            _ if growing => Cause::AutotuningLag,
            w if unscaled && w > 60_000 => Cause::NoWindowScaling,
            _ => Cause::SmallBuffer,
        }
    }

    /// Sets the timer that fits the state.
    fn arm(&mut self, now: Nanos) {
        self.timer = if self.dead {
            None
        } else if self.board.is_empty() {
            let stuck =
                self.nxt < self.written && self.edge.saturating_sub(self.nxt) < self.config.mss;
            stuck.then(|| (now + self.rtt.timeout(self.backoff), TimerKind::Persist))
        } else if self.config.sack && self.recovery.is_none() && self.backoff == 0 {
            // RFC 8985 section 7.2; one segment alone may meet a delayed ACK.
            let lonely =
                if self.board.len() == 1 { Nanos::from_millis(200) } else { Nanos::from_millis(2) };
            let tail = self.rtt.smoothed.scale(2, 1) + lonely;
            Some((now + tail.min(self.rtt.timeout(0)), TimerKind::Tail))
        } else {
            Some((now + self.rtt.timeout(self.backoff), TimerKind::Retransmit))
        };
    }
}

/// Why a sender does not send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// The send queue is empty.
    Empty,
    /// The advertised window.
    Window,
    /// The congestion window.
    Congestion,
    /// The pacing of the congestion control.
    Pacing,
    /// A small segment behind another small one.
    Nagle,
}
