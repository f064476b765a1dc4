//! Frames in, packets out: the part of the work that any thread may do.

use super::clock;
use super::counts::Counts;
use crate::filter::Span;
use crate::progress::Progress;
use tcpwhy_capture::{Capture, gathered};
use tcpwhy_core::analysis::{Arrivals, CaptureClock, Sorter};
use tcpwhy_core::decode::{Decoded, Frame};
use tcpwhy_report::{Source, Warning};

/// A capture that is being decoded.
pub(super) struct Decoder {
    capture: Capture,
    progress: Progress,
    span: Span,
    counts: Counts,
    clock: CaptureClock,
    /// Whether there may be more frames.
    more: bool,
    /// Reading never waits for somebody who writes.
    pub(super) prompt: bool,
    /// Times that some were read.
    times: usize,
}

impl Decoder {
    /// At the beginning of a capture.
    pub(super) fn new(capture: Capture, progress: Progress, span: Span) -> Self {
        let prompt = capture.progress().1.is_some();
        let (counts, clock) = (Counts::default(), CaptureClock::default());
        Self { capture, progress, span, counts, clock, more: true, prompt, times: 0 }
    }

    /// Whether all frames were read, or as many as can be.
    pub(super) fn is_done(&self) -> bool {
        !self.more
    }

    /// Whether the next frame may have to be waited for.
    pub(super) fn may_wait(&self) -> bool {
        self.capture.may_wait()
    }

    /// Decodes some frames for whoever sorts them later.
    pub(super) fn read(&mut self, frames: usize, arrivals: &mut Arrivals) {
        self.each(frames, |frame| arrivals.read(frame));
    }

    /// As [`Decoder::read`], for `sorter`, which sorts them next.
    pub(super) fn read_for(&mut self, sorter: &Sorter, frames: usize, arrivals: &mut Arrivals) {
        self.each(frames, |frame| sorter.read(frame, arrivals));
    }

    /// Decodes some frames, and shows the progress from time to time: there may be many files to ask for it.
    #[inline(always)]
    fn each(&mut self, frames: usize, mut decode: impl FnMut(&Frame<'_>) -> Decoded) {
        let Self { capture, span, counts, clock, .. } = self;
        self.more = capture.next_frames(frames, |frame| {
            clock.see(frame);
            let decoded = decode(frame);
            if span.takes(frame.time) {
                counts.add(&decoded, frame.link);
            }
        });
        self.times += 1;
        if self.times.is_multiple_of(32) || self.is_done() {
            self.progress.set(self.capture.progress().0);
        }
    }

    /// What was read, once all is.
    pub(super) fn finish(self) -> super::Read {
        let damaged = self.capture.damaged();
        let notes = gathered(&self.capture.notes());
        let mut warnings: Vec<_> =
            notes.iter().map(|note| Warning::new(|language| note.text(language))).collect();
        warnings.extend(self.counts.warnings());
        let began = self.clock.began();
        warnings.extend(self.clock.step().map(clock::warning));
        let source = Source {
            files: self.capture.files().to_vec(),
            began,
            packets: self.counts.frames,
            tcp_packets: self.counts.tcp,
            warnings,
        };
        super::Read { source, damaged, unsupported: self.counts.only_unsupported() }
    }
}
