//! The congestion window at the start and after silence.

use super::Version;
use crate::units::Nanos;

/// `TCP_INIT_CWND` (`include/net/tcp.h`; RFC 6928; commit 442b9635c569, "tcp: Increase the initial congestion window to 10"), in segments.
pub const INITIAL_WINDOW: u64 = 10;

/// From here on it is 10 (that commit is in 2.6.39).
const TEN: Version = Version::of_2_6(39);

/// The first congestion window in segments (`net/ipv4/tcp_input.c`, `tcp_init_cwnd`; commit 1da177e4c3f4): the route's
/// `initcwnd`, else 10, and before 2.6.39 RFC 3390's min(4 MSS, max(2 MSS, 4380 bytes)).
#[must_use]
pub fn initial_window(version: Version, initcwnd: Option<u64>, mss: u64) -> u64 {
    initcwnd.filter(|n| *n > 0).unwrap_or(match mss {
        _ if version >= TEN => INITIAL_WINDOW,
        1_461.. => 2,
        1_096.. => 3,
        _ => 4,
    })
}

/// The congestion window after `idle` without sending (`net/ipv4/tcp_output.c`, `tcp_cwnd_restart`; RFC 2861; commit 1da177e4c3f4):
/// halved for each retransmission timeout, not below the initial one. With `tcp_slow_start_after_idle` off the caller does not ask (commit
/// 35089bb203f4, "\[TCP\]: Add tcp_slow_start_after_idle sysctl.").
#[must_use]
pub fn after_idle(cwnd: u64, initial: u64, idle: Nanos, rto: Nanos) -> u64 {
    let floor = initial.min(cwnd);
    let halvings = idle.0.max(0) / rto.0.max(1);
    cwnd.checked_shr(u32::try_from(halvings).unwrap_or(u32::MAX)).unwrap_or(0).max(floor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_halves_the_window_down_to_the_first() {
        let rto = Nanos::from_millis(200);
        assert_eq!(after_idle(100, 10, Nanos::from_millis(100), rto), 100);
        assert_eq!(after_idle(100, 10, Nanos::from_millis(400), rto), 25);
        assert_eq!(after_idle(100, 10, Nanos::from_secs(600), rto), 10);
        assert_eq!(after_idle(4, 10, Nanos::from_secs(600), rto), 4);
    }

    #[test]
    fn the_first_window_is_ten_from_2_6_39_on_and_three_full_ethernet_packets_before() {
        let new = Version::new(6, 18);
        let windows = [None, Some(0), Some(32)].map(|route| initial_window(new, route, 1_448));
        assert_eq!(windows, [10, 10, 32]);
        let of = |patch, mss| initial_window(Version::of_2_6(patch), None, mss);
        assert_eq!([of(18, 1_448), of(32, 1_448), of(38, 1_448), of(39, 1_448)], [3, 3, 3, 10]);
        assert_eq!([of(32, 536), of(32, 1_095), of(32, 1_460), of(32, 8_948)], [4, 4, 3, 2]);
        assert_eq!(initial_window(Version::of_2_6(32), Some(10), 1_448), 10);
    }
}
