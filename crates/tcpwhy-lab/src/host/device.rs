//! Devices, addresses and routes of the calling thread's network namespace.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use netlink_packet_route::address::{AddressAttribute, AddressHeaderFlags, AddressMessage};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteProtocol,
    RouteScope, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use serde::Serialize;

use super::netlink::{ASK, CHANGE, CREATE, Netlink, REPLACE};

/// What a device has, as read back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DeviceFacts {
    /// In its namespace.
    pub name: String,
    /// Bytes of an IP packet at most.
    pub mtu: Option<u32>,
    /// Packets that may wait for the device.
    pub tx_queue_len: Option<u32>,
    /// Segments in one offloaded packet at most.
    pub gso_max_segs: Option<u32>,
    /// Bytes of one offloaded packet at most.
    pub gso_max_size: Option<u32>,
    /// Offloads that the driver knows, by ethtool's names, and whether they are on.
    pub offloads: BTreeMap<&'static str, bool>,
}

/// What is to be changed at a device; `None` stays.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DeviceChange {
    pub(super) mtu: Option<u32>,
    pub(super) tx_queue_len: Option<u32>,
    pub(super) gso_max_segs: Option<u32>,
    pub(super) gso_max_size: Option<u32>,
    pub(super) up: bool,
}

/// Metrics of a route; `None` leaves the kernel's own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Metrics {
    /// Congestion control of its sockets (`congctl`).
    pub congestion: Option<String>,
    /// Segments in the first flight.
    pub initcwnd: Option<u32>,
    /// Segments in the first advertised window.
    pub initrwnd: Option<u32>,
}

fn find(netlink: &Netlink, name: &str) -> io::Result<LinkMessage> {
    let mut message = LinkMessage::default();
    message.attributes = vec![LinkAttribute::IfName(name.to_owned())];
    match netlink.ask(RouteNetlinkMessage::GetLink(message), ASK)? {
        Some(RouteNetlinkMessage::NewLink(link)) => Ok(link),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

pub(super) fn facts(name: &str) -> io::Result<DeviceFacts> {
    let link = find(&Netlink::open()?, name)?;
    let mut facts = DeviceFacts {
        name: name.to_owned(),
        offloads: tcpwhy_live::host::offloads(name).into_iter().collect(),
        ..DeviceFacts::default()
    };
    for attribute in link.attributes {
        match attribute {
            LinkAttribute::Mtu(v) => facts.mtu = Some(v),
            LinkAttribute::TxQueueLen(v) => facts.tx_queue_len = Some(v),
            LinkAttribute::GsoMaxSegs(v) => facts.gso_max_segs = Some(v),
            LinkAttribute::GsoMaxSize(v) => facts.gso_max_size = Some(v),
            _ => {}
        }
    }
    Ok(facts)
}

pub(super) fn change(name: &str, change: DeviceChange) -> io::Result<()> {
    let netlink = Netlink::open()?;
    let mut message = LinkMessage::default();
    message.header.index = find(&netlink, name)?.header.index;
    if change.up {
        message.header.flags = LinkFlags::Up;
        message.header.change_mask = LinkFlags::Up;
    }
    message.attributes.extend(change.mtu.map(LinkAttribute::Mtu));
    message.attributes.extend(change.tx_queue_len.map(LinkAttribute::TxQueueLen));
    message.attributes.extend(change.gso_max_segs.map(LinkAttribute::GsoMaxSegs));
    message.attributes.extend(change.gso_max_size.map(LinkAttribute::GsoMaxSize));
    netlink.ask(RouteNetlinkMessage::SetLink(message), CHANGE).map(drop)
}

fn family(address: IpAddr) -> AddressFamily {
    if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 }
}

/// Adds an address that can be used at once (no duplicate address detection: nobody else is on the link).
pub(super) fn add_address(name: &str, address: IpAddr, prefix: u8) -> io::Result<()> {
    let netlink = Netlink::open()?;
    let mut message = AddressMessage::default();
    message.header.family = family(address);
    message.header.prefix_len = prefix;
    message.header.index = find(&netlink, name)?.header.index;
    if address.is_ipv6() {
        message.header.flags = AddressHeaderFlags::Nodad;
    }
    message.attributes = vec![AddressAttribute::Local(address), AddressAttribute::Address(address)];
    netlink.ask(RouteNetlinkMessage::NewAddress(message), CREATE).map(drop)
}

/// Everything in `network` (0.0.0.0/0: everything) goes to this device, with these metrics.
pub(super) fn set_route(
    name: &str,
    network: (IpAddr, u8),
    source: IpAddr,
    metrics: &Metrics,
) -> io::Result<()> {
    let netlink = Netlink::open()?;
    let index = find(&netlink, name)?.header.index;
    let (network, prefix) = network;
    let mut message = RouteMessage::default();
    message.header.address_family = family(network);
    message.header.destination_prefix_length = prefix;
    message.header.table = RouteHeader::RT_TABLE_MAIN;
    message.header.protocol = RouteProtocol::Static;
    message.header.scope = RouteScope::Link;
    message.header.kind = RouteType::Unicast;
    let to = |address| match address {
        IpAddr::V4(v4) => RouteAddress::Inet(v4),
        IpAddr::V6(v6) => RouteAddress::Inet6(v6),
    };
    if prefix > 0 {
        message.attributes.push(RouteAttribute::Destination(to(network)));
    }
    message.attributes.push(RouteAttribute::Oif(index));
    message.attributes.push(RouteAttribute::PrefSource(to(source)));
    let mut list = Vec::new();
    list.extend(metrics.congestion.clone().map(RouteMetric::CcAlgo));
    list.extend(metrics.initcwnd.map(RouteMetric::InitCwnd));
    list.extend(metrics.initrwnd.map(RouteMetric::InitRwnd));
    if !list.is_empty() {
        message.attributes.push(RouteAttribute::Metrics(list));
    }
    netlink.ask(RouteNetlinkMessage::NewRoute(message), REPLACE).map(drop)
}

/// The metrics of the route to `peer`, as the kernel uses them.
pub(super) fn route_metrics(peer: IpAddr) -> io::Result<Metrics> {
    let mut message = RouteMessage::default();
    message.header.address_family = family(peer);
    message.header.destination_prefix_length = if peer.is_ipv4() { 32 } else { 128 };
    message.attributes = vec![RouteAttribute::Destination(match peer {
        IpAddr::V4(v4) => RouteAddress::Inet(v4),
        IpAddr::V6(v6) => RouteAddress::Inet6(v6),
    })];
    let answer = Netlink::open()?.ask(RouteNetlinkMessage::GetRoute(message), ASK)?;
    let mut metrics = Metrics::default();
    let Some(RouteNetlinkMessage::NewRoute(route)) = answer else { return Ok(metrics) };
    for attribute in route.attributes {
        let RouteAttribute::Metrics(list) = attribute else { continue };
        for metric in list {
            match metric {
                RouteMetric::CcAlgo(v) => {
                    metrics.congestion = Some(v.trim_end_matches('\0').to_owned());
                }
                RouteMetric::InitCwnd(v) => metrics.initcwnd = Some(v),
                RouteMetric::InitRwnd(v) => metrics.initrwnd = Some(v),
                _ => {}
            }
        }
    }
    Ok(metrics)
}

/// All IPv4 destinations.
pub(super) const ANY4: (IpAddr, u8) = (IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);
/// All IPv6 destinations.
pub(super) const ANY6: (IpAddr, u8) = (IpAddr::V6(Ipv6Addr::UNSPECIFIED), 0);
