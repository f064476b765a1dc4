//! One direction of a connection: its timeline, its transfers, and the answer.

use super::{
    Cause, Facts, Interval, Limit, Progress, Share, Side, Source, Traits, Transfer, Verdict,
    WhatIf, time_of,
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

    /// Payload bits per second over the transfer time, without what the receiver has not acknowledged.
    pub fn goodput_bps(&self) -> u64 {
        bits_per_second(self.delivered(), self.transfer)
    }

    /// As [`goodput_bps`](Self::goodput_bps), of one of its transfers.
    pub fn goodput_of(&self, transfer: &Transfer) -> u64 {
        let is_last = self.transfers.last() == Some(transfer);
        let missing = if is_last { self.bytes - self.delivered() } else { 0 };
        bits_per_second(transfer.bytes.saturating_sub(missing), transfer.to - transfer.from)
    }

    /// Payload bytes that the receiver has acknowledged. Where it advertised no window, its packets are not in the capture: all of them may
    /// have arrived.
    fn delivered(&self) -> u64 {
        let acked = self.timeline.iter().map(|i| i.evidence.acked).sum();
        if self.facts.max_window == 0 { self.bytes } else { self.bytes.min(acked) }
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

    /// Whether no data crossed because the other end's window was closed: who starts a capture when a transfer hangs sees nothing else of it than
    /// probes and what they are answered.
    pub fn is_shut_out(&self) -> bool {
        self.bytes == 0 && self.verdict.limit == Limit::ReceiveWindow
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Limit;
    use crate::model::made::{facts, interval};

    #[test]
    fn goodput_is_what_was_acknowledged() {
        let second = Nanos::from_millis(1_000);
        let verdict =
            Verdict { limit: Limit::SendBuffer, cause: Cause::None, share: 1.0, confidence: 0.9 };
        let timeline = |acked| {
            Box::new([interval(Limit::SendBuffer, (Nanos::ZERO, second), acked)]) as Box<[Interval]>
        };
        let transfer = |from, to, bytes| {
            let (retransmitted, first_frame, last_frame) = (0, 1, 2);
            Transfer { from, to, bytes, retransmitted, first_frame, last_frame }
        };
        let half = Nanos::from_millis(500);
        let mut d = Direction::without_data(Side::Server, timeline(3_000), verdict, facts());
        (d.bytes, d.transfer) = (5_000, second);
        d.transfers = Box::new([transfer(Nanos::ZERO, half, 1_000), transfer(half, second, 4_000)]);
        assert_eq!(d.goodput_bps(), 24_000);
        let each: Vec<u64> = d.transfers.iter().map(|t| d.goodput_of(t)).collect();
        assert_eq!(each, [16_000, 32_000], "what is missing was sent last");
        // Nobody knows what arrived where the receiver's packets were not captured.
        d.timeline = timeline(0);
        assert_eq!(d.goodput_bps(), 0);
        d.facts.max_window = 0;
        assert_eq!(d.goodput_bps(), 40_000);
    }
}
