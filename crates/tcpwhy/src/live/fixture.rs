//! Sockets for tests, without any.
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

use super::row::Row;
use tcpwhy_core::socket::{State, Stopwatch};
use tcpwhy_live::causes::{Asked, SocketOption};
use tcpwhy_live::locks::Locks;
use tcpwhy_live::process::Owner;
use tcpwhy_live::sample::Sample;
use tcpwhy_live::settings::Settings;
use tcpwhy_live::watch::{Counters, Observed};

const SECOND: u64 = 1_000_000_000;
/// A kernel's defaults.
pub(super) const SETTINGS: Settings =
    Settings { tcp_wmem_most: 4 << 20, tcp_rmem_most: 6 << 20, rmem_max: 212_992 };

/// A send buffer of 16 KiB, asked for by `command` on the listening socket.
pub(super) fn asked(command: &str) -> Asked {
    Asked {
        t_ns: 0,
        option: SocketOption::SendBuffer,
        value: Some(16_384),
        process: 7,
        thread: 8,
        command: command.into(),
        frames: Vec::new(),
        inherited: true,
    }
}

/// A sender of 7 Mbit/s, 20 ms away, whose state is `state` for a second.
pub(super) fn row(cookie: u64, command: &str, state: State) -> Row {
    let mut info = vec![0_u8; 280];
    info[68..72].copy_from_slice(&20_000_u32.to_ne_bytes());
    let counters = |t_ns, acked| Counters {
        t_ns,
        acked,
        received: 0,
        resent: 0,
        stopwatch: Some(Stopwatch { busy_us: t_ns / 1000, ..Stopwatch::default() }),
    };
    let seen = Observed {
        netns: 1,
        sample: Sample {
            local: "10.0.0.1:3306".parse().unwrap(),
            remote: format!("10.0.0.2:{}", 50_000 + cookie).parse().unwrap(),
            inode: 1,
            uid: 0,
            congestion: "cubic".into(),
            cgroup: 0,
            cookie,
            rqueue: 0,
            wqueue: state.outstanding,
            tcp_info: info,
            skmem: vec![0, 131_072, 0, 32_768, 0, state.wmem_queued, 0, 0, 0],
        },
        states: vec![state, State { t_ns: SECOND, acked: 875_000, ..state }],
        receivers: Vec::new(),
        first: counters(0, 0),
        last: counters(SECOND, 875_000),
        owner: Some(Owner { pid: 4711, command: command.into(), fd: 12 }),
        locks: Some(Locks {
            send: true,
            receive: false,
            sndbuf: 32_768,
            rcvbuf: 131_072,
            window_clamp: 0,
            notsent_lowat: None,
        }),
        closed: false,
    };
    Row::new(seen, &SETTINGS)
}

/// Its send buffer, locked at 16 KiB, is full.
pub(super) fn starved() -> State {
    State {
        established: true,
        outstanding: 16_384,
        in_flight: 12,
        cwnd: 30,
        snd_wnd: 65_536,
        mss: 1448,
        srtt_us: 20_000,
        min_rtt_us: 20_000,
        wmem_queued: 30_000,
        sndbuf: 32_768,
        scaled: true,
        ..State::default()
    }
}

/// The peer's window is full.
pub(super) fn at_edge() -> State {
    State { unsent: 9000, outstanding: 65_000, ..starved() }
}
