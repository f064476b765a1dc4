//! One clock for samples and events.

use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since the Unix epoch that never step: `CLOCK_MONOTONIC`, which the kernel's events carry, and one offset for the
/// whole recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    offset: u64,
}

impl Clock {
    /// A clock that agrees with the system's now.
    pub fn start() -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let epoch = u64::try_from(epoch.as_nanos()).unwrap_or(u64::MAX);
        Self { offset: epoch.saturating_sub(monotonic()) }
    }

    /// Now, in nanoseconds since the Unix epoch.
    pub fn now_ns(&self) -> u64 {
        self.at_ns(monotonic())
    }

    /// A moment of `CLOCK_MONOTONIC`, in nanoseconds since the Unix epoch.
    pub fn at_ns(&self, monotonic_ns: u64) -> u64 {
        self.offset.saturating_add(monotonic_ns)
    }
}

/// Now, in nanoseconds of `CLOCK_MONOTONIC`.
pub(crate) fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let (seconds, rest) = (now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs());
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}
