//! A model of one bulk transfer, for predictions: how long, and what holds it.
//!
//! Unlike [`traffic`](super::traffic), which keeps every packet because captures are made of them, this keeps only what is in
//! flight, follows the kernel's own buffer rules ([`crate::kernel`]) and runs millions of segments a second. Virtual time, one
//! seed, no IO.
//!
//! The sender recovers as Linux does from 6.16 on: RACK and tail loss probes (RFC 8985), proportional rate reduction (RFC 6937), F-RTO
//! (RFC 5682), each function under the kernel's name for it. Older kernels also count duplicate ACKs; on a path that keeps the order
//! the difference is small.
//!
//! Simplified: packets keep their order and ACKs are never lost, so nothing is learned about reordering; a reader takes no time; nothing
//! waits in the sender's own queues; a window smaller than a segment is used at once when nothing is in flight (Linux waits for the
//! persist timer).

mod account;
mod control;
mod follow;
mod path;
mod receiver;
mod run;
mod sender;
mod typical;

#[cfg(test)]
mod tests;

pub use follow::follow;
pub use run::predict;
pub use typical::{Typical, typical};

use crate::kernel::buffers::Asked;
use crate::kernel::window::Share;
use crate::kernel::{Sysctls, Version};
use crate::link::Policer;
use crate::units::{Nanos, bits_per_second};

/// How the congestion window moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// RFC 5681.
    Reno,
    /// RFC 9438 with HyStart as in Linux `tcp_cubic.c`.
    Cubic,
    /// BBR version 1 without its sampling of policers; losses are ignored.
    Bbr,
}

/// One end's kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// Its version.
    pub version: Version,
    /// Its sysctls.
    pub sysctls: Sysctls,
}

impl Default for End {
    fn default() -> Self {
        Self { version: Version::new(6, 18), sysctls: Sysctls::default() }
    }
}

/// What is transferred over what.
#[derive(Debug, Clone, PartialEq)]
pub struct Transfer {
    /// Bytes.
    pub size: u64,
    /// The narrowest link, bits per second; 0: without limit.
    pub rate_bps: u64,
    /// Round-trip time of the empty path.
    pub rtt: Nanos,
    /// Share of data packets lost at random, 0 to 1.
    pub loss: f64,
    /// Queue before the narrowest link, bytes.
    pub queue: u64,
    /// A token bucket before that queue, which drops.
    pub policer: Option<Policer>,
    /// The sender's congestion control.
    pub control: Control,
    /// SO_SNDBUF at the sender.
    pub sndbuf: Asked,
    /// SO_RCVBUF at the receiver, set before connect or listen.
    pub rcvbuf: Asked,
    /// The sender's kernel.
    pub sender: End,
    /// The receiver's kernel.
    pub receiver: End,
    /// The route's `initcwnd`, in segments.
    pub initcwnd: Option<u64>,
    /// The route's `initrwnd` at the receiver, in segments.
    pub initrwnd: Option<u64>,
    /// Part of the receive buffer that is window, where it is known (`ss` shows none; 229/256 with merged packets); else what the
    /// receiver's kernel makes of packets of an Ethernet.
    pub share: Option<Share>,
    /// What the receiving application reads, bytes per second; 0: everything at once.
    pub read_rate: u64,
    /// Bytes that the sending application passes in one call.
    pub write: u64,
    /// Nagle's algorithm (off: TCP_NODELAY).
    pub nagle: bool,
    /// Whether the sender's skbs hold more than a segment (segmentation offload).
    pub offload: bool,
    /// On a connection that has just carried as much: no handshake, windows have grown.
    pub warm: bool,
    /// Payload of a full segment.
    pub mss: u64,
    /// Seed of the losses, and of how long woken writers take to run.
    pub seed: u64,
}

