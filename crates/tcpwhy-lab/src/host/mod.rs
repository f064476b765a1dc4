//! One end of the link: a network namespace with a device, an address and its own settings.

mod device;
mod facts;
mod netlink;
mod network;
mod ready;
mod sys;
mod sysctl;
mod user;

pub use crate::namespace::Namespace;
pub use device::{DeviceFacts, Metrics};
pub use facts::HostFacts;
pub use network::Network;
pub(crate) use sys::die_with;
pub(crate) use sysctl::get as setting;
pub use sysctl::kernel_release;
pub use user::{Rights, become_root};

use crate::link::{self, HostDevice};
use crate::spec::{HostSpec, LinkSpec, Role};
use std::io;
use std::net::IpAddr;
use std::process::Command;

/// Name of the device that leads to the link.
pub const DEVICE: &str = "lab0";

/// Why there is no host.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No namespace.
    #[error(
        "cannot make a network namespace ({0}); run as root, or allow user namespaces (sysctl user.max_user_namespaces)"
    )]
    Namespace(#[from] io::Error),
    /// A name that is no network setting.
    #[error("{0:?} is no setting of the network: write its name with dots, as net.ipv4.tcp_rmem")]
    SysctlName(String),
    /// The kernel refuses a value.
    #[error("cannot set {name} to {value:?} ({source}{})", sysctl::hint(name, source))]
    Sysctl {
        /// The setting.
        name: String,
        /// What was asked.
        value: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// The kernel does not have this congestion control.
    #[error("the kernel has no congestion control {name:?}; available: {available}")]
    Congestion {
        /// As asked.
        name: String,
        /// What there is.
        available: String,
    },
    /// Devices, addresses or routes.
    #[error("cannot {what} ({source})")]
    Configure {
        /// A verb and what it was about.
        what: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// The device.
    #[error(transparent)]
    Link(#[from] crate::link::Error),
}

impl Role {
    /// The other end.
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// A host at work; its namespace and its device vanish with it.
#[derive(Debug)]
pub struct Host {
    role: Role,
    namespace: Namespace,
    device: HostDevice,
    network: Network,
    facts: HostFacts,
}

impl Host {
    /// A host in a namespace of its own, with the device that the link asks for.
    ///
    /// # Errors
    /// Rights are missing, or the kernel refuses a setting.
    pub fn new(
        role: Role,
        spec: &HostSpec,
        link: &LinkSpec,
        network: Network,
    ) -> Result<Self, Error> {
        Self::in_namespace(Namespace::new()?, role, spec, link, network)
    }

    /// The server's end in the calling thread's own namespace: its services are then reachable over the link. Nothing but a
    /// device with an address and the route to the client is added, and goes with the process.
    ///
    /// # Errors
    /// As [`Host::new`].
    pub fn outside(
        device: &str,
        spec: &HostSpec,
        link: &LinkSpec,
        network: Network,
    ) -> Result<Self, Error> {
        let role = Role::Server;
        let opened = link::open(device, link)?;
        ready::device(device, role, spec, network)?;
        let facts = facts::read(spec, device, network.addresses(role.other())[0]);
        Ok(Self { role, namespace: Namespace::current()?, device: opened, network, facts })
    }

    /// Lets what comes over the link from other hosts go on to where the namespace's routes lead, and back from `behind`, the device
    /// that they lead to.
    ///
    /// # Errors
    /// The kernel refuses the settings.
    pub fn forward(&self, behind: &str) -> Result<(), Error> {
        self.namespace.inside(|| ready::forwarding([self.device.name(), behind]))?
    }

    /// A host in a namespace that is there already.
    ///
    /// # Errors
    /// As [`Host::new`].
    pub fn in_namespace(
        namespace: Namespace,
        role: Role,
        spec: &HostSpec,
        link: &LinkSpec,
        network: Network,
    ) -> Result<Self, Error> {
        let (device, facts) = namespace.inside(|| configure(role, spec, link, network))??;
        Ok(Self { role, namespace, device, network, facts })
    }

    /// Which end it is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Its addresses: IPv4 first, then IPv6.
    pub fn addresses(&self) -> [IpAddr; 2] {
        self.network.addresses(self.role)
    }

    /// Its network namespace.
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// Its end of the link.
    pub fn device(&self) -> &HostDevice {
        &self.device
    }

    /// A command that runs in the host and is killed when the thread that starts it ends, whatever ends it.
    ///
    /// # Errors
    /// No file descriptor is left.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> io::Result<Command> {
        sys::command(program.as_ref(), &self.namespace)
    }

    /// What it is, read back.
    pub fn facts(&self) -> &HostFacts {
        &self.facts
    }
}

fn configure(
    role: Role,
    spec: &HostSpec,
    link: &LinkSpec,
    network: Network,
) -> Result<(HostDevice, HostFacts), Error> {
    // Before the addresses, which IPv6 settings shape; and what the kernel remembers of earlier connections would shape later ones.
    sysctl::set("net.ipv4.tcp_no_metrics_save", "1")?;
    for (name, value) in &spec.sysctls {
        sysctl::set(name, value)?;
    }
    let device = link::open(DEVICE, link)?;
    ready::loopback()?;
    ready::device(device.name(), role, spec, network)?;
    ready::default_route(device.name(), role, spec, network)?;
    let facts = facts::read(spec, device.name(), network.addresses(role.other())[0]);
    Ok((device, facts))
}
