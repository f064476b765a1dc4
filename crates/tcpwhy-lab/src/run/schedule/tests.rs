use super::*;
use crate::link::{Break, Lost};

const SECOND: i64 = 1_000_000_000;
const MS: u64 = 1_000_000;

fn scenario(name: &str) -> Scenario {
    crate::scenario::Source::find(name).unwrap().read(false, &[]).unwrap().scenario
}

fn flow(scenario: &Scenario) -> &Flow {
    let Workload::Flows(flows) = &scenario.workload else { panic!("no flows") };
    &flows[0]
}

/// Written from 10 s on, read until 15 s.
fn ran(sending: &Sending) -> SendingOutcome {
    SendingOutcome {
        from: "server",
        asked: sending.bytes,
        written: sending.bytes,
        read: sending.bytes,
        start_ns: Some(10 * SECOND),
        first_byte_ns: Some(10 * SECOND),
        end_ns: Some(15 * SECOND),
        goodput_bps: None,
        write_wait_ns: 0,
    }
}

fn end(local: &str, remote: &str, read_ns: Option<[i64; 2]>) -> EndOutcome {
    EndOutcome {
        local: Some(local.parse().unwrap()),
        remote: Some(remote.parse().unwrap()),
        effective: None,
        at_end: None,
        tcp_info: None,
        read_ns,
        ended: crate::workload::Ended::Complete,
    }
}

fn outcome(scenario: &Scenario, relay: Vec<EndOutcome>) -> Outcome {
    let flow = FlowOutcome {
        flow: 0,
        cross_traffic: false,
        client: end("10.77.0.1:40000", "10.77.0.2:5001", None),
        server: None,
        relay,
        sendings: flow(scenario).phases.iter().map(ran).collect(),
        seconds: 8.0,
        ended: crate::workload::Ended::Complete,
    };
    Outcome { flows: vec![flow], programs: Vec::new() }
}

fn link(up: Vec<Break>, down: Vec<Break>) -> LinkReport {
    let way = |breaks| crate::link::DirectionReport { breaks, ..Default::default() };
    LinkReport {
        backend: "tun",
        scheduling: "fifo",
        steered: false,
        faithful: true,
        why_not: Vec::new(),
        begun_ns: Some(9900 * MS),
        lateness_ns: None,
        up: way(up),
        down: way(down),
        middle: None,
    }
}

/// Of the server's data, in milliseconds.
fn lost(from: u64, to: Option<u64>, followed: u32) -> Break {
    let (lost, ports) = (Lost::Data, [5001, 40_000]);
    Break { from_ns: from * MS, to_ns: to.map(|to| to * MS), ports, lost, followed }
}

/// Milliseconds, limit and cause.
fn told(all: &[Scheduled]) -> Vec<(u64, u64, &str, Option<&str>)> {
    let row = |Scheduled { interval: i, .. }: &'_ Scheduled| (i.from_ns / MS, i.to_ns / MS);
    let times = all.iter().map(row);
    let whats = all.iter().map(|s| (s.interval.limit.as_str(), s.interval.cause.as_deref()));
    times.zip(whats).map(|((from, to), (limit, cause))| (from, to, limit, cause)).collect()
}

#[test]
fn asked_pacing_holds_where_nothing_else_is_less() {
    let scenario = scenario("pacing-8mbit");
    let all = schedule(&scenario, &outcome(&scenario, Vec::new()), &link(vec![], vec![]));
    let all = told(&all);
    // 20 KB of a round trip at 1 MB/s are in flight after one.
    let paced = (10_020, 15_000, "congestion_window", Some("pacing"));
    assert_eq!(all, [(10_000, 10_020, "congestion_window", Some("slow start")), paced]);
}

#[test]
fn a_reader_that_stops_is_a_zero_window_between_what_holds_else() {
    let mut scenario = scenario("zero-window-resumed");
    let Workload::Flows(flows) = &mut scenario.workload else { panic!("no flows") };
    let stop = (Nanos::from_secs(1), Some(Nanos::from_secs(2)));
    flows[0].phases[0].reader = Pace::Stops(vec![stop]);
    let all = schedule(&scenario, &outcome(&scenario, Vec::new()), &link(vec![], vec![]));
    let all = told(&all);
    let zero = all.iter().find(|i| i.3 == Some("zero window")).unwrap();
    assert_eq!((zero.0, zero.1), (11_000, 12_000));
    assert!(all.windows(2).all(|pair| pair[0].1 == pair[1].0), "{all:?}");
    assert_eq!((all[0].0, all.last().unwrap().1), (10_000, 15_000));
}

#[test]
fn an_outage_is_recovered_from_when_what_it_took_has_passed() {
    let scenario = scenario("loss-timeouts");
    let breaks = vec![lost(11_000, Some(11_400), 0), lost(12_000, None, 0)];
    let all = schedule(&scenario, &outcome(&scenario, Vec::new()), &link(vec![], breaks));
    let all = told(&all);
    assert!(all[..all.len() - 2].iter().all(|i| i.1 <= 11_020), "{all:?}");
    let last = [
        (11_020, 11_420, "loss_recovery", Some("retransmission timeout")),
        (12_020, 18_000, "silent_path", Some("peer vanished")),
    ];
    assert_eq!(all[all.len() - 2..], last);
}

