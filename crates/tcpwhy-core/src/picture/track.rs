//! One direction: what its sender sent, and what its receiver answered.

use super::flight::Flight;
use super::series::{Series, Stretch};
use super::unwrap::Unwrap;
use crate::observe::{Segment, flags};
use crate::units::Nanos;
use std::collections::VecDeque;

/// Sent segments that wait for their ACK, for RTT samples. More than any window holds in practice.
const MAX_WAITING: usize = 1 << 16;
/// Marks of each kind and direction: many of one kind do not keep a rare one out.
const MAX_MARKS: u32 = 10_000;

/// Something that happened at one moment and deserves a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The receiver closed its window.
    ZeroWindow,
    /// The sender filled the window to its edge.
    WindowFull,
    /// The same ACK once more, while data is under way (RFC 5681 section 2).
    DuplicateAck,
    /// The path marked data: congestion experienced (CE, RFC 3168 section 5).
    Marked,
    /// The receiver begins to echo a mark: the first ACK with ECE after one without (RFC 3168 section 6.1.3).
    Echo,
    /// The sender says that it reduced its congestion window (CWR, RFC 3168 section 6.1.2).
    Reduced,
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
    /// All of them, in the order in which they are declared.
    pub const ALL: [Self; 10] = [
        Self::ZeroWindow,
        Self::WindowFull,
        Self::DuplicateAck,
        Self::Marked,
        Self::Echo,
        Self::Reduced,
        Self::Syn,
        Self::Fin,
        Self::Rst,
        Self::Timeout,
    ];
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
    /// How many of each kind there are.
    marked: [u32; Mark::ALL.len()],
    /// The last ACK had ECE.
    echoed: bool,
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
            marked: [0; Mark::ALL.len()],
            echoed: false,
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

    /// Whether a point of data or of ACKs stands for more than one packet.
    pub(super) fn is_merged(&self) -> bool {
        self.data.samples_per_point().max(self.acks.samples_per_point()) > 1
    }

    /// The same with so many neighbours merged in each series.
    pub(super) fn coarser(&self, neighbours: u32) -> Self {
        let mut coarse = self.clone();
        let Self { data, resent, acks, sacks, edge, window, rtt, flight, .. } = &mut coarse;
        for series in [data, resent, acks, sacks, edge, window, rtt, flight] {
            *series = series.coarser(neighbours);
        }
        coarse
    }

    /// A segment of this direction's sender.
    pub(super) fn sent(&mut self, s: &Segment) {
        if s.has(flags::SYN) {
            self.unwrap.start(s.seq + 1);
            self.mark(Mark::Syn, s, 0);
            // TCP Fast Open (RFC 7413).
            if s.len > 0 {
                self.data(s, 0);
                self.heard = s.time;
            }
            return;
        }
        let from = self.unwrap.place(s.seq);
        if s.has(flags::RST) {
            self.mark(Mark::Rst, s, from);
        }
        if s.has(flags::FIN) {
            self.mark(Mark::Fin, s, from.saturating_add(i64::from(s.len)));
        }
        if s.ce {
            self.mark(Mark::Marked, s, from);
        }
        if s.len > 0 && s.has(flags::CWR) {
            self.mark(Mark::Reduced, s, from);
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
        // It stands in every ACK until the sender says that it has heard.
        let echoes = s.has(flags::ECE) && !s.has(flags::SYN);
        if echoes && !self.echoed {
            self.mark(Mark::Echo, s, ack);
        }
        self.echoed = echoes;
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
        let Some(count) = self.marked.get_mut(mark as usize) else { return };
        if *count < MAX_MARKS && since <= s.time && s.time <= until {
            *count += 1;
            self.marks.push((mark, s.time, place, s.frame));
        }
    }
}
