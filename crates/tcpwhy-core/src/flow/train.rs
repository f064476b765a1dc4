//! Trains of ACKs: how fast the path carries a burst, even when the sender pauses after it.

use crate::units::Nanos;

/// A train with fewer bytes than this says nothing: two ACKs may have bunched.
const LEAST: u64 = 4 * 1448;

/// The dispersion of bursts (packet-train probing: the narrowest link spaces them).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trains {
    first: Nanos,
    last: Option<Nanos>,
    bytes: u64,
    total_bytes: u64,
    total_time: Nanos,
}

impl Trains {
    /// An ACK for `bytes` passed at `time`; a pause longer than `pause` ends the train.
    pub(crate) fn acknowledged(&mut self, bytes: u64, time: Nanos, pause: Nanos) {
        match self.last {
            Some(last) if time - last <= pause => self.bytes += bytes,
            _ => {
                self.close();
                self.first = time;
            }
        }
        self.last = Some(time);
    }

    fn close(&mut self) {
        if let Some(last) = self.last.filter(|_| self.bytes >= LEAST) {
            self.total_bytes += self.bytes;
            self.total_time += last - self.first;
        }
        self.bytes = 0;
    }

    /// Bytes per second over all trains; `None` when there were none.
    pub(crate) fn rate(mut self) -> Option<u64> {
        self.close();
        (self.total_time.0 > 0)
            .then(|| crate::units::bits_per_second(self.total_bytes, self.total_time) / 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_between_bursts_do_not_count() {
        let mut t = Trains::default();
        for burst in 0..10 {
            for k in 0..10 {
                let time = Nanos::from_millis(burst * 100) + Nanos::from_micros(k * 1000);
                t.acknowledged(1448, time, Nanos::from_millis(5));
            }
        }
        assert_eq!(t.rate(), Some(1_448_000));
    }
}
