//! What counts as at once, as a pause and as too soon on this path: fractions of its round trip.

use super::WAKE_UP;
use super::reaction::Reaction;
use crate::flow::BUSY_HOST;
use crate::flow::packet::Packet;
use crate::flow::scoreboard::Soonest;
use crate::units::Nanos;

/// As `BUSY_HOST`, on a path that jitters.
const SLOW_RELEASE: Nanos = Nanos::from_millis(5);

/// Worked out when the RTT floor or the leg changes, not for each packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    floor: Nanos,
    leg: Nanos,
    reaction: Reaction,
    /// The capture was taken a good part of the path away from this sender.
    pub(super) far: bool,
    /// How soon after its cause a packet leaves. Seen from afar, the path's jitter comes on top.
    pub(super) slack: Nanos,
    /// Waits shorter than this are not counted. Seen from afar, a queue spaces what left at once, and the sender's stamps tell its
    /// clock's ticks only (`SenderClock`).
    pub(super) least_wait: Nanos,
    /// How soon a process that an ACK has woken sends, on a host that is not busy.
    pub(super) wake_up: Nanos,
    /// A pause that ends a burst: segments of one burst leave back to back, or as fast as the ACKs
    /// of the burst before come in.
    pub(super) rest: Nanos,
    /// A loss cannot have been noticed and repaired before about a round trip.
    pub(super) soonest: Soonest,
}

impl Pace {
    /// On a path with this RTT `floor`; `leg` is the round trip between the capture point and the
    /// sender.
    pub(super) fn of(floor: Nanos, leg: Nanos) -> Self {
        let part = |n| Nanos(floor.0 / n);
        let far = leg > part(4);
        let slack = if far { part(8).min(SLOW_RELEASE) } else { part(16).min(BUSY_HOST) };
        Self {
            floor,
            leg,
            reaction: Reaction::default(),
            far,
            slack: slack.max(WAKE_UP),
            least_wait: if far { part(8).min(BUSY_HOST).max(WAKE_UP) } else { WAKE_UP },
            wake_up: if far { slack.max(WAKE_UP) } else { Nanos(WAKE_UP.0 / 2) },
            rest: part(32).max(Nanos::from_millis(1)).min(Nanos::from_millis(4)),
            soonest: Soonest {
                repair: floor.scale(3, 4).max(Nanos::from_millis(1)),
                again: floor.scale(3, 4),
            },
        }
    }

    /// The floor or the leg may have changed.
    pub(super) fn follow(&mut self, floor: Nanos, leg: Nanos) {
        if (floor, leg) != (self.floor, self.leg) {
            *self = Self { reaction: self.reaction, ..Self::of(floor, leg) };
            self.allow_for_reaction();
        }
    }

    /// A wait of this `length` ended so long `after` the newest ACK, later than at once.
    pub(super) fn learn(&mut self, length: Nanos, after: Nanos) {
        if !self.far && after <= Nanos(self.floor.0 / 16) {
            self.reaction.learn(length, after);
            self.allow_for_reaction();
        }
    }

    fn allow_for_reaction(&mut self) {
        let known = self.reaction.known().filter(|_| !self.far);
        self.slack = self.slack.max(known.unwrap_or_default());
    }

    /// How soon `packet` can have been sent again. One that has an identification of its own was, however soon.
    pub(super) fn soonest(&self, packet: &Packet) -> Soonest {
        let again = if packet.ip_id == 0 { self.soonest.again } else { Nanos::ZERO };
        Soonest { again, ..self.soonest }
    }

    /// As `follow`, at the same place.
    pub(super) fn lower(&mut self, floor: Nanos) {
        self.follow(floor, self.leg);
    }
}
