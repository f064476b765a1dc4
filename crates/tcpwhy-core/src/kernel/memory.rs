//! Memory of all sockets together: `tcp_mem` counts pages, not bytes.

/// What the pages in use mean (`net/core/sock.c`, `__sk_mem_raise_allocated`; before, `net/core/stream.c`, `sk_stream_mem_schedule`;
/// commit 1da177e4c3f4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// Below the pressure mark.
    Ample,
    /// Above `tcp_mem[1]`: windows shrink, send buffers stop growing, unlocked ones shrink (`sk_stream_moderate_sndbuf`).
    Pressure,
    /// Above `tcp_mem[2]`: allocations are refused beyond the minima.
    Exhausted,
}

/// `pages` in use (`/proc/net/sockstat`, TCP: mem) against `tcp_mem`.
#[must_use]
pub fn state(pages: u64, tcp_mem: [u64; 3]) -> Memory {
    match pages {
        p if p > tcp_mem[2] => Memory::Exhausted,
        p if p > tcp_mem[1] => Memory::Pressure,
        _ => Memory::Ample,
    }
}

/// `tcp_mem` in bytes (`include/net/sock.h`, `SK_MEM_QUANTUM`, once `SK_STREAM_MEM_QUANTUM`: a page; commit 1da177e4c3f4).
#[must_use]
pub fn in_bytes(tcp_mem: [u64; 3], page_size: u64) -> [u64; 3] {
    tcp_mem.map(|pages| pages.saturating_mul(page_size))
}

/// An unlocked send buffer under pressure: half of what is queued, not below the minimum (`include/net/sock.h`,
/// `sk_stream_moderate_sndbuf`; commit 1da177e4c3f4).
#[must_use]
pub fn moderated_send_buffer(sndbuf: u64, queued: u64) -> u64 {
    sndbuf.min(queued / 2).max(super::buffers::MIN_SEND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_compared_and_shown_in_bytes() {
        let mem = [100, 200, 300];
        assert_eq!(
            [state(200, mem), state(201, mem), state(301, mem)],
            [Memory::Ample, Memory::Pressure, Memory::Exhausted]
        );
        assert_eq!(in_bytes(mem, 4_096), [409_600, 819_200, 1_228_800]);
        assert_eq!(moderated_send_buffer(87_040, 40_000), 20_000);
        assert_eq!(moderated_send_buffer(87_040, 0), 4_608);
    }
}
