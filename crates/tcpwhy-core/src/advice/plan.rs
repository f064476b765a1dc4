//! Which changes help against a verdict, most useful first. No words here: see `words::step`.

use super::bdp::Bdp;
use super::figures::{Figures, Place};
use super::opening::Opening;
use super::promises;
use super::step::{Buffer, Life, Network, Step, Unseen, Work};
use crate::kernel::start::INITIAL_WINDOW;
use crate::model::{Cause, Limit, Side, WhatIf, WindowScale};
use crate::units::Nanos;
use std::net::IpAddr;

/// Steps against the limit that held at other times: what helps most.
const MOST_BESIDES: usize = 2;

/// What to do about the verdict, and about the `other` limit that held besides.
pub(crate) fn steps(f: &Figures, other: Option<&Figures>) -> Vec<Step> {
    if f.is_idle() {
        return Vec::new();
    }
    let mut steps: Vec<Step> = gain(f).into_iter().collect();
    steps.extend(against(f));
    let mut more = other.map_or_else(Vec::new, |other| besides(f, other));
    more.retain(|step| !steps.contains(step));
    if let Some(w) = f.besides.filter(|_| !more.is_empty()) {
        let (other, left, at_most) = (w.lift, w.transfer, w.at_most);
        steps.push(Step::Network(Network::Besides { other, left, at_most }));
        steps.extend(more.into_iter().take(MOST_BESIDES));
    }
    steps
}

/// What to do about the `other` limit. What the path needed for turns has been told.
fn besides(f: &Figures, other: &Figures) -> Vec<Step> {
    if other.verdict.limit == Limit::PathBandwidth {
        let less = Step::Network(Network::SendLess { resting: f.mostly_rests() });
        return (f.carried == Nanos::ZERO).then_some(less).into_iter().collect();
    }
    let mut steps = against(other);
    steps.retain(|step| !matches!(step, Step::Work(Work::NoSettingHelps | Work::ShortenTheWay)));
    steps
}

/// What is to be said of the gain before anything else: that there is little of it, or that nobody knows.
fn gain(f: &Figures) -> Option<Step> {
    match f.lifted {
        Some(w) if hides_another(f) && !promises(f.transfer, w.transfer) => Some(little(f, w)),
        None if f.rtt_floor == Nanos::ZERO && goes_by_rounds(f.verdict.limit) => {
            let resent = f.retransmitted > 0 && !f.one_way;
            Some(Step::Network(Network::GainUnknown(Unseen::Round { resent })))
        }
        _ => None,
    }
}

/// Without its limit, as `w` has it, the transfer is hardly shorter, or nobody knows.
fn little(f: &Figures, w: WhatIf) -> Step {
    let (then, next) = (w.transfer, w.next);
    if f.verdict.limit == Limit::DelayedAck {
        return Step::Work(Work::SoonerNotShorter { by: f.longest_stall, then, next });
    }
    Step::Network(match w.at_most && next == Limit::PathBandwidth {
        true => Network::GainUnknown(Unseen::Path { carried: f.peak_bps }),
        false => Network::LittleToGain { then, next },
    })
}

/// Whether the limit hides another that holds nearly as hard: a writer with a clock of its own is not faster for an ACK that comes at
/// once. Of a busy path it is said in other words; a handshake's time is none of the transfer's. What an application thinks before
/// its first byte is not, either, nor what nobody answered after the last; and of turns only the thinking is lifted: fewer of them gain more.
fn hides_another(f: &Figures) -> bool {
    let before = f.verdict.limit == Limit::Application && promises(f.span, f.transfer);
    let turns = f.verdict.cause == Cause::WaitingForPeer && f.transfers > 1;
    let other = matches!(
        f.verdict.limit,
        Limit::PathBandwidth | Limit::Handshake | Limit::Unknown | Limit::SilentPath
    );
    !before && !turns && !other
}

/// Whether what a sender does without the limit depends on how long a round trip is.
fn goes_by_rounds(limit: Limit) -> bool {
    use Limit::{CongestionWindow, LossRecovery, ReceiveWindow, SendBuffer};
    matches!(limit, CongestionWindow | LossRecovery | ReceiveWindow | SendBuffer)
}

