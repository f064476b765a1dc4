//! Routes with the first windows that they set.

use std::io;
use std::net::IpAddr;

use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use tcpwhy_core::check::Route;

use super::{device, netlink};

/// Routes that are kept, at most: a router has a million.
const MOST: usize = 1_000;

/// The unicast routes of the main table.
pub(super) fn read() -> io::Result<Vec<Route>> {
    let names = device::names()?;
    let mut found = Vec::new();
    for family in [AddressFamily::Inet, AddressFamily::Inet6] {
        let mut message = RouteMessage::default();
        message.header.address_family = family;
        for answer in netlink::dump(RouteNetlinkMessage::GetRoute(message))? {
            let RouteNetlinkMessage::NewRoute(route) = answer else { continue };
            let header = &route.header;
            if header.table == RouteHeader::RT_TABLE_MAIN && header.kind == RouteType::Unicast {
                found.push(of(&route, &names));
            }
        }
    }
    found.truncate(MOST);
    Ok(found)
}

/// The route that a packet to `peer` takes now.
///
/// # Errors
/// There is none, or netlink is not there.
pub fn route_to(peer: IpAddr) -> io::Result<Route> {
    let mut message = RouteMessage::default();
    let (family, prefix, address) = match peer {
        IpAddr::V4(v4) => (AddressFamily::Inet, 32, RouteAddress::Inet(v4)),
        IpAddr::V6(v6) => (AddressFamily::Inet6, 128, RouteAddress::Inet6(v6)),
    };
    message.header.address_family = family;
    message.header.destination_prefix_length = prefix;
    message.attributes = vec![RouteAttribute::Destination(address)];
    match netlink::ask(RouteNetlinkMessage::GetRoute(message))? {
        Some(RouteNetlinkMessage::NewRoute(route)) => Ok(of(&route, &device::names()?)),
        _ => Err(io::Error::other("the kernel names none")),
    }
}

fn of(route: &RouteMessage, names: &[(u32, String)]) -> Route {
    let mut found = Route { destination: "default".to_owned(), ..Route::default() };
    for attribute in &route.attributes {
        match attribute {
            RouteAttribute::Destination(RouteAddress::Inet(ip)) => {
                found.destination = format!("{ip}/{}", route.header.destination_prefix_length);
            }
            RouteAttribute::Destination(RouteAddress::Inet6(ip)) => {
                found.destination = format!("{ip}/{}", route.header.destination_prefix_length);
            }
            RouteAttribute::Oif(index) => {
                let name = names.iter().find(|(known, _)| known == index);
                found.device = name.map(|(_, name)| name.clone()).unwrap_or_default();
            }
            RouteAttribute::Metrics(list) => metrics(list, &mut found),
            _ => {}
        }
    }
    found
}

fn metrics(list: &[RouteMetric], found: &mut Route) {
    for metric in list {
        match metric {
            RouteMetric::InitCwnd(v) => found.initcwnd = Some(*v),
            RouteMetric::InitRwnd(v) => found.initrwnd = Some(*v),
            RouteMetric::Mtu(v) => found.mtu = Some(*v),
            RouteMetric::CcAlgo(name) => {
                found.congestion = Some(name.trim_end_matches('\0').to_owned());
            }
            _ => {}
        }
    }
}
