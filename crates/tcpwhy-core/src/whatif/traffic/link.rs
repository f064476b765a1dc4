//! The path: [`crate::link`]'s ways there and back, with a queue before a narrow link and losses in the data direction.

use super::packet::{HEADERS, Packet};
use super::scenario::{Loss, Scenario};
use crate::link::{
    Delivery, DropReason, Fate, Loss as Losses, Outage, Parcel, Policer, Queue, QueueLimit, Rate,
    Way, WaySpec,
};
use crate::units::{Nanos, time_at};

/// The two directions between the data sender and its receiver, on the sender's clock. They carry the packets' numbers.
#[derive(Debug)]
pub(super) struct Path {
    forward: Way<usize>,
    backward: Way<usize>,
    rate_bps: u64,
    first_policed: Option<Nanos>,
    /// Continuous busy periods of the bottleneck. Where it stands on the way shifts what it does by a constant, so the sender's clock
    /// is the link's.
    busy: Vec<(Nanos, Nanos)>,
}

impl Path {
    pub(super) fn new(s: &Scenario) -> Self {
        let forward = s.rtt.scale(1, 2);
        let there = way(s, forward);
        let back = WaySpec {
            delay: s.rtt - forward,
            outages: there.outages.clone(),
            seed: s.seed,
            ..WaySpec::default()
        };
        let [mut there, mut back] = [Way::new(&there), Way::new(&back)];
        there.begin(s.start);
        back.begin(s.start);
        Self {
            forward: there,
            backward: back,
            rate_bps: s.rate_bps,
            first_policed: None,
            busy: Vec::new(),
        }
    }

    /// Packet `number` leaves its host, in the data direction or against it.
    pub(super) fn send(&mut self, now: Nanos, packet: &Packet, number: usize, is_data: bool) {
        let bytes = u64::from(packet.len) + HEADERS;
        let largest = u32::try_from(bytes).unwrap_or(u32::MAX);
        let parcel = Parcel { bytes, largest, data: packet.len > 0, ect: false };
        let way = if is_data { &mut self.forward } else { &mut self.backward };
        if way.offer(now, parcel, number) == Fate::Dropped(DropReason::Policer) {
            self.first_policed.get_or_insert(now);
        }
    }

    /// When the next packet may arrive.
    pub(super) fn due(&self) -> Option<Nanos> {
        [self.forward.due(), self.backward.due()].into_iter().flatten().min()
    }

    /// A packet that has arrived at `now`, and when. Of those that wait the earliest; at one instant the data direction goes first.
    pub(super) fn take(&mut self, now: Nanos) -> Option<(Nanos, usize)> {
        if let Some(delivery) = self.forward.take(now) {
            self.note_busy(&delivery);
            return Some((delivery.due, delivery.payload));
        }
        self.backward.take(now).map(|delivery| (delivery.due, delivery.payload))
    }

    /// The periods in which the bottleneck was busy for at least `least` without a gap.
    pub(super) fn busy_periods(&self, least: Nanos) -> Vec<(Nanos, Nanos)> {
        self.busy.iter().copied().filter(|(from, to)| *to - *from >= least).collect()
    }

    /// When the policer first dropped.
    pub(super) fn first_policed(&self) -> Option<Nanos> {
        self.first_policed
    }

    /// Gaps shorter than one full packet are no idleness: pacing leaves such.
    fn note_busy(&mut self, delivery: &Delivery<usize>) {
        if self.rate_bps == 0 {
            return;
        }
        let gap = time_at(1500, self.rate_bps);
        let to = delivery.left;
        let from = to - time_at(delivery.parcel.bytes, self.rate_bps);
        match self.busy.last_mut() {
            Some(last) if from - last.1 <= gap => last.1 = to,
            _ => self.busy.push((from, to)),
        }
    }
}

/// The data direction.
fn way(s: &Scenario, delay: Nanos) -> WaySpec {
    let mut spec = WaySpec {
        rate: if s.rate_bps == 0 { Rate::Unlimited } else { Rate::Constant(s.rate_bps) },
        delay,
        queue: Queue::DropTail(QueueLimit::Bytes(s.queue_bytes)),
        seed: s.seed,
        ..WaySpec::default()
    };
    match &s.loss {
        Loss::None => {}
        Loss::PerMille(chance) => spec.loss.random = f64::from(*chance) / 1000.0,
        Loss::Numbers(numbers) => {
            spec.loss = Losses {
                nth: numbers.iter().map(|n| n.saturating_add(1)).collect(),
                ..Losses::default()
            };
        }
        Loss::Policer { rate_bps, burst } => {
            spec.policer = Some(Policer { rate_bps: *rate_bps, burst: *burst });
        }
        Loss::Outage(from, to) => spec.outages = vec![Outage { from: *from, to: *to }],
        Loss::LargerThan(limit) => {
            let headers = u32::try_from(HEADERS).unwrap_or(u32::MAX);
            spec.mtu = Some(limit.saturating_add(headers));
        }
    }
    spec
}
