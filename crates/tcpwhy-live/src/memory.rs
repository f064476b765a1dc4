//! The machine's memory for TCP: how much there is now, and how often, and for how long, it was short, by the kernel's own account.
//!
//! `tcp_enter_memory_pressure()` and `tcp_leave_memory_pressure()` (`net/ipv4/tcp.c`) count in the network namespace of the socket that
//! was about to get memory, though the memory is the machine's: all namespaces together tell it, and an end may be counted in another
//! one than its beginning. No tracepoint tells it, and none has to: nothing is missed between two looks.

use std::collections::HashMap;
use std::time::Duration;

use crate::settings;
use crate::table::Table;

/// The memory of all TCP sockets of the machine, in pages, as found now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// In use (`/proc/net/sockstat`).
    pub pages: u64,
    /// The bounds; a network namespace other than the machine's first does not show them.
    pub bounds: Option<Bounds>,
    /// Buffers shrink now (`/proc/net/protocols`; where that does not tell, more is in use than `bounds.pressure`).
    pub is_short: bool,
}

/// `net.ipv4.tcp_mem`, pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Above the second value the kernel shrinks buffers, until less than the first is in use.
    pub pressure: u64,
    /// Above the third it refuses memory.
    pub most: u64,
}

impl Bounds {
    fn read() -> Option<Self> {
        let text = settings::read("net.ipv4.tcp_mem")?;
        let mut words = text.split(' ').map(str::parse).skip(1);
        Some(Self { pressure: words.next()?.ok()?, most: words.next()?.ok()? })
    }
}

impl Memory {
    /// `None` where `/proc` does not tell.
    #[must_use]
    pub fn read() -> Option<Self> {
        let (pages, bounds) = (crate::host::tcp_pages()?, Bounds::read());
        let protocols = std::fs::read_to_string("/proc/net/protocols").unwrap_or_default();
        let above = || bounds.is_some_and(|bounds| pages > bounds.pressure);
        Some(Self { pages, bounds, is_short: is_pressed(&protocols).unwrap_or_else(above) })
    }
}

/// `TCP 2440 5 181 no 320 ...`: name, size, sockets, memory, press.
fn is_pressed(protocols: &str) -> Option<bool> {
    let line = protocols.lines().find_map(|line| line.strip_prefix("TCP "))?;
    match line.split_whitespace().nth(3)? {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// What was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pressure {
    /// Times that the memory of all TCP sockets rose above `tcp_mem[1]` (`TCPMemoryPressures`).
    pub times: u64,
    /// For how long, until it was below `tcp_mem[0]` again; one that lasts is not in it yet (`TCPMemoryPressuresChrono`).
    pub long: Duration,
}

impl Pressure {
    /// Whether there was none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Counts it in a network namespace, from whichever thread.
#[derive(Debug)]
pub struct Pressures(Table);

impl Pressures {
    /// Of the calling thread's namespace.
    #[must_use]
    pub fn open() -> Self {
        Self(Table::open("netstat"))
    }

    /// Since the namespace began; `None` where `/proc` does not tell.
    #[must_use]
    pub fn count(&self) -> Option<Pressure> {
        let names = ["TCPMemoryPressures", "TCPMemoryPressuresChrono"];
        let [times, ms] = self.0.values("TcpExt", names)?;
        Some(Pressure { times, long: Duration::from_millis(ms) })
    }
}

/// What was added in all namespaces since this began, those that came and went meanwhile included.
#[derive(Debug, Default)]
pub struct Since {
    last: HashMap<u32, Pressure>,
    sum: Pressure,
}

impl Since {
    /// Adds what each namespace (by its inode) counted since it was looked at before. What one had counted by the first look is older.
    pub fn add(&mut self, counts: impl IntoIterator<Item = (u32, Pressure)>) -> Pressure {
        let mut last = HashMap::new();
        for (netns, now) in counts {
            let before = self.last.get(&netns).copied().unwrap_or(now);
            self.sum.times += now.times.saturating_sub(before.times);
            self.sum.long += now.long.saturating_sub(before.long);
            last.insert(netns, now);
        }
        self.last = last;
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_namespaces_count_is_added_up_though_they_come_and_go() {
        let pressure = |times, ms| Pressure { times, long: Duration::from_millis(ms) };
        let mut since = Since::default();
        assert_eq!(since.add([(1, pressure(5, 100))]), Pressure::default(), "older");
        assert_eq!(since.add([(1, pressure(6, 100)), (2, pressure(9, 9))]), pressure(1, 0));
        assert_eq!(since.add([(1, pressure(6, 100)), (2, pressure(9, 259))]), pressure(1, 250));
        assert_eq!(since.add([(1, pressure(7, 100))]), pressure(2, 250));
        assert_eq!(since.add([(1, pressure(7, 100)), (2, pressure(20, 999))]), pressure(2, 250));
    }

    #[test]
    fn whether_buffers_shrink_is_read_from_the_protocols() {
        let of = |press: &str| {
            format!(
                "protocol  size sockets\nTCPv6 1 2 3 no\nTCP      2440      5     181   {press}     320   yes\n"
            )
        };
        assert_eq!([is_pressed(&of("yes")), is_pressed(&of("no"))], [Some(true), Some(false)]);
        assert_eq!([is_pressed(&of("NI")), is_pressed("")], [None, None]);
        if let Some(bounds) = Memory::read().and_then(|memory| memory.bounds) {
            assert!(bounds.pressure > 0 && bounds.most >= bounds.pressure);
        }
    }

    #[test]
    fn this_kernel_counts_it() {
        match Pressures::open().count() {
            Some(pressure) => assert!(pressure.times > 0 || pressure.long.is_zero()),
            None => println!("skipped: no /proc/net/netstat"),
        }
    }
}
