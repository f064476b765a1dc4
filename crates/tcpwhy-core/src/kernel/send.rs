//! What fits into a send buffer, when a writer wakes, and how far the kernel lets the buffer grow.

use super::Version;
use crate::units::Nanos;

/// `sizeof(struct sk_buff)` as charged, aligned to the cache line.
const SKB: u64 = 256;
/// `struct skb_shared_info`, aligned.
const SHARED_INFO: u64 = 320;
/// `MAX_TCP_HEADER` (`include/net/tcp.h`; commit 1da177e4c3f4) as most distributions configure it; 64 less without wireless meshes and
/// amateur radio.
const MAX_TCP_HEADER: u64 = 320;
/// Kernels whose small heads come from a cache of their own (commit bf9f1baa279f, "net: add dedicated kmem_cache for typical/small
/// skb->head") instead of the next power of two.
const SMALL_HEADS: Version = Version::new(6, 3);
/// Kernels that wake a writer at half of notsent_lowat (commit a74f0fa082b7, "tcp: reduce POLLOUT events caused by TCP_NOTSENT_LOWAT").
const WAKES_AT_HALF: Version = Version::new(5, 0);
/// `TCP_INIT_CWND` (`include/net/tcp.h`; commit 442b9635c569).
const INITIAL_SEGMENTS: u64 = 10;
/// Largest payload of an skb with segmentation offload: 64 KiB less headers (`net/core/sock.c`, `sk_setup_caps`; commit ab14f1802cfb,
/// "net: Adjust sk_gso_max_size once when set").
pub(crate) const GSO_MAX: u64 = 65_536 - 1 - MAX_TCP_HEADER;
/// `sk_pacing_shift`: about a millisecond.
const PACING_SHIFT: u32 = 10;
/// `sysctl_tcp_tso_rtt_log`.
const RTT_SHIFT: u32 = 9;

/// What an skb charges to `sk_wmem_queued` beside its payload (`net/ipv4/tcp.c`, `tcp_stream_alloc_skb`; `SKB_TRUESIZE`; commit
/// 87fb4b7b5330, "net: more accurate skb truesize"): itself, the
/// shared info, and a head for the headers alone. 832 as measured; where the kernel is built with wireless meshes or amateur radio, the
/// head is 64 bytes larger.
#[must_use]
pub fn skb_overhead(version: Version) -> u64 {
    let head = if version < SMALL_HEADS { 1_024 - SHARED_INFO } else { 256 };
    SKB + SHARED_INFO + head
}

/// Bytes that an skb with `payload` bytes charges to `sk_wmem_queued` (`net/ipv4/tcp.c`, `tcp_sendmsg_locked`; commit 87fb4b7b5330).
#[must_use]
pub fn truesize(payload: u64, version: Version) -> u64 {
    payload + skb_overhead(version)
}

/// A segment (or a packet of several) of `bytes`, half of the largest window that the peer has shown at most, so that two are on their way
/// (`include/net/tcp.h`, `tcp_bound_to_half_wnd`); windows up to 536 bytes count whole ("tcp: Prevent
/// overzealous packetization by SWS logic").
#[must_use]
pub fn bound_to_half_window(bytes: u64, max_window: u64) -> u64 {
    let cutoff = if max_window > 536 { max_window / 2 } else { max_window };
    if cutoff > 0 && bytes > cutoff { cutoff.max(68) } else { bytes }
}

/// How much one skb takes before sendmsg needs another: a multiple of the MSS, at most half of the largest window that the peer has
/// shown (`net/ipv4/tcp_output.c`, `tcp_xmit_size_goal`, `tcp_bound_to_half_wnd`; commit 605ad7f184b6, "tcp: refine TSO autosizing"). Without
/// offload it is one MSS.
#[must_use]
pub fn size_goal(mss: u64, max_window: u64, offload: bool) -> u64 {
    let mss = mss.max(1);
    if offload { (bound_to_half_window(GSO_MAX, max_window) / mss).max(1) * mss } else { mss }
}

/// Payload that a sender which paces lets go as one, at `rate` bytes per second: a millisecond's worth, and more to a near peer, half as much for
/// each 512 us of its least round trip (`net/ipv4/tcp_output.c`, `tcp_tso_autosize`; commit 65466904b015, "tcp: adjust TSO packet sizes based on
/// min_rtt"). Two segments at least (`tcp_min_tso_segs`) are up to the caller.
#[must_use]
pub fn autosized(rate: u64, least_rtt: Nanos) -> u64 {
    let micros = u32::try_from(least_rtt.0 / 1_000).unwrap_or(u32::MAX);
    let near = GSO_MAX.checked_shr(micros >> RTT_SHIFT).unwrap_or(0);
    ((rate >> PACING_SHIFT) + near).min(GSO_MAX)
}

/// Whether sendmsg may take another skb (`include/net/sock.h`, `__sk_stream_memory_free`; `net/ipv4/tcp.c`, `tcp_stream_memory_free`). Only
/// asked when one is needed, so a buffer overshoots by up to one [`size_goal`] (commit 1da177e4c3f4). `unsent`: bytes written and not sent
/// (commit c9bee3b7fdec, "tcp: TCP_NOTSENT_LOWAT socket option").
#[must_use]
pub fn may_queue(queued: u64, sndbuf: u64, unsent: u64, notsent_lowat: u64) -> bool {
    queued < sndbuf && unsent < notsent_lowat
}