fn against(f: &Figures) -> Vec<Step> {
    match f.verdict.limit {
        Limit::Handshake => handshake(f),
        Limit::Application => application(f),
        Limit::SendBuffer => send_buffer(f),
        Limit::ReceiveWindow => receive_window(f),
        Limit::CongestionWindow => others_first(f, congestion_window(f)),
        Limit::PathBandwidth => path_bandwidth(f),
        Limit::LossRecovery => others_first(f, loss_recovery(f)),
        Limit::DelayedAck => delayed_ack(f).to_vec(),
        Limit::SilentPath => silent_path(f),
        Limit::Unknown if f.verdict.cause == Cause::CaptureHole => {
            vec![Step::Life(Life::CaptureAll)]
        }
        // Nobody captures better than at the sender from the beginning on.
        Limit::Unknown if f.is_whole && f.at_sender && !f.one_way => {
            vec![Step::Life(Life::AskKernel { at: f.sender })]
        }
        Limit::Unknown => {
            vec![Step::Life(Life::CaptureBetter { at: f.sender, one_way: f.one_way })]
        }
    }
}

fn handshake(f: &Figures) -> Vec<Step> {
    let reuse = Step::Life(Life::ReuseAgainstHandshake { rtt: f.rtt_floor });
    let server = f.place(Side::Server);
    match f.verdict.cause {
        _ if f.opening == Opening::Refused => vec![Step::Life(Life::CheckListener { at: server })],
        _ if f.not_accepted => vec![Step::Life(Life::CheckListenQueue { at: server }), reuse],
        _ if f.opening == Opening::AnswerUnheard => {
            vec![Step::Life(Life::CheckAnswer { at: f.place(Side::Client) })]
        }
        // The server is the end whose queue the SYN could not enter.
        Cause::SynRetry => {
            let mut steps = vec![
                Step::Life(Life::CheckListenQueue { at: server }),
                Step::Life(Life::CheckSynPath),
            ];
            steps.extend((f.opening == Opening::Done).then_some(reuse));
            steps
        }
        _ => vec![reuse],
    }
}

fn application(f: &Figures) -> Vec<Step> {
    match f.verdict.cause {
        Cause::WaitingForPeer => waiting_for_peer(f),
        Cause::KeepAlive => vec![Step::Work(Work::KeepAliveIsHarmless)],
        _ if f.is_last_flight() => Vec::new(),
        _ if f.is_mostly_corked() => vec![Step::Work(Work::Uncork { at: f.sender })],
        _ => {
            let first = f.is_before();
            let mut steps = vec![Step::Work(Work::ProfileApplication { at: f.sender, first })];
            steps.extend(nothing_else_helps(f).then_some(Step::Work(Work::NoSettingHelps)));
            steps
        }
    }
}

/// Whether neither another limit held for long nor the path needed much of the time.
fn nothing_else_helps(f: &Figures) -> bool {
    f.besides.is_none() && f.carried == Nanos::ZERO
}

fn delayed_ack(f: &Figures) -> [Step; 2] {
    let at = f.sender;
    [Step::Work(Work::CombineWrites { at }), Step::Work(Work::SetNodelay { at })]
}

fn waiting_for_peer(f: &Figures) -> Vec<Step> {
    let (rtt, turns, flight) = (f.rtt_floor, f.transfers, f.busiest_flight);
    let (at, asks) = (f.receiver, f.place(Side::Client));
    let batch = Step::Work(Work::BatchRequests { at: asks, rtt, turns });
    let profile = Step::Work(Work::ProfilePeer { at });
    let enlarge = Step::Work(Work::EnlargeGrant { at, asks, rtt, flight });
    let mut steps = Vec::new();
    let mut last = Some(Work::NoSettingHelps);
    match turns {
        _ if f.is_granted() => steps.extend([enlarge, profile]),
        0 | 1 => steps.push(profile),
        _ if f.is_chatty() => {
            let reuse = Step::Life(Life::ReuseAgainstTurns { rtt, turns });
            steps.extend(f.is_opened_for_little().then_some(reuse));
            steps.push(batch);
            steps.extend(f.moves_much_in_turns().then_some(enlarge));
            last = f.is_nearly_all().then_some(Work::ShortenTheWay);
        }
        _ => {
            steps.extend([profile, batch]);
            steps.extend(f.moves_much_in_turns().then_some(enlarge));
        }
    }
    steps.extend(last.filter(|_| nothing_else_helps(f)).map(Step::Work));
    if f.carried > Nanos::ZERO {
        steps.push(Step::Work(Work::CarryLess { carried: f.carried }));
    }
    if f.waits_for_acks_too() {
        steps.extend(delayed_ack(f));
    }
    steps
}

