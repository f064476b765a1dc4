//! Devices, their queueing disciplines and offloads.

use std::fs;
use std::io;

use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::tc::{TcAttribute, TcMessage};
use tcpwhy_core::check::Device;

use super::{netlink, offload};

/// The devices that are up, the loopback left out.
pub(super) fn read() -> io::Result<Vec<Device>> {
    let qdiscs = qdiscs().unwrap_or_default();
    let mut found = Vec::new();
    for answer in netlink::dump(RouteNetlinkMessage::GetLink(LinkMessage::default()))? {
        let RouteNetlinkMessage::NewLink(link) = answer else { continue };
        let flags = link.header.flags;
        if !flags.contains(LinkFlags::Up) || flags.contains(LinkFlags::Loopback) {
            continue;
        }
        found.push(device(&link, &qdiscs));
    }
    Ok(found)
}

/// Names of all devices by their index.
pub(super) fn names() -> io::Result<Vec<(u32, String)>> {
    let answers = netlink::dump(RouteNetlinkMessage::GetLink(LinkMessage::default()))?;
    let name = |link: &LinkMessage| {
        link.attributes.iter().find_map(|a| match a {
            LinkAttribute::IfName(name) => Some(name.clone()),
            _ => None,
        })
    };
    Ok(answers
        .iter()
        .filter_map(|answer| match answer {
            RouteNetlinkMessage::NewLink(link) => Some((link.header.index, name(link)?)),
            _ => None,
        })
        .collect())
}

fn device(link: &LinkMessage, qdiscs: &[(u32, String)]) -> Device {
    let mut device = Device::default();
    for attribute in &link.attributes {
        match attribute {
            LinkAttribute::IfName(name) => device.name = name.clone(),
            LinkAttribute::Mtu(v) => device.mtu = Some(*v),
            LinkAttribute::GsoMaxSegs(v) => device.gso_max_segs = Some(*v),
            LinkAttribute::Qdisc(name) => device.qdiscs.push(name.clone()),
            _ => {}
        }
    }
    for (index, kind) in qdiscs {
        if *index == link.header.index && !device.qdiscs.contains(kind) {
            device.qdiscs.push(kind.clone());
        }
    }
    device.speed_bps = speed(&device.name);
    device.offloads = offload::offloads(&device.name);
    device
}

/// Queueing disciplines with the index of their device; those below a root (of mq, htb) too.
fn qdiscs() -> io::Result<Vec<(u32, String)>> {
    let message = RouteNetlinkMessage::GetQueueDiscipline(TcMessage::default());
    let mut found = Vec::new();
    for answer in netlink::dump(message)? {
        let RouteNetlinkMessage::NewQueueDiscipline(qdisc) = answer else { continue };
        let kind = qdisc.attributes.iter().find_map(|a| match a {
            TcAttribute::Kind(kind) => Some(kind.clone()),
            _ => None,
        });
        if let (Ok(index), Some(kind)) = (u32::try_from(qdisc.header.index), kind) {
            found.push((index, kind));
        }
    }
    Ok(found)
}

/// Virtual devices know none, and say so with -1 or an error.
fn speed(name: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/sys/class/net/{name}/speed")).ok()?;
    let mbit: u64 = text.trim().parse().ok().filter(|mbit| *mbit > 0)?;
    mbit.checked_mul(1_000_000)
}
