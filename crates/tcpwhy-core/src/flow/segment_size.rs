//! The payload of one full segment on the wire.

/// Payload of a full segment on Ethernet with timestamps: a guess until something is known.
const USUAL: u32 = 1448;
/// Larger segments are made by offloads (or jumbo frames announced in the SYN).
const LARGEST_GUESS: u32 = 8960;

/// From the SYN; else the modal segment size, never the largest, which offloads inflate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SegmentSize {
    announced: Option<u32>,
    /// Majority vote (Boyer and Moore) over the sizes of data segments.
    candidate: u32,
    votes: u32,
    /// The payload of a full segment, as these say.
    mss: u64,
}

impl SegmentSize {
    /// `announced`: the smaller MSS of the two SYNs, less the timestamp option where it is in use.
    pub(crate) fn new(announced: Option<u32>) -> Self {
        let announced = announced.filter(|&m| m >= 64);
        Self { announced, candidate: 0, votes: 0, mss: announced.unwrap_or(USUAL).into() }
    }

    /// A data segment of `len` bytes.
    pub(crate) fn seen(&mut self, len: u32) {
        if self.announced.is_some() || !(64..=LARGEST_GUESS).contains(&len) {
            return;
        }
        if len == self.candidate {
            self.votes = self.votes.saturating_add(1);
        } else if self.votes == 0 {
            (self.candidate, self.votes) = (len, 1);
            self.mss = len.max(536).into();
        } else {
            self.votes -= 1;
        }
    }

    /// Another segment of `len` bytes changes nothing of what is known.
    #[inline(always)]
    pub(crate) fn expects(&self, len: u32) -> bool {
        self.announced.is_some() || len == self.candidate
    }

    /// Segments on the wire that `len` bytes of payload make; an offload may have merged them.
    pub(crate) fn wire_segments(&self, len: u32) -> u32 {
        let mss = self.mss();
        if u64::from(len) <= mss {
            return u32::from(len > 0);
        }
        u32::try_from(u64::from(len).div_ceil(mss)).unwrap_or(u32::MAX)
    }

    /// The payload of a full segment, in bytes.
    pub(crate) fn mss(&self) -> u64 {
        self.mss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_wins_and_offloaded_segments_do_not_count() {
        let mut s = SegmentSize::new(None);
        for _ in 0..10 {
            s.seen(1380);
            s.seen(64_000);
            s.seen(1380);
            s.seen(17);
        }
        assert_eq!(s.mss(), 1380);
    }

    #[test]
    fn the_announced_size_is_final() {
        let mut s = SegmentSize::new(Some(1448));
        s.seen(100);
        assert_eq!(s.mss(), 1448);
    }
}
