//! What one capture would have shown under worse conditions, made while it is read.

use serde::{Deserialize, Serialize};
use tcpwhy_core::model::Side;
use tcpwhy_core::observe::{Segment, flags};
use tcpwhy_core::random::Rng;

/// Snapshot length of [`Variant::Snaplen`], in bytes.
const SNAPLEN: usize = 64;

/// A way of capturing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// As it was.
    Whole,
    /// From the first payload byte on: the handshake is missing.
    NoSyn,
    /// Only what the data's sender sent.
    OneWay,
    /// One packet of a hundred is missing.
    Missing,
    /// The first 64 bytes of each frame.
    Snaplen,
}

impl Variant {
    /// All.
    pub const ALL: [Self; 5] =
        [Self::Whole, Self::NoSyn, Self::OneWay, Self::Missing, Self::Snaplen];

    /// As the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::NoSyn => "SYN cut off",
            Self::OneWay => "one-way",
            Self::Missing => "1 % missing",
            Self::Snaplen => "snaplen 64",
        }
    }

    /// What remains of a frame.
    pub fn cut(self, frame: &[u8]) -> &[u8] {
        match self {
            Self::Snaplen => frame.get(..SNAPLEN).unwrap_or(frame),
            _ => frame,
        }
    }
}

/// The judged direction: which connection, and who sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// Port of the server.
    pub port: u16,
    /// Whose data is judged.
    pub from: Side,
}

impl Judged {
    /// Whether a segment belongs to the connection.
    pub fn has(&self, s: &Segment) -> bool {
        s.src.port == self.port || s.dst.port == self.port
    }

    /// Whether the data's sender sent it.
    pub fn sent(&self, s: &Segment) -> bool {
        (s.src.port == self.port) == (self.from == Side::Server)
    }
}

/// Decides segment by segment what a variant's capture holds.
#[derive(Debug)]
pub struct Filter {
    variant: Variant,
    judged: Judged,
    rng: Rng,
    begun: bool,
}

impl Filter {
    /// With the seed of its losses.
    pub fn new(variant: Variant, judged: Judged, seed: u64) -> Self {
        Self { variant, judged, rng: Rng::new(seed), begun: false }
    }

    /// Whether the capture holds `segment`.
    pub fn keeps(&mut self, segment: &Segment) -> bool {
        if !self.judged.has(segment) {
            return false;
        }
        match self.variant {
            Variant::Whole | Variant::Snaplen => true,
            Variant::NoSyn => {
                self.begun |= segment.len > 0 && !segment.has(flags::SYN);
                self.begun
            }
            Variant::OneWay => self.judged.sent(segment),
            Variant::Missing => self.rng.below(100) > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcpwhy_core::whatif::traffic::{Scenario, simulate};

    fn count(variant: Variant) -> (usize, usize) {
        let judged = Judged { port: 80, from: Side::Server };
        let all = simulate(&Scenario::default()).capture(0.0);
        let mut filter = Filter::new(variant, judged, 7);
        let kept = all.iter().filter(|s| filter.keeps(s));
        (kept.count(), all.len())
    }

    #[test]
    fn each_variant_leaves_out_what_it_says() {
        let (kept, all) = count(Variant::Whole);
        assert_eq!(kept, all);
        assert_eq!(count(Variant::NoSyn), (all - 3, all), "SYN, SYN/ACK, ACK");
        let (kept, _) = count(Variant::OneWay);
        assert!(kept > all / 2 && kept < all);
        let (kept, _) = count(Variant::Missing);
        let missing = (all - kept) as f64 / all as f64;
        assert!((0.005..0.02).contains(&missing), "{missing}");
    }

    #[test]
    fn a_cut_frame_has_64_bytes() {
        assert_eq!(Variant::Snaplen.cut(&[0; 1500]).len(), 64);
        assert_eq!(Variant::Snaplen.cut(&[0; 40]).len(), 40);
    }
}
