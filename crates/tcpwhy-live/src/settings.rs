//! The settings of the caller's network namespace that bound its buffers, and the machine's memory for them.

use std::fs;

/// As found now; 0 where one cannot be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// `net.ipv4.tcp_wmem[2]`, bytes.
    pub tcp_wmem_most: u64,
    /// `net.ipv4.tcp_rmem[2]`, bytes.
    pub tcp_rmem_most: u64,
    /// `net.core.rmem_max`, bytes: what an unprivileged SO_RCVBUF is clamped to.
    pub rmem_max: u64,
}

impl Settings {
    /// Reads `/proc/sys`.
    #[must_use]
    pub fn read() -> Self {
        Self {
            tcp_wmem_most: last("/proc/sys/net/ipv4/tcp_wmem"),
            tcp_rmem_most: last("/proc/sys/net/ipv4/tcp_rmem"),
            rmem_max: last("/proc/sys/net/core/rmem_max"),
        }
    }
}

/// The memory of all TCP sockets of the machine, in pages, as found now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// In use (`/proc/net/sockstat`).
    pub pages: u64,
    /// `net.ipv4.tcp_mem[1]`: above it the kernel shrinks buffers.
    pub pressure: u64,
    /// `net.ipv4.tcp_mem[2]`: above it the kernel refuses memory.
    pub most: u64,
}

impl Memory {
    /// `None` where `/proc` does not tell.
    #[must_use]
    pub fn read() -> Option<Self> {
        let text = fs::read_to_string("/proc/sys/net/ipv4/tcp_mem").ok()?;
        let mut words = text.split_whitespace().map(str::parse).skip(1);
        let (pressure, most) = (words.next()?.ok()?, words.next()?.ok()?);
        Some(Self { pages: crate::host::tcp_pages()?, pressure, most })
    }

    /// Whether buffers shrink now.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.pages > self.pressure
    }
}

fn last(path: &str) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().last().and_then(|number| number.parse().ok()).unwrap_or(0)
}
