//! The `[link]` of a file.

use super::super::Error;
use super::super::file::{self, Aqm};
use super::wrong;
use crate::spec::{Backend, LinkSpec, Middlebox, Offload, Swallowed};
use tcpwhy_core::link::{Burst, Loss, Outage, Policer, Queue, QueueLimit, Rate, WaySpec};
use tcpwhy_core::units::Nanos;

/// Delays beyond this are no network: a mistyped unit.
const LONGEST_DELAY: Nanos = Nanos::from_secs(60);
/// A policer that never has credit for a packet drops all of them.
const LEAST_BURST: u64 = 1500;
/// RFC 791 section 3.2.
const LEAST_MTU: u32 = 68;

pub(super) fn link(l: &file::Link) -> Result<LinkSpec, Error> {
    Ok(LinkSpec {
        up: way("up", l, &l.up, 0)?,
        down: way("down", l, &l.down, 1)?,
        backend: match l.backend {
            None | Some(file::Backend::Auto) => Backend::Auto,
            Some(file::Backend::Tun) => Backend::Tun,
            Some(file::Backend::Packet) => Backend::Packet,
            Some(file::Backend::Netem) => Backend::Netem,
        },
        offload: match l.offload {
            None | Some(file::Offload::None) => Offload::None,
            Some(file::Offload::Pass) => Offload::Pass,
            Some(file::Offload::Segment) => Offload::Segment,
        },
        middleboxes: l.middlebox.iter().enumerate().map(middlebox).collect::<Result<_, _>>()?,
        tap: l.tap.map_or(0.3, |t| t.0),
    })
}

fn way(name: &str, l: &file::Link, w: &file::Way, other: u64) -> Result<WaySpec, Error> {
    let key = |k: &str| format!("link.{name}.{k}");
    let delay = match (w.delay, l.rtt) {
        (Some(delay), _) => delay.0,
        (None, rtt) => rtt.map_or(Nanos::ZERO, |rtt| rtt.0.scale(1, 2)),
    };
    if delay > LONGEST_DELAY {
        return wrong(key("delay"), "a delay of more than a minute is no network");
    }
    if w.trace.is_some() && w.rate.is_some() {
        return wrong(key("trace"), "one direction has a rate or a trace, not both");
    }
    if w.queue.is_some() && w.queue_packets.is_some() {
        return wrong(key("queue_packets"), "a queue has room for bytes or for packets, not both");
    }
    let rate = match (&w.trace, w.rate.or(l.rate)) {
        (Some(trace), _) => {
            let lines: Vec<String> = trace.iter().map(u32::to_string).collect();
            Rate::from_mahimahi(&lines.join("\n")).or_else(|why| wrong(key("trace"), why))?
        }
        (None, Some(rate)) if rate.0 < 1000 => {
            return wrong(key("rate"), "the slowest link is 1kbit");
        }
        (None, Some(rate)) => Rate::Constant(rate.0),
        (None, None) => Rate::Unlimited,
    };
    let outages =
        w.outage.iter().map(|o| Outage { from: o.from.0, to: o.to.0 }).collect::<Vec<_>>();
    if outages.iter().any(|o| o.to <= o.from) {
        return wrong(key("outage"), "an outage ends after it begins");
    }
    let jitter = w.jitter.or(l.jitter).map_or(Nanos::ZERO, |j| j.0);
    if jitter > LONGEST_DELAY {
        return wrong(key("jitter"), "a delay that varies by more than a minute is no network");
    }
    let (random, of) = match w.loss {
        Some(loss) => (loss.0, key("loss")),
        None => (l.loss.map_or(0.0, |loss| loss.0), "link.loss".to_owned()),
    };
    if random >= 1.0 {
        return wrong(
            of,
            "nothing passes a link that loses everything: write less than 100%, or an outage",
        );
    }
    if w.police.is_some_and(|p| p.rate.0 < 1000 || p.burst.0 < LEAST_BURST) {
        return wrong(
            key("police"),
            "a policer lets 1kbit through at least, and a burst of 1500 bytes",
        );
    }
    if let Some(Aqm::Codel { target, interval, .. }) = w.aqm
        && [target, interval].into_iter().flatten().any(|t| t.0 == Nanos::ZERO)
    {
        return wrong(key("aqm"), "CoDel's target and interval are longer than 0");
    }
    if l.mtu.is_some_and(|mtu| mtu < LEAST_MTU) {
        return wrong("link.mtu", "every link carries packets of 68 bytes (RFC 791)");
    }
    Ok(WaySpec {
        rate,
        delay,
        jitter,
        loss: Loss {
            random,
            burst: w.burst_loss.map(|b| Burst {
                enter: b.enter.0,
                leave: b.leave.0,
                loss: b.loss.0,
            }),
            nth: w.lose.clone(),
        },
        reorder: w.reorder.map_or(0.0, |s| s.0),
        duplicate: w.duplicate.map_or(0.0, |s| s.0),
        queue: queue(l, w),
        policer: w.police.map(|p| Policer { rate_bps: p.rate.0, burst: p.burst.0 }),
        mtu: l.mtu,
        outages,
        // The two directions must not lose the same packets.
        seed: l.seed.unwrap_or(1).wrapping_mul(2).wrapping_add(other),
    })
}

fn queue(l: &file::Link, w: &file::Way) -> Queue {
    let bytes = w.queue.or(l.queue).map_or(1_000_000, |q| q.0);
    let limit = w.queue_packets.map_or(QueueLimit::Bytes(bytes), QueueLimit::Packets);
    match w.aqm {
        None => Queue::DropTail(limit),
        Some(Aqm::Ecn { mark }) => Queue::Ecn { limit, mark: mark.0 },
        // RFC 8289 section 4.4: 5 ms and 100 ms.
        Some(Aqm::Codel { target, interval, ecn }) => Queue::CoDel {
            limit,
            target: target.map_or(Nanos::from_millis(5), |t| t.0),
            interval: interval.map_or(Nanos::from_millis(100), |i| i.0),
            ecn: ecn.unwrap_or(false),
        },
    }
}

fn middlebox((i, m): (usize, &file::Middlebox)) -> Result<Middlebox, Error> {
    let swallowed = |s: file::Swallowed| match s.flow {
        Some(0) => wrong(format!("link.middlebox.{i}.flow"), "connections are counted from 1"),
        flow => Ok(Swallowed {
            from_client: s.from == file::Side::Client,
            flow,
            // Without an end it lasts for ever.
            during: Outage { from: s.after.0, to: s.until.map_or(Nanos::MAX, |until| until.0) },
        }),
    };
    Ok(match *m {
        file::Middlebox::StripWindowScale => Middlebox::StripWindowScale,
        file::Middlebox::ClampMss { mss } => Middlebox::ClampMss(mss),
        file::Middlebox::DropLarger { bytes } => Middlebox::DropLarger(bytes),
        file::Middlebox::DropProbes(s) => Middlebox::DropProbes(swallowed(s)?),
        file::Middlebox::DropAcks(s) => Middlebox::DropAcks(swallowed(s)?),
    })
}
