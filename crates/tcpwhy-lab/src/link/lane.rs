//! One direction at work: packets from one device through a `Way` to the other device.

use std::os::fd::AsFd;

use rustix::io::Errno;
use tcpwhy_core::link::{Delivery, Way, WaySpec};
use tcpwhy_core::units::Nanos;

use super::breaks::Breaks;
use super::buffer::{Packet, SMALL};
use super::busy::Busy;
use super::device::HostDevice;
use super::engine::Desk;
use super::report::DirectionReport;
use super::segment::Load;
use super::{vnet, wait};
use crate::spec::Role;

/// Packets read per turn: a burst of one side must not hold up what is due on the other.
pub(super) const READS: usize = 32;
/// Packets written per turn, more than are read, so that what is due does not pile up.
const WRITES: usize = 64;
/// Small packets that are written before the clock is read again: lateness is known to within three writes.
const CLOCK: usize = 4;

/// One direction.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) way: Way<Load>,
    pub(super) sender: Role,
    /// Bytes before the IP packet.
    pub(super) framing: usize,
    /// Large packets are cut to the MTU.
    pub(super) cuts: bool,
    /// Packets may be larger than a small block.
    pub(super) jumbo: bool,
    /// Read and not offered yet; empty between two calls.
    pub(super) fresh: Vec<Packet>,
    /// Since when the device was never found empty; and the longest such time.
    pub(super) full_since: Option<Nanos>,
    longest_full: Nanos,
    /// Due, and not taken by the receiving host yet.
    leaving: Option<Leaving>,
    /// From one end to the other.
    delay: Nanos,
    /// What is due is late by more than the delay, so that whatever is read now would only wait here: it waits in the host's device, as in front
    /// of any slow card, and its bytes are still in the processor's cache when they are written.
    pub(super) behind: bool,
    /// Since when the device may have held what was left in it for that reason; `None` since it was found empty.
    pub(super) held_since: Option<Nanos>,
    /// Where on the propagation the middle capture looks, seen from the sender.
    tap: f64,
    /// Where the scenario schedules losses; and what makes time since the Unix epoch of the link's clock.
    pub(super) breaks: Option<Breaks>,
    pub(super) epoch: Nanos,
    /// When it had something to carry.
    busy: Busy,
    pub(super) report: DirectionReport,
}

/// A packet at the link's end.
#[derive(Debug)]
struct Leaving {
    packet: Packet,
    due: Nanos,
    /// How often it is still to be written.
    copies: u32,
}

impl Leaving {
    /// Writes it; `false` when the host cannot take it now.
    fn hand_over(&mut self, to: &HostDevice, report: &mut DirectionReport) -> bool {
        while self.copies > 0 {
            match self.packet.write(to.fd.as_fd()) {
                Ok(()) => {}
                Err(Errno::AGAIN) => return false,
                Err(_) => report.refused += 1,
            }
            self.copies -= 1;
        }
        true
    }
}

impl Lane {
    pub(super) fn new(
        spec: &WaySpec,
        sender: Role,
        framing: usize,
        cuts: bool,
        tap: f64,
        epoch: Nanos,
    ) -> Self {
        let (way, report) = (Way::new(spec), DirectionReport::default());
        let scheduled = !spec.outages.is_empty() || !spec.loss.nth.is_empty();
        let breaks = scheduled.then(Breaks::default);
        let (jumbo, fresh) = (true, Vec::with_capacity(READS));
        let (full_since, longest_full) = (None, Nanos::ZERO);
        Self {
            way,
            sender,
            framing,
            cuts,
            jumbo,
            fresh,
            full_since,
            longest_full,
            leaving: None,
            delay: spec.delay,
            behind: false,
            held_since: None,
            tap,
            breaks,
            epoch,
            busy: Busy::default(),
            report,
        }
    }

    /// The device was read at `now`, until it was empty or not.
    pub(super) fn note_read(&mut self, now: Nanos, empty: bool) {
        if empty && self.full_since.is_none() {
            return;
        }
        let since = *self.full_since.get_or_insert(now);
        self.longest_full = self.longest_full.max(now - since);
        if empty {
            (self.full_since, self.held_since) = (None, None);
        }
    }

