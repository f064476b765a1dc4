//! Verdicts that lie in the network: congestion window, path and losses.

use super::part;
use crate::advice::figures::Figures;
use crate::advice::quantity::{buffer, count, data, rate, span};
use crate::advice::words::en::{known, many};
use crate::model::Cause;

pub(super) fn congestion_window(f: &Figures) -> String {
    let sender = f.sender.side.name();
    let rounds =
        known(f.rtt_floor.0 > 0, || format!(", one step per round trip of {}", span(f.rtt_floor)));
    let flight =
        known(f.most_in_flight > 0, || format!(" (up to {} in flight)", buffer(f.most_in_flight)));
    match f.verdict.cause {
        Cause::SlowStart => format!(
            "The connection was still picking up speed (slow start): for {} the {sender} was \
             feeling its way up to the path's rate{rounds}{flight}.",
            part(f)
        ),
        Cause::IdleRestart => format!(
            "The connection had to pick up speed again after each pause (restart after idle): for \
             {} the {sender} was feeling its way back up{rounds}{flight}.",
            part(f)
        ),
        Cause::CongestionAvoidance if f.resent => format!(
            "Lost packets held it back: {}, and for {} its congestion window grew back only \
             slowly{rounds}{flight}.",
            match f.chance_losses {
                0 => format!("after a loss the {sender} slows down"),
                n => format!(
                    "the {sender} took {} chance losses for congestion and slowed down",
                    count(n)
                ),
            },
            part(f)
        ),
        Cause::CongestionAvoidance if f.marked => format!(
            "Congestion marks (ECN) held it back, though nothing was lost here: a queue on the way \
             told the {sender} to slow down, and for {} its congestion window grew back only \
             slowly{rounds}{flight}.",
            part(f)
        ),
        Cause::CongestionAvoidance => format!(
            "The {sender} held itself back, though nothing was lost here: for {} its congestion window \
             grew only slowly{rounds}{flight}. A round trip that rose (HyStart) or a congestion mark \
             does that; on Linux before 5.6 also the ssthresh of an earlier transfer to that address.",
            part(f)
        ),
        Cause::Pacing => format!(
            "The {sender} spaced its packets by a timer (pacing): for {} that timer set the \
             rate{}.",
            part(f),
            known(f.peak_bps > 0, || format!(", {} at most", rate(f.peak_bps)))
        ),
        _ => format!(
            "The {sender}'s congestion window held it back: for {} its own estimate of what the \
             path can carry allowed no more{flight}.",
            part(f)
        ),
    }
}

pub(super) fn path_bandwidth(f: &Figures) -> String {
    let mean = known(f.mean_bps > 0, || {
        format!(" at {}{}{}", rate(f.mean_bps), with_others(f), by_time(f))
    });
    let queue = known(f.shows_queue(), || {
        format!("; the round trip rose from {} to {}", span(f.rtt_floor), span(f.rtt_high))
    });
    match f.verdict.cause {
        Cause::StandingQueue => format!(
            "The path was full: for {} its narrowest link was busy{mean} with a queue of data \
             waiting before it{queue}.",
            part(f)
        ),
        Cause::EcnMarked => format!(
            "The path was full: for {} its narrowest link was busy{mean} and said so by marking \
             packets (ECN){queue}.",
            part(f)
        ),
        Cause::Policer => format!(
            "The network allows only a fixed rate: for {} a policer dropped what exceeded \
             it{}, without any queue.",
            part(f),
            known(f.policed_bps > 0, || format!(
                " ({} or more; {} got through)",
                rate(f.policed_bps),
                rate(f.mean_bps)
            ))
        ),
        _ => format!(
            "The path was full: for {} data came as fast as its narrowest link lets it through{mean}.",
            part(f)
        ),
    }
}

/// What the link carried with other connections, where there were some.
fn with_others(f: &Figures) -> String {
    let Some((others, all)) = f.shared else { return String::new() };
    let others = many(others, "other connection", "other connections");
    format!(" ({} with {others} between the same hosts)", rate(all))
}

/// What the link carried at first, and later, where that is not the same. The others' share may have changed, too.
fn by_time(f: &Figures) -> String {
    let Some(change) = f.rate_change.filter(|_| f.shared.is_none()) else { return String::new() };
    format!(
        " ({} until {} into it, {} after that)",
        rate(change.before),
        span(change.at),
        rate(change.after)
    )
}

pub(super) fn loss_recovery(f: &Figures) -> String {
    let resent =
        known(f.retransmitted > 0, || format!("; {} were sent again", data(f.retransmitted)));
    let longest =
        known(f.longest_stall.0 > 0, || format!(", up to {} at a time", span(f.longest_stall)));
    let why = match f.verdict.cause {
        Cause::Timeout => "waiting for the retransmission timer to notice the loss",
        Cause::TailLoss => {
            "waiting for lost data at the end of a burst, where nothing followed that could reveal \
             the loss"
        }
        Cause::DoubleLoss => "waiting for data that was lost again when it was resent",
        Cause::SmallFlight => {
            "waiting for lost data with too few packets in flight to notice the loss quickly"
        }
        Cause::Spurious => {
            return format!(
                "Data was resent for nothing: {} went into repairing losses that had not happened, \
                 because acknowledgements were late, lost or out of order{longest}{resent}.",
                part(f)
            );
        }
        _ => "noticing and resending lost data",
    };
    format!("Packet loss held it back: {} went into {why}{longest}{resent}.", part(f))
}
