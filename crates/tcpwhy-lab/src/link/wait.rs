//! Sleeping until a packet is due or arrives, and waking in time.

use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tcpwhy_core::units::Nanos;

/// Waking is asked for this much earlier at most; the rest is spent looking at the clock.
const MOST: i64 = 100_000;
/// In which a host takes in a few dozen small packets, of the hundreds that may wait.
const PAUSE: i64 = 20_000;

/// The clock of everything in the link: CLOCK_MONOTONIC.
pub(super) fn now() -> Nanos {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Nanos(t.tv_sec.saturating_mul(1_000_000_000).saturating_add(t.tv_nsec))
}

/// What is to be added to that clock to get time since the Unix epoch.
pub(super) fn epoch_offset() -> Nanos {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    Nanos(t.tv_sec.saturating_mul(1_000_000_000).saturating_add(t.tv_nsec)) - now()
}

/// Waits for the devices with a time limit, and learns how late the kernel wakes it.
///
/// By ppoll(2), which asks to be woken only while it sleeps: what epoll(7) does for each packet that comes in between, to be woken at once when it
/// does, costs the sending host more than all of these calls.
#[derive(Debug)]
pub(super) struct Sleeper<'a> {
    devices: Vec<PollFd<'a>>,
    /// How late the kernel wakes; near the highest that was seen of late.
    lead: Nanos,
}

impl<'a> Sleeper<'a> {
    /// Waits for these to become readable.
    pub(super) fn new(fds: &[BorrowedFd<'a>]) -> Self {
        let devices = fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        Self { devices, lead: Nanos(20_000) }
    }

    /// Returns when something is readable, or a little before `due`. Does not sleep when that is now.
    pub(super) fn sleep(&mut self, due: Option<Nanos>) -> rustix::io::Result<()> {
        let wake = due.map(|due| due - self.lead);
        let timeout = match wake {
            Some(wake) => {
                let rest = (wake - now()).0;
                if rest <= 0 {
                    return Ok(());
                }
                Some(Timespec { tv_sec: rest / 1_000_000_000, tv_nsec: rest % 1_000_000_000 })
            }
            None => None,
        };
        let ready = match poll(&mut self.devices, timeout.as_ref()) {
            Err(rustix::io::Errno::INTR) => return Ok(()),
            other => other?,
        };
        if let (0, Some(wake)) = (ready, wake) {
            self.learn(now() - wake);
        }
        Ok(())
    }

    /// Waits for a host to take in some of what it was handed.
    pub(super) fn pause() {
        let _ = rustix::thread::nanosleep(&Timespec { tv_sec: 0, tv_nsec: PAUSE });
    }

    /// Up quickly, down slowly: the lead covers most wake-ups, not the mean of them.
    fn learn(&mut self, late: Nanos) {
        let error = late - self.lead;
        let step = if error.0 > 0 { error.scale(1, 4) } else { error.scale(1, 64) };
        self.lead = Nanos((self.lead + step).0.clamp(1_000, MOST));
    }
}
