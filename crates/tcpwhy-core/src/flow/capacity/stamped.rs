//! ACKs that queued on their way back: they come as that way lets them through, in bunches between the peer's own data maybe, and only their
//! sender's clock tells how they were spaced when they left.

use super::pace;
use crate::flow::distribution::Distribution;
use crate::flow::sender_clock::TICK;
use crate::units::Nanos;

/// A clock of such ticks tells a rate to an eighth in so long.
const TELLS: Nanos = Nanos(8 * TICK.0);
/// So many of these tell the same, or not.
const FEWEST: u64 = 16;
/// A link that is full lets no span through faster than the others by more than this part, twice what the clock's ticks make of it.
const ALIKE: i64 = 4;

/// The rates of spans of such ACKs.
#[derive(Debug, Clone, Default)]
pub(super) struct Stamped {
    /// When the first ACK of the span left, and the last.
    left: Option<(Nanos, Nanos)>,
    /// Bytes of those behind the first.
    bytes: u64,
    /// Bytes of all spans, how many spans these are, and their paces.
    all: u64,
    spans: u64,
    paces: Distribution,
}

impl Stamped {
    /// An ACK for `bytes` left at `left`. After a `pause` the link had stood still.
    pub(super) fn acknowledged(&mut self, bytes: u64, left: Nanos, pause: Nanos) {
        let Some((first, _)) = self.left.filter(|(_, last)| left - *last < pause) else {
            (self.left, self.bytes) = (Some((left, left)), 0);
            return;
        };
        self.left = Some((first, left));
        self.bytes += bytes;
        if left - first < TELLS {
            return;
        }
        self.paces.add(pace(self.bytes, left - first));
        self.spans += 1;
        self.all += self.bytes;
        (self.left, self.bytes) = (Some((left, left)), 0);
    }

    /// The pace of a link that was full, where these ACKs tell of most of the `bytes` of all: hardly any span was faster than the others.
    pub(super) fn of_full_link(&self, bytes: u64) -> Option<Nanos> {
        if self.spans < FEWEST || self.all * 2 <= bytes {
            return None;
        }
        let (fast, middle) = (self.paces.quantile(10), self.paces.median());
        ((middle - fast).0 <= fast.0 / ALIKE).then_some(middle)
    }
}

#[cfg(test)]
mod tests {
    use super::super::UNIT;
    use super::*;

    /// The pace, for 1,448 bytes, of 2,000 ACKs for as much each that left so many microseconds apart, by a clock of 1 ms.
    fn pace(apart: impl Fn(i64) -> i64) -> Option<i64> {
        let (mut stamped, mut time) = (Stamped::default(), 0);
        for k in 0..2_000 {
            time += apart(k);
            let left = Nanos::from_millis(time / 1_000);
            stamped.acknowledged(1_448, left, Nanos::from_millis(20));
        }
        stamped.of_full_link(0).map(|pace| pace.0 / 1_000 * 1_448 / UNIT as i64)
    }

    #[test]
    fn acks_that_left_evenly_tell_the_link_whatever_their_clock_makes_of_it() {
        for us in [120, 480, 1_200, 3_700] {
            let told = pace(|_| us).expect("a rate");
            assert!(told.abs_diff(us) <= us.unsigned_abs() / 8, "{told} of {us}");
        }
    }

    #[test]
    fn a_sender_whose_rate_grows_has_not_filled_the_link() {
        assert_eq!(pace(|k| 2_200 - k), None);
    }

    #[test]
    fn a_pause_between_bursts_is_no_part_of_their_pace() {
        let told = pace(|k| if k % 40 == 0 { 50_000 } else { 500 }).expect("a rate");
        assert!(told.abs_diff(500) <= 62, "{told}");
    }
}
