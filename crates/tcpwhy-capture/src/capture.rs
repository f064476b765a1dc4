//! All files as one stream of frames in the order of time.

use crate::error::Error;
use crate::inputs::{Input, Item, Listing, Place};
use crate::interfaces::{Interfaces, Lanes};
use crate::note::{Note, NoteKind};
use crate::opening::{Opening, Start};
use crate::reader::Reader;
use crate::source::{Source, State};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::io::Read;
use tcpwhy_core::decode::Frame;
use tcpwhy_core::units::Nanos;

/// An open capture: one file, or several merged.
pub struct Capture {
    files: Vec<String>,
    /// In the order of `files`.
    sources: Vec<Source>,
    /// The sources whose turn may come, by the time of their next packet, then by position.
    queue: BinaryHeap<Reverse<(Nanos, usize)>>,
    /// The source whose packet was delivered last.
    current: Option<usize>,
    /// Frame number of the packet delivered last.
    number: u64,
    interfaces: Interfaces,
    lanes: Lanes,
    /// Notes about files that are done with.
    notes: Vec<Note>,
}

impl fmt::Debug for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture")
            .field("files", &self.files)
            .field("number", &self.number)
            .field("progress", &self.progress())
            .finish_non_exhaustive()
    }
}

/// Opens captures: files, directories, the standard input.
///
/// The files are merged by the time of their packets; where two have packets of the same time, the file that begins first goes first, and
/// of two that begin together the first by name, numbers in it counted. So the order of the inputs does not matter. Packets of one file
/// stay in the order of the file, whatever their times.
///
/// # Errors
/// When nothing at all can be read. A file that cannot be read beside others that can is a note.
pub fn open(inputs: &[Input]) -> Result<Capture, Error> {
    Opening::new(Listing::new(inputs)).map(Capture::new)
}

impl Capture {
    /// Reads one capture from any source of bytes; `name` is what notes and errors call it.
    ///
    /// # Errors
    /// When the source cannot be read or does not start as a capture does.
    pub fn from_reader(
        name: impl Into<String>,
        source: impl Read + Send + 'static,
    ) -> Result<Self, Error> {
        let place = Place::Handed(Some(Box::new(source)));
        let item = Item { name: name.into(), place, directory: None };
        Opening::new(Listing::of(item)).map(Self::new)
    }

    fn new(opening: Opening) -> Self {
        let Opening { starts, notes, interfaces, lanes, .. } = opening;
        let waits = |(i, start): (usize, &Start)| match start.source.state {
            State::Done(_) => None,
            _ => Some(Reverse((start.time, i))),
        };
        Self {
            files: starts.iter().map(|start| start.source.item.name.clone()).collect(),
            queue: starts.iter().enumerate().filter_map(waits).collect(),
            sources: starts.into_iter().map(|start| start.source).collect(),
            current: None,
            number: 0,
            interfaces,
            lanes,
            notes,
        }
    }

