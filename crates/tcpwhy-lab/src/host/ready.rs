//! Makes loopback, device, addresses and routes ready, in the calling thread's network namespace.

use std::io;
use std::net::IpAddr;

use super::device::{self, DeviceChange, Metrics};
use super::{Error, Network, sysctl};
use crate::spec::{HostSpec, Role};

/// Links that carry less have no IPv6 (RFC 8200 section 5).
const LEAST_FOR_IPV6: u32 = 1280;

pub(super) fn loopback() -> Result<(), Error> {
    let up = DeviceChange { up: true, ..DeviceChange::default() };
    device::change("lo", up).map_err(error("bring up the loopback device".to_owned()))
}

/// Brings the device up with its limits, and gives it the host's addresses and the routes to the peer.
pub(super) fn device(
    name: &str,
    role: Role,
    spec: &HostSpec,
    network: Network,
) -> Result<(), Error> {
    let mtu = spec.mtu.unwrap_or(1500);
    let change = DeviceChange {
        mtu: Some(mtu),
        tx_queue_len: Some(crate::link::TX_QUEUE_LEN),
        gso_max_segs: spec.gso_max_segs,
        gso_max_size: (spec.gso_max_segs == Some(1)).then_some(mtu),
        up: true,
    };
    device::change(name, change).map_err(error(format!("configure the device {name}")))?;
    let metrics = metrics(spec)?;
    for (address, prefix) in families(role, network, spec) {
        device::add_address(name, address, prefix)
            .map_err(error(format!("give {name} the address {address}")))?;
        let subnet = (network.masked(address), prefix);
        device::set_route(name, subnet, address, &metrics)
            .map_err(error(format!("set the route to {}/{prefix}", subnet.0)))?;
    }
    Ok(())
}

/// Whatever a program asks for goes to the other end, as behind a real line.
pub(super) fn default_route(
    name: &str,
    role: Role,
    spec: &HostSpec,
    network: Network,
) -> Result<(), Error> {
    let metrics = metrics(spec)?;
    for (address, _) in families(role, network, spec) {
        let everything = if address.is_ipv4() { device::ANY4 } else { device::ANY6 };
        device::set_route(name, everything, address, &metrics)
            .map_err(error("set the default route".to_owned()))?;
    }
    Ok(())
}

/// Makes the namespace a router between two of its devices. IPv6 has one switch for all of them.
pub(super) fn forwarding(devices: [&str; 2]) -> Result<(), Error> {
    for device in devices {
        sysctl::set(&format!("net.ipv4.conf.{device}.forwarding"), "1")?;
    }
    if ipv6() {
        sysctl::set("net.ipv6.conf.all.forwarding", "1")?;
    }
    Ok(())
}

/// The host's addresses of the families that the namespace and the device have.
fn families(
    role: Role,
    network: Network,
    spec: &HostSpec,
) -> impl Iterator<Item = (IpAddr, u8)> + use<> {
    let ipv6 = ipv6() && spec.mtu.is_none_or(|mtu| mtu >= LEAST_FOR_IPV6);
    let with_prefix = move |address: IpAddr| (address, network.prefix(address));
    network.addresses(role).into_iter().filter(move |a| a.is_ipv4() || ipv6).map(with_prefix)
}

fn ipv6() -> bool {
    sysctl::get("net.ipv6.conf.all.disable_ipv6").as_deref() == Some("0")
}

fn metrics(spec: &HostSpec) -> Result<Metrics, Error> {
    let congestion = spec.congestion.as_ref().map(|c| c.0.clone());
    if let Some(name) = &congestion {
        let available =
            sysctl::get("net.ipv4.tcp_available_congestion_control").unwrap_or_default();
        if !available.split(' ').any(|one| one == name) {
            return Err(Error::Congestion { name: name.clone(), available });
        }
    }
    Ok(Metrics { congestion, initcwnd: spec.initcwnd, initrwnd: spec.initrwnd })
}

fn error(what: String) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Configure { what, source }
}
