//! The machine's memory for TCP while it is recorded: part of `record.json`.

use serde::Serialize;
use std::time::{Duration, Instant};
use tcpwhy_live::events::Clock;
use tcpwhy_live::memory::{Memory, Pressure, Pressures, Since};

/// Between two looks; the kernel counts what is shorter.
const STEP: Duration = Duration::from_millis(100);
/// Times that are written, the first ones.
const MOST: usize = 1_000;

/// What was seen of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Seen {
    /// The most that was in use.
    used_pages: u64,
    /// From where buffers shrink: `tcp_mem[1]`; it and the next are not known in a network namespace other than the machine's first.
    pressure_pages: Option<u64>,
    /// From where it is refused: `tcp_mem[2]`.
    most_pages: Option<u64>,
    /// Times that it ran short (`TCPMemoryPressures` of this network namespace).
    pressures: u64,
    /// For how long; what lasts still is not in it (`TCPMemoryPressuresChrono`).
    pressure_ms: u64,
    /// When it was short, as far as these looks, 100 ms apart, found it so.
    short: Vec<Short>,
}

/// Nanoseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Short {
    from_ns: u64,
    to_ns: u64,
}

/// Looks at it now and then.
pub(super) struct Watch {
    seen: Seen,
    pressures: Pressures,
    since: Since,
    clock: Clock,
    looked: Instant,
    is_short: bool,
}

impl Watch {
    /// From now on.
    pub(super) fn start() -> Self {
        let (clock, looked) = (Clock::start(), Instant::now());
        let (pressures, since) = (Pressures::open(), Since::default());
        let mut watch =
            Self { seen: Seen::default(), pressures, since, clock, looked, is_short: false };
        watch.take(Memory::read());
        watch
    }

    /// To be called often.
    pub(super) fn look(&mut self) {
        if self.looked.elapsed() >= STEP {
            self.looked = Instant::now();
            self.take(Memory::read());
        }
    }

    /// What was seen, up to now.
    pub(super) fn end(mut self) -> Seen {
        self.take(Memory::read());
        self.seen
    }

    fn take(&mut self, now: Option<Memory>) {
        let Pressure { times, long } =
            self.since.add(self.pressures.count().map(|count| (0, count)));
        self.seen.pressures = times;
        self.seen.pressure_ms = u64::try_from(long.as_millis()).unwrap_or(u64::MAX);
        let Some(now) = now else { return };
        self.seen.used_pages = self.seen.used_pages.max(now.pages);
        self.seen.pressure_pages = now.bounds.map(|bounds| bounds.pressure);
        self.seen.most_pages = now.bounds.map(|bounds| bounds.most);
        let was_short = std::mem::replace(&mut self.is_short, now.is_short);
        let time = self.clock.now_ns();
        let short = &mut self.seen.short;
        if was_short && let Some(last) = short.last_mut() {
            last.to_ns = time;
        } else if now.is_short && short.len() < MOST {
            short.push(Short { from_ns: time, to_ns: time });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcpwhy_live::memory::Bounds;

    #[test]
    fn each_time_that_memory_is_short_is_told_with_its_beginning_and_end() {
        let mut watch = Watch::start();
        watch.seen = Seen::default();
        watch.is_short = false;
        let memory = |pages, is_short| {
            Some(Memory { pages, bounds: Some(Bounds { pressure: 20, most: 30 }), is_short })
        };
        for (pages, is_short) in [(5, false), (25, true), (22, true), (9, false), (21, true)] {
            watch.take(memory(pages, is_short));
        }
        watch.take(None);
        let seen = &watch.seen;
        assert_eq!(
            (seen.used_pages, seen.pressure_pages, seen.most_pages),
            (25, Some(20), Some(30))
        );
        assert_eq!(seen.short.len(), 2, "{seen:?}");
        assert!(seen.short[0].from_ns < seen.short[0].to_ns, "{seen:?}");
        assert!(seen.short[0].to_ns < seen.short[1].from_ns, "{seen:?}");
    }
}
