//! One direction: gate, queue, transmitter, propagation.

use std::collections::VecDeque;

use super::codel::CoDel;
use super::dice::Dice;
use super::fate::{Counters, Delivery, DropReason, Fate, Parcel};
use super::loss::Gate;
use super::rate::Transmitter;
use super::spec::{Queue, QueueLimit, WaySpec};
use crate::units::Nanos;

#[derive(Debug)]
struct Waiting<T> {
    entered: Nanos,
    parcel: Parcel,
    mark: bool,
    payload: T,
}

/// One direction of a link. Times must not go backwards.
#[derive(Debug)]
pub struct Way<T> {
    spec: WaySpec,
    begun: bool,
    gate: Gate,
    codel: Option<CoDel>,
    transmitter: Transmitter,
    queue: VecDeque<Waiting<T>>,
    queued_bytes: u64,
    /// In the order of arrival: those that kept their order, and those that overtook.
    flying: VecDeque<Delivery<T>>,
    hasty: VecDeque<Delivery<T>>,
    last_due: Nanos,
    jitter: Dice,
    reorder: Dice,
    duplicate: Dice,
    counters: Counters,
}

impl<T> Way<T> {
    /// An empty way.
    pub fn new(spec: &WaySpec) -> Self {
        let codel = match spec.queue {
            Queue::CoDel { target, interval, .. } => Some(CoDel::new(target, interval)),
            Queue::DropTail(_) | Queue::Ecn { .. } => None,
        };
        Self {
            begun: false,
            gate: Gate::new(spec),
            codel,
            transmitter: Transmitter::new(spec.rate.clone()),
            queue: VecDeque::new(),
            queued_bytes: 0,
            flying: VecDeque::new(),
            hasty: VecDeque::new(),
            last_due: Nanos(i64::MIN),
            jitter: Dice::new(spec.seed, 3),
            reorder: Dice::new(spec.seed, 4),
            duplicate: Dice::new(spec.seed, 5),
            counters: Counters::default(),
            spec: spec.clone(),
        }
    }

    /// The link's first packet, in whichever direction: outages and traces count from here.
    ///
    /// Only the first call counts; the first packet of this way calls it too.
    pub fn begin(&mut self, at: Nanos) {
        if !self.begun {
            self.begun = true;
            self.gate.begin(at);
            self.transmitter.begin(at);
        }
    }

    /// Time since the beginning.
    pub fn age(&self, now: Nanos) -> Nanos {
        self.gate.age(now)
    }

    /// A packet enters.
    pub fn offer(&mut self, now: Nanos, parcel: Parcel, payload: T) -> Fate {
        self.begin(now);
        self.counters.offered += 1;
        self.advance(now);
        if let Some(reason) = self.gate.refuses(now, &parcel) {
            return self.drop(reason);
        }
        if !self.fits(now, &parcel) {
            return self.drop(DropReason::QueueFull);
        }
        let mark = match self.spec.queue {
            Queue::Ecn { mark, .. } => parcel.ect && self.waiting(now) > mark,
            Queue::DropTail(_) | Queue::CoDel { .. } => false,
        };
        self.queued_bytes += parcel.bytes;
        self.counters.most_waiting = self.counters.most_waiting.max(self.waiting(now));
        let tail = Waiting { entered: now, parcel, mark, payload };
        if self.queue.is_empty() && self.transmitter.free_at() <= now {
            self.leave(now, tail);
        } else {
            self.queue.push_back(tail);
        }
        Fate::Accepted
    }

    /// The earliest time at which `take` may give something; `None` when the way is empty.
    pub fn due(&self) -> Option<Nanos> {
        let arrives = [self.flying.front(), self.hasty.front()];
        let arrives = arrives.into_iter().flatten().map(|d| d.due).min();
        let earliest = if self.spec.reorder > 0.0 {
            Nanos::ZERO
        } else {
            (self.spec.delay - self.spec.jitter).max(Nanos::ZERO)
        };
        let leaves =
            self.queue.front().map(|head| head.entered.max(self.transmitter.free_at()) + earliest);
        arrives.into_iter().chain(leaves).min()
    }

