//! Times in which a middlebox swallows what the transfer cannot do without.

use super::Part;
use super::line::Line;
use crate::spec::{Middlebox, Role};
use tcpwhy_core::link::Outage;
use tcpwhy_core::model::{Cause, Limit};

/// IPv4 and TCP headers with timestamps.
const HEADERS: u64 = 52;
const MTU: u32 = 1500;

/// Lays silence over what would have held.
pub(super) fn lay(part: &Part<'_>, start: i64, line: &mut Line) {
    for middlebox in &part.scenario.link.middleboxes {
        match *middlebox {
            Middlebox::DropLarger(bytes) if swallows(part, bytes) => {
                let what = (Limit::SilentPath, Cause::PmtuBlackHole);
                line.lay(start + part.round_trip(), part.over_ns, what);
            }
            // Several connections have no schedule: this is the first.
            Middlebox::DropAcks(swallowed)
                if swallowed.from_client == (part.sending.from == Role::Server)
                    && swallowed.flow.is_none_or(|flow| flow == 1) =>
            {
                unanswered(part, swallowed.during, line);
            }
            _ => {}
        }
    }
}

/// Full segments are larger than what passes, and nobody looks for a smaller size (tcp_mtu_probing).
fn swallows(part: &Part<'_>, bytes: u32) -> bool {
    let (s, sender) = (part.scenario, part.sending.from);
    let host = if sender == Role::Client { &s.client } else { &s.server };
    let mtu = s.client.mtu.unwrap_or(MTU).min(s.server.mtu.unwrap_or(MTU));
    let probing = host.sysctls.get("net.ipv4.tcp_mtu_probing").is_some_and(|v| v != "0");
    mtu > bytes && !probing && part.sending.bytes + HEADERS > u64::from(bytes)
}

/// The window is closed, and probes are not answered any more.
fn unanswered(part: &Part<'_>, during: Outage, line: &mut Line) {
    let begun = part.link.begun_ns.and_then(|ns| i64::try_from(ns).ok());
    let Some(begun) = begun else { return };
    let (from, to) = (begun.saturating_add(during.from.0), begun.saturating_add(during.to.0));
    if line.at(from) == Some((Limit::ReceiveWindow, Cause::ZeroWindow)) {
        line.lay(from, to.min(part.over_ns), (Limit::SilentPath, Cause::ProbesUnanswered));
    }
}