fn send_buffer(f: &Figures) -> Vec<Step> {
    let at = f.sender;
    // Who decides over the buffer only its host knows.
    let (may_be_locked, may_be_tuned) = match f.verdict.cause {
        Cause::LockedByApplication => (true, false),
        Cause::SystemMaximum => (false, true),
        _ => (true, true),
    };
    let mut steps = Vec::new();
    if may_be_locked {
        steps.push(Step::Buffer(Buffer::RemoveSndbuf { at }));
    }
    if let Some(bdp) = Bdp::of(f) {
        if may_be_locked {
            steps.push(Step::Buffer(Buffer::SetSndbuf { at, bdp }));
        }
        if may_be_tuned {
            steps.push(Step::Buffer(Buffer::RaiseWmem { at, bdp }));
        }
    }
    steps.push(Step::Buffer(Buffer::InspectSndbuf { at }));
    steps
}

fn receive_window(f: &Figures) -> Vec<Step> {
    let at = f.receiver;
    match f.verdict.cause {
        Cause::NoWindowScaling => {
            let at = f.unscaled.map_or(at, |side| f.place(side));
            vec![
                Step::Buffer(Buffer::EnableScaling { at }),
                Step::Buffer(Buffer::FindStrippingMiddlebox),
            ]
        }
        Cause::SlowReader | Cause::ZeroWindow => vec![
            Step::Work(Work::InspectReader { at, frames: f.frames }),
            Step::Work(Work::LargerBufferOnlyPostpones { at }),
        ],
        Cause::AutotuningLag => vec![
            Step::Buffer(Buffer::AutotuningIsWorking { at }),
            reuse_warm(f),
            Step::Buffer(Buffer::RaiseInitialWindow { at, bdp: Bdp::of(f) }),
        ],
        _ => small_buffer(f, at),
    }
}

fn small_buffer(f: &Figures, at: Place) -> Vec<Step> {
    let mut steps = Vec::new();
    if f.may_be_unscaled() {
        steps.push(Step::Buffer(Buffer::SuspectNoScaling { at, window: f.filled_window }));
        steps.push(Step::Buffer(Buffer::FindStrippingMiddlebox));
    }
    steps.push(Step::Buffer(Buffer::RemoveRcvbuf { at }));
    if let Some(bdp) = Bdp::of(f) {
        steps.push(Step::Buffer(Buffer::SetRcvbuf { at, bdp }));
        steps.push(Step::Buffer(Buffer::RaiseRmem { at, bdp }));
        if let WindowScale::Known(shift) = f.scale {
            // Only worth saying where the scale itself caps the window below the need.
            if u64::from(u16::MAX) << shift.min(14) < bdp.bytes {
                steps.push(Step::Buffer(Buffer::ScaleFixed { at, shift: shift.min(14) }));
            }
        }
    }
    steps
}

/// Where others sent the same way, losses and what follows them may be the doing of a link that all of them fill together.
fn others_first(f: &Figures, steps: Vec<Step>) -> Vec<Step> {
    let compare = |(shared_by, rate)| Step::Network(Network::CompareWithLink { rate, shared_by });
    f.shared.map(compare).into_iter().chain(steps).collect()
}

fn reuse_warm(f: &Figures) -> Step {
    Step::Network(Network::ReuseConnection { rtt: f.rtt_floor, first: f.first_window })
}

fn congestion_window(f: &Figures) -> Vec<Step> {
    let at = f.sender;
    match f.verdict.cause {
        Cause::SlowStart => {
            let mut steps = vec![reuse_warm(f)];
            // Where it was raised already, a route may not take more.
            let usual = f.first_window <= INITIAL_WINDOW;
            steps.extend(usual.then_some(Step::Network(Network::RaiseInitcwnd { at })));
            steps
        }
        Cause::IdleRestart => vec![Step::Network(Network::KeepCwndAfterIdle { at })],
        Cause::CongestionAvoidance if f.resent => {
            vec![Step::Network(Network::FindLoss { at }), Step::Network(Network::TryBbr { at })]
        }
        // A window that was cut fills the link where what waits is a round trip's.
        Cause::CongestionAvoidance if f.marked => {
            vec![Step::Network(Network::MarkLater { rtt: f.rtt_floor })]
        }
        Cause::Pacing => vec![Step::Network(Network::InspectPacing { at })],
        _ => vec![Step::Network(Network::InspectCwnd { at })],
    }
}

