//! The taxonomy: the limits, their causes, and their published names.

/// What held a transfer back at one moment, judged at the sender. The names are the published API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// SYN to the first data allowed.
    Handshake,
    /// The sender has nothing to send.
    Application,
    /// Data waits in the process: the socket's send buffer is full of unacknowledged bytes.
    SendBuffer,
    /// The advertised window leaves no room for a segment.
    ReceiveWindow,
    /// Held by the congestion window while window and buffer would allow more.
    CongestionWindow,
    /// The narrowest link of the path is busy.
    PathBandwidth,
    /// Lost data is being found out and resent.
    LossRecovery,
    /// A small segment waits for a delayed ACK (Nagle).
    DelayedAck,
    /// One side sends into a hole.
    SilentPath,
    /// The evidence does not decide.
    Unknown,
}

impl Limit {
    /// All limits, in the order of the taxonomy.
    pub const ALL: [Self; 10] = [
        Self::Handshake,
        Self::Application,
        Self::SendBuffer,
        Self::ReceiveWindow,
        Self::CongestionWindow,
        Self::PathBandwidth,
        Self::LossRecovery,
        Self::DelayedAck,
        Self::SilentPath,
        Self::Unknown,
    ];

    /// The limit of a published name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.name() == name)
    }

    /// The published name, as in the JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Handshake => "handshake",
            Self::Application => "application",
            Self::SendBuffer => "send_buffer",
            Self::ReceiveWindow => "receive_window",
            Self::CongestionWindow => "congestion_window",
            Self::PathBandwidth => "path_bandwidth",
            Self::LossRecovery => "loss_recovery",
            Self::DelayedAck => "delayed_ack",
            Self::SilentPath => "silent_path",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a limit held: the second level of the taxonomy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// No finer cause is known.
    None,
    /// handshake: a SYN or SYN/ACK had to be sent again.
    SynRetry,
    /// application: the sending application produced nothing.
    SenderApplication,
    /// application: the other side's turn in a request/response exchange.
    WaitingForPeer,
    /// application: only keep-alives crossed.
    KeepAlive,
    /// send_buffer: the application set SO_SNDBUF, which switches autotuning off (`SOCK_SNDBUF_LOCK`).
    LockedByApplication,
    /// send_buffer: autotuning took it to the third value of `net.ipv4.tcp_wmem`.
    SystemMaximum,
    /// receive_window: the window is constant and moves with every ACK.
    SmallBuffer,
    /// receive_window: as `SmallBuffer`, and no window scaling is in use: 64 KiB at most.
    NoWindowScaling,
    /// receive_window: the window falls because the application does not read.
    SlowReader,
    /// receive_window: the window is closed.
    ZeroWindow,
    /// receive_window: the window grows and the flight is right behind it.
    AutotuningLag,
    /// congestion_window: doubling from the initial window.
    SlowStart,
    /// congestion_window: doubling again after an idle period.
    IdleRestart,
    /// congestion_window: growing slowly, usually after a loss.
    CongestionAvoidance,
    /// congestion_window: segments leave by a timer, spaced evenly.
    Pacing,
    /// path_bandwidth: a queue stands before the narrowest link.
    StandingQueue,
    /// path_bandwidth: the ACKs return evenly, without a gap, at the highest rate seen.
    SteadyRate,
    /// path_bandwidth: congestion is signalled by ECN marks.
    EcnMarked,
    /// path_bandwidth: packets above a rate are dropped without a queue.
    Policer,
    /// loss_recovery: repaired by fast retransmit or SACK.
    FastRetransmit,
    /// loss_recovery: waited for the retransmission timer.
    Timeout,
    /// loss_recovery: the last segments of a burst were lost, nothing followed to reveal it.
    TailLoss,
    /// loss_recovery: the retransmission was lost too.
    DoubleLoss,
    /// loss_recovery: too few segments in flight for three duplicate ACKs.
    SmallFlight,
    /// loss_recovery: the data had arrived, its ACKs were lost or late.
    Spurious,
    /// delayed_ack: Nagle holds a small segment until a delayed ACK arrives.
    Nagle,
    /// silent_path: retransmissions without an answer until the sender gave up.
    PeerVanished,
    /// silent_path: window probes without an answer.
    ProbesUnanswered,
    /// silent_path: only large segments vanish.
    PmtuBlackHole,
    /// silent_path: answered by RST because the other side had forgotten the connection.
    ConnectionForgotten,
    /// unknown: the capture lacks the packets that would show it.
    CaptureHole,
}

impl Cause {
    /// All causes, in the order of their limits.
    pub const ALL: [Self; 32] = [
        Self::None,
        Self::SynRetry,
        Self::SenderApplication,
        Self::WaitingForPeer,
        Self::KeepAlive,
        Self::LockedByApplication,
        Self::SystemMaximum,
        Self::SmallBuffer,
        Self::NoWindowScaling,
        Self::SlowReader,
        Self::ZeroWindow,
        Self::AutotuningLag,
        Self::SlowStart,
        Self::IdleRestart,
        Self::CongestionAvoidance,
        Self::Pacing,
        Self::StandingQueue,
        Self::SteadyRate,
        Self::EcnMarked,
        Self::Policer,
        Self::FastRetransmit,
        Self::Timeout,
        Self::TailLoss,
        Self::DoubleLoss,
        Self::SmallFlight,
        Self::Spurious,
        Self::Nagle,
        Self::PeerVanished,
        Self::ProbesUnanswered,
        Self::PmtuBlackHole,
        Self::ConnectionForgotten,
        Self::CaptureHole,
    ];

    /// The cause of a published name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == Some(name))
    }

    /// The published name, as in the JSON; `None` is `null` there.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::None => return None,
            Self::SynRetry => "SYN retry",
            Self::SenderApplication => "sender application",
            Self::WaitingForPeer => "waiting for the peer",
            Self::KeepAlive => "keep-alive",
            Self::LockedByApplication => "locked by the application",
            Self::SystemMaximum => "tcp_wmem maximum",
            Self::SmallBuffer => "small buffer",
            Self::NoWindowScaling => "no window scaling",
            Self::SlowReader => "slow reader",
            Self::ZeroWindow => "zero window",
            Self::AutotuningLag => "autotuning lag",
            Self::SlowStart => "slow start",
            Self::IdleRestart => "idle restart",
            Self::CongestionAvoidance => "congestion avoidance",
            Self::Pacing => "pacing",
            Self::StandingQueue => "standing queue",
            Self::SteadyRate => "steady rate",
            Self::EcnMarked => "ECN marked",
            Self::Policer => "policer",
            Self::FastRetransmit => "fast retransmit",
            Self::Timeout => "retransmission timeout",
            Self::TailLoss => "tail loss",
            Self::DoubleLoss => "double loss",
            Self::SmallFlight => "small flight",
            Self::Spurious => "spurious",
            Self::Nagle => "Nagle",
            Self::PeerVanished => "peer vanished",
            Self::ProbesUnanswered => "probes unanswered",
            Self::PmtuBlackHole => "PMTU black hole",
            Self::ConnectionForgotten => "connection forgotten",
            Self::CaptureHole => "capture hole",
        })
    }
}
