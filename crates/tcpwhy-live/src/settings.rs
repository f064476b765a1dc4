//! The caller's network namespace's settings that bound its buffers.

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

fn last(path: &str) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().last().and_then(|number| number.parse().ok()).unwrap_or(0)
}
