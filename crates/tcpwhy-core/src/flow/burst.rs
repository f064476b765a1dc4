//! How far into a burst a segment was sent, and whether those far in are the ones that get lost.
//!
//! What exceeds a policer's token bucket (RFC 2697), or a queue of a few packets, comes at the end of
//! a burst of segments sent back to back. Where the network drops by chance, lost segments stand as
//! far into their bursts as delivered ones.

use crate::units::Nanos;

/// Levels are compared by powers of the square root of two: up to 2^32 bytes.
const BUCKETS: usize = 64;

/// The burst that is going on, and how far in segments were delivered and lost.
#[derive(Debug, Clone)]
pub(crate) struct Bursts {
    bytes: u64,
    last: Nanos,
    delivered: [u32; BUCKETS],
    /// Most connections lose nothing.
    lost: Option<Box<[u32; BUCKETS]>>,
}

impl Default for Bursts {
    fn default() -> Self {
        Self { bytes: 0, last: Nanos::ZERO, delivered: [0; BUCKETS], lost: None }
    }
}

impl Bursts {
    /// A new segment of `len` bytes is sent; a pause of `rest` ends a burst. Gives how far into the
    /// burst it is, as a bucket number.
    pub(crate) fn sent(&mut self, time: Nanos, len: u32, rest: Nanos) -> u8 {
        if time - self.last > rest {
            self.bytes = 0;
        }
        self.bytes += u64::from(len);
        self.last = time;
        bucket_of(self.bytes)
    }

    /// When the last new segment was sent, if any was.
    pub(crate) fn last(&self) -> Option<Nanos> {
        (self.bytes > 0).then_some(self.last)
    }

    /// `bytes` that the capture has not seen belong behind what it saw last: they were the end of
    /// that burst, had they been sent with it.
    pub(crate) fn missing(&self, bytes: u64) -> u8 {
        bucket_of(self.bytes.saturating_add(bytes))
    }

    /// A segment sent at `level` was acknowledged without having been sent again.
    pub(crate) fn delivered(&mut self, level: u8) {
        count(&mut self.delivered, level);
    }

    /// A segment sent at `level` was sent again for the first time.
    pub(crate) fn lost(&mut self, level: u8) {
        count(self.lost.get_or_insert_with(|| Box::new([0; BUCKETS])), level);
    }

    /// How often, in percent, a lost segment stood higher than a delivered one (equal levels count
    /// half): 50 is chance. `None` below `fewest` losses.
    pub(crate) fn lost_stand_higher(&self, fewest: u32) -> Option<u32> {
        let lost = self.lost.as_deref()?;
        let losses: u64 = lost.iter().map(|&n| u64::from(n)).sum();
        let others: u64 = self.delivered.iter().map(|&n| u64::from(n)).sum();
        if losses < u64::from(fewest) || others == 0 {
            return None;
        }
        let (mut below, mut wins) = (0u128, 0u128);
        for (&lost, &delivered) in lost.iter().zip(&self.delivered) {
            let equal = u128::from(delivered);
            wins += u128::from(lost) * (2 * below + equal);
            below += equal;
        }
        let pairs = 2 * u128::from(losses) * u128::from(others);
        u32::try_from(wins * 100 / pairs).ok()
    }
}

fn count(levels: &mut [u32; BUCKETS], level: u8) {
    let level = usize::from(level) % BUCKETS;
    levels[level] = levels[level].saturating_add(1);
}

/// Twice the binary logarithm, rounded down.
fn bucket_of(bytes: u64) -> u8 {
    let bytes = bytes.clamp(1, u64::from(u32::MAX));
    (bytes * bytes).ilog2() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(burst: i64, lost: impl Fn(i64) -> bool) -> u32 {
        let mut b = Bursts::default();
        for round in 0..200 {
            for k in 0..burst {
                let time = Nanos::from_millis(100 * round) + Nanos::from_micros(100 * k);
                let level = b.sent(time, 1448, Nanos::from_millis(2));
                if lost(round * burst + k) { b.lost(level) } else { b.delivered(level) }
            }
        }
        b.lost_stand_higher(5).unwrap()
    }

    #[test]
    fn a_policer_takes_the_end_of_a_burst() {
        let higher = after(10, |n| n % 10 == 9);
        assert!(higher >= 90, "{higher}");
    }

    #[test]
    fn chance_takes_any() {
        let higher = after(10, |n| n % 37 == 0);
        assert!((35..=65).contains(&higher), "{higher}");
    }

    #[test]
    fn levels_are_in_order() {
        assert!(bucket_of(1000) < bucket_of(1500) && bucket_of(1500) < bucket_of(2100));
        assert_eq!(bucket_of(u64::MAX), 63);
    }
}
