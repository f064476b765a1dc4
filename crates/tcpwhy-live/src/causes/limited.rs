//! For how long each limit held a sender, judged by the kernel's program at every ACK (`bpf/limited.h`).

use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;

/// In the order of `enum limit`.
const LIMITS: [Limit; 7] = [
    Limit::LossRecovery,
    Limit::ReceiveWindow,
    Limit::DelayedAck,
    Limit::PathBandwidth,
    Limit::CongestionWindow,
    Limit::SendBuffer,
    Limit::Application,
];
/// Bytes of `struct limited`.
pub(super) const LIMITED: usize = 8 + 8 * LIMITS.len();

/// Nanoseconds by limit, up to the last ACK or write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limited([u64; LIMITS.len()]);

impl Limited {
    /// The time of the last event comes first.
    pub(super) fn decode(raw: &[u8; LIMITED]) -> Self {
        let mut sums = Self::default();
        let words = raw.chunks_exact(8).skip(1).filter_map(|word| word.try_into().ok());
        for (sum, word) in sums.0.iter_mut().zip(words) {
            *sum = u64::from_ne_bytes(word);
        }
        sums
    }

    /// What was added to the sums since `before`, in a round of `span_ns`: of the application's pause, which is told when it ends, as
    /// much as was in the round.
    #[must_use]
    pub fn since(&self, before: &Self, span_ns: u64) -> Self {
        let mut added = Self::default();
        for (to, (sum, before)) in added.0.iter_mut().zip(self.0.iter().zip(before.0)) {
            *to = sum.saturating_sub(before);
        }
        let beyond = added.0.iter().sum::<u64>().saturating_sub(span_ns);
        if let Some(application) = added.0.last_mut() {
            *application = application.saturating_sub(beyond);
        }
        added
    }

    /// Every limit that held, with its time.
    pub fn times(&self) -> impl Iterator<Item = (Limit, Nanos)> + use<> {
        let time = |ns: u64| Nanos(i64::try_from(ns).unwrap_or(i64::MAX));
        let all = LIMITS.into_iter().zip(self.0);
        all.filter(|(_, ns)| *ns > 0).map(move |(limit, ns)| (limit, time(ns)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_that_began_before_the_round_is_told_as_far_as_it_is_in_it() {
        let mut raw = [0; LIMITED];
        for (place, ns) in [(0, 99_u64), (6, 700), (7, 5000)] {
            raw[place * 8..place * 8 + 8].copy_from_slice(&ns.to_ne_bytes());
        }
        let sums = Limited::decode(&raw);
        let times = |limited: Limited| limited.times().collect::<Vec<_>>();
        let (buffer, application) = (Limit::SendBuffer, Limit::Application);
        assert_eq!(times(sums), [(buffer, Nanos(700)), (application, Nanos(5000))]);
        let round = sums.since(&Limited::default(), 1000);
        assert_eq!(times(round), [(buffer, Nanos(700)), (application, Nanos(300))]);
        assert_eq!(times(sums.since(&sums, 1000)), []);
        // It was thrown out of the map meanwhile, and begins again.
        assert_eq!(times(Limited::default().since(&sums, 1000)), []);
    }
}