    /// The next packet that has arrived at `now`.
    pub fn take(&mut self, now: Nanos) -> Option<Delivery<T>> {
        self.advance(now);
        let side = match (self.flying.front(), self.hasty.front()) {
            (Some(a), Some(b)) if b.due < a.due => &mut self.hasty,
            (None, Some(_)) => &mut self.hasty,
            _ => &mut self.flying,
        };
        if side.front()?.due > now {
            return None;
        }
        let delivery = side.pop_front()?;
        self.counters.delivered += 1;
        self.counters.delivered_bytes += delivery.parcel.bytes;
        self.counters.duplicated += u64::from(delivery.copies - 1);
        Some(delivery)
    }

    /// What happened so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Packets inside: waiting and flying.
    pub fn held(&self) -> usize {
        self.queue.len() + self.flying.len() + self.hasty.len()
    }

    /// Bytes before the link: those in the queue and the rest of the packet in transmission.
    pub fn waiting(&self, now: Nanos) -> u64 {
        self.queued_bytes + self.transmitter.unsent(now)
    }

    fn drop(&mut self, reason: DropReason) -> Fate {
        self.counters.drop(reason);
        Fate::Dropped(reason)
    }

    /// An empty queue takes any packet; the packet in transmission counts.
    fn fits(&self, now: Nanos, parcel: &Parcel) -> bool {
        let limit = match self.spec.queue {
            Queue::DropTail(limit) | Queue::CoDel { limit, .. } | Queue::Ecn { limit, .. } => limit,
        };
        let waiting = self.waiting(now);
        match limit {
            QueueLimit::Bytes(bytes) => waiting == 0 || waiting + parcel.bytes <= bytes,
            QueueLimit::Packets(packets) => {
                let sending = u64::from(self.transmitter.unsent(now) > 0);
                waiting == 0 || self.queue.len() as u64 + sending < packets
            }
        }
    }

    /// Sends what begins until `now`.
    fn advance(&mut self, now: Nanos) {
        while let Some(head) = self.queue.front() {
            let start = head.entered.max(self.transmitter.free_at());
            if start > now {
                return;
            }
            let Some(head) = self.queue.pop_front() else { return };
            self.leave(start, head);
        }
    }

    /// The transmitter or CoDel takes the head of the queue.
    fn leave(&mut self, start: Nanos, mut head: Waiting<T>) {
        self.queued_bytes -= head.parcel.bytes;
        if self.condemned(start, &mut head) {
            self.counters.drop(DropReason::CoDel);
        } else {
            self.send(start, head);
        }
    }

    /// Whether CoDel drops this packet; marks it instead where that is allowed.
    fn condemned(&mut self, start: Nanos, head: &mut Waiting<T>) -> bool {
        let Some(codel) = &mut self.codel else { return false };
        if !codel.condemns(start, start - head.entered, self.queued_bytes) {
            return false;
        }
        head.mark = head.parcel.ect && matches!(self.spec.queue, Queue::CoDel { ecn: true, .. });
        !head.mark
    }

    fn send(&mut self, start: Nanos, head: Waiting<T>) {
        let left = self.transmitter.send(start, head.parcel.bytes);
        self.counters.marked += u64::from(head.mark);
        let copies = 1 + u32::from(self.duplicate.hits(self.spec.duplicate));
        let hasty = self.reorder.hits(self.spec.reorder);
        let due = if hasty { left } else { self.arrival(left) };
        let Waiting { entered, parcel, mark, payload } = head;
        let delivery = Delivery { payload, parcel, entered, left, due, mark, copies };
        if hasty {
            self.counters.reordered += 1;
            self.hasty.push_back(delivery);
        } else {
            self.last_due = due;
            self.flying.push_back(delivery);
        }
    }

    /// Propagation with jitter, never before an earlier packet.
    fn arrival(&mut self, left: Nanos) -> Nanos {
        let jitter = self.spec.jitter.0;
        let shift =
            if jitter > 0 { ((self.jitter.unit() * 2.0 - 1.0) * jitter as f64) as i64 } else { 0 };
        (left + (self.spec.delay + Nanos(shift)).max(Nanos::ZERO)).max(self.last_due)
    }
}
