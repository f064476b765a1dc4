//! One direction: what its sender sent, and what its receiver answered.

use super::flight::Flight;
use super::series::{Series, Stretch};
use super::unwrap::Unwrap;
use crate::observe::{Segment, flags};
use crate::units::Nanos;
use std::collections::VecDeque;

/// Sent segments that wait for their ACK, for RTT samples. More than any window holds in practice.
const MAX_WAITING: usize = 1 << 16;
/// Marks of a direction; what comes later is only counted.
const MAX_MARKS: usize = 20_000;

/// Something that happened at one moment and deserves a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The receiver closed its window.
    ZeroWindow,
    /// The sender filled the window to its edge.
    WindowFull,
    /// The same ACK once more, while data is under way (RFC 5681 section 2).
    DuplicateAck,
    /// Congestion experienced, or its echo (RFC 3168).
    Congestion,
    /// A SYN.
    Syn,
    /// A FIN.
    Fin,
    /// A RST.
    Rst,
    /// A segment sent again because nothing came back in time (RFC 6298; RFC 8985 for the probe of a tail).
    Timeout,
}

impl Mark {
    /// The name in the page's data.
    pub fn name(self) -> &'static str {
        match self {
            Self::ZeroWindow => "zero_window",
            Self::WindowFull => "window_full",
            Self::DuplicateAck => "duplicate_ack",
            Self::Congestion => "ecn",
            Self::Syn => "syn",
            Self::Fin => "fin",
            Self::Rst => "rst",
            Self::Timeout => "timeout",
        }
    }
}

/// How a direction is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Setting {
    /// Shift of the receiver's window field.
    pub scale: u8,
    /// One-way time between the sender and the capture point.
    pub leg: Nanos,
    /// The shortest round trip: a sender that was silent for longer did not answer anything.
    pub rtt: Nanos,
    /// Points a series may have.
    pub limit: usize,
    /// The time of which they are kept.
    pub stretch: Stretch,
}

/// The series of one direction. Times are those of the capture, except for the bytes in flight, which
/// are at the sender. Values are bytes from the first one after the SYN, or lengths in bytes, or
/// nanoseconds for the RTT.
#[derive(Debug, Clone)]
pub struct Track {
    /// Segments sent for the first time: first byte and the one after the last.
    pub data: Series,
    /// Segments sent again.
    pub resent: Series,
    /// Cumulative ACKs.
    pub acks: Series,
    /// SACK blocks.
    pub sacks: Series,
    /// Right edge of the advertised window.
    pub edge: Series,
    /// The advertised window.
    pub window: Series,
    /// Round-trip times at the sender, of segments that were sent once.
    pub rtt: Series,
    /// Bytes sent and not acknowledged, on the sender's clock.
    pub flight: Series,
    /// Moments with a symbol: time, place, frame.
    pub marks: Vec<(Mark, Nanos, i64, u64)>,
    setting: Setting,
    unwrap: Unwrap,
    next: i64,
    acked: Option<i64>,
    right: Option<i64>,
    last_window: i64,
    resent_end: i64,
    /// Duplicate ACKs since the last new one.
    duplicates: u32,
    /// The last packet of either way.
    heard: Nanos,
    waiting: VecDeque<(i64, Nanos)>,
    outstanding: Flight,
}

impl Track {
    pub(super) fn new(setting: Setting) -> Self {
        let series = || Series::within(setting.stretch, setting.limit);
        Self {
            data: series(),
            resent: series(),
            acks: series(),
            sacks: series(),
            edge: series(),
            window: series(),
            rtt: series(),
            flight: series(),
            marks: Vec::new(),
            setting,
            unwrap: Unwrap::default(),
            next: 0,
            acked: None,
            right: None,
            last_window: -1,
            resent_end: i64::MIN,
            duplicates: 0,
            heard: Nanos::MAX,
            waiting: VecDeque::new(),
            outstanding: Flight::new(setting.leg),
        }
    }

