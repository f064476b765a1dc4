//! From receive buffer to advertised window.

use super::buffers::{Asked, MIN_RECEIVE, receive_buffer};
use super::{Sysctls, Version};

/// The largest window scale (RFC 7323 section 2.3, `TCP_MAX_WSCALE`; commit 1da177e4c3f4).
const MAX_SCALE: u32 = 14;
/// Kernels that measure the share of payload per socket (commit dfa2f0483360, "tcp: get rid of sysctl_tcp_adv_win_scale").
const MEASURED: Version = Version::new(6, 6);
/// Kernels that assume a half before they have measured (`TCP_DEFAULT_SCALING_RATIO`; commit 697a6c8cec03, "tcp: increase the default TCP
/// scaling ratio"); 6.6 to 6.9 assume about a quarter.
const ASSUMES_HALF: Version = Version::new(6, 10);

/// Kernels whose first window may be larger than 65,535 bytes (commit 378979e94e95, "tcp: remove 64 KByte limit for initial tp->rcv_wnd
/// value"); stable releases of older ones have it, too.
const OPENS_WIDE: Version = Version::new(6, 10);

/// Which part of the buffer is window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// `tcp_adv_win_scale`, up to 6.5 (commit 1da177e4c3f4; 1 since commit b49960a05e32, "tcp: change tcp_adv_win_scale and
    /// tcp_rmem\[2\]").
    Scale(i32),
    /// `scaling_ratio` in 256ths, from 6.6 on (commit dfa2f0483360).
    Ratio(u8),
}

impl Share {
    /// Before any packet has come (`include/net/tcp.h`, `tcp_scaling_ratio_init`; commits dfa2f0483360, 697a6c8cec03).
    #[must_use]
    pub fn first(version: Version, sysctls: &Sysctls) -> Self {
        match version {
            v if v < MEASURED => Self::Scale(sysctls.tcp_adv_win_scale),
            // 1200 << 8 over the truesize of a 4 KiB packet.
            v if v < ASSUMES_HALF => Self::Ratio(65),
            _ => Self::Ratio(128),
        }
    }

    /// After a packet of `len` bytes that takes `truesize` (`net/ipv4/tcp_input.c`, `tcp_measure_rcv_mss`; commit dfa2f0483360); up
    /// to 6.5 nothing is measured. From 6.11 on the clamp follows, whatever was set before (commit a2cbb1603943, "tcp: Update window
    /// clamping condition").
    #[must_use]
    pub fn measured(self, len: u64, truesize: u64) -> Self {
        match self {
            Self::Scale(_) => self,
            Self::Ratio(_) => {
                Self::Ratio((len.saturating_mul(256) / truesize.max(1)).clamp(1, 255) as u8)
            }
        }
    }

    /// Window that `space` bytes of buffer give (`include/net/tcp.h`, `tcp_win_from_space`; commits 1da177e4c3f4,
    /// dfa2f0483360).
    #[must_use]
    pub fn window(self, space: u64) -> u64 {
        match self {
            Self::Scale(s) if s <= 0 => space.checked_shr(s.unsigned_abs()).unwrap_or(0),
            Self::Scale(s) => space - space.checked_shr(s.unsigned_abs()).unwrap_or(0),
            Self::Ratio(r) => ((u128::from(space) * u128::from(r)) >> 8) as u64,
        }
    }

    /// Buffer that a window needs (`include/net/tcp.h`, `tcp_space_from_win`; commit dfa2f0483360).
    #[must_use]
    pub fn space(self, window: u64) -> u64 {
        match self {
            Self::Scale(s) if s <= 0 => {
                window.saturating_mul(1_u64.checked_shl(s.unsigned_abs()).unwrap_or(u64::MAX))
            }
            // The kernel's own inverse up to 6.5 is a loop or a doubling; this is the least space that gives the window.
            Self::Scale(s) => {
                let parts = 1_u128.checked_shl(s.unsigned_abs()).unwrap_or(u128::MAX);
                u64::try_from((u128::from(window) * parts).div_ceil(parts - 1)).unwrap_or(u64::MAX)
            }
            Self::Ratio(r) => {
                u64::try_from((u128::from(window) << 8) / u128::from(r.max(1))).unwrap_or(u64::MAX)
            }
        }
    }
}

