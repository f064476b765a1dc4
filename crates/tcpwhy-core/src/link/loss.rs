//! What never enters the queue: outages, black holes, losses, the policer.

use super::dice::Dice;
use super::fate::{DropReason, Parcel};
use super::spec::{Policer, WaySpec};
use crate::units::Nanos;

/// Everything in front of the queue.
#[derive(Debug, Clone)]
pub(super) struct Gate {
    spec: WaySpec,
    begin: Nanos,
    random: Dice,
    burst: Dice,
    in_burst: bool,
    data_packets: u64,
    bucket: Option<Bucket>,
}

impl Gate {
    pub(super) fn new(spec: &WaySpec) -> Self {
        Self {
            begin: Nanos::ZERO,
            random: Dice::new(spec.seed, 1),
            burst: Dice::new(spec.seed, 2),
            in_burst: false,
            data_packets: 0,
            bucket: spec.policer.map(Bucket::new),
            spec: spec.clone(),
        }
    }

    /// The link's first packet: outages count from here.
    pub(super) fn begin(&mut self, at: Nanos) {
        self.begin = at;
    }

    /// Time since then.
    pub(super) fn age(&self, now: Nanos) -> Nanos {
        now - self.begin
    }

    /// Why this packet does not pass, if it does not. Every packet moves every random process, whatever happens to it.
    pub(super) fn refuses(&mut self, now: Nanos, parcel: &Parcel) -> Option<DropReason> {
        let since = self.age(now);
        let nth = parcel.data && self.is_nth();
        let random = self.random.hits(self.spec.loss.random);
        let burst = self.burst_hits();
        if self.spec.outages.iter().any(|o| (o.from..o.to).contains(&since)) {
            return Some(DropReason::Outage);
        }
        if self.spec.mtu.is_some_and(|mtu| parcel.largest > mtu) {
            return Some(DropReason::TooLarge);
        }
        if nth || random || burst {
            let reason = if nth { DropReason::Nth } else { DropReason::Random };
            return Some(if burst && !nth && !random { DropReason::Burst } else { reason });
        }
        let over = self.bucket.as_mut().is_some_and(|b| b.refuses(now, parcel.bytes));
        over.then_some(DropReason::Policer)
    }

    fn is_nth(&mut self) -> bool {
        self.data_packets += 1;
        self.spec.loss.nth.contains(&self.data_packets)
    }

    fn burst_hits(&mut self) -> bool {
        let Some(burst) = self.spec.loss.burst else { return false };
        let change = if self.in_burst { burst.leave } else { burst.enter };
        if self.burst.hits(change) {
            self.in_burst = !self.in_burst;
        }
        self.in_burst && self.burst.hits(burst.loss)
    }
}

/// A token bucket, kept as the time at which it would be full again.
#[derive(Debug, Clone)]
struct Bucket {
    policer: Policer,
    full_at: Nanos,
}

impl Bucket {
    fn new(policer: Policer) -> Self {
        Self { policer, full_at: Nanos(i64::MIN) }
    }

    fn refuses(&mut self, now: Nanos, bytes: u64) -> bool {
        let full_at = self.full_at.max(now) + self.time(bytes);
        let over = full_at - now > self.time(self.policer.burst);
        if !over {
            self.full_at = full_at;
        }
        over
    }

    /// Time in which tokens for `bytes` flow in.
    fn time(&self, bytes: u64) -> Nanos {
        let ns = u128::from(bytes) * 8_000_000_000 / u128::from(self.policer.rate_bps.max(1));
        Nanos(i64::try_from(ns).unwrap_or(i64::MAX))
    }
}
