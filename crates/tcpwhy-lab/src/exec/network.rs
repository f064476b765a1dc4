//! Addresses that nobody else uses: several labs side by side, or one inside another.

use std::net::Ipv4Addr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use nix::ifaddrs::{InterfaceAddress, getifaddrs};
use nix::sys::socket::SockaddrStorage;

use super::Error;
use crate::host::{DEVICE, Network};

/// A network that is ours as long as this lives.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) network: Network,
    /// The calling thread is behind another lab's link.
    pub(super) nested: bool,
    /// An abstract socket: its name is unique in the network namespace, and gone with the process.
    _name: UnixListener,
}

/// Takes the first network that no device and no other lab of the calling thread's network namespace has; behind another lab's
/// link it is a part of that lab's.
pub(super) fn claim() -> Result<Claim, Error> {
    let system = |source| Error::System { what: "list the addresses in use", source };
    let all: Vec<_> = getifaddrs().map_err(|e| system(e.into()))?.collect();
    let used: Vec<_> = all.iter().filter_map(|one| v4(one.address.as_ref())).collect();
    let outer = all.iter().find_map(outer);
    let networks: Vec<_> = match outer {
        Some(outer) => outer.parts().collect(),
        None => (0..=u8::MAX).map(Network::outermost).collect(),
    };
    for network in networks {
        if used.iter().any(|address| network.holds(*address)) {
            continue;
        }
        let name = SocketAddr::from_abstract_name(format!("tcpwhy-lab-{network}"));
        if let Ok(name) = name.and_then(|name| UnixListener::bind_addr(&name)) {
            return Ok(Claim { network, nested: outer.is_some(), _name: name });
        }
    }
    Err(outer.map_or(Error::NoNetwork, |outer| Error::NoPart { outer }))
}

/// The network of the lab whose client this namespace is.
fn outer(one: &InterfaceAddress) -> Option<Network> {
    let ours = one.interface_name == DEVICE;
    let (address, mask) = (v4(one.address.as_ref())?, v4(one.netmask.as_ref())?);
    Network::of_client(address, mask).filter(|_| ours)
}

fn v4(address: Option<&SockaddrStorage>) -> Option<Ipv4Addr> {
    address?.as_sockaddr_in().map(|a| a.ip())
}
