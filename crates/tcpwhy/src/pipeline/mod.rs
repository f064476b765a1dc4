//! Reading, decoding and sorting on a thread of their own, the rest of the analysis on the caller's. Where that falls behind, the
//! reading thread judges some of the connections itself; where it runs out of work, it decodes what the reading thread sorts then.

mod board;
mod clock;
mod counts;
mod decoder;
mod reader;

use crate::error::Error;
use crate::filter::Span;
use crate::open_files;
use crate::progress::Progress;
use board::{Board, ToJudge};
use decoder::Decoder;
use reader::Reader;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tcpwhy_capture::{Capture, Input};
use tcpwhy_core::analysis::{Arrivals, Conclusion, Judge, Judged, Period, Runs};
use tcpwhy_core::model::Connection;
use tcpwhy_report::Source;

/// Frames that the judging thread decodes at a time.
const SOME: usize = 256;

/// What the reading thread passes on.
#[derive(Debug)]
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
    board: Left,
    period: Period,
    reader: JoinHandle<Read>,
}

/// The board, as long as somebody listens.
struct Left(Arc<Board>);

impl Drop for Left {
    fn drop(&mut self) {
        self.0.leave();
    }
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
pub(crate) fn read(mut capture: Capture, span: Span, progress: Progress) -> Result<Reading, Error> {
    // Captures of many hosts that overlap in time are open together.
    open_files::allow();
    let period = span.period(&mut capture);
    let mut decoder = Decoder::new(capture, progress, span);
    decoder.prompt &= !board::has_one_processor();
    begin(decoder, period)
}

fn begin(decoder: Decoder, period: Period) -> Result<Reading, Error> {
    let board = Arc::new(Board::new(decoder));
    let reader = Reader::new(Arc::clone(&board), period);
    let reader = thread::Builder::new().name("reader".to_owned()).spawn(|| reader.run());
    Ok(Reading { board: Left(board), period, reader: reader.map_err(Error::Thread)? })
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
        let Self { board, period, reader } = self;
        let (mut judge, mut conclusion) = (Judge::of(period), Conclusion::new());
        loop {
            match board.0.to_judge() {
                ToJudge::Judge(Batch { mut runs, judged }) => {
                    judge.take(&mut runs);
                    board.0.judged(runs);
                    take(conclusion.take(judge.take_finished().into_iter().chain(judged)))?;
                }
                ToJudge::Decode(decoder, room) => decode(&board.0, decoder, room),
                ToJudge::Finish => break,
            }
        }
        Ok(reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}

/// Decodes until there is enough for the reading thread.
fn decode(board: &Board, mut decoder: Box<Decoder>, room: Arrivals) {
    let mut room = Some(room);
    while !decoder.is_done()
        && let Some(mut arrivals) = room
    {
        decoder.read(SOME, &mut arrivals);
        room = board.decoded(arrivals);
    }
    board.put_back(decoder);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn corpus() -> Capture {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        tcpwhy_capture::open(&[Input::Path(corpus)]).unwrap()
    }

    /// Of all of them; both threads may decode if it is `prompt`.
    pub(super) fn decoder(prompt: bool) -> Decoder {
        let mut decoder = Decoder::new(corpus(), Progress::Hidden, Span::whole());
        assert!(decoder.prompt, "files never wait");
        decoder.prompt = prompt;
        decoder
    }

    fn read_all(prompt: bool) -> (Vec<String>, Read) {
        let mut all = Vec::new();
        let read = begin(decoder(prompt), Period::default()).unwrap().each(|connections| {
            all.extend(connections.iter().map(|connection| format!("{connection:?}")));
            Ok(())
        });
        (all, read.unwrap())
    }

    #[test]
    fn whoever_decodes_the_answer_is_the_same() {
        let (alone, read) = read_all(false);
        assert!(alone.len() > 20 && read.source.packets > 50_000, "{}", alone.len());
        for _ in 0..4 {
            let (helped, also) = read_all(true);
            assert_eq!(helped, alone);
            assert_eq!(also.source.tcp_packets, read.source.tcp_packets);
        }
    }

    #[test]
    fn the_reading_thread_ends_when_nobody_listens() {
        let reading = read(corpus(), Span::whole(), Progress::Hidden).unwrap();
        let Reading { board, reader, .. } = reading;
        drop(board);
        assert!(reader.join().is_ok());
    }
}
