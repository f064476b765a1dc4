//! What must hold whatever the packets are: random transfers, random garbage, and the same packets said
//! in another way.

use crate::random::{garbage, scenario};
use crate::segments::{analyse, check_all};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use tcpwhy_core::analysis::Analyzer;
use tcpwhy_core::model::{Connection, FindingKind};
use tcpwhy_core::observe::{Endpoint, Segment, flags};
use tcpwhy_core::units::{Nanos, Seq};
use tcpwhy_core::whatif::traffic::{Loss, Scenario, Workload, simulate};

/// The same cases in every run.
fn fixed(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_260_102),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// `connections` with all their times moved by `by`.
fn moved(mut connections: Vec<Connection>, by: Nanos) -> Vec<Connection> {
    for c in &mut connections {
        c.opened += by;
        c.start += by;
        for d in &mut c.directions {
            for i in &mut d.timeline {
                i.from += by;
                i.to += by;
            }
            for t in &mut d.transfers {
                t.from += by;
                t.to += by;
            }
            for time in d.progress.iter_mut().flat_map(|p| &mut Arc::make_mut(p).times) {
                *time += by;
            }
        }
    }
    connections
}

/// Each segment changed by `change`.
fn changed(segments: &[Segment], change: impl Fn(&mut Segment)) -> Vec<Segment> {
    let mut segments = segments.to_vec();
    segments.iter_mut().for_each(change);
    segments
}

fn is_client(endpoint: Endpoint) -> bool {
    endpoint.port >= 40_000
}

/// As if both ends had chosen other initial sequence numbers.
fn renumbered(segments: &[Segment], client: u32, server: u32) -> Vec<Segment> {
    changed(segments, |s| {
        let (own, peer) = if is_client(s.src) { (client, server) } else { (server, client) };
        s.seq = s.seq + own;
        if s.has(flags::ACK) {
            s.ack = s.ack + peer;
        }
        for (left, right) in &mut s.options.sack {
            (*left, *right) = (*left + peer, *right + peer);
        }
    })
}

/// As if both ends' timestamp clocks had started elsewhere.
fn restamped(segments: &[Segment], client: u32, server: u32) -> Vec<Segment> {
    changed(segments, |s| {
        let (own, peer) = if is_client(s.src) { (client, server) } else { (server, client) };
        let answers = s.has(flags::ACK);
        if let Some((val, ecr)) = &mut s.options.timestamps {
            *val = val.wrapping_add(own);
            *ecr = if answers { ecr.wrapping_add(peer) } else { *ecr };
        }
    })
}

/// Several transfers at once, each on a port of its own, in time order.
fn together(scenarios: &[Scenario], position: f64) -> Vec<Segment> {
    let mut all = Vec::new();
    for (scenario, port) in scenarios.iter().zip(40_000..) {
        let segments = simulate(scenario).capture(position);
        all.extend(changed(&segments, |s| {
            let end = if is_client(s.src) { &mut s.src } else { &mut s.dst };
            end.port = port;
        }));
    }
    all.sort_by_key(|s| s.time);
    for (segment, frame) in all.iter_mut().zip(1..) {
        segment.frame = frame;
    }
    all
}

/// `segments` in order, with what is finished taken after every `step` of them.
fn taken_bit_by_bit(segments: &[Segment], step: usize) -> Vec<Connection> {
    let mut analyzer = Analyzer::new();
    let mut finished = Vec::new();
    for piece in segments.chunks(step.max(1)) {
        piece.iter().for_each(|s| analyzer.push(s));
        finished.extend(analyzer.take_finished());
    }
    finished.extend(analyzer.finish());
    finished.sort_by_key(|c| c.id);
    finished
}

