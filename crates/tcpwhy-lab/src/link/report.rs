//! What the link did, and whether it did what it was asked.

use std::collections::BTreeMap;

use serde::Serialize;
use tcpwhy_core::link::{Counters, DropReason, Rate};
use tcpwhy_core::units::Nanos;

use super::breaks::Break;
use super::busy::Step;
use super::lateness::LatenessReport;
use crate::spec::LinkSpec;

/// `link.json` of a case folder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkReport {
    /// What carried the packets: `tun`, `packet`, `netem`.
    pub backend: &'static str,
    /// `fifo`, or `normal` where real-time scheduling was not permitted; `kernel` for netem.
    pub scheduling: &'static str,
    /// Whether the link had so much to do that the hosts took in packets on other processors for some of the time.
    pub steered: bool,
    /// Whether the link behaved as asked.
    pub faithful: bool,
    /// One sentence for each reason why not.
    pub why_not: Vec<String>,
    /// The first packet, nanoseconds since the Unix epoch: outages count from here; `None`: there was none, or netem, which does not tell.
    pub begun_ns: Option<u64>,
    /// How late packets left the link, in nanoseconds; `None` for netem, which does not tell.
    pub lateness_ns: Option<LatenessReport>,
    /// Client to server.
    pub up: DirectionReport,
    /// Server to client.
    pub down: DirectionReport,
    /// Packets that the middle capture holds, and that it missed; `None` without one.
    pub middle: Option<MiddleReport>,
}

/// One direction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DirectionReport {
    /// Packets read from the sending host.
    pub packets: u64,
    /// Packets handed to the receiving host, duplicates not counted.
    pub delivered: u64,
    /// Their bytes (of IP packets on the wire).
    pub delivered_bytes: u64,
    /// Packets dropped as asked, by reason.
    pub drops: BTreeMap<String, u64>,
    /// Packets that got CE.
    pub marked: u64,
    /// Packets that arrived twice.
    pub duplicated: u64,
    /// Packets that overtook others.
    pub reordered: u64,
    /// Packets that a middlebox changed.
    pub changed: u64,
    /// Most bytes that ever waited in the queue.
    pub most_waiting: u64,
    /// Packets inside when the link was stopped.
    pub left_inside: u64,
    /// What outages and numbers took, until it passed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<Break>,
    /// When it had something to carry: in a file of its own, `busy.ndjson`.
    #[serde(skip)]
    pub busy: Vec<Step>,
    /// The longest time for which the sending host's device was never found empty, in nanoseconds. The link does not know how
    /// long packets waited there before it read them, only that it was not longer than this.
    pub longest_full_ns: u64,
    /// Lost against the order: thrown away by the sending host's device because the link did not read in time.
    pub overruns: u64,
    /// Lost against the order: no memory left in the link.
    pub out_of_memory: u64,
    /// Lost against the order: not accepted by the receiving host's device, or dropped on the way to its protocols.
    pub refused: u64,
}

/// The middle capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct MiddleReport {
    /// Packets written.
    pub packets: u64,
    /// Packets not written, because the disk was too slow.
    pub missed: u64,
}

impl DirectionReport {
    pub(super) fn add(&mut self, counters: &Counters, held: usize) {
        self.delivered = counters.delivered;
        self.delivered_bytes = counters.delivered_bytes;
        self.marked = counters.marked;
        self.duplicated = counters.duplicated;
        self.reordered = counters.reordered;
        self.most_waiting = counters.most_waiting;
        self.left_inside = held as u64;
        for reason in DropReason::ALL {
            let count = counters.dropped(reason);
            if count > 0 {
                self.drops.insert(reason.name().to_owned(), count);
            }
        }
    }
}

/// Lateness below this disturbs no transfer: the hosts' own timers tick in 1 to 4 ms, delayed ACKs wait 40 ms.
const LATE_FLOOR: i64 = 500_000;
/// Half of Linux's least retransmission timeout (TCP_RTO_MIN, 200 ms): a longer pause may cause timeouts.
pub(super) const PAUSE: Nanos = Nanos(100_000_000);

/// Why the link was not what was asked; empty when it was.
///
/// Lateness adds to the round-trip time. One packet in a hundred may be late by a twentieth of it: what is concluded
/// from a capture (flight against window, queueing against propagation) tolerates more than that. The rate is not
/// touched by lateness, because packets are scheduled by the time they should have left, not by when they did.
pub(super) fn doubts(
    spec: &LinkSpec,
    late: &LatenessReport,
    up: &DirectionReport,
    down: &DirectionReport,
) -> Vec<String> {
    let rtt = spec.up.delay + spec.down.delay;
    let tolerated = rtt.scale(1, 20).0.max(LATE_FLOOR);
    let mut doubts = Vec::new();
    let ms = |ns: u64| Nanos(i64::try_from(ns).unwrap_or(i64::MAX)).millis();
    if late.p99 > tolerated as u64 {
        doubts.push(format!(
            "one packet in a hundred was more than {:.3} ms late, {:.3} ms are tolerated at this round-trip time; {}",
            ms(late.p99),
            ms(tolerated as u64),
            if spec.up.rate == Rate::Unlimited || spec.down.rate == Rate::Unlimited {
                "the machine was too busy; a link without a rate is filled until it is late: give it one"
            } else {
                "the machine was too busy"
            }
        ));
    }
    if late.max > PAUSE.0 as u64 {
        doubts.push(format!(
            "the link stood still for {:.0} ms, long enough for a retransmission timeout",
            ms(late.max)
        ));
    }
    for (name, way) in [("client to server", up), ("server to client", down)] {
        if way.longest_full_ns > PAUSE.0 as u64 {
            doubts.push(format!(
                "for {:.0} ms packets from {name} came faster than the link could read them, and waited for a time that is not in its lateness",
                ms(way.longest_full_ns)
            ));
        }
        let lost = way.overruns + way.out_of_memory + way.refused;
        if lost > 0 {
            doubts.push(format!(
                "{lost} packets from {name} were lost that should not have been ({} before the link could read them, {} for want of memory, {} refused by the receiving host)",
                way.overruns, way.out_of_memory, way.refused
            ));
        }
    }
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_stays_full_for_long_is_a_doubt() {
        let doubts = |longest_full_ns| {
            let up = DirectionReport { longest_full_ns, ..DirectionReport::default() };
            let down = DirectionReport::default();
            super::doubts(&LinkSpec::default(), &LatenessReport::default(), &up, &down)
        };
        assert_eq!(doubts(90_000_000), Vec::<String>::new());
        let [doubt] = &doubts(200_000_000)[..] else { panic!("one doubt") };
        assert!(
            doubt.starts_with("for 200 ms packets from client to server came faster"),
            "{doubt}"
        );
    }
}
