//! How a direction's data went on.

use crate::units::Nanos;

/// Parts that the data is cut into: a rate that changes faster than by these is not told.
const PARTS: u64 = 32;

/// When each of some equal parts of the data had been acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Payload bytes of all parts.
    pub bytes: u64,
    /// When the first part began, and when each had been acknowledged.
    pub times: [Nanos; PARTS as usize + 1],
}

impl Progress {
    /// Of bytes that were acknowledged evenly from one time to another, step by step; `None` without any.
    pub(crate) fn of(steps: impl Iterator<Item = (Nanos, Nanos, u64)> + Clone) -> Option<Self> {
        let steps = steps.filter(|&(_, _, bytes)| bytes > 0);
        let bytes = steps.clone().map(|(_, _, bytes)| bytes).sum();
        let mut times = [steps.clone().next()?.0; PARTS as usize + 1];
        let mut ends = times.iter_mut().zip(0..).skip(1).peekable();
        let mut gone = 0;
        for (from, to, more) in steps {
            while let Some((time, part)) =
                ends.next_if(|(_, part)| end_of(bytes, *part) <= gone + more)
            {
                let within = end_of(bytes, part).saturating_sub(gone);
                *time = from
                    + Nanos(
                        (i128::from((to - from).0) * i128::from(within) / i128::from(more)) as i64,
                    );
            }
            gone += more;
        }
        Some(Self { bytes, times })
    }

    /// When the first part began and the last one ended.
    pub fn span(&self) -> (Nanos, Nanos) {
        (self.times[0], self.times[PARTS as usize])
    }

    /// First and last moment, and bytes of each part.
    pub fn parts(&self) -> impl Iterator<Item = (Nanos, Nanos, u64)> + '_ {
        let bytes = |part| end_of(self.bytes, part + 1) - end_of(self.bytes, part);
        self.times.windows(2).zip(0..).map(move |(ends, part)| (ends[0], ends[1], bytes(part)))
    }
}

/// Bytes up to the end of a part, of all.
fn end_of(bytes: u64, part: u64) -> u64 {
    (u128::from(bytes) * u128::from(part) / u128::from(PARTS)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: i64) -> Nanos {
        Nanos::from_millis(n)
    }

    fn parts(steps: &[(i64, i64, u64)]) -> Vec<(Nanos, Nanos, u64)> {
        let steps = steps.iter().map(|&(from, to, bytes)| (ms(from), ms(to), bytes));
        Progress::of(steps).unwrap().parts().collect()
    }

    #[test]
    fn parts_are_as_large_and_as_long_as_they_are() {
        let even = parts(&[(100, 1_124, 3_200)]);
        assert_eq!(even.len(), 32);
        assert_eq!((even[0], even[31]), ((ms(100), ms(132), 100), (ms(1_092), ms(1_124), 100)));
        // Half of it in a tenth of the time, then a rest.
        let rests = parts(&[(0, 100, 1_600), (100, 500, 0), (500, 1_400, 1_600)]);
        assert_eq!((rests[15].1, rests[31].1), (ms(100), ms(1_400)));
        assert!(rests[16].0 == ms(100) && rests[16].1 > ms(500));
    }

    #[test]
    fn no_byte_is_lost_of_less_than_there_are_parts() {
        let few = parts(&[(0, 7, 3), (9, 9, 1), (9, 30, 7)]);
        assert_eq!(few.iter().map(|part| part.2).sum::<u64>(), 11);
        assert!(few.iter().all(|(from, to, _)| from <= to) && few[31].1 == ms(30));
        assert_eq!(Progress::of([(ms(0), ms(9), 0)].into_iter()), None);
    }
}
