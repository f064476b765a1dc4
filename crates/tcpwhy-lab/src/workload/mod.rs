//! What runs on the hosts: real sockets, relays and real programs; and the application's own account of it.
//!
//! Every thread that needs a host's network enters its namespace once and makes its sockets there.

mod child;
mod connection;
mod error;
mod flows;
mod front;
mod log;
pub mod mariadb;
mod options;
mod outcome;
mod patience;
mod plan;
mod program;
mod raw;
mod relay;
mod running;
mod sending;
mod sockets;

pub use error::Error;
pub use log::{AppLog, Clock, Kind, Recorder};
pub use options::Effective;
pub use outcome::{EndOutcome, Ended, FlowOutcome, Outcome, ProgramOutcome, SendingOutcome};

use crate::spec::{Role, Workload};
use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A host's network as a workload needs it.
pub trait Enter: Sync {
    /// Moves the calling thread into the host's network namespace, for the rest of the thread's life.
    ///
    /// # Errors
    /// The kernel refuses.
    fn enter(&self) -> io::Result<()>;
}

/// Where a workload runs.
pub struct Site<'a> {
    /// The end that connects.
    pub client: &'a dyn Enter,
    /// The end that listens.
    pub server: &'a dyn Enter,
    /// The server's addresses: IPv4 first, then IPv6.
    pub server_addresses: [IpAddr; 2],
    /// The client's addresses, alike.
    pub client_addresses: [IpAddr; 2],
    /// The application's account.
    pub log: &'a AppLog,
    /// The case folder: programs keep their output in `programs/` there.
    pub case: &'a Path,
    /// Set from outside (Ctrl-C), it ends the workload within a tenth of a second; what ran is then given up.
    pub stop: &'a AtomicBool,
}

impl Site<'_> {
    pub(crate) fn enter(&self, role: Role) -> Result<(), Error> {
        let host = match role {
            Role::Client => self.client,
            Role::Server => self.server,
        };
        host.enter().map_err(|cause| Error::Enter { host: role_name(role), cause })
    }
}

/// `client` or `server`, as every file of a case says it.
pub(crate) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Client => "client",
        Role::Server => "server",
    }
}

/// Runs a workload to its end.
///
/// # Errors
/// What was asked cannot be done here, or a program is missing. A transfer that failed or was given up is an [`Outcome`].
pub fn run(workload: &Workload, site: &Site<'_>) -> Result<Outcome, Error> {
    match workload {
        Workload::Flows(flows) => {
            Ok(Outcome { flows: flows::run(flows, site)?, programs: Vec::new() })
        }
        Workload::Programs(programs) => {
            Ok(Outcome { flows: Vec::new(), programs: program::run(programs, site)? })
        }
    }
}
