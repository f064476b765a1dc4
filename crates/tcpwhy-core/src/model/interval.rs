//! A piece of a timeline.

use super::{Cause, Limit};
use crate::units::{Nanos, bits_per_second};

/// Hosts stamp packets to the microsecond, if they are good.
const SHORTEST_TOLD: Nanos = Nanos::from_micros(1);

/// Numbers measured over one interval; 0 where nothing could be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Evidence {
    /// Payload bytes newly acknowledged.
    pub acked: u64,
    /// Largest bytes in flight: the plateau.
    pub flight: u64,
    /// Smallest advertised window seen, in bytes, scaled; a window has 30 bits at most.
    pub window: u32,
    /// Smallest room left (right window edge minus the highest byte sent) at a stall, in bytes.
    pub room: u32,
    /// Smallest RTT sample.
    pub rtt_min: Nanos,
    /// Mean RTT sample.
    pub rtt_mean: Nanos,
    /// Times the sender stopped and waited.
    pub stalls: u32,
    /// Longest of these.
    pub longest_stall: Nanos,
    /// Segments sent again.
    pub retransmissions: u32,
}

/// What an interval's limit rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Source {
    /// Packets alone.
    #[default]
    Packets,
    /// Packets, and the kernel's samples of a socket say the same.
    Both,
    /// The kernel's samples of a socket; the packets do not decide.
    Samples,
}

impl Source {
    /// The published name, as in the JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Packets => "packets",
            Self::Both => "packets and samples",
            Self::Samples => "samples",
        }
    }
}

/// One stretch of the timeline: exactly one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// Start, inclusive.
    pub from: Nanos,
    /// End, exclusive; the next interval's start.
    pub to: Nanos,
    /// What held the sender.
    pub limit: Limit,
    /// Why.
    pub cause: Cause,
    /// How sure, in percent.
    pub confidence: u8,
    /// Who says so.
    pub source: Source,
    /// First frame that shows it.
    pub first_frame: u64,
    /// Last frame that shows it.
    pub last_frame: u64,
    /// The measured numbers.
    pub evidence: Evidence,
}

impl Interval {
    /// How long it lasts.
    pub fn duration(&self) -> Nanos {
        self.to - self.from
    }

    /// Delivery rate over the interval, in bit/s; none over a time that no capture's clock tells.
    pub fn rate_bps(&self) -> u64 {
        let told = self.duration() >= SHORTEST_TOLD;
        if told { bits_per_second(self.evidence.acked, self.duration()) } else { 0 }
    }
}

/// Time of the intervals that are meant, together.
pub fn time_of(timeline: &[Interval], is_meant: impl Fn(&Interval) -> bool) -> Nanos {
    let meant = timeline.iter().filter(|i| is_meant(i));
    meant.fold(Nanos::ZERO, |sum, i| sum + i.duration())
}

/// Payload bytes acknowledged in these intervals, and their time.
pub(crate) fn acked_in<'a>(intervals: impl Iterator<Item = &'a Interval>) -> (u64, Nanos) {
    intervals
        .fold((0, Nanos::ZERO), |(bytes, time), i| (bytes + i.evidence.acked, time + i.duration()))
}
