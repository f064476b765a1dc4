//! Against what the path does: a full link, losses, and a congestion window.

use crate::advice::figures::Figures;
use crate::advice::step::{Network, Step, Work};
use crate::kernel::start::INITIAL_WINDOW;
use crate::model::Cause;
use crate::units::Nanos;

/// Where others sent the same way, losses and what follows them may be the doing of a link that all of them fill together.
pub(super) fn others_first(f: &Figures, steps: Vec<Step>) -> Vec<Step> {
    let compare = |(shared_by, rate)| Step::Network(Network::CompareWithLink { rate, shared_by });
    f.shared.map(compare).into_iter().chain(steps).collect()
}

pub(super) fn reuse_warm(f: &Figures) -> Step {
    Step::Network(Network::ReuseConnection { rtt: f.rtt_floor, first: f.first_window })
}

pub(super) fn congestion_window(f: &Figures) -> Vec<Step> {
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

pub(super) fn path_bandwidth(f: &Figures) -> Vec<Step> {
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

pub(super) fn loss_recovery(f: &Figures) -> Vec<Step> {
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
