//! The barest forwarder between two TUN devices, to measure the emulator against on the same machine in the same minute: one
//! thread, epoll, a ring; reads a packet, writes it when its delay is over. No queue discipline, no losses, no account of
//! anything, no capture. Scheduling, timer slack and the devices are the emulator's.

use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rustix::event::{Timespec, epoll};
use rustix::io::{Errno, read, write};
use tcpwhy_lab::spec::Offload;

use super::cut::{self, VIRTIO};

/// Packets of one direction in a turn, and in the ring.
const BATCH: usize = 32;
const SLOTS: usize = 32_768;
const BIG_SLOTS: usize = 1_024;

/// At work until it is stopped.
pub(crate) struct Bare {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
}

impl Bare {
    /// Carries packets between two TUN devices, each way for `delay_ns`.
    pub(crate) fn start(devices: [OwnedFd; 2], delay_ns: i64, offload: Offload) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let run = move || run(&devices, delay_ns, offload, &stopped);
        let thread = std::thread::Builder::new().name("lab-bare".to_owned()).spawn(run).unwrap();
        Self { stop, thread }
    }

    /// Ends it; returns how many packets it wrote.
    pub(crate) fn stop(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

fn run(devices: &[OwnedFd; 2], delay_ns: i64, offload: Offload, stop: &AtomicBool) -> u64 {
    let thread = rustix::thread::gettid().as_raw_nonzero().to_string();
    Command::new("chrt").args(["--fifo", "--pid", "1", &thread]).status().unwrap();
    rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1)).unwrap();
    let waiter = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
    for device in devices {
        let data = epoll::EventData::new_u64(0);
        epoll::add(&waiter, device, data, epoll::EventFlags::IN).unwrap();
    }
    let [client, server] = devices;
    let mut ways = [Ring::new(offload, delay_ns), Ring::new(offload, delay_ns)];
    let mut events =
        [epoll::Event { flags: epoll::EventFlags::empty(), data: epoll::EventData::new_u64(0) }; 4];
    while !stop.load(Ordering::Relaxed) {
        let mut busy = false;
        for (way, from, to) in [(0, client, server), (1, server, client)] {
            busy |= ways[way].write(to, now());
            busy |= ways[way].read(from);
        }
        if !busy {
            let due = ways.iter().filter_map(Ring::due).min().unwrap_or(i64::MAX);
            let rest = (due.saturating_sub(now())).clamp(0, 100_000_000);
            let timeout = Timespec { tv_sec: 0, tv_nsec: rest };
            epoll::wait(waiter.as_fd(), &mut events[..], Some(&timeout)).unwrap();
        }
    }
    ways.iter().map(|way| way.written).sum()
}

fn now() -> i64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

/// One direction.
struct Ring {
    slots: Vec<u8>,
    size: usize,
    next: usize,
    /// When due, in which slot, how many bytes.
    waiting: VecDeque<(i64, usize, usize)>,
    delay_ns: i64,
    cuts: bool,
    written: u64,
}

impl Ring {
    fn new(offload: Offload, delay_ns: i64) -> Self {
        let whole = offload == Offload::None;
        let (size, count) = if whole { (2_048, SLOTS) } else { (VIRTIO + 65_536, BIG_SLOTS) };
        Self {
            slots: vec![0; size * count],
            size,
            next: 0,
            waiting: VecDeque::with_capacity(count),
            delay_ns,
            cuts: offload == Offload::Segment,
            written: 0,
        }
    }

    fn due(&self) -> Option<i64> {
        self.waiting.front().map(|front| front.0)
    }

    fn read(&mut self, from: &OwnedFd) -> bool {
        let first = self.waiting.len();
        for _ in 0..BATCH {
            // An empty ring begins anew: its first slots are still in the processor's cache.
            self.next = if self.waiting.is_empty() { 0 } else { self.next };
            let at = self.next * self.size;
            if self.waiting.len() == self.waiting.capacity() {
                break;
            }
            match read(from, &mut self.slots[at..at + self.size]) {
                Ok(length) => self.waiting.push_back((0, at, length)),
                Err(Errno::AGAIN) => break,
                Err(error) => panic!("read: {error}"),
            }
            self.next = (self.next + 1) % (self.slots.len() / self.size);
        }
        let due = now() + self.delay_ns;
        self.waiting.iter_mut().skip(first).for_each(|packet| packet.0 = due);
        self.waiting.len() > first
    }

    fn write(&mut self, to: &OwnedFd, now: i64) -> bool {
        let before = self.written;
        while self.written < before + BATCH as u64 {
            let Some((_, at, length)) = self.waiting.front().copied().filter(|p| p.0 <= now) else {
                break;
            };
            let packet = &self.slots[at..at + length];
            let count = if self.cuts {
                cut::each(packet, |segment| {
                    let _ = write(to, segment);
                })
            } else {
                let _ = write(to, packet);
                1
            };
            self.waiting.pop_front();
            self.written += count;
        }
        self.written > before
    }
}
