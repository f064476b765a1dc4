//! Several connections between the same hosts share what each of them finds full.

use crate::segments::{analyse_one, of_client};
use std::sync::Arc;
use tcpwhy_core::advice::{Language, finding_sentence};
use tcpwhy_core::analysis::Sharing;
use tcpwhy_core::model::{Cause, Connection, Finding, FindingKind, Limit, Progress, Side};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Scenario, Window, Workload, simulate};

/// A transfer that fills its part of the link, another client's each, which begins after some time.
fn transfer(client: u16, rate_bps: u64, begins: Nanos) -> Connection {
    let workload = Workload { message_bytes: rate_bps, ..Workload::default() };
    let window = Window::fixed(6_000_000);
    let scenario = Scenario { workload, rate_bps, window, ..Scenario::default() };
    let segments = of_client(&simulate(&scenario).capture(0.0), client, begins);
    let connection = analyse_one(&segments);
    assert_eq!(connection.directions[1].verdict.limit, Limit::PathBandwidth);
    connection
}

/// What each of them is told.
fn told(connections: &[Connection]) -> Vec<Option<Finding>> {
    let mut sharing = Sharing::new();
    connections.iter().for_each(|connection| sharing.add(connection));
    let shared = sharing.add_up();
    let told = |connection: &Connection| {
        let mut connection = connection.clone();
        shared.tell(&mut connection);
        connection.findings.iter().find(|f| f.kind == FindingKind::SharedPath).copied()
    };
    connections.iter().map(told).collect()
}

#[test]
fn the_rates_of_transfers_at_the_same_time_add_up() {
    // Each takes eight seconds.
    let parts = [(1, 4_000_000), (2, 5_000_000), (3, 11_000_000)];
    let all = parts.map(|(client, rate)| transfer(client, rate, Nanos::ZERO));
    for found in told(&all) {
        let found = found.unwrap();
        assert_eq!(found.count, 2);
        let payload = 20_000_000 / 1_500 * 1_448;
        assert!(found.value.abs_diff(payload) < payload / 20, "{found:?}");
    }
    assert_eq!(told(&all[..1]), [None]);
    let said = finding_sentence(&all[0], &told(&all)[0].unwrap(), Language::En);
    assert!(said.starts_with("2 other connections between the same hosts"), "{said}");
}

#[test]
fn what_is_over_or_goes_elsewhere_or_carries_little_shares_nothing() {
    let one = transfer(1, 10_000_000, Nanos::ZERO);
    let later = transfer(2, 10_000_000, Nanos::from_secs(20));
    let little = transfer(3, 1_000_000, Nanos::ZERO);
    let mut elsewhere = transfer(4, 10_000_000, Nanos::ZERO);
    elsewhere.client.ip[15] ^= 1;
    let found = told(&[one.clone(), later, elsewhere]);
    assert_eq!(found, [None; 3]);
    // For the one that is small, it is not alone.
    let found = told(&[one, little]);
    assert!(found[0].is_none() && found[1].is_some(), "{found:?}");
}

#[test]
fn a_transfer_that_a_buffer_holds_is_not_told_of_others() {
    let mut held = transfer(1, 10_000_000, Nanos::ZERO);
    held.directions[1].timeline.iter_mut().for_each(|i| i.limit = Limit::SendBuffer);
    held.directions[1].verdict.limit = Limit::SendBuffer;
    assert_eq!(told(&[held, transfer(2, 10_000_000, Nanos::ZERO)])[0], None);
}

/// As a connection finds its part of a full link that it shares: its window grows until something is lost.
fn held_by_its_losses(mut connection: Connection, path_bps: u64) -> Connection {
    let direction = &mut connection.directions[1];
    direction.facts.path_bps = path_bps;
    for interval in direction.timeline.iter_mut().filter(|i| i.limit == Limit::PathBandwidth) {
        (interval.limit, interval.cause) = (Limit::CongestionWindow, Cause::CongestionAvoidance);
    }
    (direction.verdict.limit, direction.verdict.cause) =
        (Limit::CongestionWindow, Cause::CongestionAvoidance);
    connection
}

