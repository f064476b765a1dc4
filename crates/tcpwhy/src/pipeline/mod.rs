//! Reading, decoding and sorting on a thread of their own, the rest of the analysis on the caller's. Where that falls behind, the
//! reading thread judges some of the connections itself.

mod counts;
mod reader;

use crate::error::Error;
use crate::filter::Span;
use crate::progress::Progress;
use reader::Reader;
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread::{self, JoinHandle};
use tcpwhy_capture::{Capture, Input};
use tcpwhy_core::analysis::{Conclusion, Judge, Judged, Runs};
use tcpwhy_core::model::Connection;
use tcpwhy_report::Source;

/// Batches in flight.
const QUEUE: usize = 4;
/// What the reading thread passes on.
#[derive(Debug, Default)]
struct Batch {
    /// To be judged.
    runs: Runs,
    /// What it has judged itself.
    judged: Vec<Judged>,
}

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
    full: Receiver<Batch>,
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
    let (outlet, full, empty) = reader::outlet();
    let reader = Reader::new(capture, progress, span);
    let run = move || reader.run(&outlet);
    let reader = thread::Builder::new().name("reader".to_owned()).spawn(run);
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
        let (mut judge, mut conclusion) = (Judge::new(), Conclusion::new());
        for Batch { mut runs, judged } in &self.full {
            judge.take(&mut runs);
            take(conclusion.take(judge.take_finished().into_iter().chain(judged)))?;
            // A full queue, or a reader that is done, has no use for it.
            let _ = self.empty.try_send(runs);
        }
        Ok(self.reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}
