//! Which scenario shows which limit, cause and published case: none may be without.

use super::*;
use tcpwhy_core::model::{Cause, Limit};

const DOCUMENTATION: &str = include_str!("../../../../docs/scenario.md");

/// The scenario that is made for a cause; a new cause does not compile without one.
fn made_for(cause: Cause) -> Option<&'static str> {
    Some(match cause {
        // Whose buffer it is, is known from the socket alone, never from packets; and the lab's captures lack nothing.
        Cause::None | Cause::LockedByApplication | Cause::SystemMaximum | Cause::CaptureHole => {
            return None;
        }
        Cause::SynRetry => "syn-lost",
        Cause::SenderApplication => "application-writes-slowly",
        Cause::WaitingForPeer => "application-thinks",
        Cause::KeepAlive => "keep-alive",
        Cause::SmallBuffer => "receive-buffer-8k-40ms",
        Cause::NoWindowScaling => "no-window-scaling-50ms",
        Cause::SlowReader => "slow-reader-20ms",
        Cause::ZeroWindow => "zero-window-resumed",
        Cause::AutotuningLag => "autotuning-lag-100ms",
        Cause::SlowStart => "slow-start-100ms",
        Cause::IdleRestart => "idle-restart-100ms",
        Cause::CongestionAvoidance => "congestion-avoidance-40ms",
        Cause::Pacing => "pacing-8mbit",
        Cause::StandingQueue => "bandwidth-10mbit",
        Cause::SteadyRate => "pacing-8mbit",
        Cause::EcnMarked => "ecn-marks-10mbit",
        Cause::Policer => "policer-10mbit",
        Cause::FastRetransmit => "fast-retransmits",
        Cause::Timeout => "loss-timeouts",
        Cause::TailLoss => "tail-loss",
        Cause::DoubleLoss => "double-loss",
        Cause::SmallFlight => "small-flight",
        Cause::Spurious => "spurious-timeouts",
        Cause::Nagle => "nagle-delayed-ack",
        Cause::PeerVanished => "peer-vanishes",
        Cause::ProbesUnanswered => "zero-window-death",
        Cause::PmtuBlackHole => "path-mtu-black-hole",
        Cause::ConnectionForgotten => "connection-forgotten",
    })
}

fn all() -> Vec<Scenario> {
    let read = |b: Builtin| {
        let source = Source::new(b.name, b.text);
        source.read(false, &[]).expect(b.name).scenario
    };
    builtins().into_iter().map(read).collect()
}

#[test]
fn every_cause_has_a_scenario_that_expects_it() {
    let all = all();
    for cause in Cause::ALL {
        let Some(name) = made_for(cause) else { continue };
        let scenario = all.iter().find(|s| s.name == name);
        let scenario = scenario.unwrap_or_else(|| panic!("{cause:?}: there is no {name}"));
        let expected = scenario.expect.iter().any(|e| e.causes.contains(&cause));
        assert!(expected, "{name} does not expect {cause:?}");
        let row = format!("| {} | `{name}` |", cause.name().unwrap_or_default());
        assert!(DOCUMENTATION.contains(&row), "docs/scenario.md does not tell: {row}");
    }
}

#[test]
fn every_limit_has_a_scenario_that_expects_it_alone() {
    let all = all();
    for limit in Limit::ALL.into_iter().filter(|limit| *limit != Limit::Unknown) {
        let alone = |s: &Scenario| s.expect.iter().any(|e| e.limits == [limit]);
        assert!(all.iter().any(alone), "no scenario for {limit:?}");
    }
}

#[test]
fn every_row_of_the_published_cases_has_a_scenario() {
    let count = |case: &str| all().iter().filter(|s| s.case.as_deref() == Some(case)).count();
    // Rows of each table: those of A are steps, those of G pairs of buffers.
    let rows = [
        ("A", 5),
        ("B", 3),
        ("C1", 1),
        ("C2", 1),
        ("C3", 1),
        ("C4", 1),
        ("D", 2),
        ("F1", 1),
        ("F2", 1),
        ("F3", 1),
        ("F4", 1),
        ("F5", 1),
        ("F6", 1),
        ("F7", 3),
        ("G", 5),
        ("H", 2),
    ];
    for (case, least) in rows {
        assert!(count(case) >= least, "{} of {least} scenarios of case {case}", count(case));
    }
}
