//! What happens to TCP sockets, event by event, told by BPF programs in the kernel (`bpf/events.bpf.c`).
//!
//! ```text
//! tp_btf programs -> ring buffer -> Stream (decoded events) -> Recorder (events.ndjson)
//! ```
//!
//! [`Stream`] is for who looks at events as they come, [`Recorder`] for who keeps them. Both take `CAP_BPF` and `CAP_PERFMON`, and
//! a kernel with BTF. Dropped, they detach; nothing stays in the kernel. What a kernel does not let attach is told with the reason
//! ([`Stream::refused`]), and the rest works without it.

mod clock;
mod record;
mod recorder;
#[cfg(feature = "bpf")]
mod stream;
#[cfg(not(feature = "bpf"))]
#[path = "without.rs"]
mod stream;

pub use clock::Clock;
#[cfg(feature = "bpf")]
pub(crate) use clock::monotonic;
pub use record::{Event, Kind, LENGTH, Snapshot};
pub use recorder::{Output, Recorded, Recorder};
pub use stream::Stream;

/// Which sockets are told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Those of every network namespace.
    Everywhere,
    /// Those of the namespaces with these inodes (of `/proc/PID/ns/net`).
    Namespaces(Vec<u32>),
}

/// Something that could not be attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The tracepoint, or `fentry/` and the kernel's function, or `iter/` and the iterator.
    pub program: &'static str,
    /// What the kernel said.
    pub why: String,
    /// Nothing that is told otherwise is lost without it.
    pub optional: bool,
}

/// Why there are no events.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Built without the feature `bpf`.
    #[error("this build has no kernel events (feature bpf)")]
    NotBuilt,
    /// No BTF, no rights, or no BPF in this kernel.
    #[error(
        "kernel events are not available: {0} (they take CAP_BPF, CAP_PERFMON and a kernel with BTF)"
    )]
    Unavailable(String),
    /// Not one program could be attached.
    #[error("no kernel event could be attached: {program}: {why}")]
    AllRefused {
        /// The first tracepoint that was refused.
        program: &'static str,
        /// What the kernel said.
        why: String,
    },
}
