//! Sleeping until a packet is due or arrives, and waking in time.

use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tcpwhy_core::units::Nanos;

/// Waking is asked for this much earlier at most, or by a part of the whole wait; the rest is spent looking at the clock.
const MOST: i64 = 100_000;
const PART: i64 = 16;
/// Later wake-ups than this, a processor's whole way out of its deepest sleep, are somebody else's fault.
const LATEST: i64 = 400_000;
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
    late: Late,
}

impl<'a> Sleeper<'a> {
    /// Waits for these to become readable.
    pub(super) fn new(fds: &[BorrowedFd<'a>]) -> Self {
        let devices = fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        Self { devices, late: Late { most: Nanos(20_000), least: Nanos::ZERO } }
    }

    /// Returns when something is readable, or a little before `due`. Does not sleep when that is now. What woke it has been readable
    /// since the time that is returned, or for longer.
    pub(super) fn sleep(&mut self, due: Option<Nanos>) -> rustix::io::Result<Option<Nanos>> {
        let begun = now();
        let wake = due.map(|due| due - self.late.lead(due - begun));
        let timeout = match wake {
            Some(wake) => {
                let rest = (wake - begun).0;
                if rest <= 0 {
                    return Ok(None);
                }
                Some(Timespec { tv_sec: rest / 1_000_000_000, tv_nsec: rest % 1_000_000_000 })
            }
            None => None,
        };
        let ready = match poll(&mut self.devices, timeout.as_ref()) {
            Err(rustix::io::Errno::INTR) => return Ok(None),
            other => other?,
        };
        let woken = now();
        match wake {
            Some(wake) if ready == 0 => {
                self.late.learn(woken - wake);
                Ok(None)
            }
            _ => Ok(Some(begun.max(woken - self.late.least))),
        }
    }

    /// Waits for a host to take in some of what it was handed.
    pub(super) fn pause() {
        let _ = rustix::thread::nanosleep(&Timespec { tv_sec: 0, tv_nsec: PAUSE });
    }
}

/// How late the kernel wakes: near the highest and the lowest that was seen of late.
#[derive(Debug, Clone, Copy)]
struct Late {
    most: Nanos,
    least: Nanos,
}

impl Late {
    /// How much earlier to ask for, in a wait of `rest`, so that most wake-ups are in time and little of it is spent awake.
    fn lead(&self, rest: Nanos) -> Nanos {
        self.most.min(Nanos(MOST.max(rest.0 / PART)))
    }

    /// Quickly away from each other, slowly towards each other: the lead covers most wake-ups, not the mean of them, and what came in
    /// while it slept is hardly ever thought older than it is.
    fn learn(&mut self, late: Nanos) {
        let late = Nanos(late.0.clamp(0, LATEST));
        let towards = |from: Nanos, part: i64| from + (late - from).scale(1, part);
        self.most = towards(self.most, if late > self.most { 4 } else { 64 }).max(Nanos(1_000));
        self.least = late.min(towards(self.least, 64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_asks_for_earlier_than_most_wake_ups_are_late_and_packets_are_as_old_as_it_thinks() {
        let mut late = Late { most: Nanos(20_000), least: Nanos::ZERO };
        // As an idle virtual processor wakes up: mostly after 90 to 140 us, now and then late by somebody else's fault.
        let times = (0..2_000_i64)
            .map(|n| Nanos::from_micros(if n % 97 == 0 { 5_000 } else { 90 + n * 37 % 50 }));
        let (mut covered, mut thought_older) = (0, Nanos::ZERO);
        for (n, time) in times.enumerate() {
            if n >= 1_000 {
                covered += usize::from(time <= late.lead(Nanos::from_millis(10)));
                thought_older = thought_older.max(late.least - time);
            }
            late.learn(time);
        }
        assert!(covered > 900, "{covered} {late:?}");
        assert!(thought_older < Nanos::from_micros(15), "{thought_older:?}");
        assert!(late.least > Nanos::from_micros(80), "{late:?}");
        // Nor does it stay awake for more than a part of the wait, but for the shortest waits.
        assert_eq!(late.lead(Nanos::from_micros(200)), Nanos(MOST));
        assert_eq!(late.lead(Nanos::from_micros(1_760)), Nanos::from_micros(110));
        late.learn(Nanos::ZERO);
        assert_eq!(late.least, Nanos::ZERO);
    }
}
