//! What one direction of a link does to packets.

use crate::units::Nanos;

/// One direction of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct WaySpec {
    /// How fast bytes leave the queue.
    pub rate: Rate,
    /// Propagation, behind the queue.
    pub delay: Nanos,
    /// Each packet's delay varies by up to this, both ways, evenly; packets keep their order.
    pub jitter: Nanos,
    /// What is lost before the queue.
    pub loss: Loss,
    /// Share of packets (0 to 1) that skip the propagation delay's queue and so overtake others.
    pub reorder: f64,
    /// Share of packets (0 to 1) that arrive twice.
    pub duplicate: f64,
    /// The queue before the rate.
    pub queue: Queue,
    /// A token bucket that drops, in front of the queue.
    pub policer: Option<Policer>,
    /// Largest IP packet in bytes; larger ones are dropped in silence (a black hole).
    pub mtu: Option<u32>,
    /// Times in which everything is lost, from the link's first packet on.
    pub outages: Vec<Outage>,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for WaySpec {
    fn default() -> Self {
        Self {
            rate: Rate::Unlimited,
            delay: Nanos::ZERO,
            jitter: Nanos::ZERO,
            loss: Loss::default(),
            reorder: 0.0,
            duplicate: 0.0,
            queue: Queue::default(),
            policer: None,
            mtu: None,
            outages: Vec::new(),
            seed: 1,
        }
    }
}

/// How fast bytes leave.
#[derive(Debug, Clone, PartialEq)]
pub enum Rate {
    /// At once.
    Unlimited,
    /// Bits per second, of IP packets.
    Constant(u64),
    /// A mahimahi trace: milliseconds at which 1,504 bytes may leave, repeated for ever.
    Trace(Vec<u32>),
}

/// What is lost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loss {
    /// Share of packets (0 to 1), each by itself.
    pub random: f64,
    /// Losses that come in bursts.
    pub burst: Option<Burst>,
    /// These data packets (with TCP payload), counted from 1.
    pub nth: Vec<u64>,
}

/// Gilbert-Elliott: two states, losses in the bad one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Burst {
    /// Chance per packet to go from good to bad.
    pub enter: f64,
    /// Chance per packet to go back.
    pub leave: f64,
    /// Chance that a packet is lost in the bad state.
    pub loss: f64,
}

/// The queue before the rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Queue {
    /// Drops what does not fit.
    DropTail(QueueLimit),
    /// CoDel (RFC 8289) with its target and interval.
    CoDel {
        /// What fits at most.
        limit: QueueLimit,
        /// Sojourn time that is accepted.
        target: Nanos,
        /// Window over which the target must be exceeded.
        interval: Nanos,
        /// Mark packets that allow it (ECT) instead of dropping them.
        ecn: bool,
    },
    /// Drop-tail that marks ECT packets (CE) when more than `mark` bytes wait.
    Ecn {
        /// What fits at most.
        limit: QueueLimit,
        /// Bytes.
        mark: u64,
    },
}

impl Default for Queue {
    fn default() -> Self {
        Self::DropTail(QueueLimit::Bytes(1_000_000))
    }
}

/// What fits into a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueLimit {
    /// Bytes of IP packets.
    Bytes(u64),
    /// Packets.
    Packets(u64),
}

/// A token bucket that drops what exceeds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policer {
    /// Bits per second.
    pub rate_bps: u64,
    /// Burst credit in bytes.
    pub burst: u64,
}

/// A time in which everything is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// Start, from the link's first packet on.
    pub from: Nanos,
    /// End.
    pub to: Nanos,
}
