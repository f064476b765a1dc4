//! One direction at work: packets from one device through a `Way` to the other device.

use std::os::fd::AsFd;

use rustix::io::Errno;
use tcpwhy_core::link::{Delivery, Parcel, Way, WaySpec};
use tcpwhy_core::units::Nanos;

use super::buffer::{Packet, Pool};
use super::device::HostDevice;
use super::engine::Desk;
use super::middle::Middle;
use super::report::DirectionReport;
use super::view::View;
use super::{segment, vnet, wait};

/// Packets per turn: a burst of one side must not hold up what is due on the other.
const BATCH: usize = 32;

/// One direction.
#[derive(Debug)]
pub(super) struct Lane {
    way: Way<Packet>,
    framing: usize,
    /// Large packets are cut to the MTU.
    cuts: bool,
    /// Where on the propagation the middle capture looks, seen from the sender.
    tap: f64,
    report: DirectionReport,
}

impl Lane {
    pub(super) fn new(spec: &WaySpec, framing: usize, cuts: bool, tap: f64) -> Self {
        Self { way: Way::new(spec), framing, cuts, tap, report: DirectionReport::default() }
    }

    /// The link's first packet was seen.
    pub(super) fn begin(&mut self, at: Nanos) {
        self.way.begin(at);
    }

    /// No packet has come yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.report.packets == 0
    }

    /// When something is due.
    pub(super) fn due(&self) -> Option<Nanos> {
        self.way.due()
    }

    /// Reads what the device has, a batch at most; returns whether there was any packet of the hosts' transfers.
    pub(super) fn read(&mut self, from: &HostDevice, desk: &Desk) -> Result<bool, Errno> {
        for count in 0..BATCH {
            match desk.pool.read(from.fd.as_fd()) {
                Ok(Some(packet)) => self.enter(packet, &desk.pool),
                Ok(None) => self.report.out_of_memory += 1,
                Err(Errno::AGAIN) => return Ok(count > 0),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn enter(&mut self, packet: Packet, pool: &Pool) {
        let Some(view) = self.view(&packet) else { return };
        if let Some(mss) = self.cuts.then(|| vnet::segment_size(packet.head(), self.framing)) {
            return self.cut(packet, &view, mss, pool);
        }
        let mss = vnet::segment_size(packet.head(), self.framing);
        self.offer(packet, view.parcel(mss));
    }

    /// `None` for what does not travel: neighbours and multicast groups mean nothing behind this link, and random
    /// losses are for the transfers.
    fn view(&self, packet: &Packet) -> Option<View> {
        let ip = packet.head().get(self.framing..)?;
        View::new(ip, packet.len().saturating_sub(self.framing)).filter(|view| !view.local)
    }

    fn cut(&mut self, mut packet: Packet, view: &View, mss: Option<usize>, pool: &Pool) {
        let Some(mss) = mss.filter(|_| view.tcp_bytes.is_some()) else {
            if view.tcp_bytes.is_some() && vnet::is_partial(packet.head(), self.framing) {
                segment::finish(&mut packet, view, self.framing);
            }
            return self.offer(packet, view.parcel(None));
        };
        let count = view.payload().div_ceil(mss.max(1));
        let segments = segment::cut(&packet, view, mss, self.framing, pool);
        self.report.out_of_memory += count.saturating_sub(segments.len()) as u64;
        drop(packet);
        for segment in segments {
            if let Some(view) = self.view(&segment) {
                self.offer(segment, view.parcel(None));
            }
        }
    }

    fn offer(&mut self, packet: Packet, parcel: Parcel) {
        self.report.packets += 1;
        self.way.offer(wait::now(), parcel, packet);
    }

    /// Writes what is due, a batch at most; returns whether there was anything.
    pub(super) fn deliver(&mut self, to: &HostDevice, desk: &mut Desk) -> bool {
        let mut any = false;
        for _ in 0..BATCH {
            let now = wait::now();
            let Some(mut delivery) = self.way.take(now) else { return any };
            desk.late.record((now - delivery.due).0);
            if delivery.mark {
                vnet::mark_ce(delivery.payload.head_mut(), self.framing);
            }
            for _ in 0..delivery.copies {
                self.write(&delivery, to, desk.middle.as_mut());
            }
            any = true;
        }
        any
    }

    fn write(&mut self, delivery: &Delivery<Packet>, to: &HostDevice, middle: Option<&mut Middle>) {
        if let Some(middle) = middle {
            let flight = (delivery.due - delivery.left).0 as f64 * self.tap;
            let ip = delivery.payload.head().get(self.framing..).unwrap_or_default();
            let length = delivery.payload.len().saturating_sub(self.framing);
            middle.record(delivery.left + Nanos(flight as i64), ip, length);
        }
        if delivery.payload.write(to.fd.as_fd()).is_err() {
            self.report.refused += 1;
        }
    }

    /// What this direction did.
    pub(super) fn report(mut self, from: &mut HostDevice) -> DirectionReport {
        self.report.add(self.way.counters(), self.way.held());
        self.report.overruns = from.overruns().unwrap_or(0);
        self.report
    }
}
