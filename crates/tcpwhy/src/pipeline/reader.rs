//! The reading thread: frames in, work for the judges out.

use super::counts::Counts;
use super::{Batch, QUEUE, Read};
use crate::filter::Span;
use crate::progress::Progress;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use tcpwhy_capture::Capture;
use tcpwhy_core::analysis::{Hand, Judge, Judged, Runs, Sorter, Work};
use tcpwhy_report::{Source, Warning};

/// Frames read between two hand-overs: enough that a hand-over costs nothing, few enough for their
/// packets to stay in the cache.
const BATCH: usize = 1024;
/// Frames decoded at a time.
const SOME: usize = 64;
/// Packets in a batch that waits for its turn; with more the reader waits.
const MOST: usize = 4 * BATCH;
/// The reading thread judges at most one packet of so many: reading is work enough for it where connections are long, and those stay
/// with the judge that they began with.
const HELP: usize = 4;

/// Where the reading thread's work goes.
pub(super) struct Outlet {
    full: SyncSender<Batch>,
    empty: Receiver<Runs>,
}

/// Nobody listens any more.
struct Gone;

/// An outlet and its other end.
pub(super) fn outlet() -> (Outlet, Receiver<Batch>, SyncSender<Runs>) {
    let (full, to_judge) = sync_channel(QUEUE);
    let (to_reader, empty) = sync_channel(QUEUE);
    (Outlet { full, empty }, to_judge, to_reader)
}

/// What the reading thread judges itself.
#[derive(Default)]
struct Own {
    judge: Judge,
    judged: Vec<Judged>,
    packets: usize,
}

impl Own {
    /// Judges what there is to do for it.
    fn work(&mut self, runs: &mut Runs) {
        self.packets += runs.packets();
        self.judge.take(runs);
        self.judged.append(&mut self.judge.take_finished());
    }
}

/// The reading thread's state.
pub(super) struct Reader {
    capture: Capture,
    progress: Progress,
    span: Span,
    sorter: Sorter,
    work: Work,
    own: Own,
    /// Packets passed on.
    passed: usize,
    counts: Counts,
}

impl Reader {
    /// At the beginning of a capture.
    pub(super) fn new(capture: Capture, progress: Progress, span: Span) -> Self {
        let (sorter, work, own) = (Sorter::new(), Work::default(), Own::default());
        Self { capture, progress, span, sorter, work, own, passed: 0, counts: Counts::default() }
    }

    /// Reads to the end, to damage, or until nobody listens any more.
    pub(super) fn run(mut self, to: &Outlet) -> Read {
        // Whoever does not listen any more does not want the rest.
        let error = self.read_all(to).unwrap_or_default();
        self.finish(error.map(|error| error.to_string()))
    }

    fn read_all(&mut self, to: &Outlet) -> Result<Option<tcpwhy_capture::Error>, Gone> {
        let mut more = Ok(true);
        while matches!(more, Ok(true)) {
            more = self.fill();
            self.sorter.make_room(&mut self.work);
            self.progress.set(self.capture.progress().0);
            self.pass_on(to)?;
        }
        self.sorter.close(&mut self.work);
        while self.sorter.end_some(BATCH, &mut self.work) {
            self.pass_on(to)?;
        }
        self.own.work(self.work.of(Hand::Second));
        let last = self.batch();
        to.full.send(last).map_err(|_| Gone)?;
        Ok(more.err())
    }

    /// Passes on what there is to do. While the other thread has enough to do, it waits here, and connections that begin are judged here.
    fn pass_on(&mut self, to: &Outlet) -> Result<(), Gone> {
        self.own.work(self.work.of(Hand::Second));
        let packets = self.work.of(Hand::First).packets();
        let batch = self.batch();
        if batch.runs.is_empty() && batch.judged.is_empty() {
            return Ok(());
        }
        match to.full.try_send(batch) {
            Err(TrySendError::Full(Batch { runs, judged })) if packets < MOST => {
                *self.work.of(Hand::First) = runs;
                self.own.judged = judged;
                let may_help = self.own.packets * HELP <= self.own.packets + self.passed;
                self.work.begin_with(if may_help { Hand::Second } else { Hand::First });
                return Ok(());
            }
            Err(TrySendError::Full(batch)) => to.full.send(batch).map_err(|_| Gone)?,
            Err(TrySendError::Disconnected(_)) => return Err(Gone),
            Ok(()) => {}
        }
        self.passed += packets;
        self.work.begin_with(Hand::First);
        *self.work.of(Hand::First) = to.empty.try_recv().unwrap_or_default();
        Ok(())
    }

    /// Everything that can be passed on.
    fn batch(&mut self) -> Batch {
        let runs = std::mem::take(self.work.of(Hand::First));
        Batch { runs, judged: std::mem::take(&mut self.own.judged) }
    }

    /// Reads some frames; whether there may be more.
    fn fill(&mut self) -> Result<bool, tcpwhy_capture::Error> {
        for _ in 0..BATCH / SOME {
            let more = self.read_some();
            self.sorter.settle(&mut self.work);
            if !more? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Decodes a few frames; whether there may be more.
    fn read_some(&mut self) -> Result<bool, tcpwhy_capture::Error> {
        let Self { capture, span, sorter, counts, .. } = self;
        capture.next_frames(SOME, |frame| {
            if span.takes(frame.time) {
                counts.add(&sorter.read(frame), frame.link);
            }
        })
    }

    fn finish(self, error: Option<String>) -> Read {
        let damaged = error.is_some() || self.capture.damaged();
        let notes = self.capture.notes();
        let mut warnings: Vec<_> =
            notes.iter().map(|note| Warning::new(|language| note.text(language))).collect();
        warnings.extend(error.as_deref().map(Warning::from));
        warnings.extend(self.counts.warnings());
        let source = Source {
            files: self.capture.files().to_vec(),
            packets: self.counts.frames,
            tcp_packets: self.counts.tcp,
            warnings,
        };
        Read { source, damaged, unsupported: self.counts.only_unsupported() }
    }
}
