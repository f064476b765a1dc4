//! A client that sends over a link, captured beside it: what leaves when, and the ACKs that come back.

use crate::script::script;
use crate::segments::{analyse_one, direction};
use std::collections::VecDeque;
use tcpwhy_core::model::{Side, Verdict};

pub(crate) const MSS: u32 = 1460;
/// Milliseconds.
pub(crate) const ROUND_TRIP: f64 = 20.0;
/// What the link takes for a segment, in milliseconds: 100 Mbit/s.
const SPACING: f64 = 0.12;

/// A sender, the link behind it and the ACKs that come back.
pub(crate) struct Transfer {
    text: String,
    pub(crate) now: f64,
    sent: u32,
    acked: u32,
    /// When each segment's ACK comes in.
    acks: VecDeque<f64>,
    last_ack: f64,
}

impl Transfer {
    pub(crate) fn new() -> Self {
        let text =
            "0 C S win 64240 mss 1460 ws 10\n20 S S. win 65160 mss 1460 ws 10\n20 C . win 502\n";
        Self {
            text: text.to_owned(),
            now: 21.0,
            sent: 0,
            acked: 0,
            acks: VecDeque::new(),
            last_ack: 0.0,
        }
    }

    pub(crate) fn flight(&self) -> u32 {
        self.sent - self.acked
    }

    /// Sends so many segments at once; the last one empties the queue.
    pub(crate) fn send(&mut self, segments: u32) {
        for k in 0..segments {
            self.segment(if k + 1 == segments { "P." } else { "." });
        }
    }

    /// Sends one segment.
    pub(crate) fn segment(&mut self, flags: &str) {
        self.text += &format!("{:.4} C {flags} len {MSS}\n", self.now);
        self.last_ack = (self.now + ROUND_TRIP).max(self.last_ack + SPACING);
        self.acks.push_back(self.last_ack);
        self.sent += 1;
    }

    /// The next ACK comes in.
    pub(crate) fn hear(&mut self) {
        let Some(at) = self.acks.pop_front() else { return };
        self.acked += 1;
        self.now = self.now.max(at);
        self.text += &format!("{at:.4} S . ack {} win 2000\n", 1 + self.acked * MSS);
        self.now += 0.02;
    }

    /// Time passes until `time`.
    pub(crate) fn wait(&mut self, time: f64) {
        while self.acks.front().is_some_and(|at| *at <= time) {
            self.hear();
        }
        self.now = time;
    }

    pub(crate) fn verdict(mut self) -> Verdict {
        self.wait(self.now + 1000.0);
        direction(&analyse_one(&script(&self.text)), Side::Client).verdict
    }
}