/// What the SYN says and fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// The first window in bytes.
    pub window: u64,
    /// The window scale.
    pub scale: u8,
    /// `window_clamp`: no window will be larger.
    pub clamp: u64,
}

/// What TCP_WINDOW_CLAMP makes of `bytes` (`net/ipv4/tcp.c`, `tcp_set_window_clamp`); 0, which takes the clamp off a socket that is not
/// connected, is not asked here. Set later it bounds the window from 5.15 on (commit 3aa7857fe1d7, "tcp: enable mid stream window clamp"),
/// until autotuning or a newly measured share sets another. The minimum: commit eea86af6b1e1.
#[must_use]
pub fn clamp_asked(bytes: u64) -> u64 {
    bytes.max(MIN_RECEIVE / 2)
}

/// First window and scale (`net/ipv4/tcp_output.c`, `tcp_select_initial_window`, `tcp_connect_init`; commits 1da177e4c3f4, a337531b942b, "tcp:
/// up initial rmem to 128KB and SYN rwin to around 64KB", and 378979e94e95). The SYN itself can say 65,535 bytes at most.
///
/// SO_RCVBUF set before (`asked`) bounds the window for ever. `clamp`: TCP_WINDOW_CLAMP ([`clamp_asked`]) or the route's `window`, bytes.
/// They bound the scale, too (commit 316c1592bea9, "\[TCP\]: Limit window scaling if window is clamped."). `initrwnd` (the route's, in
/// segments; "net: Add rtnetlink init_rcvwnd to set the TCP initial receive window", v2.6.33): 0 is none.
#[must_use]
pub fn opening(
    version: Version,
    asked: Asked,
    clamp: Option<u64>,
    share: Share,
    mss: u64,
    initrwnd: u64,
    sysctls: &Sysctls,
) -> Opening {
    let full = share.window(receive_buffer(asked, sysctls));
    let ceiling = 65_535_u64 << MAX_SCALE;
    let clamp = clamp.unwrap_or(ceiling).min(if asked.locks() { full } else { ceiling });
    let mut space = full.min(clamp);
    if space > mss {
        space -= space % mss.max(1);
    }
    let mut window = if version < OPENS_WIDE { space.min(65_535) } else { space };
    if initrwnd > 0 {
        window = window.min(initrwnd.saturating_mul(mss));
    }
    let scale = if sysctls.tcp_window_scaling {
        let most = space.max(sysctls.tcp_rmem[2]).max(sysctls.rmem_max).min(clamp);
        (most.max(1).ilog2().saturating_sub(15)).min(MAX_SCALE)
    } else {
        0
    };
    let most = 65_535 << scale;
    Opening { window: window.min(most), scale: scale as u8, clamp: clamp.min(most) }
}

/// What decides the next window to advertise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Window that the free part of the buffer gives (`tcp_space`).
    pub free: u64,
    /// Window that the whole buffer gives (`tcp_full_space`).
    pub allowed: u64,
    /// `window_clamp`.
    pub clamp: u64,
    /// `rcv_ssthresh`.
    pub threshold: u64,
    /// What the receiver takes for the sender's segment size (`rcv_mss`).
    pub mss: u64,
    /// What is left of the window last advertised; its right edge never moves back.
    pub current: u64,
    /// The window scale.
    pub scale: u8,
}

