//! Which changes help against a verdict, most useful first. No words here: see `words::step`.

mod buffers;
mod life;
mod network;
mod work;

use self::buffers::{receive_window, send_buffer};
use self::life::{handshake, silent_path};
use self::network::{congestion_window, loss_recovery, others_first, path_bandwidth};
use self::work::{application, delayed_ack};
use super::figures::Figures;
use super::promises;
use super::step::{Life, Network, Step, Unseen, Work};
use crate::model::{Cause, Limit, WhatIf};
use crate::units::Nanos;

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
        None if f.bytes > 0 && f.rtt_floor == Nanos::ZERO && goes_by_rounds(f.verdict.limit) => {
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
