//! One end of the link: a network namespace with a device, an address and its own settings.

mod facts;
mod ip;
mod namespace;
mod sysctl;
mod user;

pub use facts::HostFacts;
pub use namespace::Namespace;
pub use user::become_root;

use crate::link::{HostDevice, tun};
use crate::spec::{HostSpec, Offload, Role};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

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
    #[error("cannot set {name} to {value:?} ({source})")]
    Sysctl {
        /// The setting.
        name: String,
        /// What was asked.
        value: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// Addresses or routes.
    #[error("{0}")]
    Ip(String),
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

/// The addresses behind a link: 10.N.0.0/24 and fd77:N::/64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network(pub u8);

impl Default for Network {
    fn default() -> Self {
        Self(77)
    }
}

impl Network {
    /// A host's addresses: IPv4 first, then IPv6.
    pub fn addresses(self, role: Role) -> [IpAddr; 2] {
        let last = match role {
            Role::Client => 1,
            Role::Server => 2,
        };
        let v4 = Ipv4Addr::new(10, self.0, 0, last);
        let v6 = Ipv6Addr::new(0xfd77, u16::from(self.0), 0, 0, 0, 0, 0, u16::from(last));
        [v4.into(), v6.into()]
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
    /// A host in a namespace of its own, with a TUN device.
    ///
    /// # Errors
    /// Rights are missing, or the kernel refuses a setting.
    pub fn new(
        role: Role,
        spec: &HostSpec,
        offload: Offload,
        network: Network,
    ) -> Result<Self, Error> {
        Self::in_namespace(Namespace::new()?, role, spec, offload, network)
    }

    /// A host in a namespace that is there already.
    ///
    /// # Errors
    /// As [`Host::new`].
    pub fn in_namespace(
        namespace: Namespace,
        role: Role,
        spec: &HostSpec,
        offload: Offload,
        network: Network,
    ) -> Result<Self, Error> {
        let (device, facts) = namespace.inside(|| configure(role, spec, offload, network))??;
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

    /// What it is, read back.
    pub fn facts(&self) -> &HostFacts {
        &self.facts
    }
}

fn configure(
    role: Role,
    spec: &HostSpec,
    offload: Offload,
    network: Network,
) -> Result<(HostDevice, HostFacts), Error> {
    // Before the addresses, which IPv6 settings shape; and what the kernel remembers of earlier connections would shape later ones.
    sysctl::set("net.ipv4.tcp_no_metrics_save", "1")?;
    for (name, value) in &spec.sysctls {
        sysctl::set(name, value)?;
    }
    let device = tun::open(DEVICE, offload)?;
    ip::run(&ip::commands(device.name(), role, spec, network))?;
    let facts = facts::read(spec, device.name());
    Ok((device, facts))
}
