//! Who did it: what applications ask of their sockets' buffers, where their threads sleep in reads and writes, for how long each limit
//! held a sender, how autotuning changed its buffers, and what the kernel does to a socket that a sample does not show. Told by BPF
//! programs (`bpf/live.bpf.c`), of every network namespace.
//!
//! ```text
//! sys_enter -> ring buffer -> Asked (setsockopt: value, process, stack)
//! sched_switch -> map of places -> Slept (writers and readers, per socket and per stack)
//! ACKs and writes -> map by cookie -> Limited (time by limit, judged in the kernel)
//! segments -> map by cookie -> Tuned (steps of autotuning)
//! retransmissions, refused memory, full queues -> map by cookie -> Counts
//! ```
//!
//! It takes `CAP_BPF` and `CAP_PERFMON`, and a kernel with BTF. Dropped, it detaches; nothing stays in the kernel. Calls of setsockopt
//! through io_uring and those made before it was attached are not seen. Sleep in splice(2) and io_uring is told where the kernel allows
//! fentry (`bpf/within.h`), which nothing else takes.

mod asked;
#[cfg(feature = "bpf")]
mod journal;
#[cfg_attr(not(feature = "bpf"), allow(dead_code))] // Nobody decodes.
mod limited;
#[cfg(feature = "bpf")]
mod programs;
#[cfg(not(feature = "bpf"))]
#[path = "without.rs"]
mod programs;
#[cfg(feature = "bpf")]
mod record;
#[cfg(feature = "bpf")]
mod slept;
pub mod stack;
#[cfg(feature = "bpf")]
mod tuned;

pub use asked::{Asked, SocketOption};
pub use limited::Limited;
pub use programs::Causes;

/// What did not fit into its bounds since the beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lost {
    /// Calls of setsockopt that found the ring full.
    pub calls: u64,
    /// Sleeping threads, of which there were too many.
    pub sleepers: u64,
    /// Places in which threads slept, of which there were too many.
    pub places: u64,
    /// Sockets of which events were counted already.
    pub counts: u64,
    /// Stacks whose place another one had.
    pub stacks: u64,
}

impl Lost {
    /// Whether everything fitted.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// What the kernel did to a socket since this was attached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Segments sent again (`tcp_retransmit_skb`).
    pub retransmits: u64,
    /// Memory refused for sending (`sock_exceed_buf_limit`).
    pub refused_sending: u64,
    /// Memory refused for receiving.
    pub refused_receiving: u64,
    /// Segments dropped for a full receive queue (`sock_rcvqueue_full`).
    pub queue_full: u64,
}

/// How autotuning changed a socket's buffers since this was attached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tuned {
    /// Steps of the send buffer.
    pub send: u32,
    /// Steps of the receive buffer.
    pub receive: u32,
    /// The newest of them, in order of time.
    pub newest: Vec<Step>,
}

/// One change of a buffer's size that no application asked for. A smaller one is for want of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// When the segment came that found it, nanoseconds of `CLOCK_MONOTONIC`.
    pub t_ns: u64,
    /// Of the send buffer, else of the receive buffer.
    pub send: bool,
    /// Bytes before, as the kernel counts them (`sk_sndbuf`, `sk_rcvbuf`).
    pub from: u32,
    /// Bytes since.
    pub to: u32,
}

/// For how long threads slept on a socket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Blocked {
    /// In writes, for want of room in the send buffer, nanoseconds; of several threads the sum.
    pub writing_ns: u64,
    /// In reads, for want of data, nanoseconds.
    pub reading_ns: u64,
}

/// Time slept by a thread in one place of its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slept {
    /// Name of the thread when it slept first.
    pub command: String,
    /// Its process.
    pub process: u32,
    /// In a write, else in a read.
    pub writes: bool,
    /// Nanoseconds.
    pub ns: u64,
    /// Return addresses of the program, the innermost first; empty where there are none.
    pub user: Vec<u64>,
    /// The kernel's.
    pub kernel: Vec<u64>,
}
