//! 32-bit sequence numbers on an endless axis.

use crate::units::Seq;

/// Numbers one direction's bytes from 0, the first after the SYN.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unwrap {
    /// A number that is known, and its place.
    at: Option<(Seq, i64)>,
}

impl Unwrap {
    /// Byte 0 is `seq`, unless it is known already.
    pub(super) fn start(&mut self, seq: Seq) {
        self.at.get_or_insert((seq, 0));
    }

    /// The place of `seq`: the nearest to the newest one known. The first one asked about is 0.
    pub(super) fn place(&mut self, seq: Seq) -> i64 {
        let (known, place) = *self.at.get_or_insert((seq, 0));
        let here = place.saturating_add(i64::from(seq.distance(known)));
        if here > place {
            self.at = Some((seq, here));
        }
        here
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_goes_on_after_the_wrap_and_old_bytes_keep_their_place() {
        let mut unwrap = Unwrap::default();
        unwrap.start(Seq(u32::MAX - 9));
        assert_eq!(unwrap.place(Seq(u32::MAX - 9)), 0);
        assert_eq!(unwrap.place(Seq(990)), 1000);
        assert_eq!(unwrap.place(Seq(u32::MAX)), 9);
    }
}
