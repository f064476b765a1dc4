//! Recovery from what the link was told to lose: from the moment at which the sender can know until it knows that it was repaired.

use super::bound::{Bound, Held, avoidance_ns};
use super::line::Line;
use super::{Part, What};
use crate::link::{Break, Lost};
use crate::spec::Role;
use tcpwhy_core::model::{Cause, Limit};

/// In nanoseconds: what is repaired sooner was repaired without a timeout.
const RTO_MIN: i64 = tcpwhy_core::kernel::RTO_MIN.0;
/// Duplicate ACKs that mean a loss (RFC 5681).
const DUPLICATES: u32 = 3;

/// Lays recoveries over what would have held. What depends on the congestion window holds no longer after one: that was cut.
pub(super) fn lay(part: &Part<'_>, held: Held, start: i64, line: &mut Line) {
    let mut repaired = Vec::new();
    for it in of_data(part, start) {
        let (from, to, what) = recovery(part, it);
        if what.0 != Limit::Handshake {
            if repaired.is_empty() {
                line.cut(from, i64::MAX, outlasts);
            }
            repaired.push((to, what.1));
        }
        line.lay(from, to, what);
    }
    for (from, to) in late_acks(part, start) {
        line.lay(from, to, (Limit::LossRecovery, Cause::Spurious));
    }
    avoidance(part, held, &repaired, line);
}

/// What has nothing to do with the congestion window.
fn outlasts((limit, cause): What) -> bool {
    limit == Limit::Application
        || (limit == Limit::ReceiveWindow
            && [Cause::SlowReader, Cause::ZeroWindow].contains(&cause))
}

/// The breaks of this sending's data, and of the SYN before it.
fn of_data<'a>(part: &'a Part<'_>, start: i64) -> impl Iterator<Item = &'a Break> {
    let end = part.end_ns();
    breaks(part, false).filter(move |it| match it.lost {
        Lost::Data => (start..end).contains(&at(it.from_ns)),
        Lost::Syn => at(it.from_ns) < start && it.to_ns.is_some_and(|to| at(to) <= start),
        Lost::Ack => false,
    })
}

/// From `from` on: the link told of the ends' ports.
fn breaks<'a>(part: &'a Part<'_>, back: bool) -> impl Iterator<Item = &'a Break> {
    let [sender, receiver] = part.ends.map(|end| end.port());
    let ports = if back { [receiver, sender] } else { [sender, receiver] };
    let up = (part.sending.from == Role::Client) != back;
    let way = if up { &part.link.up } else { &part.link.down };
    way.breaks.iter().filter(move |it| it.ports == ports)
}

/// The ACKs of what had passed before go on coming for a round trip; the ACK of the repair takes one as well.
fn recovery(part: &Part<'_>, it: &Break) -> (i64, i64, What) {
    let rtt = part.round_trip();
    let from = at(it.from_ns);
    if it.lost == Lost::Syn {
        let to = it.to_ns.map_or(part.over_ns, at) + rtt;
        return (from, to, (Limit::Handshake, Cause::SynRetry));
    }
    let Some(to) = it.to_ns.map(at) else {
        return (from + rtt, part.over_ns, (Limit::SilentPath, Cause::PeerVanished));
    };
    let cause = match it.followed {
        _ if to - from > RTO_MIN + rtt => Cause::Timeout,
        DUPLICATES.. => Cause::FastRetransmit,
        _ => Cause::TailLoss,
    };
    (from + rtt, to + rtt, (Limit::LossRecovery, cause))
}

/// When all ACKs were lost for so long that the sender sent again what had arrived.
fn late_acks<'a>(part: &'a Part<'_>, start: i64) -> impl Iterator<Item = (i64, i64)> + 'a {
    let (rtt, end) = (part.round_trip(), part.end_ns());
    let dark: Vec<_> = breaks(part, false).filter(|it| it.lost == Lost::Data).collect();
    breaks(part, true).filter_map(move |it| {
        let (from, to) = (at(it.from_ns), at(it.to_ns?));
        let also_lost =
            dark.iter().any(|d| at(d.from_ns) < to && from < d.to_ns.map_or(i64::MAX, at));
        let late = it.lost == Lost::Ack && to - from > RTO_MIN + rtt && !also_lost;
        (late && (start..end).contains(&from)).then_some((from + rtt, to))
    })
}

/// After a fast retransmit a large path (or window, or buffer) is filled a segment a round: for how long at least, the arithmetic says.
fn avoidance(part: &Part<'_>, held: Held, repaired: &[(i64, Cause)], line: &mut Line) {
    let first = part.way().loss.nth.iter().min();
    let (Some(&(from, _)), Some(&nth)) = (repaired.last(), first) else { return };
    let by_flight = [Bound::Link, Bound::SendBuffer, Bound::ReceiveWindow].contains(&held.bound);
    if !by_flight || repaired.iter().any(|(_, c)| *c != Cause::FastRetransmit) {
        return;
    }
    let until = from.saturating_add(avoidance_ns(part.scenario, part.sending, held, nth));
    let what = (Limit::CongestionWindow, Cause::CongestionAvoidance);
    line.lay(from, until.min(part.end_ns()), what);
}

fn at(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}
