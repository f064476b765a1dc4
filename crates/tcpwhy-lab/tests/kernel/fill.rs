//! How much a send buffer takes while nothing is acknowledged.

use std::time::{Duration, Instant};

use socket2::Socket;
use tcpwhy_core::kernel::buffers::{Asked, send_buffer};
use tcpwhy_core::kernel::fill::{Filled, Stalled};
use tcpwhy_core::kernel::send::{size_goal, skb_overhead};
use tcpwhy_core::units::Nanos;

use super::pair::{MSS, State, pair, state, sysctls, version};

/// A quarter of the round trip: until then no ACK is near for which a small packet would wait (`tcp_tso_should_defer`).
const DELAY: Nanos = Nanos::from_millis(30);
const IN_TIME: Duration = Duration::from_millis(15);
const TRIES: usize = 10;

const BUFFERS: [u64; 5] = [1_024, 4_096, 16_384, 65_536, 262_144];
const WRITES: [u64; 6] = [1, 100, 1_448, 4_096, 8_192, 65_536];
const LOWATS: [u64; 5] = [1, 1_448, 4_096, 16_384, 100_000];

#[derive(Debug, Clone, Copy)]
struct Case {
    sndbuf: u64,
    write: u64,
    lowat: Option<u64>,
}

fn grid() -> Vec<Case> {
    let plain = BUFFERS.into_iter().flat_map(|sndbuf| {
        let writes = WRITES.into_iter().filter(move |write| *write > 1 || sndbuf <= 4_096);
        writes.map(move |write| Case { sndbuf, write, lowat: None })
    });
    let lowat = LOWATS.into_iter().flat_map(|lowat| {
        [100, 1_448, 8_192].map(|write| Case { sndbuf: 262_144, write, lowat: Some(lowat) })
    });
    plain.chain(lowat).collect()
}

/// Writes until the kernel takes no more; `None` when that took too long, or something was repeated meanwhile.
fn fill(socket: &Socket, write: u64) -> Option<(Filled, State)> {
    let (begin, data) = (Instant::now(), vec![0; write as usize]);
    let mut payload = 0;
    while let Ok(taken) = socket.send(&data) {
        payload += taken as u64;
    }
    let state = state(socket);
    let in_time = begin.elapsed() < IN_TIME && state.resent == 0;
    let filled = Filled { payload, queued: state.queued, unsent: state.unsent };
    in_time.then_some((filled, state))
}

#[test]
fn a_send_buffer_takes_what_the_rule_says() {
    let mut left = grid();
    for _ in 0..TRIES {
        let Some((pair, link)) = pair(DELAY, None) else { return };
        let connections = pair.connect(left.len(), |at, socket| {
            socket.set_tcp_nodelay(true).unwrap();
            socket.set_send_buffer_size(left[at].sndbuf as usize).unwrap();
            if let Some(lowat) = left[at].lowat {
                socket.set_tcp_notsent_lowat(lowat as u32).unwrap();
            }
        });
        // From here on nothing arrives.
        link.stop().unwrap();
        let mut late = Vec::new();
        for (case, (client, _server)) in left.iter().zip(&connections) {
            match fill(client, case.write) {
                Some((filled, state)) => is_as_computed(*case, filled, state),
                None => late.push(*case),
            }
        }
        left = late;
        if left.is_empty() {
            return;
        }
    }
    println!("skipped: the machine is too busy for {left:?}");
}

fn is_as_computed(case: Case, filled: Filled, state: State) {
    let stalled = |overhead| Stalled {
        sndbuf: send_buffer(Asked::Set(case.sndbuf), &sysctls()),
        write: case.write,
        mss: MSS,
        goal: size_goal(MSS, state.snd_wnd, true),
        overhead,
        window: state.snd_wnd,
        segments: state.cwnd,
        burst: 2,
        notsent_lowat: case.lowat.unwrap_or(u64::from(u32::MAX)),
    };
    let overhead = skb_overhead(version());
    // Kernels with longer link headers have larger heads.
    let expected = [overhead, overhead + 64].map(|overhead| stalled(overhead).fill());
    assert!(expected.contains(&filled), "{case:?}: {filled:?} is not {:?}; {state:?}", expected[0]);
}
