//! Bytes arrive, in turns or at once, and the account tells it in order.

use crate::place::run;
use std::time::Instant;
use tcpwhy_core::units::Nanos;
use tcpwhy_lab::spec::{Flow, Pace, Role, Sending, SocketOptions};
use tcpwhy_lab::workload::Ended;

fn from(role: Role, bytes: u64) -> Sending {
    Sending { from: role, bytes, ..Sending::default() }
}

#[test]
fn a_bulk_transfer_arrives_whole_and_is_accounted_for() {
    let sending = Sending { bytes: 3_000_000, write: 10_000, ..Sending::default() };
    let flow = Flow { phases: vec![sending], ..Flow::default() };
    let Some(ran) = run("bulk", vec![flow]) else { return };
    let flow = ran.flow();
    assert_eq!(flow.ended, Ended::Complete);
    let sent = &flow.sendings[0];
    assert_eq!((sent.asked, sent.written, sent.read), (3_000_000, 3_000_000, 3_000_000));
    assert!(sent.goodput_bps.unwrap() > 0);
    let writes = ran.lines("server", "write");
    let wrote = ran.lines("server", "wrote");
    assert_eq!(writes.len(), 300);
    assert_eq!(wrote.iter().map(|line| line.bytes).sum::<u64>(), 3_000_000);
    for (begun, returned) in writes.iter().zip(&wrote) {
        assert!(begun.t_ns <= returned.t_ns);
    }
    let reads = ran.lines("client", "read");
    assert_eq!(reads.iter().map(|line| line.bytes).sum::<u64>(), 3_000_000);
    assert!(writes[0].t_ns <= reads[0].t_ns);
    assert_eq!(reads[0].remote, "127.0.0.2:5001");
    assert_eq!(reads[0].local, writes[0].remote);
    let server = flow.server.as_ref().unwrap();
    assert_eq!(server.remote, flow.client.local);
    assert!(server.tcp_info.as_ref().unwrap().len() >= 2 * 104);
    for (host, kind) in
        [("client", "connect"), ("server", "accept"), ("client", "close"), ("server", "close")]
    {
        assert_eq!(ran.lines(host, kind).len(), 1, "{host} {kind}");
    }
}

#[test]
fn requests_and_responses_take_turns_on_one_connection() {
    let phases = vec![
        Sending { rounds: 5, ..from(Role::Client, 100) },
        Sending { rounds: 5, before: Nanos::from_millis(2), ..from(Role::Server, 20_000) },
    ];
    let Some(ran) = run("rounds", vec![Flow { phases, ..Flow::default() }]) else { return };
    let flow = ran.flow();
    assert_eq!(flow.ended, Ended::Complete);
    assert_eq!((flow.sendings[0].read, flow.sendings[1].read), (500, 100_000));
    let asked = ran.lines("client", "write");
    let answered = ran.lines("server", "write");
    let heard = ran.lines("server", "read");
    assert_eq!((asked.len(), answered.len()), (5, 5));
    for round in 0..5 {
        assert!(answered[round].t_ns - heard[round].t_ns >= 2_000_000, "the server's own work");
        assert!(round == 4 || answered[round].t_ns < asked[round + 1].t_ns, "in turn");
    }
}

#[test]
fn both_directions_at_once_do_not_wait_for_each_other() {
    // Far more than the buffers hold: one after the other, neither end reading, this would never end.
    let socket = SocketOptions { sndbuf: Some(8_192), rcvbuf: Some(8_192), ..Default::default() };
    let phases = vec![
        from(Role::Client, 1_000_000),
        Sending { together: true, epoll: true, ..from(Role::Server, 2_000_000) },
    ];
    let (client_socket, server_socket) = (socket.clone(), socket);
    let flow = Flow { phases, client_socket, server_socket, ..Flow::default() };
    let Some(ran) = run("both", vec![flow]) else { return };
    assert_eq!(ran.flow().ended, Ended::Complete);
    assert_eq!(ran.flow().sendings[1].read, 2_000_000);
    let (blocked, writable) = (ran.lines("server", "blocked"), ran.lines("server", "writable"));
    assert!(!blocked.is_empty(), "a buffer of 8 KiB fills");
    assert_eq!(blocked.len(), writable.len());
    assert!(blocked.iter().zip(&writable).all(|(full, room)| full.t_ns <= room.t_ns));
}

#[test]
fn many_flows_at_once_each_with_its_own_bytes() {
    let flow = |port, count, bytes, cross_traffic| Flow {
        port,
        count,
        cross_traffic,
        phases: vec![from(Role::Server, bytes)],
        ..Flow::default()
    };
    let flows = vec![flow(6000, 20, 30_000, false), flow(6001, 3, 50_000, true)];
    let Some(ran) = run("many", flows) else { return };
    let flows = &ran.outcome.as_ref().unwrap().flows;
    assert_eq!(flows.len(), 23);
    assert!(flows.iter().all(|flow| flow.ended == Ended::Complete));
    assert!(flows[..20].iter().all(|f| f.sendings[0].read == 30_000 && !f.cross_traffic));
    assert!(flows[20..].iter().all(|f| f.sendings[0].read == 50_000 && f.cross_traffic));
    assert!(flows.iter().all(|f| f.server.as_ref().unwrap().remote == f.client.local));
}

#[test]
fn a_writer_that_thinks_is_not_faster_than_its_thoughts() {
    let think = Nanos::from_millis(5);
    let sending = Sending { bytes: 10_000, write: 1_000, think, ..Sending::default() };
    let Some(ran) = run("think", vec![Flow { phases: vec![sending], ..Flow::default() }]) else {
        return;
    };
    let (begun, done) = (ran.lines("server", "write"), ran.lines("server", "wrote"));
    assert_eq!(begun.len(), 10);
    assert!((1..10).all(|n| begun[n].t_ns - done[n - 1].t_ns >= 5_000_000));
}

#[test]
fn a_flow_that_takes_too_long_is_given_up_in_time() {
    let reader = Pace::Stops(vec![(Nanos::ZERO, None)]);
    let sending = Sending { bytes: 100_000_000, reader, ..Sending::default() };
    let give_up = Nanos::from_millis(300);
    let begun = Instant::now();
    let flow = Flow { phases: vec![sending], give_up, ..Flow::default() };
    let Some(ran) = run("give-up", vec![flow]) else { return };
    assert_eq!(ran.flow().ended, Ended::GaveUp);
    assert!(ran.flow().sendings[0].read < 100_000_000);
    assert!(begun.elapsed().as_secs() < 5);
}

#[test]
fn ipv6_works_alike() {
    let flow = Flow { ipv6: true, phases: vec![from(Role::Client, 5_000)], ..Flow::default() };
    let Some(ran) = run("v6", vec![flow]) else { return };
    assert_eq!(ran.flow().ended, Ended::Complete);
    assert_eq!(ran.lines("client", "write")[0].remote, "[::1]:5001");
}

#[test]
fn two_flows_on_one_port_are_refused_with_a_sentence() {
    let flow = Flow { phases: vec![from(Role::Client, 1)], ..Flow::default() };
    let Some(ran) = run("ports", vec![flow.clone(), flow]) else { return };
    let error = ran.outcome.as_ref().unwrap_err().to_string();
    assert_eq!(error, "the flow on port 5001: another flow uses port 5001 too; give it its own");
}
