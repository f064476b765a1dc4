//! Routes with the first windows that they set.

use std::io;
use std::net::IpAddr;

use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use tcpwhy_core::check::Route;

use super::{device, netlink};

/// Routes of a family that are kept, at most: a router has a million.
const MOST: usize = 1_000;

/// The unicast routes of the main table. Where there are too many `missing` is told how many were left out.
pub(super) fn read(missing: &mut Vec<String>) -> io::Result<Vec<Route>> {
    let names = device::names()?;
    let mut found = Vec::new();
    for (family, name) in [(AddressFamily::Inet, "IPv4"), (AddressFamily::Inet6, "IPv6")] {
        let mut message = RouteMessage::default();
        message.header.address_family = family;
        let mut table = Table::default();
        netlink::each(RouteNetlinkMessage::GetRoute(message), |answer| table.add(answer, &names))?;
        missing.extend(table.cut(name));
        found.append(&mut table.routes);
    }
    Ok(found)
}

/// The routes of one family.
#[derive(Default)]
struct Table {
    routes: Vec<Route>,
    left_out: usize,
}

impl Table {
    fn add(&mut self, answer: RouteNetlinkMessage, names: &[(u32, String)]) {
        let RouteNetlinkMessage::NewRoute(route) = answer else { return };
        let header = &route.header;
        if header.table != RouteHeader::RT_TABLE_MAIN || header.kind != RouteType::Unicast {
            return;
        }
        if self.routes.len() < MOST {
            self.routes.push(of(&route, names));
        } else {
            self.left_out += 1;
        }
    }

    /// What is said of those that were left out.
    fn cut(&self, family: &str) -> Option<String> {
        let all = self.routes.len() + self.left_out;
        (self.left_out > 0)
            .then(|| format!("of {all} {family} routes only the first {MOST} are looked at"))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(table: u8) -> RouteNetlinkMessage {
        let mut route = RouteMessage::default();
        (route.header.table, route.header.kind) = (table, RouteType::Unicast);
        RouteNetlinkMessage::NewRoute(route)
    }

    #[test]
    fn what_a_router_has_too_much_is_not_kept_and_said() {
        let (mut table, main) = (Table::default(), RouteHeader::RT_TABLE_MAIN);
        for kind in [main, main - 1] {
            (0..MOST).for_each(|_| table.add(answer(kind), &[]));
        }
        assert_eq!((table.routes.len(), table.cut("IPv6")), (MOST, None));
        table.add(answer(main), &[]);
        assert_eq!(table.routes.len(), MOST);
        let cut = table.cut("IPv6").unwrap();
        assert_eq!(cut, "of 1001 IPv6 routes only the first 1000 are looked at");
    }
}
