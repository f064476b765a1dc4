//! The kernel's own stopwatch (`tcp_info`: busy, rwnd_limited, sndbuf_limited), to be shown beside a verdict, and why the two differ.

use crate::kernel::tcp_info::TcpInfo;
use crate::model::Limit;

/// What the kernel counted, microseconds. `None` of it before Linux 4.10.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stopwatch {
    /// Data was outstanding.
    pub busy_us: u64,
    /// Of it, limited by the receive window.
    pub rwnd_limited_us: u64,
    /// Of it, limited by the send buffer.
    pub sndbuf_limited_us: u64,
}

impl Stopwatch {
    /// Of a sample.
    pub fn of(info: TcpInfo<'_>) -> Option<Self> {
        Some(Self {
            busy_us: info.busy_us()?,
            rwnd_limited_us: info.rwnd_limited_us()?,
            sndbuf_limited_us: info.sndbuf_limited_us()?,
        })
    }

    /// What was added since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            busy_us: self.busy_us.saturating_sub(before.busy_us),
            rwnd_limited_us: self.rwnd_limited_us.saturating_sub(before.rwnd_limited_us),
            sndbuf_limited_us: self.sndbuf_limited_us.saturating_sub(before.sndbuf_limited_us),
        }
    }
}

/// Why the kernel's stopwatch tells something else than the state does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// A full send buffer is counted only after a transmission that the congestion window did not stop, with the queue empty and a
    /// writer already waiting (net/ipv4/tcp_output.c, `tcp_cwnd_validate`).
    LateForBuffer,
    /// Pacing and cwnd are tested before the window (net/ipv4/tcp_output.c, `tcp_write_xmit`).
    PacedFirst,
    /// Busy is any time with unacknowledged data, which an application that trickles keeps up.
    Trickle,
    /// It keeps running on one limit until the next transmission.
    RunsOn,
}

/// Why the stopwatch over `span_us` tells something else than `limit`; `None` where it does not, or has no hand for that limit.
pub fn difference(limit: Limit, watch: Stopwatch, span_us: u64) -> Option<Difference> {
    let half = span_us / 2;
    match limit {
        Limit::SendBuffer if watch.sndbuf_limited_us < half => Some(Difference::LateForBuffer),
        Limit::ReceiveWindow if watch.rwnd_limited_us < half => Some(Difference::PacedFirst),
        Limit::Application if watch.busy_us >= half => Some(Difference::Trickle),
        Limit::SendBuffer | Limit::ReceiveWindow | Limit::Application => None,
        _ if watch.rwnd_limited_us >= half || watch.sndbuf_limited_us >= half => {
            Some(Difference::RunsOn)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_that_misses_the_limit_is_explained_and_one_that_agrees_is_not() {
        let watch = |busy_us, rwnd_limited_us, sndbuf_limited_us| Stopwatch {
            busy_us,
            rwnd_limited_us,
            sndbuf_limited_us,
        };
        let differs = |limit, watch| difference(limit, watch, 1000).is_some();
        assert!(differs(Limit::SendBuffer, watch(1000, 0, 0)));
        assert!(!differs(Limit::SendBuffer, watch(1000, 0, 600)));
        assert!(differs(Limit::ReceiveWindow, watch(1000, 280, 0)));
        assert!(differs(Limit::Application, watch(1000, 0, 0)));
        assert!(!differs(Limit::Application, watch(20, 0, 0)));
        assert!(!differs(Limit::CongestionWindow, watch(1000, 0, 0)));
    }

    #[test]
    fn only_what_was_added_counts() {
        let at = |busy_us| Stopwatch { busy_us, ..Stopwatch::default() };
        assert_eq!(at(500).since(at(200)), at(300));
        assert_eq!(at(100).since(at(200)), at(0));
    }
}
