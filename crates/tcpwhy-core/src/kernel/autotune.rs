//! Receive autotuning (dynamic right-sizing; `net/ipv4/tcp_input.c`, `tcp_rcv_space_adjust`, `tcp_rcvbuf_grow`; commit b0983d3c9b13, "tcp: fix
//! dynamic right sizing").

use super::Version;
use super::window::Share;

/// 6.16 took the growth term away (commit 65c5287892e9, "tcp: fix sk_rcvbuf overshoot"), 6.18 brought it back (commit aa251c84636c, "tcp:
/// fix too slow tcp_rcvbuf_grow() action").
const WITHOUT_GROWTH: Version = Version::new(6, 16);
const GROWTH_AGAIN: Version = Version::new(6, 18);

/// The receive buffer after a receiver's round trip in which the application read `copied` bytes, when it read `before` in the
/// largest one so far. `None`: nothing changes. `most` is `tcp_rmem[2]`. The caller asks only when the buffer is not locked and
/// `tcp_moderate_rcvbuf` is on, and takes off `copied` what waits unread from 6.16 on (commit ea33537d8292, "tcp: add receive queue
/// awareness in tcp_rcv_space_adjust()").
#[must_use]
pub fn grown(
    version: Version,
    rcvbuf: u64,
    copied: u64,
    before: u64,
    mss: u64,
    share: Share,
    most: u64,
) -> Option<u64> {
    if copied <= before || before == 0 {
        return None;
    }
    let slack = if version < WITHOUT_GROWTH { 16 * mss } else { 0 };
    let mut window = copied.saturating_mul(2).saturating_add(slack);
    if version < WITHOUT_GROWTH || version >= GROWTH_AGAIN {
        let growth = u128::from(window) * u128::from(copied - before) / u128::from(before);
        window = window.saturating_add(u64::try_from(growth).unwrap_or(u64::MAX).saturating_mul(2));
    }
    let wanted = share.space(window).min(most);
    (wanted > rcvbuf).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATIO: Share = Share::Ratio(128);

    fn at(minor: u16, copied: u64, before: u64) -> Option<u64> {
        grown(Version::new(6, minor), 131_072, copied, before, 1_448, RATIO, 6_291_456)
    }

    #[test]
    fn each_version_grows_in_its_own_way() {
        let (copied, before) = (40_000, 20_000);
        // Twice the copied bytes plus 16 segments, plus twice the growth.
        assert_eq!(at(15, copied, before), Some(2 * 3 * (80_000 + 16 * 1_448)));
        assert_eq!(at(16, copied, before), Some(160_000));
        assert_eq!(at(18, copied, before), Some(480_000));
    }

    #[test]
    fn it_never_shrinks_and_ends_at_the_sysctl() {
        assert_eq!(at(18, 20_000, 20_000), None);
        assert_eq!(at(16, 21_000, 20_000), None);
        assert_eq!(at(18, 1 << 40, 20_000), Some(6_291_456));
    }
}
