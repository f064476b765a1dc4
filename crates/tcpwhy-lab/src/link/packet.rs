//! Where there is no TUN: a veth pair, of which the host has one end and a packet socket the other.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use super::device::{HostDevice, Kind};
use super::{Error, command, sys};
use crate::namespace::Namespace;
use crate::spec::Offload;

/// Both hosts' devices have this address: frames of the one are frames for the other as they are.
const ADDRESS: &str = "02:77:00:00:00:01";
/// Not there in a kernel without IPv6.
const IPV6: &str = "/proc/thread-self/net/if_inet6";
/// The end that no host has, in a namespace of its own.
pub(super) const FAR: &str = "wire";

/// Makes the veth device `name` in the calling thread's network namespace.
///
/// # Errors
/// When namespaces, veth devices or packet sockets are not permitted or not there.
pub fn open(name: &str, offload: Offload) -> Result<HostDevice, Error> {
    let wire = pair(name)?;
    if offload == Offload::None {
        command::run(&["ip", "link", "set", "dev", name, "gso_max_segs", "1"])?;
    }
    let socket = wire.inside(|| sys::packet_socket(interface_index(FAR)?));
    let error = |source| Error::Device { name: name.to_owned(), what: "listen behind", source };
    // The socket keeps the wire's namespace.
    HostDevice::new(name, socket.and_then(|made| made).map_err(error)?, Kind::Packet)
}

/// Makes both ends; returns the namespace of the far one, which is up. Both vanish with that namespace, and so with this process,
/// whatever happens to it.
pub(super) fn pair(name: &str) -> Result<Namespace, Error> {
    let wire = Namespace::new().map_err(|source| Error::Wire { source })?;
    let near = ["ip", "link", "add", name, "address", ADDRESS, "type", "veth"];
    let far = ["peer", "name", FAR, "netns", &wire.path()];
    command::run(&[&near[..], &far[..]].concat())?;
    // Without neighbours: whatever the host sends goes to the other host.
    command::run(&["ip", "link", "set", "dev", name, "arp", "off"])?;
    command::inside(&wire, || silent(FAR))?;
    Ok(wire)
}

/// Brings a device of the calling thread's namespace up that says nothing of its own; a kernel without IPv6 does not know how it would.
pub(super) fn silent(device: &str) -> Result<(), Error> {
    let named: &[&str] = if Path::new(IPV6).exists() { &["addrgenmode", "none"] } else { &[] };
    let set = ["ip", "link", "set", "dev", device, "arp", "off", "mtu", "65535"];
    command::run(&[&set, named, &["up"]].concat())
}

fn interface_index(name: &str) -> io::Result<i32> {
    let (family, kind) = (rustix::net::AddressFamily::INET, rustix::net::SocketType::DGRAM);
    let socket: OwnedFd = rustix::net::socket(family, kind, None)?;
    Ok(rustix::net::netdevice::name_to_index(socket, name)? as i32)
}
