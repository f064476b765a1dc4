//! Reading and decoding on a thread of their own, analysis on the caller's.

mod counts;

use crate::error::Error;
use crate::filter::{Choice, Span};
use crate::progress::Progress;
use counts::Counts;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use tcpwhy_capture::{Capture, Input};
use tcpwhy_core::analysis::Analyzer;
use tcpwhy_core::decode::{Decoded, decode};
use tcpwhy_core::model::Connection;
use tcpwhy_core::observe::Segment;
use tcpwhy_report::Source;

/// Segments handed over at a time: large enough that the hand-over costs nothing, small enough to
/// stay in the cache.
const BATCH: usize = 1024;
/// Batches in flight.
const QUEUE: usize = 4;
/// Frames between two looks at the progress.
const FRAMES_PER_LOOK: u64 = 4096;

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

/// A capture that is being read.
pub(crate) struct Reading {
    full: Receiver<Batch>,
    empty: SyncSender<Batch>,
    reader: JoinHandle<Read>,
}

/// Some segments. The storage keeps its length, so that segments are decoded in place.
struct Batch {
    segments: Vec<Segment>,
    used: usize,
}

impl Batch {
    fn new() -> Self {
        Self { segments: vec![Segment::default(); BATCH], used: 0 }
    }
}

/// Starts to read.
///
/// # Errors
/// An input cannot be opened or is not a capture.
pub(crate) fn start(inputs: &[Input], span: Span) -> Result<Reading, Error> {
    let capture = tcpwhy_capture::open(inputs)?;
    let (to_analysis, full) = sync_channel(QUEUE);
    let (empty, to_reader) = sync_channel(QUEUE);
    let work =
        move || Reader { capture, span, counts: Counts::default() }.run(&to_analysis, &to_reader);
    let reader = thread::Builder::new().name("reader".to_owned()).spawn(work);
    Ok(Reading { full, empty, reader: reader.map_err(Error::Thread)? })
}

impl Reading {
    /// Hands over all segments in order, some at a time.
    ///
    /// # Errors
    /// The first that `analyse` returns; reading then stops.
    pub(crate) fn each(
        self,
        mut analyse: impl FnMut(&[Segment]) -> Result<(), Error>,
    ) -> Result<Read, Error> {
        for batch in &self.full {
            analyse(batch.segments.get(..batch.used).unwrap_or_default())?;
            // A full queue, or a reader that is done, has no use for it.
            let _ = self.empty.try_send(batch);
        }
        Ok(self.reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}

/// Analyses all of it: the connections that `choice` takes, in the order of their numbers.
///
/// # Errors
/// See [`Reading::each`].
pub(crate) fn collect(reading: Reading, choice: &Choice) -> Result<(Read, Vec<Connection>), Error> {
    let mut analyzer = Analyzer::new();
    let mut connections = Vec::new();
    let read = reading.each(|segments| {
        analyzer.push_all(segments);
        connections.extend(analyzer.take_finished().into_iter().filter(|c| choice.takes(c)));
        Ok(())
    })?;
    connections.extend(analyzer.finish().into_iter().filter(|c| choice.takes(c)));
    connections.sort_unstable_by_key(|c| c.id);
    Ok((read, connections))
}

/// The reading thread's state.
struct Reader {
    capture: Capture,
    span: Span,
    counts: Counts,
}

impl Reader {
    /// Reads to the end, to damage, or until nobody listens any more.
    fn run(mut self, full: &SyncSender<Batch>, empty: &Receiver<Batch>) -> Read {
        let progress = Progress::new(self.capture.progress().1);
        let mut error = None;
        loop {
            let mut batch = empty.try_recv().unwrap_or_else(|_| Batch::new());
            batch.used = 0;
            let more = self.fill(&mut batch, &progress);
            if full.send(batch).is_err() {
                break;
            }
            match more {
                Ok(true) => {}
                Ok(false) => break,
                Err(e) => {
                    error = Some(e.to_string());
                    break;
                }
            }
        }
        self.finish(error)
    }

    /// Fills a batch; whether there may be more.
    fn fill(
        &mut self,
        batch: &mut Batch,
        progress: &Progress,
    ) -> Result<bool, tcpwhy_capture::Error> {
        while let Some(slot) = batch.segments.get_mut(batch.used) {
            let Some(frame) = self.capture.next_frame()? else {
                return Ok(false);
            };
            if !self.span.takes(frame.time) {
                continue;
            }
            let decoded = decode(&frame, slot);
            self.counts.add(&decoded, frame.link);
            if matches!(decoded, Decoded::Segment) {
                batch.used += 1;
            }
            if self.counts.frames.is_multiple_of(FRAMES_PER_LOOK) {
                progress.set(self.capture.progress().0);
            }
        }
        Ok(true)
    }

    fn finish(self, error: Option<String>) -> Read {
        let damaged = error.is_some() || self.capture.damaged();
        let mut warnings: Vec<_> = self.capture.notes().iter().map(ToString::to_string).collect();
        warnings.extend(error);
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
