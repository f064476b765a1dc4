//! What to simulate. Sizes in bytes, times in nanoseconds.

use crate::model::Side;
use crate::units::Nanos;

/// One connection: its path, its two ends and what their applications do. All data-direction settings
/// belong to the end named by `data_from` (sender) and its peer (receiver).
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// The end that sends the bulk of the data.
    pub data_from: Side,
    /// What the applications do.
    pub workload: Workload,
    /// Propagation round-trip time, without any queue.
    pub rtt: Nanos,
    /// Rate of the bottleneck in the data direction, in bit/s; 0: infinite.
    pub rate_bps: u64,
    /// Room in the bottleneck's queue, in bytes on the wire.
    pub queue_bytes: u64,
    /// Where the bottleneck (its queue and its drops) stands: 0 at the sender, 1 at the receiver.
    pub bottleneck: f64,
    /// What the path loses.
    pub loss: Loss,
    /// MSS as both SYNs announce it.
    pub mss: u16,
    /// The sender's send buffer; 0: ample.
    pub send_buffer: u64,
    /// The receiver's window.
    pub window: Window,
    /// How the receiving application reads.
    pub reader: Reader,
    /// Window scale in both SYNs.
    pub scale: Option<u8>,
    /// RFC 7323 timestamps, in milliseconds.
    pub timestamps: bool,
    /// RFC 2018 selective acknowledgments.
    pub sack: bool,
    /// The sender's congestion control.
    pub control: Control,
    /// Initial congestion window in segments.
    pub initial_cwnd: u32,
    /// How long the receiver may hold back an ACK; every second full segment is acknowledged at once.
    pub delayed_ack: Nanos,
    /// Whether a small segment waits while an earlier small one is unacknowledged (Linux's Nagle).
    pub nagle: bool,
    /// A capture at the sender sees segments of up to 64 KB, before the network card cuts them.
    pub tso: bool,
    /// Whether the capture holds the handshake.
    pub handshake: bool,
    /// How many SYNs are lost before one arrives (sent again after 1, 2, 4 ... s).
    pub syn_losses: u32,
    /// When the client calls connect().
    pub start: Nanos,
    /// Initial sequence numbers of client and server.
    pub isn: [u32; 2],
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for Scenario {
    /// A 2 MB download at 20 ms over 100 Mbit/s that nothing but the path limits.
    fn default() -> Self {
        Self {
            data_from: Side::Server,
            workload: Workload::default(),
            rtt: Nanos::from_millis(20),
            rate_bps: 100_000_000,
            queue_bytes: 500_000,
            bottleneck: 0.5,
            loss: Loss::None,
            mss: 1460,
            send_buffer: 0,
            window: Window::default(),
            reader: Reader::default(),
            scale: Some(7),
            timestamps: true,
            sack: true,
            control: Control::Reno,
            initial_cwnd: 10,
            delayed_ack: Nanos::from_millis(40),
            nagle: false,
            tso: false,
            handshake: true,
            syn_losses: 0,
            start: Nanos::from_secs(1_700_000_000),
            isn: [1_000_000, 4_000_000_000],
            seed: 1,
        }
    }
}

/// A sequence of messages from the data sender, each after a request of its peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workload {
    /// Number of messages.
    pub messages: u32,
    /// Size of each message.
    pub message_bytes: u64,
    /// Size of the request before each message; 0: the sender starts unasked.
    pub request_bytes: u64,
    /// What the sending application hands over in one write.
    pub write_bytes: u64,
    /// Time from one write to the next; 0: as fast as the send buffer takes them.
    pub write_every: Nanos,
    /// The sender's think time before each message.
    pub think: Nanos,
    /// The peer's think time before each request but the first.
    pub peer_think: Nanos,
}

impl Default for Workload {
    fn default() -> Self {
        Self {
            messages: 1,
            message_bytes: 2_000_000,
            request_bytes: 100,
            write_bytes: 65_536,
            write_every: Nanos::ZERO,
            think: Nanos::ZERO,
            peer_think: Nanos::ZERO,
        }
    }
}

/// The receive buffer as the window shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// At the start.
    pub initial: u64,
    /// The most that autotuning may reach; equal to `initial` when the buffer is fixed.
    pub max: u64,
}

impl Window {
    /// A fixed window.
    pub fn fixed(bytes: u64) -> Self {
        Self { initial: bytes, max: bytes }
    }
}

impl Default for Window {
    fn default() -> Self {
        Self { initial: 65_536, max: 6_000_000 }
    }
}

/// How the receiving application empties its buffer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reader {
    /// Bytes per second; 0: everything at once.
    pub bytes_per_second: u64,
    /// Size of one read when a rate is set.
    pub read_bytes: u64,
    /// Pauses `(from, to)` since the start, in order.
    pub pauses: Vec<(Nanos, Nanos)>,
}

/// What is lost in the data direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// Only what overflows the queue.
    None,
    /// Each packet with this chance in a thousand.
    PerMille(u32),
    /// The data packets with these numbers, from 0, retransmissions counted.
    Numbers(Vec<u64>),
    /// A token bucket: packets above `rate_bps` and a burst of `burst` bytes are dropped.
    Policer {
        /// Tokens per second, in bit/s.
        rate_bps: u64,
        /// Depth of the bucket in bytes.
        burst: u64,
    },
    /// Both directions lose everything from and until these times since the start.
    Outage(Nanos, Nanos),
    /// Data packets with more payload than this vanish (PMTU black hole).
    LargerThan(u32),
}

/// How the sender's congestion window moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// RFC 5681.
    Reno,
    /// RFC 9438, without its Reno-friendly region.
    Cubic,
    /// Paced at the measured delivery rate, as BBR does.
    Paced,
}
