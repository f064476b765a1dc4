//! What an application gets into a send buffer while its peer acknowledges nothing (`net/ipv4/tcp.c`, `tcp_sendmsg_locked`; commit
//! 1da177e4c3f4, packets of several segments by commit 605ad7f184b6, "tcp: refine TSO autosizing").

use super::send::may_queue;

/// A sender without Nagle's algorithm (TCP_NODELAY) before its first ACK. Bytes, but for segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stalled {
    /// `sk_sndbuf`.
    pub sndbuf: u64,
    /// What one call passes.
    pub write: u64,
    /// Segment size.
    pub mss: u64,
    /// How much one skb takes ([`super::send::size_goal`]).
    pub goal: u64,
    /// What an skb costs beside its payload ([`super::send::skb_overhead`]).
    pub overhead: u64,
    /// The peer's window.
    pub window: u64,
    /// Segments that may be under way: the congestion window, or the peer's where that is smaller.
    pub segments: u64,
    /// Segments that leave as one packet (`tcp_tso_autosize`): 2 where the rate is low and the peer is not near.
    pub burst: u64,
    /// TCP_NOTSENT_LOWAT, or the sysctl.
    pub notsent_lowat: u64,
}

/// What waits when the buffer takes no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filled {
    /// Bytes that the calls have taken.
    pub payload: u64,
    /// `sk_wmem_queued`.
    pub queued: u64,
    /// Bytes that have not left.
    pub unsent: u64,
}

impl Stalled {
    /// Writes until nothing fits. Each small write is an skb of its own as long as it may leave; then the last skb takes writes up to
    /// its goal without a look at the buffer, and what leaves of the only skb makes room in it again.
    #[must_use]
    pub fn fill(&self) -> Filled {
        let mut queue =
            Queue { s: *self, filled: Filled::default(), tail: 0, flight: 0, pushed: 0 };
        while queue.call() {}
        queue.filled
    }
}

struct Queue {
    s: Stalled,
    filled: Filled,
    /// Payload of the last skb, of which something has not left; 0: there is none.
    tail: u64,
    /// Segments under way.
    flight: u64,
    /// `pushed_seq`.
    pushed: u64,
}

impl Queue {
    /// One call; false where the buffer is full.
    fn call(&mut self) -> bool {
        let (goal, mut left) = (self.s.goal.max(1), self.s.write.max(1));
        while left > 0 {
            if self.tail == 0 || self.tail >= goal {
                let Filled { queued, unsent, .. } = self.filled;
                if !may_queue(queued, self.s.sndbuf, unsent, self.s.notsent_lowat) {
                    self.leave(false);
                    return false;
                }
                self.filled.queued += self.s.overhead;
                self.tail = 0;
            }
            let bytes = left.min(goal - self.tail);
            left -= bytes;
            self.tail += bytes;
            self.filled.payload += bytes;
            self.filled.queued += bytes;
            self.filled.unsent += bytes;
            if left > 0 {
                // forced_push(): half of the window since the last one; else only a full skb that is the only one.
                let forced = self.filled.payload > self.pushed + self.s.window / 2;
                self.leave(!forced);
            }
        }
        self.leave(false);
        true
    }

    /// `tcp_write_xmit`, or `tcp_push_one`. Nothing but the last skb waits as long as something may leave.
    fn leave(&mut self, one: bool) {
        if !one {
            self.pushed = self.filled.payload;
        }
        let mss = self.s.mss.max(1);
        while self.tail > 0 && self.flight < self.s.segments {
            let half = (self.s.segments / 2).max(1);
            let quota = (self.s.segments - self.flight).min(half).min(self.s.burst.max(1));
            let bytes = self.tail.min(quota * mss);
            self.flight += bytes.div_ceil(mss);
            self.tail -= bytes;
            self.filled.unsent -= bytes;
            // tso_fragment: both parts are skbs.
            self.filled.queued += if self.tail > 0 { self.s.overhead } else { 0 };
            if one {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Version;
    use crate::kernel::send::skb_overhead;

    fn stalled(sndbuf: u64, write: u64, goal: u64, version: Version) -> Stalled {
        Stalled {
            sndbuf,
            write,
            mss: 1_448,
            goal,
            overhead: skb_overhead(version),
            window: 64_240,
            segments: 10,
            burst: 2,
            notsent_lowat: u64::from(u32::MAX),
        }
    }

    #[test]
    fn the_check_comes_before_the_skb_so_the_buffer_overshoots() {
        let (old, new) = (Version::new(6, 1), Version::new(6, 18));
        let payload =
            |sndbuf, write, goal, version| stalled(sndbuf, write, goal, version).fill().payload;
        // F4: tcp_wmem 4096 with writes of 8K: one skb of 8K; one segment an skb: two, on newer kernels three.
        assert_eq!(payload(4_608, 8_192, 65_160, new), 8_192);
        assert_eq!(payload(4_608, 8_192, 1_448, old), 2 * 1_448);
        assert_eq!(payload(4_608, 8_192, 1_448, new), 3 * 1_448);
        let many = Stalled { segments: 100, ..stalled(32_768, 1_448, 65_160, old) };
        assert_eq!(many.fill().payload, 13 * 1_448);
        // Measured on 6.18 with SO_SNDBUF of 1,024 and a peer that acknowledges nothing.
        assert_eq!(payload(4_608, 1, 1_448, new), 6, "small writes are mostly overhead");
        // Once the congestion window is full, the last skb is filled up whatever the buffer holds.
        assert_eq!(payload(16_384, 1_448, 31_856, new), 8 * 1_448);
        assert_eq!(payload(32_768, 1_448, 31_856, new), 10 * 1_448 + 31_856);
    }

    #[test]
    fn notsent_lowat_bounds_what_has_not_left() {
        let lowat =
            Stalled { notsent_lowat: 4_096, ..stalled(1 << 20, 1_448, 1_448, Version::new(6, 18)) };
        let filled = lowat.fill();
        assert_eq!(filled.unsent, 3 * 1_448, "asked before each skb");
        assert_eq!(filled.payload, 13 * 1_448);
        assert_eq!(filled.queued, 13 * (1_448 + 832));
    }
}
