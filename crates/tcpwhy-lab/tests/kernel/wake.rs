//! When a writer that found its buffer full is woken, and when poll calls it writable.

use std::io::Read;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use socket2::Socket;
use tcpwhy_core::kernel::Version;
use tcpwhy_core::kernel::buffers::{Asked, send_buffer};
use tcpwhy_core::kernel::send::{may_queue, wakes_writer};
use tcpwhy_core::units::Nanos;

use super::pair::{State, pair, state, sysctls, version};

/// poll asks for half of notsent_lowat as the wake-up does.
const POLL_AS_WAKE: Version = Version::new(5, 10);
const PATIENCE: Duration = Duration::from_secs(10);
const NONE: u64 = u32::MAX as u64;

/// One look at a socket that did not move meanwhile.
#[derive(Debug)]
struct Look {
    state: State,
    /// Whether a writer is woken, as the rule has it.
    rule: bool,
    /// poll calls it writable.
    writable: bool,
    /// An edge has been told by now.
    woken: bool,
}

impl Look {
    const fn agrees(&self) -> bool {
        self.writable == self.rule && self.woken == self.rule
    }
}

/// A full send buffer and what tells of it.
struct Writer<'a> {
    socket: &'a Socket,
    edges: rustix::fd::OwnedFd,
    sndbuf: u64,
    lowat: u64,
    /// An edge has been told.
    woken: bool,
}

impl<'a> Writer<'a> {
    /// Fills the socket's buffer.
    fn full(socket: &'a Socket, sndbuf: u64, lowat: u64) -> Self {
        while socket.send(&[0; 4_096]).is_ok() {}
        let edges = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
        let flags = epoll::EventFlags::OUT | epoll::EventFlags::ET;
        epoll::add(&edges, socket, epoll::EventData::new_u64(0), flags).unwrap();
        Self { socket, edges, sndbuf, lowat, woken: false }
    }

    /// What the kernel and the rule say of one state; nothing where it moved while they were asked.
    fn look(&mut self) -> Option<Look> {
        let before = state(self.socket);
        let none = Timespec::default();
        let mut events = Vec::with_capacity(1);
        epoll::wait(&self.edges, rustix::buffer::spare_capacity(&mut events), Some(&none)).unwrap();
        self.woken |= !events.is_empty();
        let mut asked = [PollFd::new(self.socket, PollFlags::OUT)];
        poll(&mut asked, Some(&none)).unwrap();
        let writable = asked[0].revents().contains(PollFlags::OUT);
        let rule = wakes_writer(version(), before.queued, self.sndbuf, before.unsent, self.lowat);
        let still = state(self.socket) == before;
        still.then_some(Look { state: before, rule, writable, woken: self.woken })
    }

    /// Looks on until it has seen that everything has left; how often the rule said no and yes.
    fn drain(&mut self) -> [u32; 2] {
        let (begin, mut seen) = (Instant::now(), [0, 0]);
        loop {
            let mut look = self.look();
            // Between an ACK's bytes and its wake-up there are some instructions of another processor.
            for _ in 0..100 {
                if look.as_ref().is_none_or(Look::agrees) {
                    break;
                }
                thread::sleep(Duration::from_millis(1));
                look = self.look();
            }
            if let Some(look) = look {
                assert!(look.agrees(), "{look:?} of {}", self.sndbuf);
                seen[usize::from(look.rule)] += 1;
                if look.state.queued == 0 {
                    return seen;
                }
            }
            assert!(begin.elapsed() < PATIENCE, "nothing moves");
            thread::sleep(Duration::from_micros(500));
        }
    }
}

#[test]
fn a_writer_wakes_at_a_third_free_and_half_of_notsent_lowat() {
    if version() < POLL_AS_WAKE {
        println!("skipped: poll of Linux before 5.10 knows no notsent_lowat");
        return;
    }
    let grid = [
        (4_096, None),
        (16_384, None),
        (65_536, None),
        (65_536, Some(2_000)),
        (65_536, Some(20_000)),
        (65_536, Some(60_000)),
        (262_144, Some(100_000)),
    ];
    let Some((pair, _link)) = pair(Nanos::from_millis(2), Some(20_000_000)) else { return };
    let mut refused = 0;
    for (asked, lowat) in grid {
        let connection = pair.connect(1, |_, socket| {
            socket.set_send_buffer_size(asked).unwrap();
            if let Some(lowat) = lowat {
                socket.set_tcp_notsent_lowat(lowat).unwrap();
            }
        });
        let (client, mut server) = connection.into_iter().next().unwrap();
        let reader = thread::spawn(move || while server.read(&mut [0; 65_536]).unwrap() > 0 {});
        let sndbuf = send_buffer(Asked::Set(asked as u64), &sysctls());
        let lowat = lowat.map_or(NONE, u64::from);
        let [before, after] = Writer::full(&client, sndbuf, lowat).drain();
        assert!(after > 0, "an empty buffer wakes");
        refused += before;
        drop(client);
        reader.join().unwrap();
    }
    // A small buffer may be empty before the first look; the largest takes a tenth of a second.
    assert!(refused > 0, "never asked while a buffer was full");
}

#[test]
fn a_write_is_refused_where_the_rule_takes_no_other_packet() {
    let Some((pair, link)) = pair(Nanos::from_millis(2), None) else { return };
    let grid = [(16_384, NONE), (65_536, 4_096), (65_536, 30_000), (65_536, NONE)];
    let connections = pair.connect(grid.len(), |at, socket| {
        socket.set_send_buffer_size(grid[at].0).unwrap();
        socket.set_tcp_notsent_lowat(grid[at].1 as u32).unwrap();
    });
    link.stop().unwrap();
    for ((asked, lowat), (client, _server)) in grid.into_iter().zip(&connections) {
        let sndbuf = send_buffer(Asked::Set(asked as u64), &sysctls());
        while client.send(&[0; 1_448]).is_ok() {}
        let State { queued, unsent, .. } = state(client);
        assert!(!may_queue(queued, sndbuf, unsent, lowat), "{queued} of {sndbuf}, {unsent} unsent");
    }
}
