//! A sliding window over a byte stream: what is parsed is parsed in place.

use crate::bytes::Bytes;
use crate::damage::Damage;
use std::io::{self, Read};

/// Bytes asked of a plain file at once: large enough to make the system call's cost vanish, small
/// enough to stay in the second-level cache.
const CAPACITY: usize = 128 * 1024;

/// The bytes at hand, the record being read among them.
pub(crate) struct Window {
    bytes: Bytes,
    buf: Vec<u8>,
    /// First byte at hand, in `buf`.
    start: usize,
    /// One past the last byte at hand, in `buf`.
    end: usize,
    /// Offset of `start` in the (decompressed) stream.
    offset: u64,
    /// Offset of the record being read; before `offset` while it is being skipped.
    record: u64,
    /// Length of the record that was lent and is passed over by [`Window::release`].
    lent: usize,
    ended: bool,
    failure: Option<io::Error>,
}

impl Window {
    pub(crate) fn new(bytes: Bytes) -> Self {
        Self {
            bytes,
            buf: vec![0; CAPACITY],
            start: 0,
            end: 0,
            offset: 0,
            record: 0,
            lent: 0,
            ended: false,
            failure: None,
        }
    }

    /// Makes at least `n` bytes available; false when the stream ends before.
    ///
    /// `n` must be bounded by the caller: the window grows to hold it.
    #[inline]
    pub(crate) fn need(&mut self, n: usize) -> bool {
        self.end - self.start >= n || self.fill(n)
    }

    #[cold]
    fn fill(&mut self, n: usize) -> bool {
        self.buf.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buf.len() < n {
            self.buf.resize(n.next_power_of_two(), 0);
        }
        while self.end < n && !self.ended {
            match self.bytes.read(self.buf.get_mut(self.end..).unwrap_or_default()) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure = Some(error);
                    self.ended = true;
                }
            }
        }
        self.end >= n
    }

    /// The bytes at hand.
    #[inline]
    pub(crate) fn at_hand(&self) -> &[u8] {
        self.buf.get(self.start..self.end).unwrap_or_default()
    }

    /// Lends the first `n` bytes at hand until the next [`Window::release`].
    #[inline]
    pub(crate) fn lend(&mut self, n: usize) {
        self.lent = n;
    }

    /// Whether nothing lies behind what was lent: the next record is still to be read.
    pub(crate) fn is_dry(&self) -> bool {
        self.end - self.start <= self.lent
    }

    /// Passes over what was lent; the next record begins.
    #[inline]
    pub(crate) fn release(&mut self) {
        self.pass(self.lent);
        self.lent = 0;
        self.record = self.offset;
    }

    #[inline]
    fn pass(&mut self, n: usize) {
        let n = n.min(self.end - self.start);
        self.start += n;
        self.offset += n as u64;
    }

    /// Passes over `n` bytes of the record being read, however many; false when the stream ends
    /// before.
    pub(crate) fn skip(&mut self, mut n: u64) -> bool {
        while n > 0 {
            if !self.need(1) {
                return false;
            }
            let step = usize::try_from(n).unwrap_or(usize::MAX).min(self.end - self.start);
            self.pass(step);
            n -= step as u64;
        }
        true
    }

    /// Offset in the (decompressed) stream of the record being read.
    pub(crate) fn record_offset(&self) -> u64 {
        self.record
    }

    /// Whether the stream ended cleanly, at the end of a record; else the damage.
    ///
    /// `wanted` is the length of the record that did not fit.
    pub(crate) fn ending(&self, wanted: u64) -> Result<(), Damage> {
        if self.failure.is_none() && self.start == self.end {
            return Ok(());
        }
        Err(self.damage(wanted))
    }

    /// Why a record of length `wanted` could not be had.
    pub(crate) fn damage(&self, wanted: u64) -> Damage {
        let found = self.offset - self.record + (self.end - self.start) as u64;
        match (&self.failure, self.bytes.compression()) {
            (None, _) => Damage::Cut { wanted, found },
            (Some(error), None) => Damage::Unreadable(error.to_string()),
            (Some(error), Some(kind)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Damage::CompressedCut { kind }
            }
            (Some(error), Some(kind)) => {
                let known = error.get_ref().and_then(|e| e.downcast_ref::<Damage>()).cloned();
                let corrupt = || Damage::CompressedCorrupt { kind, reason: error.to_string() };
                known.unwrap_or_else(corrupt)
            }
        }
    }

    /// The name of the compression, if any.
    pub(crate) fn compression(&self) -> Option<&'static str> {
        self.bytes.compression()
    }

    /// Bytes behind the compressed stream that were passed over and are not mere padding.
    pub(crate) fn ignored(&self) -> u64 {
        self.bytes.ignored()
    }

    /// Bytes consumed of the file as it is stored.
    pub(crate) fn consumed(&self) -> u64 {
        self.bytes.consumed()
    }

    /// Bytes of the file as it is stored that were passed over; an estimate if it is compressed.
    pub(crate) fn delivered(&self) -> u64 {
        let passed = u128::from(self.offset) + self.lent as u128;
        let decompressed = u128::from(self.offset) + (self.end - self.start) as u128;
        let delivered = u128::from(self.consumed()) * passed / decompressed.max(1);
        u64::try_from(delivered).unwrap_or(u64::MAX)
    }
}
