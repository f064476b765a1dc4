//! Chances from a seed: each random process draws from a stream of its own, so that one does not shift the others.

/// splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    /// The stream number `stream` of a seed.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mut parent = Self(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        Self(parent.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Even in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Happens with this chance; draws nothing for a chance of 0.
    pub(super) fn hits(&mut self, chance: f64) -> bool {
        chance > 0.0 && self.unit() < chance
    }
}
