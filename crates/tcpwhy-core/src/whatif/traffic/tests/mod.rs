//! The arithmetic that every transfer must obey, and the labels that must come with it.

mod random;

use super::*;
use crate::model::{Cause, Limit, Side};
use crate::units::Nanos;

fn seconds(trace: &Trace) -> f64 {
    let truth = trace.truth();
    (truth[truth.len() - 1].to - truth[0].from).secs()
}

fn share(trace: &Trace, limit: Limit) -> f64 {
    let of = |i: &&TruthInterval| i.limit == limit;
    let time: f64 = trace.truth().iter().filter(of).map(|i| (i.to - i.from).secs()).sum();
    time / seconds(trace)
}

fn message(bytes: u64) -> Workload {
    Workload { message_bytes: bytes, ..Workload::default() }
}

fn assert_partition(trace: &Trace) {
    for pair in trace.truth().windows(2) {
        assert_eq!(pair[0].to, pair[1].from);
        assert!(pair[0].from < pair[0].to);
        assert_ne!((pair[0].limit, pair[0].cause), (pair[1].limit, pair[1].cause));
    }
}

#[test]
fn a_small_send_buffer_gives_one_buffer_a_round_trip() {
    let s = Scenario { send_buffer: 16_384, workload: message(4_000_000), ..Scenario::default() };
    let trace = simulate(&s);
    assert_partition(&trace);
    let rate = 4e6 / seconds(&trace);
    // A writer sleeps until a third is free, so two thirds of the buffer to all of it are in flight.
    assert!((546e3..819e3).contains(&rate), "{rate}");
    assert!(share(&trace, Limit::SendBuffer) > 0.9, "{:?}", &trace.truth()[..5]);
}

#[test]
fn a_small_window_gives_one_window_a_round_trip() {
    let s = Scenario {
        window: Window::fixed(65_536),
        rtt: Nanos::from_millis(100),
        workload: message(10_000_000),
        ..Scenario::default()
    };
    let trace = simulate(&s);
    assert_partition(&trace);
    let rate = 10e6 / seconds(&trace);
    assert!((600e3..660e3).contains(&rate), "{rate}");
    assert!(share(&trace, Limit::ReceiveWindow) > 0.9);
}

#[test]
fn a_link_gives_its_rate() {
    for control in [Control::Reno, Control::Cubic, Control::Paced] {
        let s = Scenario { workload: message(50_000_000), control, ..Scenario::default() };
        let trace = simulate(&s);
        assert_partition(&trace);
        let ideal = 50e6 / 12.5e6 * 1514.0 / 1448.0;
        let time = seconds(&trace);
        assert!((ideal..ideal * 1.15).contains(&time), "{control:?}: {time} s, ideal {ideal} s");
        assert!(share(&trace, Limit::PathBandwidth) > 0.8, "{control:?} {:?}", trace.truth());
    }
}

fn caused(trace: &Trace, limit: Limit, cause: Cause) -> f64 {
    let of = |i: &&TruthInterval| (i.limit, i.cause) == (limit, cause);
    trace.truth().iter().filter(of).map(|i| (i.to - i.from).secs()).sum()
}

#[test]
fn the_same_scenario_gives_the_same_trace() {
    let s = Scenario { loss: Loss::PerMille(20), ..Scenario::default() };
    let (a, b) = (simulate(&s), simulate(&s));
    assert_eq!(a.capture(0.3), b.capture(0.3));
    assert_eq!(a.truth(), b.truth());
    assert_ne!(a.truth(), simulate(&Scenario { seed: 2, ..s }).truth());
}

#[test]
fn every_byte_arrives_once_whatever_is_lost() {
    for (sack, per_mille) in [(true, 0), (true, 20), (true, 200), (false, 20), (false, 100)] {
        let loss = Loss::PerMille(per_mille);
        let s = Scenario { sack, loss, workload: message(300_000), ..Scenario::default() };
        let acks = simulate(&s).capture(1.0).into_iter().filter(|p| p.dst.port == 80);
        let last = acks.max_by_key(|p| p.frame).unwrap();
        let isn = s.isn[1];
        assert_eq!(last.ack.0.wrapping_sub(isn), 300_002, "SYN, data and FIN; {sack} {per_mille}");
    }
}

#[test]
fn a_lost_segment_is_seen_only_before_the_place_of_its_loss() {
    let s = Scenario { loss: Loss::Numbers(vec![20]), ..Scenario::default() };
    let trace = simulate(&s);
    let counts: Vec<usize> = [0.0, 0.4, 0.6, 1.0].map(|at| trace.capture(at).len()).into();
    assert_eq!(counts, [counts[0], counts[0], counts[0] - 1, counts[0] - 1]);
    assert!(caused(&trace, Limit::LossRecovery, Cause::FastRetransmit) > 0.015);
}

#[test]
fn every_capture_is_in_order_and_half_a_round_trip_apart() {
    let trace = simulate(&Scenario::default());
    let (sender, receiver) = (trace.capture(0.0), trace.capture(1.0));
    for capture in [&sender, &receiver] {
        assert!(capture.windows(2).all(|p| p[0].time <= p[1].time && p[0].frame < p[1].frame));
    }
    let syn_ack_there = receiver[1].time - receiver[0].time;
    let syn_ack_here = sender[1].time - sender[0].time;
    assert_eq!((syn_ack_there, syn_ack_here), (Nanos::from_millis(20), Nanos::ZERO));
}