    /// The device is not read at `now`, because the lane is behind.
    pub(super) fn hold(&mut self, now: Nanos) {
        self.held_since.get_or_insert(now);
        self.note_read(now, false);
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

    /// Writes what is due, a batch at most; returns whether there was anything that the host took.
    pub(super) fn deliver(&mut self, to: &HostDevice, desk: &mut Desk) -> bool {
        let mut now = wait::now();
        self.behind = false;
        for count in 0..WRITES {
            let next = self.leaving.take().or_else(|| self.next(now, desk));
            let Some(mut leaving) = next else { return count > 0 };
            if !leaving.hand_over(to, &mut self.report) {
                self.leaving = Some(leaving);
                self.behind = true;
                return count > 0;
            }
            desk.late.record(now - leaving.due, 1);
            if count % CLOCK == CLOCK - 1 || leaving.packet.len() > SMALL {
                now = wait::now();
            }
        }
        self.behind = self.way.due().is_some_and(|due| due + self.delay <= now);
        true
    }

    /// The next packet that is due, as it leaves.
    fn next(&mut self, now: Nanos, desk: &mut Desk) -> Option<Leaving> {
        loop {
            let Delivery { payload, entered, left, due, mark, copies, .. } = self.way.take(now)?;
            self.busy.add(entered, left);
            let Some(mut packet) = payload.packet(&desk.pool) else {
                self.report.out_of_memory += 1;
                continue;
            };
            if mark {
                vnet::mark_ce(packet.bytes_mut(), self.framing);
            }
            if let Some(middle) = &mut desk.middle {
                let passes = left + Nanos(((due - left).0 as f64 * self.tap) as i64);
                let ip = packet.bytes().get(self.framing..).unwrap_or_default();
                for _ in 0..copies {
                    middle.record(passes, ip, packet.len().saturating_sub(self.framing));
                }
            }
            return Some(Leaving { packet, due, copies });
        }
    }

    /// The receiving host takes nothing at the moment.
    pub(super) fn is_stuck(&self) -> bool {
        self.leaving.is_some()
    }

    /// What this direction did.
    pub(super) fn report(mut self, from: &mut HostDevice, to: &mut HostDevice) -> DirectionReport {
        self.report.add(self.way.counters(), self.way.held());
        self.report.longest_full_ns = u64::try_from(self.longest_full.0).unwrap_or(0);
        self.report.overruns = from.overruns().unwrap_or(0);
        self.report.refused = self.report.refused.max(to.not_taken_in().unwrap_or(0));
        self.report.busy = self.busy.steps(self.epoch);
        self.report.breaks = self.breaks.map(Breaks::into_all).unwrap_or_default();
        self.report
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer::Pool;
    use super::super::device::Kind;
    use super::super::lateness::Lateness;
    use super::super::middlebox::Middleboxes;
    use super::*;
    use tcpwhy_core::link::Parcel;

    #[test]
    fn what_a_host_does_not_take_stays_first_in_line() {
        use std::os::unix::net::UnixDatagram;
        let (link_end, host_end) = UnixDatagram::pair().unwrap();
        link_end.set_nonblocking(true).unwrap();
        host_end.set_nonblocking(true).unwrap();
        let device = HostDevice::new("lo", link_end.into(), Kind::Tun).unwrap();
        let (pool, late) = (Pool::new(1 << 30), Lateness::new().unwrap());
        let (middle, boxes) = (None, Middleboxes::new(&[]));
        let mut desk = Desk { pool, late, middle, boxes, came: None, begun: None };
        let mut lane = Lane::new(&WaySpec::default(), Role::Client, 0, false, 0.3, Nanos::ZERO);
        // More than the kernel keeps for a socket that nobody reads (its buffer, and `net.unix.max_dgram_qlen` packets).
        for n in 0..2_000_u32 {
            let packet = desk.pool.filled(&n.to_be_bytes());
            let parcel = Parcel { bytes: 4, largest: 4, data: true, ect: false };
            lane.way.offer(wait::now(), parcel, Load::Whole(packet));
        }
        let (mut taken, mut stuck) = (Vec::new(), 0);
        while taken.len() < 2_000 {
            while lane.deliver(&device, &mut desk) {}
            stuck += u32::from(lane.is_stuck() && lane.behind);
            let mut bytes = [0; 4];
            while host_end.recv(&mut bytes).is_ok() {
                taken.push(u32::from_be_bytes(bytes));
            }
        }
        assert!(taken.iter().copied().eq(0..2_000) && stuck > 0, "stuck {stuck} times");
        assert_eq!(lane.report.refused, 0);
    }

    #[test]
    fn what_is_held_back_waits_from_then_until_the_device_is_found_empty() {
        let mut lane = Lane::new(&WaySpec::default(), Role::Client, 0, false, 0.3, Nanos::ZERO);
        let mut since = |ms: i64, hold: bool, empty: bool| {
            let now = Nanos::from_millis(ms);
            if hold {
                lane.hold(now)
            } else {
                lane.note_read(now, empty)
            }
            lane.held_since.map(Nanos::millis)
        };
        assert_eq!((since(1, false, false), since(2, true, false)), (None, Some(2.0)));
        assert_eq!((since(3, false, false), since(4, true, false)), (Some(2.0), Some(2.0)));
        assert_eq!((since(5, false, true), since(6, true, false)), (None, Some(6.0)));
    }

    #[test]
    fn a_device_is_full_from_the_first_read_that_leaves_something_to_the_one_that_finds_it_empty() {
        let mut lane = Lane::new(&WaySpec::default(), Role::Client, 0, false, 0.3, Nanos::ZERO);
        let mut longest = |ms: i64, empty| {
            lane.note_read(Nanos::from_millis(ms), empty);
            lane.longest_full.millis()
        };
        // Idle for long, and what came was read at once.
        assert_eq!((longest(1, true), longest(5_000, true)), (0.0, 0.0));
        assert_eq!((longest(6_000, false), longest(6_030, false)), (0.0, 30.0));
        assert_eq!((longest(6_040, true), longest(7_000, true)), (40.0, 40.0));
        assert_eq!((longest(8_000, false), longest(8_010, true)), (40.0, 40.0));
    }
}
