//! What a scenario asks for, after its file was read and checked. Plain data: everything else in this crate is told with it.

mod host;
mod link;
mod workload;

pub use host::{CongestionControl, HostSpec, Role};
pub use link::{Backend, LinkSpec, Middlebox, Offload, Swallowed};
pub use workload::{Flow, Front, Pace, Program, Relay, Sending, SocketOptions, When, Workload};

use tcpwhy_core::model::{Cause, Limit};

/// A transfer to reproduce.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Short name, also the file's: `send-buffer-16k-20ms`.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// The published case that it reproduces (`A`, `F3`), if any, and the published figure as text.
    pub case: Option<String>,
    /// What was published, as text: `25 s`.
    pub published: Option<String>,
    /// The path between the hosts.
    pub link: LinkSpec,
    /// The end that connects.
    pub client: HostSpec,
    /// The end that listens.
    pub server: HostSpec,
    /// What runs on them.
    pub workload: Workload,
    /// What must come out.
    pub expect: Vec<Expect>,
}

/// What one direction must be judged as.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    /// Who sends.
    pub from: Role,
    /// The connection to this port of the server; `None`: the first flow's, or of programs the one with most data.
    pub port: Option<u16>,
    /// Any of these limits is right.
    pub limits: Vec<Limit>,
    /// Any of these causes is right; empty: the cause is not fixed by the construction.
    pub causes: Vec<Cause>,
    /// Lowest and highest goodput in bits per second.
    pub rate_bps: Option<(u64, u64)>,
}
