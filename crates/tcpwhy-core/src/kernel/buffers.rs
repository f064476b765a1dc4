//! What setting SO_SNDBUF and SO_RCVBUF makes of a socket (`net/core/sock.c`, `sk_setsockopt`; commit 1da177e4c3f4).

use super::Sysctls;

/// `SOCK_MIN_SNDBUF` (`include/net/sock.h`): two smallest packets (commit eea86af6b1e1, "net: sock: adapt SOCK_MIN_RCVBUF and
/// SOCK_MIN_SNDBUF").
pub const MIN_SEND: u64 = 4_608;
/// `SOCK_MIN_RCVBUF` (`include/net/sock.h`): one smallest packet (commit eea86af6b1e1).
pub const MIN_RECEIVE: u64 = 2_304;
/// `sk_setsockopt`: doubling must not overflow an `int` (commit 4057765f2dee, "sock: consistent handling of extreme SO_SNDBUF/SO_RCVBUF
/// values").
const LARGEST: u64 = i32::MAX as u64 / 2;

/// How a buffer got its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Nobody set it: the kernel tunes it.
    Automatic,
    /// SO_SNDBUF or SO_RCVBUF, bytes as passed to the call.
    Set(u64),
    /// SO_SNDBUFFORCE or SO_RCVBUFFORCE (needs CAP_NET_ADMIN; "\[NET\]: Introduce SO_{SND,RCV}BUFFORCE socket options", v2.6.14): the sysctl does not clamp.
    Forced(u64),
}

impl Asked {
    /// Whether the kernel leaves the buffer alone (`SOCK_SNDBUF_LOCK`, `SOCK_RCVBUF_LOCK`; commit 1da177e4c3f4); SO_BUF_LOCK reads and
    /// changes it (commit 04190bf8944d, "sock: allow reading and changing sk_userlocks with setsockopt").
    #[must_use]
    pub fn locks(self) -> bool {
        self != Self::Automatic
    }
}

/// `sk_sndbuf` in bytes after the call: doubled for overhead, clamped in silence by `wmem_max`. Automatic: `tcp_wmem[1]`
/// (`tcp_init_sock`). Commit 1da177e4c3f4.
#[must_use]
pub fn send_buffer(asked: Asked, sysctls: &Sysctls) -> u64 {
    allotted(asked, sysctls.tcp_wmem[1], sysctls.wmem_max, MIN_SEND)
}

/// `sk_rcvbuf` in bytes after the call (`__sock_set_rcvbuf`): as [`send_buffer`], with `rmem_max` and `tcp_rmem[1]`. Commit
/// 1da177e4c3f4.
#[must_use]
pub fn receive_buffer(asked: Asked, sysctls: &Sysctls) -> u64 {
    allotted(asked, sysctls.tcp_rmem[1], sysctls.rmem_max, MIN_RECEIVE)
}

/// Whether the sysctl took something away in silence (commit 1da177e4c3f4).
#[must_use]
pub fn is_clamped(asked: Asked, max: u64) -> bool {
    matches!(asked, Asked::Set(bytes) if bytes > max)
}

fn allotted(asked: Asked, automatic: u64, max: u64, least: u64) -> u64 {
    match asked {
        Asked::Automatic => automatic,
        Asked::Set(bytes) => (bytes.min(max).min(LARGEST) * 2).max(least),
        Asked::Forced(bytes) => (bytes.min(LARGEST) * 2).max(least),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_clamped_and_never_below_the_minimum() {
        let s = Sysctls { wmem_max: 130_000, rmem_max: 212_992, ..Sysctls::default() };
        assert_eq!(send_buffer(Asked::Set(16_384), &s), 32_768);
        assert_eq!(send_buffer(Asked::Set(262_144), &s), 260_000);
        assert_eq!(send_buffer(Asked::Forced(262_144), &s), 524_288);
        assert_eq!(send_buffer(Asked::Set(0), &s), MIN_SEND);
        assert_eq!(receive_buffer(Asked::Set(1), &s), MIN_RECEIVE);
        assert_eq!(receive_buffer(Asked::Set(8_192), &s), 16_384);
        assert_eq!(receive_buffer(Asked::Forced(u64::MAX), &s), 2 * (i32::MAX as u64 / 2));
        assert_eq!(send_buffer(Asked::Automatic, &s), s.tcp_wmem[1]);
        assert!(is_clamped(Asked::Set(130_001), s.wmem_max));
        assert!(!is_clamped(Asked::Forced(130_001), s.wmem_max) && !Asked::Automatic.locks());
    }
}