#[test]
fn a_lost_packet_is_repaired_in_a_round_and_the_window_grows_slowly_after_it() {
    let scenario = scenario("congestion-avoidance-40ms");
    let breaks = vec![lost(10_200, Some(10_240), 30)];
    let all = schedule(&scenario, &outcome(&scenario, Vec::new()), &link(vec![], breaks));
    let all = told(&all);
    assert!(all.contains(&(10_240, 10_280, "loss_recovery", Some("fast retransmit"))), "{all:?}");
    let grows = (10_280, 15_000, "congestion_window", Some("congestion avoidance"));
    assert_eq!(all.last(), Some(&grows), "{all:?}");
}

#[test]
fn a_lost_last_packet_is_a_tail_loss_in_whatever_round() {
    let scenario = scenario("tail-loss");
    let breaks = vec![lost(10_200, Some(10_260), 0)];
    let all = schedule(&scenario, &outcome(&scenario, Vec::new()), &link(vec![], breaks));
    assert_eq!(told(&all), [(10_220, 10_280, "loss_recovery", Some("tail loss"))]);
}

#[test]
fn a_lost_syn_belongs_to_who_sent_it() {
    let scenario = scenario("syn-lost");
    let (ports, lost) = ([40_000, 5001], Lost::Syn);
    let (from_ns, to_ns) = (8900 * MS, Some(9950 * MS));
    let breaks = vec![Break { from_ns, to_ns, ports, lost, followed: 0 }];
    let all = schedule(&scenario, &outcome(&scenario, Vec::new()), &link(breaks, vec![]));
    assert_eq!(told(&all)[0], (8900, 9970, "handshake", Some("SYN retry")));
}

#[test]
fn what_a_middlebox_swallows_is_silence() {
    let hole = scenario("path-mtu-black-hole");
    let all = schedule(&hole, &outcome(&hole, Vec::new()), &link(vec![], vec![]));
    assert_eq!(
        told(&all).last().unwrap(),
        &(10_020, 18_000, "silent_path", Some("PMTU black hole"))
    );
    let death = scenario("zero-window-death");
    let all = schedule(&death, &outcome(&death, Vec::new()), &link(vec![], vec![]));
    let all = told(&all);
    let silence = (11_400, 18_000, "silent_path", Some("probes unanswered"));
    assert_eq!(all.last(), Some(&silence), "{all:?}");
    assert!(all.contains(&(10_200, 11_400, "receive_window", Some("zero window"))), "{all:?}");
}

#[test]
fn each_leg_of_a_relay_has_its_own() {
    let proxy = scenario("proxy-16k-20ms");
    let front = end("10.77.0.2:5001", "10.77.0.1:40000", None);
    let read = Some([10 * SECOND, 14 * SECOND]);
    let back = end("127.0.0.1:50000", "127.0.0.1:5001", read);
    let all = schedule(&proxy, &outcome(&proxy, vec![front, back]), &link(vec![], vec![]));
    let of = |port: u16| {
        let leg: Vec<_> = all.iter().filter(|s| s.ends[1].port() == port).cloned().collect();
        leg.last().map(|s| (s.interval.limit.clone(), s.interval.cause.clone())).unwrap()
    };
    assert_eq!(of(40_000), ("send_buffer".to_owned(), None));
    assert_eq!(of(50_000), ("receive_window".to_owned(), Some("slow reader".to_owned())));
}

#[test]
fn a_shard_that_is_not_read_has_a_closed_window_until_its_turn() {
    let proxy = scenario("fan-out-proxy");
    let front = end("127.0.0.1:5001", "127.0.0.1:40000", None);
    let back = |port, read| end(&format!("10.77.0.1:{port}"), "10.77.0.2:5001", Some(read));
    let one = back(50_001, [10 * SECOND, 12 * SECOND]);
    let two = back(50_002, [12 * SECOND, 15 * SECOND]);
    let all = schedule(&proxy, &outcome(&proxy, vec![front, one, two]), &link(vec![], vec![]));
    let leg: Vec<_> = all.iter().filter(|s| s.ends[1].port() == 50_002).cloned().collect();
    let leg = told(&leg);
    assert_eq!(leg[leg.len() - 2].1, 12_000, "{leg:?}");
    assert_eq!(leg[leg.len() - 2].3, Some("zero window"));
    assert_eq!(leg[leg.len() - 1].2, "path_bandwidth");
    let local: Vec<_> =
        all.iter().filter(|s| s.ends[0].port() == 5001 && s.ends[0].ip().is_loopback()).collect();
    assert_eq!(local[0].interval.limit, "application");
}