impl Default for Transfer {
    fn default() -> Self {
        Self {
            size: 1_000_000,
            rate_bps: 100_000_000,
            rtt: Nanos::from_millis(20),
            loss: 0.0,
            queue: 1_000_000,
            policer: None,
            control: Control::Cubic,
            sndbuf: Asked::Automatic,
            rcvbuf: Asked::Automatic,
            sender: End::default(),
            receiver: End::default(),
            initcwnd: None,
            initrwnd: None,
            share: None,
            read_rate: 0,
            write: 65_536,
            nagle: true,
            offload: true,
            warm: false,
            mss: 1_448,
            seed: 1,
        }
    }
}

/// What holds the sender at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The connection opens, the request travels.
    Handshake,
    /// The congestion window, in its first growth.
    SlowStart,
    /// The congestion window, later (losses are why).
    Congestion,
    /// The send buffer.
    SendBuffer,
    /// The receive window.
    ReceiveWindow,
    /// The narrowest link is busy without a pause, or a policer's drops hold the congestion window down.
    Path,
    /// The last bytes travel.
    Last,
}

impl Phase {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::Handshake,
        Self::SlowStart,
        Self::Congestion,
        Self::SendBuffer,
        Self::ReceiveWindow,
        Self::Path,
        Self::Last,
    ];

    /// The published name (`docs/limits.md`), or the phase's own where it is no limit.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Handshake => "handshake",
            Self::SlowStart => "slow_start",
            Self::Congestion => "congestion_window",
            Self::SendBuffer => "send_buffer",
            Self::ReceiveWindow => "receive_window",
            Self::Path => "path_bandwidth",
            Self::Last => "last_bytes",
        }
    }
}

/// Round trips that the second half of a transfer takes at least where its rate is one: less is a burst or two.
const STEADY: i64 = 4;
/// The least part of the time that is worth a word.
const TOLD: f64 = 0.1;

/// What the model says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// From the first SYN (warm: from the request's arrival) until the last byte is read.
    pub time: Nanos,
    /// Until the last byte has arrived, read or not.
    pub arrived: Nanos,
    /// Whether the whole size arrived; if not, `time` is when the model gave up.
    pub complete: bool,
    /// Time in each phase, in the order of [`Phase::ALL`].
    pub phases: [Nanos; 7],
    /// Bits per second over the last half of the transfer.
    pub steady_bps: u64,
    /// Data segments sent again.
    pub resent: u64,
    /// Data segments sent.
    pub segments: u64,
    /// `sk_sndbuf` at the end.
    pub sndbuf: u64,
    /// `sk_rcvbuf` at the end.
    pub rcvbuf: u64,
}

impl Prediction {
    /// What held the sender longest.
    #[must_use]
    pub fn limit(&self) -> Phase {
        let longest = Phase::ALL.iter().zip(self.phases).max_by_key(|(_, time)| *time);
        longest.map_or(Phase::Handshake, |(phase, _)| *phase)
    }

    /// Bits per second over the whole transfer of so many bytes.
    #[must_use]
    pub fn mean_bps(&self, size: u64) -> u64 {
        bits_per_second(size, self.time)
    }

    /// Bits per second over the second half of so many bytes, where that takes some round trips.
    #[must_use]
    pub fn steady(&self, size: u64, rtt: Nanos) -> Option<u64> {
        let burst = bits_per_second(size - size / 2, rtt.max(Nanos(1)).scale(STEADY, 1));
        (self.steady_bps <= burst).then_some(self.steady_bps)
    }

    /// Bits per second in the second half of so many bytes where that takes some round trips, else over all of them: a burst has no rate.
    #[must_use]
    pub fn typical_bps(&self, size: u64, rtt: Nanos) -> u64 {
        self.steady(size, rtt).unwrap_or_else(|| self.mean_bps(size))
    }

    /// What held the sender for a tenth of the time or more, the longest first; each with its part of the time, 0 to 1.
    #[must_use]
    pub fn foremost(&self) -> Vec<(Phase, f64)> {
        let whole = self.phases.iter().map(|time| time.0 as f64).sum::<f64>().max(1.0);
        let parts = self.phases.map(|time| time.0 as f64 / whole);
        let mut parts: Vec<_> =
            Phase::ALL.into_iter().zip(parts).filter(|(_, part)| *part >= TOLD).collect();
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        parts
    }
}