    /// Next frame of all files merged in time order, or `None` at the end.
    ///
    /// Frame numbers count every frame of the merged stream from 1; for one file they are
    /// Wireshark's. Interfaces are numbered over all files: files that follow each other without
    /// overlap are taken for one recording, whose interfaces keep their numbers.
    ///
    /// A damaged file ends, and so does one that cannot be opened any more; [`Capture::notes`] says where and why.
    #[inline]
    pub fn next_frame(&mut self) -> Option<Frame<'_>> {
        let turn = self.turn()?;
        let reader = self.sources.get(turn).and_then(Source::reader);
        reader.and_then(|reader| reader.frame(&mut self.number))
    }

    /// Hands over the next frames of those that [`Capture::next_frame`] would return one by one, `most` of them at most; false when there
    /// are no more. It costs less where many follow each other in one file. Of a stream, what is there already is handed over before more is
    /// waited for.
    #[inline]
    pub fn next_frames(&mut self, most: usize, mut take: impl FnMut(&Frame<'_>)) -> bool {
        let mut left = most;
        while left > 0 {
            let Some(turn) = self.turn() else { return false };
            let latest = match self.queue.peek() {
                Some(Reverse((time, next))) if turn < *next => *time,
                Some(Reverse((time, _))) => *time - Nanos(1),
                None => Nanos::MAX,
            };
            let reader = self.sources.get_mut(turn).and_then(Source::reader_mut);
            let run = reader.and_then(|r| r.run(latest, &mut self.number, left, &mut take));
            let Some(run) = run else { return false };
            left -= run;
            if self.may_wait() {
                break;
            }
        }
        true
    }

    /// Whether the next frame may have to be waited for, because somebody is still to write it.
    #[inline]
    pub fn may_wait(&self) -> bool {
        let source = self.current.and_then(|current| self.sources.get(current));
        source.is_some_and(Source::may_wait)
    }

    /// Time of the next frame, which is still to be read; `None` at the end. It waits for whoever writes.
    pub fn next_time(&mut self) -> Option<Nanos> {
        let turn = self.turn()?;
        self.current = None;
        let time = self.sources.get(turn).and_then(Source::reader).map(Reader::time);
        self.queue.extend(time.map(|time| Reverse((time, turn))));
        time
    }

    /// Display names of the files that are read.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Bytes consumed of the files as they are stored (compressed or not), and how many there are
    /// if that is known.
    pub fn progress(&self) -> (u64, Option<u64>) {
        let consumed = self.sources.iter().map(Source::consumed).sum();
        let total = self.sources.iter().map(|source| source.item.size()).sum();
        (consumed, total)
    }

    /// What there is to say about the files so far; all of it after the end.
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = self.notes.clone();
        for source in &self.sources {
            notes.extend(notes_of(source));
        }
        notes
    }

    /// Whether some of the input was not read because it is cut, corrupt or unreadable. Everything
    /// before that was delivered.
    pub fn damaged(&self) -> bool {
        self.notes().iter().any(|note| note.kind.is_damage())
    }

    /// The source whose next packet comes first, with that packet at hand.
    #[inline]
    fn turn(&mut self) -> Option<usize> {
        if let Some(current) = self.current.take()
            && let Some(time) = self.advance(current)
        {
            let next = Reverse((time, current));
            if self.queue.peek().is_none_or(|first| *first < next) {
                self.current = Some(current);
                return self.current;
            }
            self.queue.push(next);
        }
        while let Some(Reverse((_, first))) = self.queue.pop() {
            if self.load(first) {
                self.current = Some(first);
                return self.current;
            }
        }
        None
    }

    /// Moves a source to its next packet and returns its time; `None` when it has ended.
    #[inline]
    fn advance(&mut self, index: usize) -> Option<Nanos> {
        let source = self.sources.get_mut(index)?;
        if let State::Open(reader) = &mut source.state
            && let Some(time) = reader.advance(&mut self.interfaces)
        {
            return Some(time);
        }
        self.finish(index);
        None
    }

    /// Has a packet of the source at hand, opening the file if need be; false when there is none.
    fn load(&mut self, index: usize) -> bool {
        let Some(source) = self.sources.get(index) else { return false };
        if matches!(source.state, State::Waiting) {
            self.open(index);
        } else if source.reader().is_some_and(Reader::has_packet) {
            return true;
        }
        self.advance(index).is_some()
    }

    /// Opens a file whose turn has come. The others are read whether it can be or not.
    fn open(&mut self, index: usize) {
        let ending = self.sources.iter().filter(|source| source.is_ending());
        let ending: Vec<u32> = ending.map(|source| source.lane).collect();
        if let Some(source) = self.sources.get_mut(index) {
            source.lane = self.lanes.enter(&source.item.name, &ending);
            match Source::open(&mut source.item, source.lane) {
                Ok(reader) => source.state = State::Open(Box::new(reader.taken_back(source.ahead))),
                Err(error) => {
                    let kind = NoteKind::NotRead(error.to_string());
                    self.notes.push(Note::new(source.item.name.clone(), kind));
                }
            }
        }
    }

    /// Closes a source that has ended.
    #[cold]
    fn finish(&mut self, index: usize) {
        let Some(source) = self.sources.get_mut(index) else { return };
        self.notes.extend(notes_of(source));
        self.lanes.leave(source.lane);
        source.state = State::Done(source.item.size().unwrap_or(source.consumed()));
    }
}

/// The notes of a source that is open.
fn notes_of(source: &Source) -> impl Iterator<Item = Note> {
    let kinds: Vec<NoteKind> = source.reader().map(|reader| reader.notes()).unwrap_or_default();
    let file = source.item.name.clone();
    kinds.into_iter().map(move |kind| Note::new(file.clone(), kind))
}