#[test]
fn losses_on_a_link_that_is_full_of_all_of_them_are_the_paths() {
    // Two carry 10 Mbit/s each, over a link of so much.
    let verdicts = |path_bps: u64, begins: Nanos| {
        let both = [(1, Nanos::ZERO), (2, begins)]
            .map(|(n, at)| held_by_its_losses(transfer(n, 10_000_000, at), path_bps));
        let mut sharing = Sharing::new();
        both.iter().for_each(|connection| sharing.add(connection));
        let shared = sharing.add_up();
        both.map(|mut connection| {
            shared.tell(&mut connection);
            let direction = &connection.directions[1];
            let lifts: Vec<Limit> = direction.what_if.iter().map(|w| w.lift).collect();
            assert!(lifts.contains(&direction.verdict.limit), "{lifts:?}");
            direction.verdict.limit
        })
    };
    assert_eq!(verdicts(20_000_000, Nanos::ZERO), [Limit::PathBandwidth; 2]);
    let their_own = [Limit::CongestionWindow; 2];
    assert_eq!(verdicts(40_000_000, Nanos::ZERO), their_own, "half of the link");
    assert_eq!(verdicts(0, Nanos::ZERO), their_own, "nobody knows the link");
    assert_eq!(verdicts(10_000_000, Nanos::ZERO), their_own, "it carries more than that");
    assert_eq!(verdicts(10_000_000, Nanos::from_secs(20)), their_own, "one after the other");
}

/// As many bytes in as much time, at a rate that goes up and down by that part.
fn in_waves(progress: &Progress, up: f64) -> Progress {
    let (from, to) = (progress.times[0], progress.times[32]);
    let rate = |step: i64| 1.0 + up * (step as f64 * 40.0 / 4_000.0).sin();
    let all: f64 = (0..4_000).map(rate).sum();
    let (mut times, mut gone, mut part) = ([to; 33], 0.0, 0);
    for step in 0..4_000 {
        while part < 32 && gone >= all * f64::from(part) / 32.0 {
            times[part as usize] = from + (to - from).scale(step, 4_000);
            part += 1;
        }
        gone += rate(step);
    }
    Progress { bytes: progress.bytes, times }
}

#[test]
fn losses_at_a_policer_that_all_of_them_share_are_the_paths_though_each_seems_to_lose_by_chance() {
    let verdicts = |shared: bool| {
        let mut both =
            [1, 2].map(|n| held_by_its_losses(transfer(n, 10_000_000, Nanos::ZERO), 100_000_000));
        for (n, connection) in both.iter_mut().enumerate() {
            // What one has less the other has more, or has less, too.
            let sign = if n == 1 && shared { -0.4 } else { 0.4 };
            let direction = &mut connection.directions[1];
            let progress = direction.progress.as_ref().unwrap();
            direction.progress = Some(Arc::new(in_waves(progress, sign)));
            let floor = direction.facts.rtt_floor;
            direction.timeline.iter_mut().for_each(|i| i.evidence.rtt_mean = floor);
            let chance = Finding {
                kind: FindingKind::RandomLoss,
                side: Side::Server,
                count: 9,
                value: 0,
                frame: 0,
            };
            connection.findings = [chance].into();
        }
        let mut sharing = Sharing::new();
        both.iter().for_each(|connection| sharing.add(connection));
        let shared = sharing.add_up();
        both.map(|mut connection| {
            shared.tell(&mut connection);
            let kinds: Vec<FindingKind> = connection.findings.iter().map(|f| f.kind).collect();
            let verdict = &connection.directions[1].verdict;
            (verdict.limit, verdict.cause, kinds[0])
        })
    };
    let policed = (Limit::PathBandwidth, Cause::Policer, FindingKind::Policer);
    assert_eq!(verdicts(true), [policed; 2]);
    let lost = (Limit::CongestionWindow, Cause::CongestionAvoidance, FindingKind::RandomLoss);
    assert_eq!(verdicts(false), [lost; 2]);
}
