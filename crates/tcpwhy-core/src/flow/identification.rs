//! IPv4 identifications that count packets: a gap in them is packets that never reached the capture.

/// Steps after which counting is believed.
const PROOF: u32 = 8;
/// Packets that may be missing or late at once, a large flight's; a larger step is another counter.
const GAP: std::ops::Range<u16> = 2..4096;

/// Linux counts the packets of a connection in the identification, one a segment (`inet_id`); other
/// systems share one counter, draw at random or send zero.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Identification {
    last: u16,
    steps: u32,
    by_one: u32,
}

impl Identification {
    /// The next packet of the sender; says whether some are missing before it.
    #[inline(always)]
    pub(crate) fn next(&mut self, id: u16, segments: u32) -> bool {
        let step = id.wrapping_sub(self.last);
        if step == 1 && segments <= 1 {
            // Nearly all of those that count.
            self.last = id;
            self.steps = self.steps.saturating_add(1);
            self.by_one += 1;
            return false;
        }
        if step > u16::MAX - GAP.end && self.steps > 0 {
            return self.note_late();
        }
        let missing = GAP.contains(&step) && self.counts();
        let segments = u16::try_from(segments).unwrap_or(u16::MAX).max(1);
        self.last = id.wrapping_add(segments - 1);
        self.steps = self.steps.saturating_add(1);
        self.by_one += u32::from(step == 1);
        missing
    }

    /// One that others have overtaken was missing before the first of them.
    #[cold]
    fn note_late(&mut self) -> bool {
        self.by_one = (self.by_one + 1).min(self.steps);
        false
    }

    /// Whether they count the packets of this connection.
    #[inline(never)]
    pub(crate) fn counts(&self) -> bool {
        self.steps >= PROOF && self.by_one >= self.steps / 10 * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_in_a_counter_is_a_missing_packet() {
        let mut id = Identification::default();
        assert!((0..20).all(|i| !id.next(100 + i, 1)));
        assert!(id.next(121, 1));
        assert!(!id.next(122, 2));
        assert!(!id.next(124, 1), "an offloaded segment counts for as many as it holds");
    }

    #[test]
    fn a_counter_may_begin_anywhere() {
        let mut id = Identification::default();
        assert!((0..20).all(|i| !id.next(65_000 + i, 1)) && id.next(65_021, 1));
    }

    #[test]
    fn what_comes_late_is_not_missing() {
        let mut id = Identification::default();
        for k in (0..40).step_by(4).flat_map(|i| [i, i + 3, i + 1, i + 2]) {
            id.next(100 + k, 1);
        }
        assert!(id.counts() && !id.next(140, 1), "after 138");
        assert!(id.next(142, 1));
    }

    #[test]
    fn random_identifications_prove_nothing() {
        let mut id = Identification::default();
        assert!((0..100u16).all(|i| !id.next(i.wrapping_mul(30_011), 1)));
    }
}
