//! The sending half of a TCP endpoint: what may be sent now, what holds it, and its timers.

mod hold;
mod timers;

pub(super) use hold::Hold;

use super::board::{Board, InFlight};
use super::congestion::Congestion;
use super::packet::Packet;
use super::rtt::Rtt;
use super::scenario::Control;
use crate::model::Cause;
use crate::units::Nanos;
use timers::TimerKind;

/// A piece of the stream to put on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outgoing {
    pub(super) seq: u64,
    pub(super) len: u32,
    pub(super) push: bool,
    pub(super) fin: bool,
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
}
