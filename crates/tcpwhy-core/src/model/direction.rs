//! One direction of a connection: its timeline, its transfers, and the answer.

use super::{
    Cause, Facts, Interval, Progress, Share, Side, Source, Traits, Transfer, Verdict, WhatIf,
    time_of,
};
use crate::units::{Nanos, bits_per_second, time_by_key};
use std::sync::Arc;

/// One direction of a connection.
#[derive(Debug, Clone, PartialEq)]
pub struct Direction {
    /// Who sends.
    pub from: Side,
    /// Payload bytes, each counted once.
    pub bytes: u64,
    /// First data sent to last data acknowledged.
    pub transfer: Nanos,
    /// Payload bytes sent again.
    pub retransmitted: u64,
    /// The answer.
    pub verdict: Verdict,
    /// Times with a limit lifted, the shortest first.
    pub what_if: Box<[WhatIf]>,
    /// The partition of the direction's time.
    pub timeline: Box<[Interval]>,
    /// Requests and responses, the first [`super::MAX_TRANSFERS`] of them.
    pub transfers: Box<[Transfer]>,
    /// Transfers beyond those listed.
    pub transfers_omitted: u32,
    /// To the end the peer waited for data of it, an answer: the last part of the timeline.
    pub owes: bool,
    /// What holds for all of it.
    pub facts: Facts,
    /// How its data went on, where that was enough to fill a path. Shared with what compares the data of all connections.
    pub progress: Option<Arc<Progress>>,
    /// What the model goes by, until it has made the predictions: [`refine`](crate::whatif::refine).
    pub traits: Option<Traits>,
}

impl Direction {
    /// One in which no data was seen: how its time passed, and the answer.
    pub fn without_data(
        from: Side,
        timeline: Box<[Interval]>,
        verdict: Verdict,
        facts: Facts,
    ) -> Self {
        Self {
            from,
            bytes: 0,
            transfer: Nanos::ZERO,
            retransmitted: 0,
            verdict,
            what_if: Box::default(),
            timeline,
            transfers: Box::default(),
            transfers_omitted: 0,
            owes: false,
            facts,
            progress: None,
            traits: None,
        }
    }

    /// Payload bits per second over the transfer time; none where the receiver has acknowledged nothing.
    pub fn goodput_bps(&self) -> u64 {
        if self.is_in_vain() { 0 } else { bits_per_second(self.bytes, self.transfer) }
    }

    /// As [`goodput_bps`](Self::goodput_bps), of one of its transfers.
    pub fn goodput_of(&self, transfer: &Transfer) -> u64 {
        let time = transfer.to - transfer.from;
        if self.is_in_vain() { 0 } else { bits_per_second(transfer.bytes, time) }
    }

    /// Whether the receiver has acknowledged nothing. Where it advertised no window either, its packets are not in the capture.
    fn is_in_vain(&self) -> bool {
        self.facts.max_window > 0 && self.timeline.iter().all(|i| i.evidence.acked == 0)
    }

    /// How many transfers there were: each begins when the other end has spoken.
    pub fn turns(&self) -> u64 {
        self.transfers.len() as u64 + u64::from(self.transfers_omitted)
    }

    /// Time by limit and cause, longest first: the timeline added up.
    pub fn limits(&self) -> Vec<Share> {
        let times = self.timeline.iter().map(|i| ((i.limit, i.cause), i.duration()));
        let share = |((limit, cause), duration)| Share { limit, cause, duration };
        let mut shares: Vec<Share> = time_by_key(times).into_iter().map(share).collect();
        shares.sort_by_key(|s| (std::cmp::Reverse(s.duration), s.limit, s.cause));
        shares
    }

    /// Whether the kernel's samples say the verdict, too, for most of its time: they know windows in bytes.
    pub fn rests_on_samples(&self) -> bool {
        let says = |i: &Interval| (i.limit, i.cause) == (self.verdict.limit, self.verdict.cause);
        let of = |sampled: bool| {
            time_of(&self.timeline, |i| says(i) && (i.source != Source::Packets) == sampled)
        };
        of(true) > of(false)
    }

    /// The time in which the peer waited for data that this end owes it, where that is so.
    pub fn owing(&self) -> Option<&Interval> {
        self.timeline.last().filter(|_| self.owes)
    }

    /// How long that was.
    pub fn owed(&self) -> Option<Nanos> {
        self.owing().map(|owed| owed.duration())
    }

    /// For how long the server's application had nothing ready before its first byte, though its turn had come: that is part of no transfer,
    /// and yet somebody waited. (Nobody does while a client has nothing to ask.)
    pub fn thought(&self) -> Nanos {
        let first = self.transfers.first().filter(|_| self.from == Side::Server);
        let Some(begins) = first.map(|transfer| transfer.from) else { return Nanos::ZERO };
        let thinks = |i: &&Interval| i.cause == Cause::SenderApplication && i.from < begins;
        let times = self.timeline.iter().filter(thinks).map(|i| i.to.min(begins) - i.from);
        times.fold(Nanos::ZERO, |sum, time| sum + time)
    }

    /// The time that the timeline covers.
    pub fn span(&self) -> Nanos {
        match (self.timeline.first(), self.timeline.last()) {
            (Some(first), Some(last)) => last.to - first.from,
            _ => Nanos::ZERO,
        }
    }
}
