//! Dumps of the sockets, one after another, as lines of `samples.ndjson`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hashbrown::HashMap;
use rustix::time::{ClockId, clock_gettime};
use tcpwhy_core::kernel::tcp_info::{TcpInfo, to_hex};
use tcpwhy_core::socket::{Receiver, State};

use super::locks::Locker;
use super::{Options, Summary};
use crate::events::Clock;
use crate::filter::Filter;
use crate::parts::Parts;

use crate::sample::{Dump, Sample};

/// Between two samples: a round trip of 10 ms wants a few; a dump of two hosts' sockets takes a tenth of this.
const INTERVAL: Duration = Duration::from_millis(2);
/// Between two samples of a sparing recorder lies this many times the processor time that a sample takes.
const REST: u32 = 9;
/// What is sampled is on the disk after so long.
const FLUSH: Duration = Duration::from_millis(500);

/// What takes the samples.
pub(super) struct Sampler {
    dumps: Vec<(String, Dump)>,
    clock: Clock,
    parts: Parts,
    filter: Filter,
    /// Of a sparing recorder: what was written last of each socket, and who knows the lock bits.
    sparing: Option<(HashMap<u64, Last>, Locker)>,
    bytes: Arc<AtomicU64>,
    summary: Summary,
}

/// What was written last of a socket.
struct Last {
    state: Option<State>,
    receiver: Receiver,
    locks: Option<u32>,
    /// The round in which the socket was seen last.
    round: u64,
}

impl Sampler {
    pub(super) fn new(
        dumps: Vec<(String, Dump)>,
        clock: Clock,
        parts: Parts,
        options: &Options,
        bytes: Arc<AtomicU64>,
    ) -> Self {
        let sparing = options.sparing.then(|| (HashMap::new(), Locker::start()));
        let (filter, summary) = (options.filter.clone(), Summary::default());
        Self { dumps, clock, parts, filter, sparing, bytes, summary }
    }

    /// Samples until told to stop, until the file has its bound, or until the disk takes no more.
    pub(super) fn run(&mut self, stop: &AtomicBool) {
        let mut next = Instant::now();
        let mut flushed = next;
        for round in 0.. {
            let last = stop.load(Ordering::Relaxed);
            let began = busy();
            if let Err(why) = self.round(round, last) {
                self.summary.stopped = Some(format!("samples.ndjson: {why}"));
            }
            self.summary.full = self.parts.is_full();
            if last || self.summary.full || self.summary.stopped.is_some() {
                return;
            }
            let now = Instant::now();
            if now - flushed >= FLUSH {
                flushed = now;
                if let Err(why) = self.parts.flush() {
                    self.summary.stopped = Some(format!("samples.ndjson: {why}"));
                    return;
                }
            }
            let interval = match self.sparing {
                Some(_) => INTERVAL.max(busy().saturating_sub(began) * (REST + 1)),
                None => INTERVAL,
            };
            next += interval;
            if now > next + interval {
                self.summary.late += 1;
                next = now;
            }
            std::thread::sleep(next.saturating_duration_since(now));
        }
    }

    fn round(&mut self, round: u64, last: bool) -> io::Result<()> {
        for (host, dump) in &self.dumps {
            let t_ns = self.clock.now_ns();
            for sample in dump.sockets()? {
                if !self.filter.takes(sample.local, sample.remote) {
                    continue;
                }
                let locks = match &mut self.sparing {
                    None => None,
                    Some((known, locker)) => {
                        let locks = locker.of(&sample);
                        if !changed(known, &sample, locks, round) && !last {
                            continue;
                        }
                        locks
                    }
                };
                let line = line(t_ns, host, &sample, locks);
                self.parts.push(line.as_bytes())?;
                self.bytes.fetch_add(line.len() as u64, Ordering::Relaxed);
                self.summary.samples += 1;
            }
        }
        if let Some((known, _)) = &mut self.sparing {
            known.retain(|_, last| last.round == round);
        }
        Ok(())
    }

    pub(super) fn end(mut self) -> Summary {
        if self.summary.stopped.is_none()
            && let Err(why) = self.parts.flush()
        {
            self.summary.stopped = Some(format!("samples.ndjson: {why}"));
        }
        self.summary
    }
}

/// Processor time of this thread: on a busy machine it waits for its turn, which costs nobody anything.
fn busy() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Whether `sample` says anything new of its socket; a state holds until the next one.
fn changed(
    known: &mut HashMap<u64, Last>,
    sample: &Sample,
    locks: Option<u32>,
    round: u64,
) -> bool {
    let memory = |at: usize| sample.skmem.get(at).copied().unwrap_or(0);
    let info = TcpInfo(&sample.tcp_info);
    let state = State::from_sample(0, info, sample.wqueue, &sample.skmem, &sample.congestion);
    let receiver = Receiver { unread: sample.rqueue, rmem_alloc: memory(0), rcvbuf: memory(1) };
    let new = Last { state, receiver, locks, round };
    match known.get_mut(&sample.cookie) {
        Some(old) => {
            let same = old.state == state && old.receiver == receiver && old.locks == locks;
            *old = new;
            !same
        }
        None => {
            known.insert(sample.cookie, new);
            true
        }
    }
}

fn line(t_ns: u64, host: &str, sample: &Sample, locks: Option<u32>) -> String {
    let hex = to_hex(&sample.tcp_info);
    let mut value = serde_json::json!({
        "t_ns": t_ns, "host": host, "local": sample.local, "remote": sample.remote,
        "cookie": sample.cookie, "rqueue": sample.rqueue, "wqueue": sample.wqueue, "tcp_info": hex, "skmem": sample.skmem,
        "congestion": sample.congestion,
    });
    if let Some(locks) = locks {
        value["locks"] = locks.into();
    }
    format!("{value}\n")
}
