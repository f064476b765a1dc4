//! What the link must know of a packet, and what becomes of packets.

use crate::units::Nanos;

/// What the link must know of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parcel {
    /// Bytes of IP packets that it takes on the wire (of all segments, where an offloaded packet travels whole).
    pub bytes: u64,
    /// The largest IP packet in it, in bytes.
    pub largest: u32,
    /// Whether it carries TCP payload.
    pub data: bool,
    /// Whether it may be marked instead of dropped (ECT, RFC 3168).
    pub ect: bool,
}

/// Why a packet was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// In an outage window.
    Outage,
    /// Larger than the link's MTU.
    TooLarge,
    /// By random loss.
    Random,
    /// By burst loss.
    Burst,
    /// Named by its number.
    Nth,
    /// Over the policer's credit.
    Policer,
    /// The queue was full.
    QueueFull,
    /// CoDel's choice.
    CoDel,
}

impl DropReason {
    /// Every reason.
    pub const ALL: [Self; 8] = [
        Self::Outage,
        Self::TooLarge,
        Self::Random,
        Self::Burst,
        Self::Nth,
        Self::Policer,
        Self::QueueFull,
        Self::CoDel,
    ];

    /// A short name for files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Outage => "outage",
            Self::TooLarge => "too_large",
            Self::Random => "random",
            Self::Burst => "burst",
            Self::Nth => "nth",
            Self::Policer => "policer",
            Self::QueueFull => "queue_full",
            Self::CoDel => "codel",
        }
    }
}

/// What became of an offered packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It waits; CoDel may still drop it.
    Accepted,
    /// It is gone.
    Dropped(DropReason),
}

/// A packet that arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery<T> {
    /// What was offered.
    pub payload: T,
    /// Its description.
    pub parcel: Parcel,
    /// When it came to the queue.
    pub entered: Nanos,
    /// When its last byte left the queue.
    pub left: Nanos,
    /// When it arrives.
    pub due: Nanos,
    /// Congestion was experienced: set CE.
    pub mark: bool,
    /// How often it arrives: 1, or 2 for a duplicated packet.
    pub copies: u32,
}

/// What happened so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Packets offered.
    pub offered: u64,
    /// Packets taken at the other end, duplicates not counted.
    pub delivered: u64,
    /// Their bytes.
    pub delivered_bytes: u64,
    /// Packets that got a mark.
    pub marked: u64,
    /// Packets that arrived twice.
    pub duplicated: u64,
    /// Packets that skipped the delay.
    pub reordered: u64,
    /// Most bytes that ever waited.
    pub most_waiting: u64,
    drops: [u64; DropReason::ALL.len()],
}

impl Counters {
    pub(super) fn drop(&mut self, reason: DropReason) {
        self.drops[reason as usize] += 1;
    }

    /// Packets dropped for this reason.
    pub fn dropped(&self, reason: DropReason) -> u64 {
        self.drops[reason as usize]
    }

    /// All packets dropped.
    pub fn dropped_in_all(&self) -> u64 {
        self.drops.iter().sum()
    }
}
