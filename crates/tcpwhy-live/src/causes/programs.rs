//! The programs in the kernel, and their maps.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use aya::maps::stack_trace::StackTraceMap;
use aya::maps::{HashMap as Map, MapData, PerCpuArray, RingBuf};
use aya::{Btf, Ebpf, EbpfLoader, include_bytes_aligned};

use super::journal::Journal;
use super::limited::LIMITED;
use super::record::{Record, u64_at};
use super::slept::{self, Growth, PLACE, Place, SLEEPER, SLEPT};
use super::tuned::TUNED;
use super::{Asked, Blocked, Counts, Limited, Lost, Slept, Tuned};
use crate::bpf::{Function, attach, attach_functions, map, unavailable};
use crate::events::{Error, Refused, monotonic};
use crate::process::Descriptors;

/// Built from `bpf/live.bpf.c` by `scripts/bpf.sh`.
static OBJECT: &[u8] = include_bytes_aligned!("../../bpf/live.bpf.o");

/// Tracepoints; each has a program of its name.
const PROGRAMS: [&str; 8] = [
    "sys_enter",
    "inet_sock_set_state",
    "sched_switch",
    "tcp_retransmit_skb",
    "sock_exceed_buf_limit",
    "sock_rcvqueue_full",
    "tcp_probe",
    "tcp_sendmsg_locked",
];
/// Functions of the kernel in which threads wait; each has a program at its entry and one at its exit.
const WAITS: [Function; 2] = [
    Function {
        shown: "fentry/sk_stream_wait_memory",
        entry: "enters_wait_memory",
        exit: "leaves_wait_memory",
    },
    Function { shown: "fentry/sk_wait_data", entry: "enters_wait_data", exit: "leaves_wait_data" },
];
/// Those that time by limit takes both of.
const TIMES: [&str; 2] = ["tcp_probe", "tcp_sendmsg_locked"];
/// Stacks that are kept, where they are asked for.
const STACKS: u32 = 16_384;
/// Bytes of `struct counts`.
const COUNTS: usize = 32;

/// Who did what to sockets; dropped, it detaches and leaves nothing behind.
pub struct Causes {
    calls: RingBuf<MapData>,
    sleepers: Map<MapData, u32, [u8; SLEEPER]>,
    waits: Map<MapData, [u8; PLACE], [u8; SLEPT]>,
    counts: Map<MapData, u64, [u8; COUNTS]>,
    limited: Map<MapData, u64, [u8; LIMITED]>,
    tuned: Map<MapData, u64, [u8; TUNED]>,
    stacks: StackTraceMap<MapData>,
    lost: PerCpuArray<MapData, u64>,
    refused: Vec<Refused>,
    descriptors: Option<Descriptors>,
    journal: Journal,
    growth: Growth,
    /// Of sockets that the last round did not have.
    missed_cookies: HashSet<u64>,
    missed_inodes: HashSet<u32>,
    /// Keeps the programs attached.
    programs: Arc<Mutex<Ebpf>>,
}

impl std::fmt::Debug for Causes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Causes").field("refused", &self.refused).finish_non_exhaustive()
    }
}