proptest! {
    #![proptest_config(fixed(40))]

    #[test]
    fn every_timeline_of_a_transfer_partitions_its_time(s in scenario(), position in 0.0..=1.0) {
        let segments = simulate(&s).capture(position);
        let connections = analyse(&segments);
        // Without a handshake all may be lost before it passes.
        prop_assert_eq!(connections.len(), usize::from(!segments.is_empty()));
        check_all(&connections);
    }

    #[test]
    fn a_capture_may_be_cut_anywhere(s in scenario(), from in 0.0..1.0, to in 0.0..1.0) {
        let segments = simulate(&s).capture(0.5);
        let at = |part: f64| (segments.len() as f64 * part) as usize;
        let (from, to) = (at(from).min(at(to)), at(from).max(at(to)));
        check_all(&analyse(&segments[from..to]));
        check_all(&analyse(&segments[..to]));
    }

    /// What was under way then is acknowledged later, and no packet is missing. (Where something is being repaired, nobody can tell what is
    /// sent again from what was sent before.)
    #[test]
    fn a_capture_that_begins_in_the_middle_has_lost_nothing(s in scenario(), position in 0.0..=1.0, from in 0.0..1.0) {
        let all = simulate(&Scenario { loss: Loss::None, rate_bps: 0, ..s }).capture(position);
        let from = (all.len() as f64 * from) as usize;
        for connection in analyse(&all[from..]) {
            let lost = connection.findings.iter().find(|f| f.kind == FindingKind::CaptureHole);
            prop_assert!(lost.is_none(), "{lost:?}");
        }
    }

    #[test]
    fn any_packets_may_be_missing(s in scenario(), every in 2_usize..20, first in 0_usize..20) {
        let mut segments = simulate(&s).capture(0.5);
        let mut number = first;
        segments.retain(|_| { number += 1; number % every != 0 });
        check_all(&analyse(&segments));
    }

    #[test]
    fn shifting_all_times_changes_nothing(s in scenario(), hours in -500_000_i64..100_000) {
        let segments = simulate(&s).capture(0.5);
        let by = Nanos::from_secs(hours * 3600 + 1);
        let later = changed(&segments, |s| s.time += by);
        prop_assert_eq!(analyse(&later), moved(analyse(&segments), by));
    }

    #[test]
    fn shifting_all_sequence_numbers_changes_nothing(s in scenario(), c: u32, near in 0_u32..200_000) {
        let segments = simulate(&s).capture(0.5);
        // The server's numbers wrap in the first 200 kB.
        let server = near.wrapping_sub(200_000).wrapping_sub(s.isn[1]);
        prop_assert_eq!(analyse(&renumbered(&segments, c, server)), analyse(&segments));
    }

    #[test]
    fn shifting_all_timestamp_values_changes_nothing(s in scenario(), c: u32, near in 0_u32..2_000) {
        let stamped = Scenario { timestamps: true, ..s };
        let segments = simulate(&stamped).capture(0.5);
        let first = segments.iter().find(|s| !is_client(s.src)).and_then(|s| s.options.timestamps);
        // The server's clock wraps within two seconds.
        let server = 0_u32.wrapping_sub(first.map_or(0, |t| t.0)).wrapping_sub(near);
        prop_assert_eq!(analyse(&restamped(&segments, c, server)), analyse(&segments));
    }

    #[test]
    fn addresses_and_ports_change_nothing_but_themselves(s in scenario(), host: u128, ports in 1_u16..20_000) {
        let segments = simulate(&s).capture(0.5);
        // The client's port stays the higher one: without a handshake it tells who asked.
        let client = Endpoint::new(IpAddr::V6(Ipv6Addr::from(host)), 45_000 + ports);
        let server = Endpoint::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 1)), ports);
        let elsewhere = changed(&segments, |s| {
            (s.src, s.dst) = if is_client(s.src) { (client, server) } else { (server, client) };
        });
        let mut there = analyse(&elsewhere);
        for (c, original) in there.iter_mut().zip(analyse(&segments)) {
            prop_assert_eq!((c.client, c.server), (client, server));
            (c.client, c.server) = (original.client, original.server);
        }
        prop_assert_eq!(there, analyse(&segments));
    }

    #[test]
    fn one_piece_or_ten_give_the_same_answer(
        scenarios in prop::collection::vec(scenario(), 1..4),
        step in 1_usize..2_000,
    ) {
        let segments = together(&scenarios, 0.5);
        let whole = analyse(&segments);
        check_all(&whole);
        prop_assert_eq!(taken_bit_by_bit(&segments, step), whole);
    }
}

proptest! {
    #![proptest_config(fixed(500))]

    #[test]
    fn garbage_does_no_harm(segments in garbage()) {
        let connections = analyse(&segments);
        check_all(&connections);
        let packets: u64 = connections.iter().map(|c| c.packets).sum();
        prop_assert_eq!(packets, segments.len() as u64);
    }

    #[test]
    fn garbage_gives_one_answer(segments in garbage(), step in 1_usize..10) {
        prop_assert_eq!(taken_bit_by_bit(&segments, step), analyse(&segments));
    }

    #[test]
    fn garbage_in_a_transfer_does_no_harm(segments in garbage(), at in 0_usize..200) {
        let workload = Workload { message_bytes: 200_000, ..Workload::default() };
        let mut transfer = simulate(&Scenario { workload, ..Scenario::default() }).capture(0.5);
        let at = at.min(transfer.len());
        let (client, server) = (transfer[0].src, transfer[0].dst);
        let intruders = changed(&segments, |s| {
            let from_client = s.src.port < s.dst.port;
            (s.src, s.dst) = if from_client { (client, server) } else { (server, client) };
        });
        transfer.splice(at..at, intruders);
        check_all(&analyse(&transfer));
    }
}

#[test]
fn times_at_the_ends_of_time_do_no_harm() {
    let segments = simulate(&Scenario::default()).capture(0.5);
    for time in [i64::MIN, i64::MAX] {
        check_all(&analyse(&changed(&segments, |s| s.time = Nanos(time))));
    }
    let torn = segments.iter().zip(0..).map(|(s, n)| Segment {
        time: Nanos(if n % 2 == 0 { i64::MIN } else { i64::MAX }),
        seq: Seq(s.seq.0),
        ..*s
    });
    check_all(&analyse(&torn.collect::<Vec<_>>()));
}
