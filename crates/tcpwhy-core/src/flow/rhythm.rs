//! Whether bursts come at intervals that repeat.

use crate::units::Nanos;

/// Intervals that differ by less than this part of them are the same.
const EVEN: u64 = 16;

/// A rest is this part of a round trip or more.
const REST: i64 = 8;

/// The newest two bursts, once there were any.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rhythm {
    /// When the older one began, and how long after the one before it.
    began: Option<Nanos>,
    interval: Option<Nanos>,
    /// When sending went on after the last rest, and with which byte: the newer one, if enough follows.
    resumed: Option<Nanos>,
    from: u64,
}

impl Rhythm {
    /// Sending goes on at `time` after a `wait`, with the byte `from`, over a path with a round trip of `floor` at least. The interval between
    /// the beginnings of the two bursts before, if it was as long as the interval before that, and two thirds of a round trip at most. What is
    /// less than a segment of `mss` bytes is no burst, but the end of a write that Nagle's rule kept back.
    pub(crate) fn resumes(
        &mut self,
        time: Nanos,
        wait: Nanos,
        from: u64,
        mss: u64,
        floor: Nanos,
    ) -> Option<Nanos> {
        if from.saturating_sub(self.from) < mss {
            (self.resumed, self.from) = (Some(time), from);
            return None;
        }
        if wait.0 < floor.0 / REST {
            return None;
        }
        let before = self.interval;
        let interval = self.resumed.zip(self.began).map(|(resumed, began)| resumed - began);
        *self = Self { began: self.resumed, interval, resumed: Some(time), from };
        let (interval, before) = interval.zip(before)?;
        let several = (Nanos::ZERO..=floor.scale(2, 3)).contains(&interval);
        let differs = (interval - before).0.unsigned_abs();
        (several && differs <= interval.0.unsigned_abs() / EVEN).then_some(interval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;

    /// The intervals told, in milliseconds, over a path of so many milliseconds: what leaves at a time, after a wait, in bytes.
    fn told(round: i64, sendings: &[(i64, i64, u64)]) -> Vec<i64> {
        let (mut rhythm, mut from) = (Rhythm::default(), 0);
        let mut told = Vec::new();
        for &(time, wait, bytes) in sendings {
            let [time, wait, round] = [time, wait, round].map(Nanos::from_millis);
            told.extend(rhythm.resumes(time, wait, from, MSS, round).map(|i| i.0 / 1_000_000));
            from += bytes;
        }
        told
    }

    #[test]
    fn an_interval_as_long_as_the_one_before_repeats() {
        let bursts: Vec<_> = (1..8).map(|k| (100 + 20 * k, 18, 20 * MSS)).collect();
        assert_eq!(told(40, &bursts), [20; 4]);
        // One burst a round trip is what any window has.
        assert_eq!(told(21, &bursts), []);
        // Two in quick succession and a rest.
        let pairs: Vec<_> = (0..4)
            .flat_map(|k| [(100 + 40 * k, 30, 20 * MSS), (110 + 40 * k, 6, 20 * MSS)])
            .collect();
        assert_eq!(told(40, &pairs), []);
    }

    #[test]
    fn the_end_of_a_write_is_no_burst() {
        let writes: Vec<_> = (1..8)
            .flat_map(|k| [(100 + 20 * k, 7, 20 * MSS), (111 + 20 * k + k % 2, 11, 300)])
            .collect();
        assert_eq!(told(40, &writes), [20; 5]);
    }
}