    /// A segment of this direction's sender.
    pub(super) fn sent(&mut self, s: &Segment) {
        if s.has(flags::SYN) {
            self.unwrap.start(s.seq + 1);
            return self.mark(Mark::Syn, s, 0);
        }
        let from = self.unwrap.place(s.seq);
        if s.has(flags::RST) {
            self.mark(Mark::Rst, s, from);
        }
        if s.has(flags::FIN) {
            self.mark(Mark::Fin, s, from.saturating_add(i64::from(s.len)));
        }
        if s.ce {
            self.mark(Mark::Congestion, s, from);
        }
        if s.len > 0 {
            self.data(s, from);
            self.heard = s.time;
        }
    }

    /// A segment of this direction's receiver.
    pub(super) fn answered(&mut self, s: &Segment) {
        if !s.has(flags::ACK) || s.has(flags::RST) {
            return;
        }
        let shift = if s.has(flags::SYN) { 0 } else { self.setting.scale.min(14) };
        let window = i64::from(s.window) << shift;
        let ack = self.unwrap.place(s.ack);
        // Data of the other direction that acknowledges nothing new is drawn there.
        let silent = s.len > 0 && self.acked.is_some_and(|acked| ack <= acked);
        self.acknowledged(s, ack, window);
        let right = ack.saturating_add(window);
        self.right = Some(self.right.map_or(right, |r| r.max(right)));
        if !silent {
            self.acks.push(s.time, ack, ack, s.frame);
        }
        self.edge.hold(s.time, right, s.frame);
        self.window.hold(s.time, window, s.frame);
        for (left, right) in s.options.sack_blocks() {
            let (left, right) = (self.unwrap.place(*left), self.unwrap.place(*right));
            self.sacks.push(s.time, left.min(right), right.max(left), s.frame);
        }
        self.outstanding.ack(s.time, ack, s.frame, &mut self.flight);
    }

    /// The end of the capture: what waited for its moment is drawn.
    pub(super) fn finish(&mut self) {
        self.outstanding.finish(&mut self.flight);
    }

    fn data(&mut self, s: &Segment, from: i64) {
        let end = from.saturating_add(i64::from(s.len));
        if end <= self.next {
            if self.duplicates == 0 && s.time - self.heard > self.setting.rtt {
                self.mark(Mark::Timeout, s, from);
            }
            self.resent.push(s.time, from, end, s.frame);
            self.resent_end = self.resent_end.max(end);
            return;
        }
        self.data.push(s.time, from, end, s.frame);
        self.next = end;
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back((end, s.time));
        }
        if self.right.is_some_and(|right| end >= right) {
            self.mark(Mark::WindowFull, s, end);
        }
        self.outstanding.sent(s.time, end, s.frame, &mut self.flight);
    }

    fn acknowledged(&mut self, s: &Segment, ack: i64, window: i64) {
        if window == 0 && self.last_window != 0 {
            self.mark(Mark::ZeroWindow, s, ack);
        }
        let again = self.acked == Some(ack) && window == self.last_window;
        if again && s.len == 0 && self.next > ack && !s.has(flags::FIN) {
            self.mark(Mark::DuplicateAck, s, ack);
            self.duplicates += 1;
        }
        if self.acked.is_some_and(|acked| ack > acked) {
            self.duplicates = 0;
        }
        self.heard = s.time;
        if s.has(flags::ECE) && !s.has(flags::SYN) {
            self.mark(Mark::Congestion, s, ack);
        }
        self.last_window = window;
        self.acked = Some(self.acked.map_or(ack, |a| a.max(ack)));
        let mut sample = None;
        while let Some(&(end, time)) = self.waiting.front()
            && end <= ack
        {
            // Karn: a segment that was sent twice does not tell which one is answered.
            sample = (end > self.resent_end).then_some(time);
            self.waiting.pop_front();
        }
        if let Some(sent) = sample {
            let rtt = (s.time - sent + self.setting.leg + self.setting.leg).0;
            self.rtt.push(s.time, rtt, rtt, s.frame);
        }
    }

    fn mark(&mut self, mark: Mark, s: &Segment, place: i64) {
        let (since, until) = self.setting.stretch;
        if self.marks.len() < MAX_MARKS && since <= s.time && s.time <= until {
            self.marks.push((mark, s.time, place, s.frame));
        }
    }
}
