//! A relay carries everything, with its own buffers on both sides.

use crate::place::run;
use tcpwhy_core::units::Nanos;
use tcpwhy_lab::spec::{Flow, Relay, Role, Sending, SocketOptions};
use tcpwhy_lab::workload::Ended;

fn from(role: Role, bytes: u64) -> Sending {
    Sending { from: role, bytes, ..Sending::default() }
}

fn small(n: u64) -> SocketOptions {
    SocketOptions { sndbuf: Some(n), rcvbuf: Some(n), ..SocketOptions::default() }
}

#[test]
fn a_proxy_carries_both_ways_with_its_own_buffers() {
    let relay = Relay { on: Role::Server, front: small(16_384), back: small(8_192), shards: 1 };
    let phases = vec![
        Sending { rounds: 3, ..from(Role::Client, 300) },
        Sending { rounds: 3, ..from(Role::Server, 500_000) },
    ];
    let flow = Flow { phases, relay: Some(relay), count: 2, ..Flow::default() };
    let Some(ran) = run("proxy", vec![flow]) else { return };
    for flow in &ran.outcome.as_ref().unwrap().flows {
        assert_eq!(flow.ended, Ended::Complete, "{flow:#?}");
        assert_eq!((flow.sendings[0].read, flow.sendings[1].read), (900, 1_500_000));
        let buffers: Vec<_> =
            flow.relay.iter().map(|end| end.effective.as_ref().unwrap().sndbuf.unwrap()).collect();
        assert_eq!(buffers, [32_768, 16_384]);
    }
}

#[test]
fn the_second_shard_is_not_read_before_the_first_is_done() {
    let back = SocketOptions { rcvbuf: Some(8_192), ..SocketOptions::default() };
    let relay = Relay { on: Role::Client, front: SocketOptions::default(), back, shards: 2 };
    // The first shard's half takes 100 ms at least; the second's fills its buffers in the meantime.
    let answer =
        Sending { write: 100_000, think: Nanos::from_millis(10), ..from(Role::Server, 2_000_000) };
    let server_socket = SocketOptions { sndbuf: Some(8_192), ..SocketOptions::default() };
    let phases = vec![from(Role::Client, 100), answer];
    let flow = Flow { phases, relay: Some(relay), server_socket, ..Flow::default() };
    let Some(ran) = run("shards", vec![flow]) else { return };
    let flow = ran.flow();
    assert_eq!(flow.ended, Ended::Complete, "{flow:#?}");
    assert_eq!((flow.sendings[1].written, flow.sendings[1].read), (2_000_000, 2_000_000));
    let reads = ran.lines("client", "read");
    let of = |port: &str| {
        let remote = format!("127.0.0.2:{port}");
        reads.iter().filter(|line| line.remote == remote).cloned().collect::<Vec<_>>()
    };
    let (first, second) = (of("5001"), of("5002"));
    assert_eq!(second.iter().map(|line| line.bytes).sum::<u64>(), 1_000_000);
    assert!(first.last().unwrap().t_ns <= second[0].t_ns);
    // Its writer had filled the relay's receive queue and its own send buffer long before: one write was blocked until then.
    let writes = ran.lines("server", "write");
    let wrote = ran.lines("server", "wrote");
    let mine = |line: &&crate::place::Line| line.local == "127.0.0.2:5002";
    let longest = writes.iter().filter(mine).zip(wrote.iter().filter(mine));
    let longest = longest.map(|(begun, done)| (begun.t_ns, done.t_ns));
    let blocked = longest.max_by_key(|(begun, done)| done - begun).unwrap();
    assert!(blocked.0 < first.last().unwrap().t_ns && blocked.1 >= second[0].t_ns);
}
