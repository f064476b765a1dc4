//! Chances from a seed: each random process draws from a stream of its own, so that one does not shift the others.

use crate::random::Rng;

/// One of those streams.
#[derive(Debug, Clone)]
pub(super) struct Dice(Rng);

impl Dice {
    /// The stream number `stream` of a seed.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mut parent = Rng::new(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        Self(Rng::new(parent.next_u64()))
    }

    /// Even in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Happens with this chance; draws nothing for a chance of 0.
    pub(super) fn hits(&mut self, chance: f64) -> bool {
        chance > 0.0 && self.unit() < chance
    }
}
