//! The kernel's stopwatch: `tcp_info` of the sender at the end (busy, rwnd_limited, sndbuf_limited), read as shares.

use super::Answer;
use crate::truth::Stopwatch;
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;

/// The largest of its shares of `transfer`. What is busy without a limit is the network in any form: congestion window,
/// path or loss.
pub fn stopwatch(watch: Stopwatch, transfer: Nanos) -> Answer {
    let all = u64::try_from(transfer.0 / 1000).unwrap_or(0);
    let limited = watch.rwnd_limited_us + watch.sndbuf_limited_us;
    let shares = [
        (all.saturating_sub(watch.busy_us), vec![Limit::Application]),
        (watch.rwnd_limited_us, vec![Limit::ReceiveWindow]),
        (watch.sndbuf_limited_us, vec![Limit::SendBuffer]),
        (
            watch.busy_us.saturating_sub(limited),
            vec![Limit::CongestionWindow, Limit::PathBandwidth, Limit::LossRecovery],
        ),
    ];
    let most = shares.into_iter().max_by_key(|(time, _)| *time);
    Answer { verdict: most.map(|(_, limits)| limits).unwrap_or_default(), timeline: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_share_is_the_verdict() {
        let second = Nanos::from_secs(1);
        let watch = Stopwatch { busy_us: 990_000, rwnd_limited_us: 600_000, sndbuf_limited_us: 10 };
        assert_eq!(stopwatch(watch, second).verdict, [Limit::ReceiveWindow]);
        let idle = Stopwatch { busy_us: 100_000, ..Stopwatch::default() };
        assert_eq!(stopwatch(idle, second).verdict, [Limit::Application]);
    }
}
