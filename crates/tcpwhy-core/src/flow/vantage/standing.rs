//! What others go by.

use super::Leg;
use crate::flow::sender_clock::TICK;
use crate::units::Nanos;

/// What is known of a leg at one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    /// The smallest round trip to this end, or zero when nothing is known.
    pub(crate) floor: Nanos,
    /// The smallest that it may be: the answer to a SYN alone is late by what a host takes to wake up and to open a connection. On a
    /// short path more than a little of that would be a guess.
    pub(crate) earliest: Nanos,
    /// The leg as it is now, a queue on the way to this end included.
    pub(crate) now: Nanos,
    /// The leg by its newest sample: a queue that comes and goes within a round shows here.
    pub(crate) latest: Nanos,
    /// Whether anything is known.
    pub(crate) known: bool,
    /// Whether a queue is between the capture point and this end, though it is near.
    pub(crate) behind_queue: bool,
    /// Whether the end's echo names the newest packet that it has seen.
    pub(crate) trusts_echo: bool,
    /// What left until then has no round trip that could be measured: see [`Leg::begin_anew`].
    pub(crate) since: Nanos,
    /// Whether the samples are without the queues on the way back: the clock of this end shows those.
    pub(super) one_way: bool,
}

impl Standing {
    /// What of the latest leg packets waited in queues on their way to this end, as far as its clock tells: that is late by a tick at most.
    #[inline]
    pub(crate) fn queue(&self) -> Nanos {
        let queue = self.latest - self.floor - TICK;
        if self.one_way { queue.max(Nanos::ZERO) } else { Nanos::ZERO }
    }

    /// What the newest packet took: behind a queue that this end's clock tells, more than the shortest of a round.
    #[inline]
    pub(crate) fn at_the_moment(&self) -> Nanos {
        if self.queue() > Nanos::ZERO { self.latest } else { self.now }
    }
}

impl Default for Standing {
    fn default() -> Self {
        Leg::new().standing()
    }
}
