//! One direction at work: packets from one device through a `Way` to the other device.

use std::os::fd::AsFd;

use rustix::io::Errno;
use tcpwhy_core::link::{Delivery, Way, WaySpec};
use tcpwhy_core::units::Nanos;

use super::buffer::{Packet, Pool};
use super::device::HostDevice;
use super::lateness::Lateness;
use super::report::DirectionReport;
use super::view::View;
use super::{vnet, wait};

/// Packets per turn: a burst of one side must not hold up what is due on the other.
const BATCH: usize = 32;

/// One direction.
#[derive(Debug)]
pub(super) struct Lane {
    way: Way<Packet>,
    framing: usize,
    report: DirectionReport,
}

impl Lane {
    pub(super) fn new(spec: &WaySpec, framing: usize) -> Self {
        Self { way: Way::new(spec), framing, report: DirectionReport::default() }
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
    pub(super) fn read(&mut self, from: &HostDevice, pool: &Pool) -> Result<bool, Errno> {
        for count in 0..BATCH {
            match pool.read(from.fd.as_fd()) {
                Ok(Some(packet)) => self.enter(packet),
                Ok(None) => self.report.out_of_memory += 1,
                Err(Errno::AGAIN) => return Ok(count > 0),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn enter(&mut self, packet: Packet) {
        let ip = packet.head().get(self.framing..).unwrap_or_default();
        let view = View::new(ip, packet.len().saturating_sub(self.framing));
        // Neighbours and multicast groups mean nothing behind this link; random losses are for the transfers.
        let Some(view) = view.filter(|view| !view.local) else { return };
        self.report.packets += 1;
        let mss = vnet::segment_size(packet.head(), self.framing);
        let parcel = view.parcel(mss);
        self.way.offer(wait::now(), parcel, packet);
    }

    /// Writes what is due; returns whether there was anything.
    pub(super) fn deliver(&mut self, to: &HostDevice, late: &mut Lateness) -> bool {
        let mut any = false;
        for _ in 0..BATCH {
            let now = wait::now();
            let Some(delivery) = self.way.take(now) else { return any };
            late.record((now - delivery.due).0);
            self.write(delivery, to);
            any = true;
        }
        any
    }

    fn write(&mut self, mut delivery: Delivery<Packet>, to: &HostDevice) {
        if delivery.mark {
            vnet::mark_ce(delivery.payload.head_mut(), self.framing);
        }
        for _ in 0..delivery.copies {
            if delivery.payload.write(to.fd.as_fd()).is_err() {
                self.report.refused += 1;
            }
        }
    }

    /// What this direction did.
    pub(super) fn report(mut self, from: &mut HostDevice) -> DirectionReport {
        self.report.add(self.way.counters(), self.way.held());
        self.report.overruns = from.overruns().unwrap_or(0);
        self.report
    }
}