#[test]
fn a_reader_that_stops_closes_the_window_and_is_probed() {
    let pauses = vec![(Nanos::from_millis(200), Nanos::from_secs(8))];
    let s = Scenario {
        window: Window::fixed(64_000),
        reader: Reader { pauses, ..Reader::default() },
        ..Scenario::default()
    };
    let trace = simulate(&s);
    assert!(caused(&trace, Limit::ReceiveWindow, Cause::ZeroWindow) > 7.5);
    let capture = trace.capture(0.0);
    let probes: Vec<Nanos> = capture
        .windows(2)
        .filter(|p| p[1].src.port == 40_000 && p[1].window == 0 && p[0].len == 0)
        .filter(|p| p[0].src.port == 80)
        .map(|p| p[0].time)
        .collect();
    assert!((4..8).contains(&probes.len()), "{probes:?}");
    let gaps: Vec<i64> = probes.windows(2).map(|p| (p[1] - p[0]).0).collect();
    assert!(gaps.windows(2).all(|g| g[1] > g[0] * 17 / 10), "backoff doubles: {gaps:?}");
}

#[test]
fn a_peer_that_vanishes_is_given_up_after_fifteen_timeouts() {
    let forever = Loss::Outage(Nanos::from_millis(100), Nanos::MAX);
    let trace = simulate(&Scenario { loss: forever, ..Scenario::default() });
    assert!((900.0..1000.0).contains(&caused(&trace, Limit::SilentPath, Cause::PeerVanished)));
}

#[test]
fn large_segments_that_vanish_are_a_black_hole() {
    let trace = simulate(&Scenario { loss: Loss::LargerThan(1400), ..Scenario::default() });
    assert!(share(&trace, Limit::SilentPath) > 0.99);
    assert!(caused(&trace, Limit::SilentPath, Cause::PmtuBlackHole) > 900.0);
}

#[test]
fn small_writes_wait_for_delayed_acks_under_nagle() {
    let workload = Workload {
        message_bytes: 10_000,
        write_bytes: 48,
        write_every: Nanos::from_millis(20),
        ..Workload::default()
    };
    let rtt = Nanos::from_micros(400);
    let s = Scenario { workload, rtt, nagle: true, ..Scenario::default() };
    assert!(share(&simulate(&s), Limit::DelayedAck) > 0.5);
    assert_eq!(share(&simulate(&Scenario { nagle: false, ..s }), Limit::DelayedAck), 0.0);
}

#[test]
fn an_exchange_waits_for_whoever_thinks() {
    let workload = Workload {
        messages: 10,
        message_bytes: 20_000,
        think: Nanos::from_millis(100),
        peer_think: Nanos::from_millis(300),
        ..Workload::default()
    };
    let trace = simulate(&Scenario { workload, ..Scenario::default() });
    let own = caused(&trace, Limit::Application, Cause::SenderApplication);
    let peer = caused(&trace, Limit::Application, Cause::WaitingForPeer);
    assert!((0.99..1.3).contains(&own), "{own}");
    assert!((2.7..3.2).contains(&peer), "{peer}");
}

#[test]
fn without_scaling_the_window_ends_at_64_kib() {
    let s = Scenario { scale: None, rtt: Nanos::from_millis(200), ..Scenario::default() };
    let trace = simulate(&s);
    assert!(caused(&trace, Limit::ReceiveWindow, Cause::NoWindowScaling) > 5.0);
}

#[test]
fn a_policer_drops_without_a_queue() {
    let loss = Loss::Policer { rate_bps: 2_000_000, burst: 8_000 };
    let trace = simulate(&Scenario { loss, ..Scenario::default() });
    let rate = 2e6 * 8.0 / seconds(&trace);
    assert!(rate < 2e6, "{rate}");
    assert!(caused(&trace, Limit::PathBandwidth, Cause::Policer) > 5.0);
}

#[test]
fn offload_shows_large_segments_only_at_the_sender() {
    let s = Scenario { tso: true, initial_cwnd: 40, ..Scenario::default() };
    let trace = simulate(&s);
    let largest = |at: f64| trace.capture(at).iter().map(|p| p.len).max();
    assert!(largest(0.0) > Some(20_000));
    assert_eq!(largest(0.5), Some(1448));
    let bytes = |at: f64| trace.capture(at).iter().map(|p| u64::from(p.len)).sum::<u64>();
    assert_eq!(bytes(0.0), bytes(1.0));
}

#[test]
fn an_upload_needs_no_request() {
    let workload = Workload { request_bytes: 0, ..Workload::default() };
    let s = Scenario { data_from: Side::Client, workload, ..Scenario::default() };
    let trace = simulate(&s);
    let sent: u64 =
        trace.capture(0.0).iter().filter(|p| p.dst.port == 80).map(|p| u64::from(p.len)).sum();
    assert_eq!(sent, 2_000_000);
}

#[test]
fn a_capture_without_the_handshake_begins_with_the_request() {
    let trace = simulate(&Scenario { handshake: false, ..Scenario::default() });
    let first = trace.capture(0.5)[0];
    assert_eq!((first.frame, first.len, first.dst.port), (1, 100, 80));
}
