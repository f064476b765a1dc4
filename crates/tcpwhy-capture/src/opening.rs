//! Finds out which of the inputs can be read, and where in time each begins.

use crate::clocks;
use crate::error::Error;
use crate::foreign::Foreign;
use crate::inputs::{Item, Listing};
use crate::interfaces::{Interfaces, Lanes};
use crate::natural;
use crate::note::{Note, NoteKind};
use crate::reader::Reader;
use crate::source::{Source, State};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use tcpwhy_core::units::Nanos;

/// A source and the time of its first packet.
pub(crate) struct Start {
    pub(crate) time: Nanos,
    pub(crate) source: Source,
}

impl Start {
    /// The order of the files, however they were named: where packets of two files have the same time, the file that began before goes
    /// first, for a rotation may end and begin within one tick of the clock. Two that begin at the same time go by their names.
    fn compare(&self, other: &Self) -> Ordering {
        let (name, others) = (&self.source.item.name, &other.source.item.name);
        self.time.cmp(&other.time).then_with(|| natural::compare(name, others))
    }
}

/// The inputs, sorted out.
pub(crate) struct Opening {
    pub(crate) starts: Vec<Start>,
    pub(crate) notes: Vec<Note>,
    pub(crate) interfaces: Interfaces,
    pub(crate) lanes: Lanes,
    errors: Vec<Error>,
    /// Files of each directory that are no captures: how many, and one of them.
    passed_over: BTreeMap<String, (u64, String)>,
}

impl Opening {
    /// Opens every file and reads up to its first packet.
    ///
    /// A regular file is closed again, so that a rotation of a thousand files does not hold a
    /// thousand descriptors. A lone file is left alone after its header: nothing is compared with
    /// its first packet, which on a pipe may be long in coming.
    ///
    /// # Errors
    /// When nothing at all can be read: the first reason.
    pub(crate) fn new(listing: Listing) -> Result<Self, Error> {
        let Listing { items, notes, errors, .. } = listing;
        let mut opening = Self {
            starts: Vec::new(),
            notes,
            interfaces: Interfaces::default(),
            lanes: Lanes::default(),
            errors,
            passed_over: BTreeMap::new(),
        };
        let lone = items.len() == 1;
        for item in items {
            opening.add(item, lone);
        }
        opening.settle_directories();
        opening.starts.sort_by(Start::compare);
        clocks::settle(&mut opening.starts, &mut opening.notes);
        opening.starts.sort_by(Start::compare);
        opening.settle_errors()
    }

    fn add(&mut self, mut item: Item, lone: bool) {
        let stays_open = lone || !item.is_regular();
        // What is closed again gets its lane when it is opened for good.
        let lane = if stays_open { self.lanes.enter(&item.name, &[]) } else { 0 };
        let reader = match Source::open(&mut item, lane) {
            Ok(reader) => reader,
            Err(error) => {
                if stays_open {
                    self.lanes.leave(lane);
                }
                return self.refuse(item, error);
            }
        };
        let start = if lone {
            let state = State::Open(Box::new(reader));
            Start { time: Nanos(i64::MIN), source: Source::new(item, state, lane) }
        } else {
            self.probe(item, reader, lane, stays_open)
        };
        self.starts.push(start);
    }

    fn probe(&mut self, item: Item, mut reader: Reader, lane: u32, stays_open: bool) -> Start {
        let first = if stays_open {
            reader.advance(&mut self.interfaces)
        } else {
            // Numbers are given when the file is opened for good, in the order of time.
            reader.advance(&mut Interfaces::default())
        };
        let state = match first {
            None => {
                let file = item.name.clone();
                let note = |kind| Note::new(file.clone(), kind);
                self.notes.extend(reader.notes().into_iter().map(note));
                if stays_open {
                    self.lanes.leave(lane);
                }
                State::Done(item.size().unwrap_or(reader.consumed()))
            }
            Some(_) if stays_open => State::Open(Box::new(reader)),
            Some(_) => State::Waiting,
        };
        Start { time: first.unwrap_or(Nanos::MAX), source: Source::new(item, state, lane) }
    }

    fn refuse(&mut self, item: Item, error: Error) {
        match (error, item.directory) {
            (Error::NotCapture { foreign, .. }, Some(directory))
                if !foreign.is_some_and(Foreign::is_capture) =>
            {
                let (count, _) = self.passed_over.entry(directory).or_insert((0, item.name));
                *count += 1;
            }
            (error, _) => self.errors.push(error),
        }
    }

    fn settle_directories(&mut self) {
        for (directory, (count, example)) in std::mem::take(&mut self.passed_over) {
            let here = |start: &Start| start.source.item.directory.as_ref() == Some(&directory);
            if self.starts.iter().any(here) {
                let kind = NoteKind::NotCaptures { count, example };
                self.notes.push(Note::new(directory, kind));
            } else {
                self.errors.push(Error::NoCaptures { directory });
            }
        }
    }

    /// Why nothing can be read. That files are empty says less than that the others are no captures.
    fn first_reason(self) -> Error {
        let telling = |e: &Error| !matches!(e, Error::Empty { .. });
        let first = self.errors.iter().position(telling).unwrap_or(0);
        self.errors.into_iter().nth(first).unwrap_or(Error::NoInput)
    }

    fn settle_errors(mut self) -> Result<Self, Error> {
        if self.starts.is_empty() {
            return Err(self.first_reason());
        }
        for error in std::mem::take(&mut self.errors) {
            let note = match error {
                Error::Empty { file } => Note::new(file, NoteKind::Empty),
                error => {
                    let kind = NoteKind::NotRead(error.to_string());
                    Note::new(error.file().to_owned(), kind)
                }
            };
            self.notes.push(note);
        }
        Ok(self)
    }
}
