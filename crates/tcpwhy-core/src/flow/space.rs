//! 32-bit sequence numbers laid out on a line that does not wrap.

use crate::units::Seq;

/// Beyond this distance from what is known, a number cannot belong to the same stream: the largest
/// window of RFC 7323 is 2^30 bytes.
const FAR: i64 = 1 << 30;

/// Offset given to the first sequence number, so that earlier ones still have room below it.
const ORIGIN: u64 = 1 << 32;

/// One direction's sequence space: the line position of the highest number so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Space {
    position: u64,
    seq: Seq,
}

impl Space {
    /// A space whose first known number is `seq`.
    pub(crate) fn starting_at(seq: Seq) -> Self {
        Self { position: ORIGIN, seq }
    }

    /// Where `seq` lies on the line, or `None` when it is too far off to belong here.
    pub(crate) fn locate(&self, seq: Seq) -> Option<u64> {
        let distance = i64::from(seq.distance(self.seq));
        if !(-FAR..=FAR).contains(&distance) {
            return None;
        }
        self.position.checked_add_signed(distance)
    }

    /// Keeps the reference near the traffic, so that distances stay small over terabytes.
    pub(crate) fn advance_to(&mut self, position: u64, seq: Seq) {
        if position > self.position {
            self.position = position;
            self.seq = seq;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_after_the_wrap() {
        let mut space = Space::starting_at(Seq(u32::MAX - 9));
        let after = space.locate(Seq(10)).unwrap();
        assert_eq!(after, ORIGIN + 20);
        space.advance_to(after, Seq(10));
        assert_eq!(space.locate(Seq(u32::MAX - 9)), Some(ORIGIN));
    }

    #[test]
    fn a_number_from_another_stream_is_refused() {
        assert_eq!(Space::starting_at(Seq(0)).locate(Seq(0x7000_0000)), None);
    }
}
