//! Reading, decoding and sorting on a thread of their own, the rest of the analysis on the caller's.

mod counts;

use crate::error::Error;
use crate::filter::Span;
use crate::progress::Progress;
use counts::Counts;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use tcpwhy_capture::{Capture, Input};
use tcpwhy_core::analysis::{Judge, Runs, Sorter};
use tcpwhy_core::model::Connection;
use tcpwhy_report::{Source, Warning};

/// Frames read between two hand-overs: enough that a hand-over costs nothing, few enough for their
/// packets to stay in the cache.
const BATCH: usize = 1024;
/// Frames decoded at a time.
const SOME: usize = 32;
/// Batches in flight.
const QUEUE: usize = 4;

/// What was read, once all is read.
#[derive(Debug)]
pub(crate) struct Read {
    /// Files, counts and warnings.
    pub source: Source,
    /// The input ends early or is corrupt; what came before it was read.
    pub damaged: bool,
    /// Names of the link types that cannot be decoded, if no frame was of another.
    pub unsupported: Option<String>,
}

impl Read {
    /// Whether anything could be decoded.
    ///
    /// # Errors
    /// Every frame is of a link type that is not read.
    pub(crate) fn decoded(&self) -> Result<(), Error> {
        let Some(links) = self.unsupported.clone() else { return Ok(()) };
        Err(Error::LinkType { files: self.source.files.join(", "), links })
    }
}

/// A capture that is being read.
pub(crate) struct Reading {
    full: Receiver<Runs>,
    empty: SyncSender<Runs>,
    reader: JoinHandle<Read>,
}

/// Starts to read.
///
/// # Errors
/// An input cannot be opened or is not a capture.
pub(crate) fn start(inputs: &[Input], span: Span) -> Result<Reading, Error> {
    let capture = tcpwhy_capture::open(inputs)?;
    let progress = Progress::shown(capture.progress().1);
    read(capture, span, progress)
}

/// Starts to read what is open already.
///
/// # Errors
/// The system refuses a thread.
pub(crate) fn read(capture: Capture, span: Span, progress: Progress) -> Result<Reading, Error> {
    let (to_analysis, full) = sync_channel(QUEUE);
    let (empty, to_reader) = sync_channel(QUEUE);
    let reader =
        Reader { capture, progress, span, sorter: Sorter::new(), counts: Counts::default() };
    let work = move || reader.run(&to_analysis, &to_reader);
    let reader = thread::Builder::new().name("reader".to_owned()).spawn(work);
    Ok(Reading { full, empty, reader: reader.map_err(Error::Thread)? })
}

impl Reading {
    /// Judges all connections; hands them over as they end, some at a time.
    ///
    /// # Errors
    /// The first that `take` returns; reading then stops.
    pub(crate) fn each(
        self,
        mut take: impl FnMut(Vec<Connection>) -> Result<(), Error>,
    ) -> Result<Read, Error> {
        let mut judge = Judge::new();
        for mut runs in &self.full {
            judge.take(&runs);
            take(judge.take_finished())?;
            runs.clear();
            // A full queue, or a reader that is done, has no use for it.
            let _ = self.empty.try_send(runs);
        }
        Ok(self.reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}

/// The reading thread's state.
struct Reader {
    capture: Capture,
    progress: Progress,
    span: Span,
    sorter: Sorter,
    counts: Counts,
}

impl Reader {
    /// Reads to the end, to damage, or until nobody listens any more.
    fn run(mut self, full: &SyncSender<Runs>, empty: &Receiver<Runs>) -> Read {
        let mut more = Ok(true);
        while matches!(more, Ok(true)) {
            let mut runs = empty.try_recv().unwrap_or_default();
            more = self.fill(&mut runs);
            self.progress.set(self.capture.progress().0);
            if !runs.is_empty() && full.send(runs).is_err() {
                return self.finish(None);
            }
        }
        let mut rest = Runs::default();
        std::mem::take(&mut self.sorter).finish(&mut rest);
        // Nobody listens any more: nobody wants it.
        let _ = full.send(rest);
        self.finish(more.err().map(|error| error.to_string()))
    }

    /// Reads some frames; whether there may be more.
    fn fill(&mut self, runs: &mut Runs) -> Result<bool, tcpwhy_capture::Error> {
        for _ in 0..BATCH / SOME {
            let more = self.read_some();
            self.sorter.settle(runs);
            if !more? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Decodes a few frames; whether there may be more.
    fn read_some(&mut self) -> Result<bool, tcpwhy_capture::Error> {
        for _ in 0..SOME {
            let Some(frame) = self.capture.next_frame()? else {
                return Ok(false);
            };
            if !self.span.takes(frame.time) {
                continue;
            }
            self.counts.add(&self.sorter.read(&frame), frame.link);
        }
        Ok(true)
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
