//! Whether the same transfer gets the same answer wherever it was captured.

use super::timeline::{Timeline, pieces};
use serde::{Deserialize, Serialize};
use tcpwhy_core::units::Nanos;

/// Time in which three captures of one transfer say the same limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Agreement {
    /// Nanoseconds compared.
    pub all: u64,
    /// Nanoseconds in which all three agree.
    pub same: u64,
    /// Nanoseconds in which sender and receiver agree.
    pub ends: u64,
}

/// Compares the timelines of sender, middle and receiver within `window`. Where one says nothing, they differ.
pub fn agreement(at: [&Timeline; 3], window: (Nanos, Nanos)) -> Agreement {
    let mut sum = Agreement::default();
    pieces(at, window, |length, said| {
        let time = u64::try_from(length.0).unwrap_or(0);
        sum.all += time;
        let [Some(sender), middle, Some(receiver)] = said.map(|s| s.map(|s| s.limit)) else {
            return;
        };
        if sender == receiver {
            sum.ends += time;
            sum.same += if middle == Some(sender) { time } else { 0 };
        }
    });
    sum
}

#[cfg(test)]
mod tests {
    use super::super::timeline::tests::line;
    use super::*;
    use tcpwhy_core::model::Limit;

    #[test]
    fn three_say_the_same_or_only_two() {
        let a = line(&[(0, Limit::SendBuffer)], 100);
        let b = line(&[(0, Limit::SendBuffer), (50, Limit::Application)], 100);
        let sum = agreement([&a, &b, &a], (Nanos::ZERO, Nanos::from_millis(200)));
        assert_eq!((sum.all, sum.ends, sum.same), (200_000_000, 100_000_000, 50_000_000));
    }
}