/// The window to advertise (`net/ipv4/tcp_output.c`, `__tcp_select_window`, `tcp_select_window`): 0 when less than a sixteenth
/// of the buffer ("tcp: use zero-window when free_space is low") or less than a segment is free, and no smaller steps than a segment where the
/// window is not scaled (commit 1da177e4c3f4).
#[must_use]
pub fn advertised(room: Room) -> u64 {
    let full = room.clamp.min(room.allowed);
    let mss = room.mss.min(full);
    if mss == 0 {
        return room.current;
    }
    let mut free = room.free;
    let unit = 1_u64 << u32::from(room.scale).min(MAX_SCALE);
    if free < full / 2 {
        free -= free % unit;
        if free < room.allowed / 16 || free < mss {
            return room.current;
        }
    }
    free = free.min(room.threshold);
    let window = if room.scale > 0 {
        free.div_ceil(unit) * unit
    } else if room.current + mss <= free || room.current > free {
        free - free % mss
    } else {
        room.current
    };
    window.max(room.current)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn old(scale: i32) -> Share {
        Share::Scale(scale)
    }

    #[test]
    fn shares_before_and_after_6_6() {
        assert_eq!(old(1).window(16_384), 8_192);
        assert_eq!(old(2).window(16_384), 12_288);
        assert_eq!(old(2).window(65_536), 49_152);
        assert_eq!(old(-2).window(16_384), 4_096);
        assert_eq!(Share::Ratio(128).window(131_072), 65_536);
        assert_eq!(Share::Ratio(128).measured(1_448, 2_304), Share::Ratio(160));
        assert_eq!(old(1).measured(1_448, 2_304), old(1));
        let s = Sysctls::default();
        assert_eq!(Share::first(Version::new(6, 1), &s), old(1));
        assert_eq!(Share::first(Version::new(6, 6), &s), Share::Ratio(65));
        assert_eq!(Share::first(Version::new(6, 18), &s), Share::Ratio(128));
    }

    #[test]
    fn space_is_the_inverse_of_window() {
        for share in [
            old(1),
            old(2),
            old(-2),
            old(0),
            Share::Ratio(128),
            Share::Ratio(229),
            Share::Ratio(65),
        ] {
            for window in [1_u64, 1_448, 65_535, 1 << 20, 50_000_000] {
                let back = share.window(share.space(window));
                assert!(back.abs_diff(window) <= 1, "{share:?} {window} {back}");
            }
        }
    }

    #[test]
    fn the_syn_shows_what_kernels_send() {
        let s = Sysctls::default();
        let new = Version::new(6, 18);
        let syn = |version, asked, clamp, share, initrwnd, s: &Sysctls| {
            opening(version, asked, clamp, share, 1_460, initrwnd, s)
        };
        let (tuned, half) = (Asked::Automatic, Share::Ratio(128));
        let open = syn(new, tuned, None, half, 0, &s);
        assert_eq!((open.window, open.scale), (64_240, 7));
        let large = Sysctls { tcp_rmem: [4_096, 131_072, 33_554_432], ..s.clone() };
        assert_eq!(syn(new, tuned, None, half, 0, &large).scale, 10);
        assert_eq!(syn(new, tuned, None, Share::Ratio(65), 0, &s).window, 32_120);
        // 3.x: a quarter overhead, initrwnd 10.
        let old_sysctls = Sysctls { tcp_rmem: [4_096, 87_380, 6_291_456], ..s.clone() };
        let first = syn(Version::new(3, 10), tuned, None, old(2), 10, &old_sysctls);
        assert_eq!(first.window, 14_600);
        let locked = syn(new, Asked::Set(32_768), None, half, 0, &s);
        assert_eq!((locked.scale, locked.clamp), (0, 32_768));
        let wide = |version| syn(version, Asked::Set(200_000), None, half, 0, &s).window;
        assert_eq!([wide(Version::new(6, 9)), wide(new)], [65_535, 198_560]);
        let clamped = syn(new, tuned, Some(8_192), half, 0, &s);
        assert_eq!((clamped.window, clamped.scale, clamped.clamp), (7_300, 0, 8_192));
        assert_eq!([clamp_asked(1), clamp_asked(8_192)], [1_152, 8_192]);
    }

    #[test]
    fn silly_windows_are_not_advertised() {
        let room = Room {
            free: 8_192,
            allowed: 8_192,
            clamp: 8_192,
            threshold: 8_192,
            mss: 1_448,
            current: 0,
            scale: 0,
        };
        assert_eq!(advertised(room), 5 * 1_448);
        assert_eq!(advertised(Room { free: 1_000, ..room }), 0);
        assert_eq!(
            advertised(Room { free: 4_000, current: 3_000, ..room }),
            3_000,
            "no step smaller than a segment"
        );
        assert_eq!(advertised(Room { free: 0, current: 500, ..room }), 500, "the right edge stays");
        let wide = Room {
            free: 100_001,
            allowed: 200_000,
            clamp: 200_000,
            threshold: 200_000,
            mss: 1_448,
            current: 0,
            scale: 7,
        };
        assert_eq!(advertised(wide), 100_096);
        assert_eq!(advertised(Room { free: 12_000, ..wide }), 0, "less than a sixteenth");
    }
}
