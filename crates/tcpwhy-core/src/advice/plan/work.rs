//! Against what programs do: pauses, turns, and small writes.

use crate::advice::figures::Figures;
use crate::advice::step::{Life, Step, Work};
use crate::model::{Cause, Side};
use crate::units::Nanos;

pub(super) fn application(f: &Figures) -> Vec<Step> {
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

pub(super) fn delayed_ack(f: &Figures) -> [Step; 2] {
    let at = f.sender;
    [Step::Work(Work::CombineWrites { at }), Step::Work(Work::SetNodelay { at })]
}

fn waiting_for_peer(f: &Figures) -> Vec<Step> {
    let (rtt, turns, flight) = (f.rtt_floor, f.transfers, f.busiest_flight);
    let (at, asks) = (f.receiver, f.place(Side::Client));
    let batch = Step::Work(Work::BatchRequests { at: asks, rtt, turns });
    let profile = Step::Work(match f.answers_held_by {
        Some(held_by) => Work::SeeAnswers { at, held_by },
        None => Work::ProfilePeer { at },
    });
    let enlarge = Step::Work(Work::EnlargeGrant { at, asks, rtt, flight });
    let mut steps = Vec::new();
    let mut last = f.answers_held_by.is_none().then_some(Work::NoSettingHelps);
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
