//! A flow with its addresses, checked before anything is made.

use super::sending::LONGEST_WRITE;
use super::{Error, Site};
use crate::spec::{Flow, Pace, Role, Sending};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Who connects where.
pub(super) struct Plan<'a> {
    pub(super) flow: &'a Flow,
    /// Where the client connects to: the server or the relay.
    pub(super) client_to: SocketAddr,
    /// Where the server listens: one address, or one for each backend of the relay.
    pub(super) backends: Vec<SocketAddr>,
    /// What each of them does.
    pub(super) backend_phases: Vec<Vec<Sending>>,
}

impl<'a> Plan<'a> {
    /// Lays out a flow.
    pub(super) fn of(flow: &'a Flow, site: &Site<'_>) -> Result<Self, Error> {
        let version = usize::from(flow.ipv6);
        let [server, local] = [site.server_addresses[version], loopback(flow.ipv6)];
        let shards = flow.relay.as_ref().map_or(1, |relay| relay.shards);
        check_flow(flow, shards)?;
        let (client_to, backends_at) = match flow.relay.as_ref().map(|relay| relay.on) {
            None => (server, server),
            Some(Role::Server) => (server, local),
            Some(Role::Client) => (local, server),
        };
        let ports = flow.port..=last_port(flow, shards)?;
        Ok(Self {
            flow,
            client_to: SocketAddr::new(client_to, flow.port),
            backends: ports.map(|port| SocketAddr::new(backends_at, port)).collect(),
            backend_phases: (0..shards).map(|shard| part(&flow.phases, shard, shards)).collect(),
        })
    }
}

fn loopback(ipv6: bool) -> IpAddr {
    if ipv6 { Ipv6Addr::LOCALHOST.into() } else { Ipv4Addr::LOCALHOST.into() }
}

/// One backend's part: it hears the client whole, and says its share.
fn part(phases: &[Sending], shard: u32, shards: u32) -> Vec<Sending> {
    let (shard, shards) = (u64::from(shard), u64::from(shards));
    let share = |sending: &Sending| match sending.from {
        Role::Client => sending.bytes,
        Role::Server => sending.bytes / shards + u64::from(shard < sending.bytes % shards),
    };
    phases.iter().map(|sending| Sending { bytes: share(sending), ..sending.clone() }).collect()
}

fn last_port(flow: &Flow, shards: u32) -> Result<u16, Error> {
    let last = u32::from(flow.port).saturating_add(shards.saturating_sub(1));
    u16::try_from(last)
        .ok()
        .filter(|_| flow.port > 0)
        .ok_or_else(|| asked(flow, "it needs ports between 1 and 65535"))
}

fn asked(flow: &Flow, what: &str) -> Error {
    Error::Asked(format!("the flow on port {}: {what}", flow.port))
}

fn check_flow(flow: &Flow, shards: u32) -> Result<(), Error> {
    if flow.count == 0 || shards == 0 {
        return Err(asked(flow, "a count of 0 does nothing; use 1 or more"));
    }
    let answers = flow.phases.iter().filter(|sending| sending.from == Role::Server).count();
    if shards > 1 && (answers > 1 || flow.phases.iter().any(|sending| sending.rounds > 1)) {
        return Err(asked(flow, "a relay over several shards carries one answer in one round"));
    }
    for sending in &flow.phases {
        if sending.write == 0 || sending.write > LONGEST_WRITE {
            return Err(asked(flow, "a write is between 1 byte and 64 MiB"));
        }
        if matches!(
            sending.reader,
            Pace::Rate { bytes_per_second: 0, .. } | Pace::Rate { chunk: 0, .. }
        ) {
            return Err(asked(
                flow,
                "a reader of 0 bytes reads nothing; use a stop without resume",
            ));
        }
    }
    Ok(())
}

/// No two flows want the same port.
pub(super) fn check(plans: &[Plan<'_>]) -> Result<(), Error> {
    let mut taken = std::collections::BTreeSet::new();
    let ports = plans
        .iter()
        .flat_map(|plan| plan.backends.iter().map(move |address| (plan, address.port())));
    for (plan, port) in ports {
        if !taken.insert(port) {
            return Err(asked(
                plan.flow,
                &format!("another flow uses port {port} too; give it its own"),
            ));
        }
    }
    Ok(())
}
