//! What was found, in numbers; the words are the report's.

use crate::units::Nanos;
use crate::whatif::transfer::Prediction;

/// What is wrong, or could be better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// `tcp_wmem[2]` bounds the send buffer's autotuning below what the path needs.
    SendMax,
    /// `tcp_rmem[2]` bounds the receive buffer's autotuning below what the path needs.
    ReceiveMax,
    /// `wmem_max` clamps a program's SO_SNDBUF below what the path needs.
    SendClamp,
    /// `rmem_max` clamps a program's SO_RCVBUF below what the path needs.
    ReceiveClamp,
    /// Receive autotuning is off.
    NoAutotuning,
    /// Windows end at 64 KiB.
    NoWindowScaling,
    /// Losses are told one a round trip.
    NoSack,
    /// No RTT from retransmissions, no protection against wrapped sequence numbers.
    NoTimestamps,
    /// `tcp_adv_win_scale` takes window away (up to Linux 6.5).
    AdvWinScale,
    /// A pause shrinks the congestion window.
    IdleRestart,
    /// `tcp_notsent_lowat` keeps writers waiting.
    NotsentLowat,
    /// The route's first congestion window is smaller than the kernel's own.
    InitialWindow,
    /// The route's first receive window is smaller than the sender's first flight.
    InitialReceive,
    /// The congestion control recovers slowly on this path.
    Congestion,
    /// A shaper or an emulator sits on the device.
    Shaper,
    /// An offload is off.
    Offload,
    /// Arriving packets are not merged (GRO).
    ReceiveOffload,
    /// Packets are smaller than Ethernet's.
    SmallMtu,
    /// TCP takes more memory than `tcp_mem[1]`.
    MemoryPressure,
    /// `tcp_mem` allows more than the machine has: it counts pages, not bytes.
    MemoryMarks,
    /// `tcp_mem[2]` is less than one transfer over the path needs.
    MemoryLimit,
    /// A program fixed its socket's send buffer.
    SendLocked,
    /// A program fixed its socket's receive buffer.
    ReceiveLocked,
}

impl What {
    /// The published name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SendMax => "send_buffer_maximum",
            Self::ReceiveMax => "receive_buffer_maximum",
            Self::SendClamp => "send_buffer_clamp",
            Self::ReceiveClamp => "receive_buffer_clamp",
            Self::NoAutotuning => "receive_autotuning_off",
            Self::NoWindowScaling => "window_scaling_off",
            Self::NoSack => "sack_off",
            Self::NoTimestamps => "timestamps_off",
            Self::AdvWinScale => "adv_win_scale",
            Self::IdleRestart => "slow_start_after_idle",
            Self::NotsentLowat => "notsent_lowat",
            Self::InitialWindow => "initcwnd",
            Self::InitialReceive => "initrwnd",
            Self::Congestion => "congestion_control",
            Self::Shaper => "shaper",
            Self::Offload => "offload_off",
            Self::ReceiveOffload => "receive_offload_off",
            Self::SmallMtu => "small_mtu",
            Self::MemoryPressure => "memory_pressure",
            Self::MemoryMarks => "memory_marks",
            Self::MemoryLimit => "memory_limit",
            Self::SendLocked => "send_buffer_locked",
            Self::ReceiveLocked => "receive_buffer_locked",
        }
    }
}

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It holds a transfer over the path.
    Limit,
    /// It harms, now or when something else happens (loss, many connections).
    Harm,
    /// Good to know; it limits some transfers.
    Note,
}

impl Weight {
    /// The published name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::Harm => "harm",
            Self::Note => "note",
        }
    }
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What.
    pub what: What,
    /// How much it matters.
    pub weight: Weight,
    /// The setting (`net.ipv4.tcp_wmem`), or what else it is about: a route, a device, a socket.
    pub setting: String,
    /// Its value now.
    pub current: String,
    /// A sensible value, where there is one.
    pub sensible: Option<String>,
    /// What the sensible value brings by the model.
    pub gain: Option<Gain>,
    /// Memory that the sensible value can cost in the worst case.
    pub cost: Option<Cost>,
    /// Index of the path in the report for which this holds; `None`: it holds whatever the path.
    pub path: Option<usize>,
}

impl Finding {
    /// Whether the setting is a sysctl with a sensible value, which a drop-in could set.
    #[must_use]
    pub fn sysctl(&self) -> Option<(&str, &str)> {
        let value = self.sensible.as_deref()?;
        self.setting.starts_with("net.").then_some((self.setting.as_str(), value))
    }
}

/// A transfer that does not end, as far as the model follows it.
pub const NEVER: Nanos = Nanos::MAX;

/// The same transfer before and after, by the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gain {
    /// Bytes transferred.
    pub size: u64,
    /// Time now; [`NEVER`]: it does not end.
    pub before: Nanos,
    /// Time then.
    pub after: Nanos,
    /// Steady rate now, bits per second.
    pub before_bps: u64,
    /// Steady rate then.
    pub after_bps: u64,
    /// This is what all findings that limit bring together, and they need this one.
    pub together: bool,
}

impl Gain {
    /// From two predictions; `None` where it would be less than 5 % faster: that is not worth a word.
    pub(super) fn of(size: u64, before: &Prediction, after: &Prediction) -> Option<Self> {
        // Writers that never wake, or a week: the model gave up.
        let now = if before.complete { before.time } else { NEVER };
        let (b, a) = (now.0.max(0) as u128, after.time.0.max(0) as u128);
        (after.complete && a * 105 <= b * 100).then_some(Self {
            size,
            before: now,
            after: after.time,
            before_bps: before.steady_bps,
            after_bps: after.steady_bps,
            together: false,
        })
    }

    /// How many times as fast.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.before.secs() / self.after.secs().max(1e-9)
    }
}

/// Memory in the worst case, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// More than now, for a connection that uses all of it.
    pub each: u64,
    /// What bounds all connections together: `tcp_mem[2]`.
    pub all: Option<u64>,
}

/// A setting that is right, and that should stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leave {
    /// The setting.
    pub setting: &'static str,
    /// Its value.
    pub current: String,
}
