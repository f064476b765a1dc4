//! Addresses that nobody else uses: several labs side by side, or one inside another.

use std::net::IpAddr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use nix::ifaddrs::getifaddrs;

use super::Error;
use crate::host::Network;
use crate::spec::Role;

/// A network that is ours as long as this lives.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) network: Network,
    /// An abstract socket: its name is unique in the network namespace, and gone with the process.
    _name: UnixListener,
}

/// Takes the first network that no device and no other lab of the calling thread's network namespace has.
pub(super) fn claim() -> Result<Claim, Error> {
    let system = |source| Error::System { what: "list the addresses in use", source };
    let used: Vec<_> = getifaddrs()
        .map_err(|e| system(e.into()))?
        .filter_map(|one| one.address?.as_sockaddr_in().map(|a| a.ip().octets()))
        .collect();
    for n in 0..=u8::MAX {
        let network = Network(n);
        let IpAddr::V4(ours) = network.addresses(Role::Server)[0] else { continue };
        if used.iter().any(|other| other[..3] == ours.octets()[..3]) {
            continue;
        }
        let name = SocketAddr::from_abstract_name(format!("tcpwhy-lab-10.77.{n}"));
        if let Ok(name) = name.and_then(|name| UnixListener::bind_addr(&name)) {
            return Ok(Claim { network, _name: name });
        }
    }
    Err(Error::NoNetwork)
}
