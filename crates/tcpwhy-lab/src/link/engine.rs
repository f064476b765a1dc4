//! The emulator's thread: both directions, one loop.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;
use tcpwhy_core::units::Nanos;

use super::buffer::{Pool, SMALL};
use super::device::{HostDevice, Kind};
use super::lane::Lane;
use super::lateness::Lateness;
use super::middle::Middle;
use super::middlebox::Middleboxes;
use super::report::{self, LinkReport};
use super::steer::Steering;
use super::wait::Sleeper;
use super::{Error, sys, wait};
use crate::spec::{LinkSpec, Offload, Role};

/// Bytes of packets inside the link at most: 0.4 s at 10 Gbit/s.
const MEMORY: usize = 512 << 20;

/// What the thread is given.
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) spec: LinkSpec,
    /// The client's and the server's.
    pub(super) devices: [HostDevice; 2],
    /// Started by the caller: a thread made here would inherit the real-time scheduling.
    pub(super) middle: Option<Middle>,
    pub(super) stop: Arc<AtomicBool>,
    /// Becomes readable when `stop` is set.
    pub(super) wake: OwnedFd,
}

/// What both directions share.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) pool: Pool,
    pub(super) late: Lateness,
    pub(super) middle: Option<Middle>,
    pub(super) boxes: Middleboxes,
    /// Since when the packet that woke the link has waited in its device.
    pub(super) came: Option<Nanos>,
    /// The first packet, since the Unix epoch.
    pub(super) begun: Option<Nanos>,
}

impl Engine {
    /// Carries packets until it is stopped.
    pub(super) fn run(mut self) -> Result<LinkReport, Error> {
        let scheduling = prepare_thread();
        // Large packets are little but their bytes, which are best read where they were written.
        let small = self.spec.offload != Offload::Pass;
        let mut steering = small.then(|| Steering::new(&self.devices, wait::now())).flatten();
        let late = Lateness::new().map_err(|_| Error::Histogram)?;
        let pool = Pool::new(MEMORY);
        let boxes = Middleboxes::new(&self.spec.middleboxes);
        let mut desk =
            Desk { pool, late, middle: self.middle.take(), boxes, came: None, begun: None };
        let [client, server] = &self.devices;
        let tap = self.spec.tap.clamp(0.0, 1.0);
        // Behind packet sockets the kernel hands over what it would have given the card, so the link cuts it.
        let cuts = match self.spec.offload {
            Offload::None => client.kind == Kind::Packet,
            Offload::Pass => false,
            Offload::Segment => true,
        };
        let epoch = wait::epoch_offset();
        let framing = client.kind.framing();
        let mut lanes = [
            Lane::new(&self.spec.up, Role::Client, framing, cuts, tap, epoch),
            Lane::new(&self.spec.down, Role::Server, framing, cuts, 1.0 - tap, epoch),
        ];
        for (lane, from) in lanes.iter_mut().zip([client, server]) {
            lane.jumbo = from.fills(SMALL);
        }
        let fds = [client.fd.as_fd(), server.fd.as_fd(), self.wake.as_fd()];
        let mut sleeper = Sleeper::new(&fds);
        let mut since = wait::now();
        while !self.stop.load(Ordering::Relaxed) {
            let busy = self.turn(&mut lanes, &mut desk)?;
            if !busy {
                desk.came = rest(&lanes, &mut sleeper).map_err(wait_error)?;
            }
            let now = wait::now();
            if let Some(steering) = &mut steering {
                steering.note(now, now - since, busy);
            }
            since = now;
        }
        let steered = steering.is_some_and(|steering| steering.was_on());
        self.report(lanes, desk, scheduling, steered)
    }

    /// Delivers and reads once in each direction; returns whether there was anything to do.
    fn turn(&self, lanes: &mut [Lane; 2], desk: &mut Desk) -> Result<bool, Error> {
        let [client, server] = &self.devices;
        let [up, down] = lanes;
        let now = wait::now();
        let mut busy = false;
        for (lane, from, to) in [(&mut *up, client, server), (&mut *down, server, client)] {
            busy |= lane.deliver(to, desk);
            busy |= lane.read(from, desk).map_err(|errno| lost(from, errno))?;
        }
        desk.came = None;
        if up.is_fresh() != down.is_fresh() {
            up.begin(now);
            down.begin(now);
        }
        if desk.begun.is_none() && !(up.is_fresh() && down.is_fresh()) {
            desk.begun = Some(now + up.epoch);
        }
        if let Some(middle) = desk.middle.as_mut().filter(|middle| middle.is_due(now)) {
            let due = up.due().into_iter().chain(down.due()).fold(now, Nanos::min);
            middle.pass_on(now, due);
        }
        Ok(busy)
    }

    fn report(
        &mut self,
        lanes: [Lane; 2],
        desk: Desk,
        scheduling: &'static str,
        steered: bool,
    ) -> Result<LinkReport, Error> {
        let [up, down] = lanes;
        let [client, server] = &mut self.devices;
        let (up, down) = (up.report(client, server), down.report(server, client));
        let lateness_ns = desk.late.report();
        let middle = desk.middle.map(Middle::stop).transpose()?;
        let why_not = report::doubts(&self.spec, &lateness_ns, &up, &down);
        Ok(LinkReport {
            backend: client.kind.name(),
            scheduling,
            steered,
            faithful: why_not.is_empty(),
            why_not,
            begun_ns: desk.begun.and_then(|begun| u64::try_from(begun.0).ok()),
            lateness_ns: Some(lateness_ns),
            up,
            down,
            middle,
        })
    }
}

/// Real-time scheduling and exact timers, as far as they are permitted; returns the scheduler's name.
fn prepare_thread() -> &'static str {
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    if sys::schedule_first().is_ok() { "fifo" } else { "normal" }
}

/// There is nothing to do: sleeps until there is, or for a moment where a host does not take what it should. Since when, at the latest, what came
/// meanwhile was there.
fn rest(lanes: &[Lane; 2], sleeper: &mut Sleeper<'_>) -> rustix::io::Result<Option<Nanos>> {
    if lanes.iter().any(Lane::is_stuck) {
        Sleeper::pause();
        return Ok(None);
    }
    sleeper.sleep(lanes.iter().filter_map(Lane::due).min())
}

fn wait_error(errno: Errno) -> Error {
    Error::Wait { source: errno.into() }
}

fn lost(device: &HostDevice, errno: Errno) -> Error {
    Error::Device { name: device.name.clone(), what: "read from", source: errno.into() }
}