impl Causes {
    /// Loads and attaches the programs; `stacks`: those of sleeping threads are wanted, too.
    ///
    /// # Errors
    /// The kernel has no BTF, the caller no rights, or not one program could be attached.
    pub fn open(stacks: bool) -> Result<Self, Error> {
        let btf = Btf::from_sys_fs().map_err(unavailable)?;
        let mut loader = EbpfLoader::new();
        let asked = u32::from(stacks);
        loader.btf(Some(&btf)).override_global("STACKS", &asked, true);
        if stacks {
            loader.map_max_entries("stacks", STACKS);
        }
        let mut programs = loader.load(OBJECT).map_err(unavailable)?;
        let mut refused = attach(&mut programs, &btf, &PROGRAMS)?;
        refused.extend(attach_functions(&mut programs, &btf, &WAITS));
        let mut causes = Self {
            calls: map(&mut programs, "calls")?.try_into().map_err(unavailable)?,
            sleepers: map(&mut programs, "sleepers")?.try_into().map_err(unavailable)?,
            waits: map(&mut programs, "waits")?.try_into().map_err(unavailable)?,
            counts: map(&mut programs, "counts")?.try_into().map_err(unavailable)?,
            limited: map(&mut programs, "limited")?.try_into().map_err(unavailable)?,
            tuned: map(&mut programs, "tuned")?.try_into().map_err(unavailable)?,
            stacks: map(&mut programs, "stacks")?.try_into().map_err(unavailable)?,
            lost: map(&mut programs, "lost")?.try_into().map_err(unavailable)?,
            refused,
            descriptors: None,
            journal: Journal::default(),
            growth: Growth::default(),
            missed_cookies: HashSet::new(),
            missed_inodes: HashSet::new(),
            programs: Arc::new(Mutex::new(programs)),
        };
        match Descriptors::open(&causes.programs, &btf) {
            Ok(descriptors) => causes.descriptors = Some(descriptors),
            Err(refused) => causes.refused.push(refused),
        }
        Ok(causes)
    }

    /// Whether this thread may read what the programs left.
    #[must_use]
    pub fn is_readable(&mut self) -> bool {
        let iterator = self.descriptors.as_mut();
        self.lost.get(&0, 0).is_ok() && iterator.is_none_or(Descriptors::is_readable)
    }

    /// The iterator over what processes have open, for whoever asks first; `None` where the kernel refuses it. As long as it lives all
    /// programs stay attached.
    #[must_use]
    pub fn take_descriptors(&mut self) -> Option<Descriptors> {
        self.descriptors.take()
    }

    /// What could not be attached, and why.
    #[must_use]
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// What did not fit, since the beginning.
    #[must_use]
    pub fn lost(&self) -> Lost {
        let of = |at| self.lost.get(&at, 0).map_or(0, |all| all.iter().sum());
        Lost {
            calls: self.journal.lost.saturating_add(of(0)),
            sleepers: of(1),
            places: of(2),
            counts: of(3),
            stacks: of(4),
        }
    }

    /// Takes the calls that wait. To be called several times a second: the ring holds some 3,000.
    pub fn drain(&mut self) {
        while let Some(record) = self.calls.next() {
            if let Some(record) = Record::decode(&record) {
                self.journal.add(record);
            }
        }
    }

    /// What applications asked of a socket since this was attached, in order of time; `port` is its own, in the network namespace
    /// `netns`: what was asked of the socket that listens there is inherited.
    #[must_use]
    pub fn asked(&self, inode: u32, netns: u32, port: u16) -> Vec<Asked> {
        self.journal.of(inode, netns, port)
    }

    /// For how long threads slept on each of the sockets with these inodes since the last call, and where.
    pub fn slept(&mut self, inodes: &HashSet<u32>) -> (HashMap<u32, Blocked>, Vec<Slept>) {
        let (mut blocked, mut slept): (HashMap<_, Blocked>, _) = (HashMap::new(), Vec::new());
        let sums = self.sums();
        self.growth.keep(&sums);
        for (place, (sum, command)) in sums {
            let ns = self.growth.of(place, sum);
            if ns == 0 || !inodes.contains(&place.inode()) {
                continue;
            }
            let socket = blocked.entry(place.inode()).or_default();
            let time = if place.writes() { &mut socket.writing_ns } else { &mut socket.reading_ns };
            *time += ns;
            let stack = |id: Option<u32>| id.map(|id| self.stack(id)).unwrap_or_default();
            let (user, kernel) = (stack(place.user()), stack(place.kernel()));
            let (process, writes) = (place.process(), place.writes());
            slept.push(Slept { command, process, writes, ns, user, kernel });
        }
        (blocked, slept)
    }

