//! Times as a real clock and a real path give them: no two periods are the same, so that nothing compresses by luck.

use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;

/// The most that a packet is late.
const MOST_NANOS: u64 = 20_000;

/// Packets, each later by a time of its own; their order stays, and the same input gives the same output.
#[derive(Debug)]
pub struct Jitter<I> {
    packets: I,
    random: u64,
    last: Nanos,
}

impl<I: Iterator<Item = Segment>> Jitter<I> {
    /// Of `packets`, which are in the order of time.
    pub fn of(packets: I) -> Self {
        Self { packets, random: 1, last: Nanos(i64::MIN) }
    }
}

impl<I: Iterator<Item = Segment>> Iterator for Jitter<I> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        let mut s = self.packets.next()?;
        // Knuth's linear congruential generator (MMIX); its high bits are the good ones.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let late = Nanos(((self.random >> 33) % MOST_NANOS) as i64);
        s.time = (s.time + late).max(self.last + Nanos(1));
        self.last = s.time;
        Some(s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_keep_their_order_and_are_not_much_later() {
        let packets = |n: i64| Segment { time: Nanos(n * 100), ..Segment::default() };
        let late: Vec<_> = Jitter::of((0..1000).map(packets)).map(|s| s.time).collect();
        assert!(late.windows(2).all(|w| w[0] < w[1]));
        let most = (0..1000).zip(&late).map(|(n, t)| t.0 - n * 100).max();
        assert!(most.is_some_and(|m| (10_000..22_000).contains(&m)), "{most:?}");
    }
}
