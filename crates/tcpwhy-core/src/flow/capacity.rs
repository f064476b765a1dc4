//! How fast the path carries data, by the spacing of ACKs (packet-train probing: the narrowest link spaces what follows each other).
//!
//! Each ACK's bytes came through the narrowest link in the time since the ACK before it, as long as data stood in a queue
//! there; after a pause they came slower, and ACKs that bunch on their way back seem faster. Both are a minority of the bytes
//! of a sender that sends in bursts, so the median tells the link's rate even where pauses leave half of it unused.

use super::rtt::Distribution;
use crate::units::{Nanos, bits_per_second};

/// Paces are kept as the time for so many bytes.
const UNIT: u64 = 1 << 20;
/// Fewer ACKs say nothing.
const FEWEST: u64 = 16;

/// The paces of one direction's ACKs, weighted with their bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Capacity {
    last: Option<Nanos>,
    acks: u64,
    paces: Distribution,
}

impl Capacity {
    /// An ACK for `bytes`, more than none, passed at `time`; `mss` is the unit of weight. After a `pause` the link had stood still.
    pub(crate) fn acknowledged(&mut self, bytes: u64, time: Nanos, mss: u64, pause: Nanos) {
        if let Some(last) = self.last.filter(|&last| time - last < pause) {
            let (bytes, unit) = (i64::try_from(bytes).unwrap_or(i64::MAX), UNIT as i64);
            let pace = Nanos((time - last).0.saturating_mul(unit) / bytes.max(1));
            let weight = u32::try_from(bytes as u64 / mss.max(1)).unwrap_or(u32::MAX).max(1);
            self.paces.add_weighted(pace, weight);
            self.acks += 1;
        }
        self.last = Some(time);
    }

    /// Bytes per second; `None` after too few ACKs.
    pub(crate) fn rate(&self) -> Option<u64> {
        (self.acks >= FEWEST).then(|| bits_per_second(UNIT, self.paces.median()) / 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_between_bursts_do_not_count() {
        let mut capacity = Capacity::default();
        for burst in 0..10 {
            for k in 0..10 {
                let time = Nanos::from_millis(burst * 100) + Nanos::from_micros(k * 1000);
                capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
            }
        }
        let rate = capacity.rate().unwrap();
        assert!((1_400_000..1_500_000).contains(&rate), "{rate}");
    }

    #[test]
    fn acks_that_bunch_do_not_make_the_path_faster() {
        let mut capacity = Capacity::default();
        for k in 0..100 {
            let late = if k % 5 == 0 { 900 } else { 0 };
            let time = Nanos::from_micros(k * 1000 + late);
            capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
        }
        let rate = capacity.rate().unwrap();
        assert!((1_400_000..1_500_000).contains(&rate), "{rate}");
    }
}