/// Whether a writer that found the buffer full is woken: at least a third must be free (`include/net/sock.h`,
/// `__sk_stream_is_writeable`: `sk_stream_wspace() >= sk_stream_min_wspace()`; commit 1da177e4c3f4), and so little unsent that twice as much is below
/// `notsent_lowat` (commit a74f0fa082b7); up to 4.20, that it is below (`net/ipv4/tcp.c`, `tcp_stream_memory_free`).
#[must_use]
pub fn wakes_writer(
    version: Version,
    queued: u64,
    sndbuf: u64,
    unsent: u64,
    notsent_lowat: u64,
) -> bool {
    let counted = if version < WAKES_AT_HALF { unsent } else { 2 * unsent };
    sndbuf.saturating_sub(queued) >= queued / 2 && may_queue(queued, sndbuf, counted, notsent_lowat)
}

/// The send buffer after autotuning (`net/ipv4/tcp_input.c`, `tcp_sndbuf_expand`; commit 6ae705323b71, "tcp: sndbuf autotuning
/// improvements"); `factor` is 2, or the congestion control's own (bbr: 3; commit 77bfc174c38e). It never
/// shrinks, and `most` is `tcp_wmem[2]`. The caller asks only when the buffer is not locked (`tcp_should_expand_sndbuf`).
#[must_use]
pub fn expanded(sndbuf: u64, mss: u64, cwnd: u64, reordering: u64, factor: u64, most: u64) -> u64 {
    let per_segment = (mss + MAX_TCP_HEADER + SHARED_INFO).next_power_of_two() + SKB;
    let segments = INITIAL_SEGMENTS.max(cwnd).max(reordering + 1);
    let wanted = factor.saturating_mul(segments).saturating_mul(per_segment);
    if sndbuf < wanted { wanted.min(most).max(sndbuf) } else { sndbuf }
}

/// TCP small queues: bytes that may wait below TCP (`net/ipv4/tcp_output.c`, `tcp_small_queue_check`; commit 46d3ceabd8d9, "tcp: TCP
/// Small Queues"); `pacing` in bytes per second (commit 605ad7f184b6), `shift` is `sk_pacing_shift` (10: about a millisecond; commit
/// 3a9b76fd0db9).
#[must_use]
pub fn small_queue(skb_truesize: u64, pacing: u64, shift: u32, limit_output_bytes: u64) -> u64 {
    (2 * skb_truesize).max(pacing.checked_shr(shift).unwrap_or(0)).min(limit_output_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_connection_has_the_send_buffer_that_ss_shows() {
        // ss -m: tb87040 on Ethernet, tb2626560 on the loopback.
        assert_eq!(expanded(16_384, 1_460, 10, 3, 2, 4_194_304), 87_040);
        assert_eq!(expanded(16_384, 65_483, 10, 3, 2, 4_194_304), 2_626_560);
        assert_eq!(expanded(16_384, 1_460, 10_000, 3, 2, 4_194_304), 4_194_304);
        assert_eq!(expanded(500_000, 1_460, 10, 3, 2, 4_194_304), 500_000);
    }

    #[test]
    fn a_skb_takes_half_a_window_at_most() {
        assert_eq!(size_goal(1_448, 64_240, true), 22 * 1_448);
        assert_eq!(size_goal(1_448, 10_000_000, true), 45 * 1_448);
        assert_eq!(size_goal(1_448, 10_000_000, false), 1_448);
        assert_eq!(size_goal(1_448, 1_448, true), 1_448);
        assert_eq!(
            [bound_to_half_window(1_448, 1_460), bound_to_half_window(500, 1_460)],
            [730, 500]
        );
        assert_eq!(
            [bound_to_half_window(1_448, 500), bound_to_half_window(1_448, 0)],
            [500, 1_448]
        );
    }

    #[test]
    fn a_writer_wakes_when_a_third_is_free() {
        let (old, new) = (Version::new(4, 20), Version::new(5, 0));
        assert!(!wakes_writer(new, 21_900, 32_768, 0, u64::MAX));
        assert!(wakes_writer(new, 21_845, 32_768, 0, u64::MAX));
        assert!(!wakes_writer(new, 0, 32_768, 16_384, 16_384), "notsent_lowat");
        assert!(wakes_writer(old, 10_000, 32_768, 10_000, 16_384));
        assert!(!wakes_writer(new, 10_000, 32_768, 10_000, 16_384), "half of notsent_lowat");
        assert!(may_queue(10_000, 32_768, 10_000, 16_384), "a write does not wait for the half");
    }

    #[test]
    fn small_queues_hold_a_millisecond() {
        assert_eq!(small_queue(2_728, 12_500_000, 10, 4_194_304), 12_207);
        assert_eq!(small_queue(2_728, 0, 10, 4_194_304), 5_456);
        assert_eq!(small_queue(2_728, u64::MAX, 10, 1_000_000), 1_000_000);
    }
}
