//! How long a slow host takes from an ACK to what it releases.

use crate::units::Nanos;

/// Waits after which it is known.
const ENOUGH: u8 = 16;

/// The time from the newest ACK to what ended a wait, where that is later than most hosts need.
///
/// What a timer sends comes at its own time after ACKs, unless those come as regularly as it sends. So only a wait that differs from the one
/// before tells, and where one after the other ends as soon after an ACK, that is what ended them: a host on an Ethernet of 10 Mbit/s,
/// whose first segment is stamped when it has left, or an interface that collects interrupts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reaction {
    usual: Nanos,
    agreed: u8,
    /// How long the last wait was.
    length: Nanos,
}

impl Reaction {
    /// A wait of this `length` ended so long `after` the newest ACK.
    pub(super) fn learn(&mut self, length: Nanos, after: Nanos) {
        let tells = is_other(length, self.length, 4) && after.scale(2, 1) < length;
        self.length = length;
        match is_other(after, self.usual, 8) {
            _ if !tells => {}
            false => self.agreed = ENOUGH.min(self.agreed + 1),
            true if self.agreed == 0 => self.usual = after,
            true => self.agreed = self.agreed.saturating_sub(2),
        }
    }

    /// How soon after its ACK a packet leaves at the latest, once that is known.
    pub(super) fn known(&self) -> Option<Nanos> {
        (self.agreed >= ENOUGH).then(|| self.usual.scale(5, 4))
    }
}

/// Whether `one` differs from `other` by more than this part of it.
fn is_other(one: Nanos, other: Nanos, part: i64) -> bool {
    (one - other).0.abs() > other.0 / part
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is known after waits of so many milliseconds, each ending so many microseconds after an ACK.
    fn known(waits: impl Iterator<Item = (i64, i64)>) -> Option<i64> {
        let mut reaction = Reaction::default();
        for (length, after) in waits {
            reaction.learn(Nanos::from_millis(length), Nanos::from_micros(after));
        }
        reaction.known().map(|known| known.0 / 1_000)
    }

    #[test]
    fn waits_of_many_lengths_that_end_as_soon_after_an_ack_were_ended_by_it() {
        let acks = (0..40).map(|k| (20 + 37 * k % 60, 3_100 + 13 * k % 150));
        assert!(known(acks.clone()).is_some_and(|known| (3_600..4_100).contains(&known)));
        assert_eq!(known(acks.clone().take(12)), None);
        // A timer, between ACKs that come when they come.
        assert_eq!(known(acks.map(|(length, after)| (length, after * (length % 7 + 1)))), None);
        // A timer and ACKs as regular as each other.
        assert_eq!(known((0..40).map(|_| (20, 3_100))), None);
    }
}
