//! When bytes leave: the transmitter behind the queue.

use super::spec::Rate;
use crate::units::Nanos;

/// Bytes that one line of a mahimahi trace lets go (mahimahi's `PACKET_SIZE`).
const OPPORTUNITY: u64 = 1504;

/// Sends one packet after another; a packet's end is known when it begins.
#[derive(Debug, Clone)]
pub(super) struct Transmitter {
    rate: Rate,
    /// When the packet in transmission ends.
    free_at: Nanos,
    /// Constant rate: the part of a nanosecond (in units of 1/rate) that `free_at` leaves out.
    fraction: u64,
    /// Trace: where its time begins, the first line not used (counted over all rounds), and what is left of the
    /// opportunity at `free_at`.
    epoch: Nanos,
    next_line: u64,
    left_over: u64,
    /// Bytes of the packet in transmission.
    sending: u64,
}

impl Transmitter {
    pub(super) fn new(rate: Rate) -> Self {
        Self {
            rate,
            free_at: Nanos(i64::MIN),
            fraction: 0,
            epoch: Nanos::ZERO,
            next_line: 0,
            left_over: 0,
            sending: 0,
        }
    }

    /// A trace begins here.
    pub(super) fn begin(&mut self, epoch: Nanos) {
        self.epoch = epoch;
    }

    /// When the next packet may begin.
    pub(super) fn free_at(&self) -> Nanos {
        self.free_at
    }

    /// Bytes of the packet in transmission that have not left at `now`.
    pub(super) fn unsent(&self, now: Nanos) -> u64 {
        let rest = (self.free_at - now).0.max(0);
        if rest == 0 {
            return 0;
        }
        match &self.rate {
            Rate::Constant(bps) => {
                let bytes = rest as u128 * u128::from(*bps) / 8_000_000_000;
                u64::try_from(bytes).unwrap_or(u64::MAX).min(self.sending)
            }
            Rate::Unlimited | Rate::Trace(_) => self.sending,
        }
    }

    /// Sends `bytes` from `start` on (not before `free_at`); returns when the last one has left.
    pub(super) fn send(&mut self, start: Nanos, bytes: u64) -> Nanos {
        let end = match &self.rate {
            Rate::Unlimited => start,
            Rate::Constant(bps) => {
                let bps = (*bps).max(1);
                let carried = if start == self.free_at { self.fraction } else { 0 };
                let work = u128::from(bytes) * 8_000_000_000 + u128::from(carried);
                self.fraction = (work % u128::from(bps)) as u64;
                start + Nanos(i64::try_from(work / u128::from(bps)).unwrap_or(i64::MAX))
            }
            Rate::Trace(lines) => {
                let credit = if start == self.free_at { self.left_over } else { 0 };
                if bytes <= credit {
                    self.left_over = credit - bytes;
                    start
                } else {
                    let first = first_line(lines, start - self.epoch).max(self.next_line);
                    let needed = (bytes - credit).div_ceil(OPPORTUNITY);
                    self.next_line = first + needed;
                    self.left_over = needed * OPPORTUNITY - (bytes - credit);
                    line_time(lines, self.next_line - 1).map_or(Nanos::MAX, |at| self.epoch + at)
                }
            }
        };
        self.sending = bytes;
        self.free_at = end;
        end
    }
}

/// Length of a trace's round in milliseconds: up to its last line.
fn period(lines: &[u32]) -> i64 {
    lines.last().map_or(1, |last| i64::from(*last).max(1))
}

/// When line `number`, counted over all rounds, is; `None` for an empty trace, on which nothing ever leaves.
fn line_time(lines: &[u32], number: u64) -> Option<Nanos> {
    let count = u64::try_from(lines.len()).ok().filter(|count| *count > 0)?;
    let line = lines.get((number % count) as usize)?;
    let round = i64::try_from(number / count).unwrap_or(i64::MAX);
    Some(Nanos::from_millis(round.saturating_mul(period(lines)).saturating_add(i64::from(*line))))
}

/// Number of the first line at `since` the beginning or later.
fn first_line(lines: &[u32], since: Nanos) -> u64 {
    let round_ns = period(lines).saturating_mul(1_000_000);
    // The last line of a round is at the same instant as line 0 of the next.
    let round = (since.0.max(0) - 1).max(0) / round_ns;
    let inside = since.0 - round * round_ns;
    let passed = lines.partition_point(|line| i64::from(*line) * 1_000_000 < inside);
    round as u64 * lines.len() as u64 + passed as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_rate_loses_no_fraction() {
        let mut t = Transmitter::new(Rate::Constant(3_000_000_000));
        let end = (0..3_000).fold(Nanos::ZERO, |at, _| t.send(at, 1000));
        assert_eq!(end, Nanos::from_millis(8), "3,000 x 8,000 bits at 3 Gbit/s");
    }

    #[test]
    fn a_trace_lets_1504_bytes_go_at_each_line_and_repeats() {
        let lines = vec![0, 5, 5, 10];
        let mut t = Transmitter::new(Rate::Trace(lines));
        t.begin(Nanos::ZERO);
        assert_eq!(t.send(Nanos::ZERO, 1504), Nanos::ZERO);
        assert_eq!(t.send(Nanos::ZERO, 1504), Nanos::from_millis(5));
        assert_eq!(t.send(Nanos::from_millis(5), 2000), Nanos::from_millis(10), "two lines");
        assert_eq!(t.send(Nanos::from_millis(10), 1000), Nanos::from_millis(10), "what is left");
        assert_eq!(t.send(Nanos::from_millis(11), 1504), Nanos::from_millis(15));
    }

    #[test]
    fn idle_opportunities_are_lost() {
        let mut t = Transmitter::new(Rate::Trace(vec![10]));
        t.begin(Nanos::ZERO);
        assert_eq!(t.send(Nanos::from_millis(1_000_001), 10), Nanos::from_millis(1_000_010));
    }
}
