//! What can be advised. No words here: see `words::step`.

use super::bdp::Bdp;
use super::figures::Place;
use crate::model::Limit;
use crate::units::Nanos;

/// A change to make, or a place to look, with its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Work(Work),
    Buffer(Buffer),
    Network(Network),
    Life(Life),
}

/// A step in an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    ProfileApplication { at: Place, first: bool },
    Uncork { at: Place },
    ProfilePeer { at: Place },
    SeeAnswers { at: Place, held_by: Limit },
    EnlargeGrant { at: Place, asks: Place, rtt: Nanos, flight: u64 },
    BatchRequests { at: Place, rtt: Nanos, turns: u64 },
    NoSettingHelps,
    ShortenTheWay,
    CarryLess { carried: Nanos },
    KeepAliveIsHarmless,
    InspectReader { at: Place, frames: (u64, u64) },
    LargerBufferOnlyPostpones { at: Place },
    WriteMoreAtOnce { at: Place },
    SoonerNotShorter { by: Nanos, then: Nanos, next: Limit },
    CombineWrites { at: Place },
    SetNodelay { at: Place },
}

/// A step on a socket buffer or window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Buffer {
    RemoveSndbuf { at: Place },
    SetSndbuf { at: Place, bdp: Bdp },
    RaiseWmem { at: Place, bdp: Bdp },
    InspectSndbuf { at: Place },
    RemoveRcvbuf { at: Place },
    SetRcvbuf { at: Place, bdp: Bdp },
    RaiseRmem { at: Place, bdp: Bdp },
    ScaleFixed { at: Place, shift: u8 },
    EnableScaling { at: Place },
    SuspectNoScaling { at: Place, window: u64 },
    FindStrippingMiddlebox,
    AutotuningIsWorking { at: Place },
    RaiseInitialWindow { at: Place, bdp: Option<Bdp> },
}

/// What a capture does not show that a prediction goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unseen {
    /// How long a round trip is; `resent`: for data was sent again.
    Round { resent: bool },
    /// What the path carries: more than these bit/s, perhaps.
    Path { carried: u64 },
}

/// A step on the congestion control or the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Network {
    ReuseConnection { rtt: Nanos, first: u64 },
    RaiseInitcwnd { at: Place },
    KeepCwndAfterIdle { at: Place },
    FindLoss { at: Place },
    TryBbr { at: Place },
    InspectPacing { at: Place },
    InspectCwnd { at: Place },
    LittleToGain { then: Nanos, next: Limit },
    GainUnknown(Unseen),
    NothingToGain { rate: u64, shared_by: u64 },
    NothingWhileFull { rate: u64 },
    Besides { other: Limit, left: Nanos, at_most: bool },
    CompareWithLink { rate: u64, shared_by: u64 },
    SendLess { resting: bool },
    SuspectTheWriter { at: Place, queue_unseen: bool },
    ShortenQueue { floor: Nanos, high: Nanos },
    QueueIsManaged { long: Option<(Nanos, Nanos)> },
    MarkLater { rtt: Nanos },
    ShapeBelowPolicer { at: Place, rate: u64 },
    RaisePolicedRate,
    KeepRack { at: Place },
    FindReordering,
}

/// A step on how connections open and die, or on the evidence itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    CheckListener { at: Place },
    CheckListenQueue { at: Place },
    CheckSynPath,
    CheckAnswer { at: Place },
    ReuseAgainstHandshake { rtt: Nanos },
    ReuseAgainstTurns { rtt: Nanos, turns: u64 },
    CheckPath { frames: (u64, u64) },
    CompareSizes { to: Place, mss: u32, ping: u32 },
    DetectDeadPeer { at: Place },
    AllowIcmp,
    ProbeMtu { at: Place },
    ClampMss { mss: u32 },
    KeepStateAlive,
    CaptureBetter { at: Place, one_way: bool },
    CaptureAll,
    AskKernel { at: Place },
}
