//! The programs in the kernel, and their ring buffer.

use aya::maps::{HashMap, MapData, PerCpuArray, RingBuf};
use aya::{Btf, Ebpf, EbpfLoader, include_bytes_aligned};

use super::{Error, Event, Refused, Scope};
use crate::bpf::{attach, map, no_map, unavailable};
use crate::kallsyms;

/// Built from `bpf/events.bpf.c` by `scripts/bpf.sh`.
static OBJECT: &[u8] = include_bytes_aligned!("../../bpf/events.bpf.o");

/// Between two records of one kind of one socket, nanoseconds: 20,000 a second at most tell what a round trip of 1 ms did, and cost
/// a fast transfer nothing. What is rare (state changes, losses, sleepers) is always told.
const LEAST_NS: u64 = 50_000;

/// Tracepoints; each has a program of its name.
const PROGRAMS: [&str; 10] = [
    "tcp_probe",
    "tcp_sendmsg_locked",
    "sock_send_length",
    "tcp_retransmit_skb",
    "tcp_cong_state_set",
    "tcp_rcvbuf_grow",
    "tcp_rcv_space_adjust",
    "inet_sock_set_state",
    "sock_exceed_buf_limit",
    "sched_switch",
];

/// The kernel's events; dropped, it detaches and leaves nothing behind.
pub struct Stream {
    ring: RingBuf<MapData>,
    lost: PerCpuArray<MapData, u64>,
    refused: Vec<Refused>,
    /// Keeps the programs attached.
    _programs: Ebpf,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("refused", &self.refused).finish_non_exhaustive()
    }
}

impl Stream {
    /// Loads and attaches the programs.
    ///
    /// # Errors
    /// The kernel has no BTF, the caller no rights, or not one program could be attached.
    pub fn open(scope: &Scope) -> Result<Self, Error> {
        let btf = Btf::from_sys_fs().map_err(unavailable)?;
        let [memory, data] = kallsyms::ranges(["sk_stream_wait_memory", "sk_wait_data"]);
        let everywhere = u32::from(*scope == Scope::Everywhere);
        let mut programs = EbpfLoader::new()
            .btf(Some(&btf))
            .override_global("LEAST_NS", &LEAST_NS, true)
            .override_global("WAIT_MEMORY_FROM", &memory.0, true)
            .override_global("WAIT_MEMORY_TO", &memory.1, true)
            .override_global("WAIT_DATA_FROM", &data.0, true)
            .override_global("WAIT_DATA_TO", &data.1, true)
            .override_global("EVERYWHERE", &everywhere, true)
            .load(OBJECT)
            .map_err(unavailable)?;
        if let Scope::Namespaces(inodes) = scope {
            let map = programs.map_mut("namespaces").ok_or_else(|| no_map("namespaces"))?;
            let mut asked: HashMap<_, u32, u32> = map.try_into().map_err(unavailable)?;
            for inode in inodes {
                asked.insert(inode, 1, 0).map_err(unavailable)?;
            }
        }
        let ring = map(&mut programs, "events")?.try_into().map_err(unavailable)?;
        let lost = map(&mut programs, "lost")?.try_into().map_err(unavailable)?;
        let refused = attach(&mut programs, &btf, &PROGRAMS)?;
        Ok(Self { ring, lost, refused, _programs: programs })
    }

    /// Gives `take` every event that waits, oldest first; returns how many. Their times are of `CLOCK_MONOTONIC`
    /// ([`super::Clock`] makes them wall time). To be called every few milliseconds: the ring holds some 50,000.
    pub fn drain(&mut self, mut take: impl FnMut(Event)) -> u64 {
        let mut count = 0;
        while let Some(record) = self.ring.next() {
            if let Some(event) = Event::decode(&record) {
                take(event);
                count += 1;
            }
        }
        count
    }

    /// Events that found the ring full, since the beginning.
    pub fn lost(&self) -> u64 {
        self.lost.get(&0, 0).map_or(0, |all| all.iter().sum())
    }

    /// What could not be attached, and why.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }
}