    /// Time slept in each place, of threads that still sleep, too.
    fn sums(&self) -> HashMap<Place, (u64, String)> {
        let waits = self.waits.iter().filter_map(Result::ok);
        let mut sums: HashMap<_, _> =
            waits.map(|(place, raw)| (Place(place), slept::slept(&raw))).collect();
        let now = monotonic();
        for (_, raw) in self.sleepers.iter().filter_map(Result::ok) {
            let (since, place) = slept::sleeper(&raw);
            let entry = sums.entry(place).or_insert_with(|| (0, command(place)));
            entry.0 += now.saturating_sub(since);
        }
        sums
    }

    fn stack(&self, id: u32) -> Vec<u64> {
        let found = self.stacks.get(&id, 0);
        found.map_or_else(|_| Vec::new(), |stack| stack.frames().iter().map(|f| f.ip).collect())
    }

    /// What the kernel did to the sockets with these cookies.
    #[must_use]
    pub fn counts(&self, cookies: &HashSet<u64>) -> HashMap<u64, Counts> {
        let all = self.counts.iter().filter_map(Result::ok);
        all.filter(|(cookie, _)| cookies.contains(cookie))
            .map(|(cookie, raw)| (cookie, counts(&raw)))
            .collect()
    }

    /// For how long each limit held the socket with this cookie while it sent, since this was attached; `None` where nothing was sent, or
    /// the kernel has not both tracepoints that it takes.
    #[must_use]
    pub fn limited(&self, cookie: u64) -> Option<Limited> {
        if self.refused.iter().any(|refused| TIMES.contains(&refused.program)) {
            return None;
        }
        self.limited.get(&cookie, 0).ok().map(|raw| Limited::decode(&raw))
    }

    /// How autotuning changed the buffers of the socket with this cookie; `None` where it did not.
    #[must_use]
    pub fn tuned(&self, cookie: u64) -> Option<Tuned> {
        self.tuned.get(&cookie, 0).ok().map(|raw| Tuned::decode(&raw))
    }

    /// Makes room: drops what belongs to sockets that are in neither of the last two rounds.
    pub fn keep(&mut self, inodes: &HashSet<u32>, cookies: &HashSet<u64>) {
        self.journal.keep(inodes, monotonic());
        let keys = self.counts.keys().filter_map(Result::ok);
        for cookie in gone(&mut self.missed_cookies, keys, cookies) {
            // That it is not there any more is what is wanted.
            let _ = self.counts.remove(&cookie);
        }
        let keys: Vec<Place> = self.waits.keys().filter_map(Result::ok).map(Place).collect();
        let gone = gone(&mut self.missed_inodes, keys.iter().map(|place| place.inode()), inodes);
        for place in keys.into_iter().filter(|place| gone.contains(&place.inode())) {
            let _ = self.waits.remove(&place.0);
            self.growth.forget(place);
        }
    }
}

/// Those of `found` that were not alive the last time either.
fn gone<K: Copy + Eq + Hash>(
    missed: &mut HashSet<K>,
    found: impl Iterator<Item = K>,
    alive: &HashSet<K>,
) -> HashSet<K> {
    let absent: HashSet<K> = found.filter(|key| !alive.contains(key)).collect();
    let before = std::mem::replace(missed, absent);
    missed.intersection(&before).copied().collect()
}

fn counts(raw: &[u8; COUNTS]) -> Counts {
    let number = |place: usize| u64_at(raw, place * 8).unwrap_or(0);
    Counts {
        retransmits: number(0),
        refused_sending: number(1),
        refused_receiving: number(2),
        queue_full: number(3),
    }
}

/// Name of a thread that has not woken yet.
fn command(place: Place) -> String {
    let path = format!("/proc/{}/task/{}/comm", place.process(), place.thread());
    let comm = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&comm).trim_end().to_owned()
}