fn path_bandwidth(f: &Figures) -> Vec<Step> {
    if f.verdict.cause == Cause::Policer {
        let shape = Step::Network(Network::ShapeBelowPolicer { at: f.sender, rate: f.policed_bps });
        return vec![Step::Network(Network::RaisePolicedRate), shape];
    }
    let (others, rate) = f.shared.unwrap_or((0, f.mean_bps));
    let besides = f.besides.filter(|_| others == 0);
    let nothing = match besides {
        Some(_) => Network::NothingWhileFull { rate },
        None => Network::NothingToGain { rate, shared_by: others },
    };
    let mut steps = vec![Step::Network(nothing)];
    // A writer with a timer looks like a link without a queue.
    if f.verdict.cause == Cause::SteadyRate && !f.shows_queue() {
        steps.push(Step::Network(Network::SuspectTheWriter {
            at: f.sender,
            queue_unseen: f.hides_queues,
        }));
    }
    if besides.is_none() {
        steps.push(Step::Network(Network::SendLess { resting: f.mostly_rests() }));
    }
    steps.extend(against_queue(f).map(Step::Network));
    steps
}

/// A queue that more than doubles the round trip hurts everybody else on the link. Whoever marks packets manages it already (RFC 3168 section 5).
fn against_queue(f: &Figures) -> Option<Network> {
    let (floor, high) = (f.rtt_floor, f.rtt_high);
    let long = floor > Nanos::ZERO && high > floor.scale(2, 1);
    if f.marked {
        return Some(Network::QueueIsManaged { long: long.then_some((floor, high)) });
    }
    long.then_some(Network::ShortenQueue { floor, high })
}

fn loss_recovery(f: &Figures) -> Vec<Step> {
    let at = f.sender;
    match f.verdict.cause {
        Cause::Spurious => {
            vec![Step::Network(Network::FindReordering), Step::Network(Network::KeepRack { at })]
        }
        Cause::SmallFlight | Cause::TailLoss => {
            vec![
                Step::Network(Network::FindLoss { at }),
                Step::Network(Network::KeepRack { at }),
                Step::Work(Work::WriteMoreAtOnce { at }),
            ]
        }
        Cause::Timeout | Cause::DoubleLoss => {
            vec![Step::Network(Network::FindLoss { at }), Step::Network(Network::KeepRack { at })]
        }
        _ => vec![Step::Network(Network::FindLoss { at }), Step::Network(Network::TryBbr { at })],
    }
}

/// How to see whether large packets alone vanish, where those of the handshake passed and no full segment did.
fn compare_sizes(f: &Figures) -> Option<Step> {
    let none_passed = f.peak_bps == 0 && f.most_in_flight >= u64::from(f.mss.max(1));
    // The payload of an ICMP echo in as large a packet: on Ethernet all of 1,500 bytes, however long a segment's header is.
    let ping = match f.receiver.end.addr() {
        _ if f.mss > 1_460 => f.mss + 24,
        IpAddr::V4(_) => 1_500 - 20 - 8,
        IpAddr::V6(_) => 1_500 - 40 - 8,
    };
    let step = Life::CompareSizes { to: f.receiver, mss: f.mss, ping };
    (f.is_whole && none_passed).then_some(Step::Life(step))
}

fn silent_path(f: &Figures) -> Vec<Step> {
    // Without a cause it is the receiver who waits.
    let at = if f.verdict.cause == Cause::None { f.receiver } else { f.sender };
    match f.verdict.cause {
        Cause::PmtuBlackHole => {
            vec![
                Step::Life(Life::AllowIcmp),
                Step::Life(Life::ProbeMtu { at }),
                Step::Life(Life::ClampMss { mss: f.mss }),
            ]
        }
        Cause::ConnectionForgotten => {
            vec![Step::Life(Life::KeepStateAlive), Step::Life(Life::DetectDeadPeer { at })]
        }
        // What was sent in vain only a capture at the other end shows.
        Cause::None if f.owed.is_some() => vec![
            Step::Life(Life::CaptureBetter { at: f.sender, one_way: f.one_way }),
            Step::Life(Life::CheckPath { frames: f.frames }),
            Step::Life(Life::DetectDeadPeer { at }),
        ],
        _ => {
            let path = Step::Life(Life::CheckPath { frames: f.frames });
            let dead = Step::Life(Life::DetectDeadPeer { at });
            compare_sizes(f).into_iter().chain([path, dead]).collect()
        }
    }
}
