//! Where there is no TUN: a veth pair in the host's namespace, of which the host has one end and a packet socket the other.

use std::os::fd::OwnedFd;

use super::device::{HostDevice, Kind};
use super::{Error, command, sys};
use crate::spec::Offload;

/// Both hosts' devices have this address: frames of the one are frames for the other as they are.
const ADDRESS: &str = "02:77:00:00:00:01";

/// Makes the veth device `name` in the calling thread's network namespace, and its other end, `name` with a `w`.
///
/// # Errors
/// When veth devices or packet sockets are not permitted or not there.
pub fn open(name: &str, offload: Offload) -> Result<HostDevice, Error> {
    let wire = pair(name)?;
    if offload == Offload::None {
        command::run(&["ip", "link", "set", "dev", name, "gso_max_segs", "1"])?;
    }
    let error = |what| move |source| Error::Device { name: name.to_owned(), what, source };
    let index = interface_index(&wire).map_err(error("find the other end of"))?;
    let socket: OwnedFd = sys::packet_socket(index).map_err(error("listen behind"))?;
    HostDevice::new(name, socket, Kind::Packet)
}

/// Makes both ends, the far one up; returns its name.
pub(super) fn pair(name: &str) -> Result<String, Error> {
    let wire = format!("{name}w");
    command::run(&["ip", "link", "add", name, "address", ADDRESS, "type", "veth", "peer", &wire])?;
    // Without neighbours: whatever the host sends goes to the other host.
    command::run(&["ip", "link", "set", "dev", name, "arp", "off"])?;
    command::run(&[
        "ip",
        "link",
        "set",
        "dev",
        &wire,
        "addrgenmode",
        "none",
        "arp",
        "off",
        "mtu",
        "65535",
        "up",
    ])?;
    Ok(wire)
}

fn interface_index(name: &str) -> std::io::Result<i32> {
    let socket = rustix::net::socket(
        rustix::net::AddressFamily::INET,
        rustix::net::SocketType::DGRAM,
        None,
    )?;
    Ok(rustix::net::netdevice::name_to_index(socket, name)? as i32)
}
