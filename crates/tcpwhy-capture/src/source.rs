//! One file of a capture: waiting, open, or read to its end.

use crate::bytes::{Bytes, Source as RawSource};
use crate::error::Error;
use crate::inputs::{Item, Place};
use crate::reader::Reader;
use std::fs::File;
use std::io;
use tcpwhy_core::units::Nanos;

/// A file of which this part is left is about to end.
const LAST_PART: u64 = 64;

/// A file and how far it has been read.
pub(crate) struct Source {
    pub(crate) item: Item,
    pub(crate) state: State,
    pub(crate) lane: u32,
    /// How far its clock is ahead of the others'.
    pub(crate) ahead: Nanos,
}

pub(crate) enum State {
    /// Its turn has not come: a regular file, closed.
    Waiting,
    Open(Box<Reader>),
    /// Read to its end, with the bytes that were read of it.
    Done(u64),
}

impl Source {
    /// A file whose clock is taken to be right.
    pub(crate) fn new(item: Item, state: State, lane: u32) -> Self {
        Self { item, state, lane, ahead: Nanos::ZERO }
    }

    /// Opens the file, reads its header, and returns the reader.
    pub(crate) fn open(item: &mut Item, lane: u32) -> Result<Reader, Error> {
        let failed = |source: io::Error| Error::Open { file: item.name.clone(), source };
        let raw: RawSource = match &mut item.place {
            Place::File(path, _) | Place::Stream(path) => {
                Box::new(File::open(path).map_err(failed)?)
            }
            Place::Stdin => Box::new(io::stdin()),
            Place::Handed(source) => source.take().unwrap_or_else(|| Box::new(io::empty())),
        };
        let bytes = Bytes::new(raw).map_err(failed)?;
        Reader::open(&item.name, bytes, lane)
    }

    /// The reader, while the file is open.
    #[inline]
    pub(crate) fn reader(&self) -> Option<&Reader> {
        match &self.state {
            State::Open(reader) => Some(reader),
            _ => None,
        }
    }

    /// The reader, while the file is open, to move it on.
    #[inline]
    pub(crate) fn reader_mut(&mut self) -> Option<&mut Reader> {
        match &mut self.state {
            State::Open(reader) => Some(reader),
            _ => None,
        }
    }

    /// Whether whoever asks for the packet after the one at hand may have to wait for somebody who writes.
    #[inline]
    pub(crate) fn may_wait(&self) -> bool {
        self.item.size().is_none() && self.reader().is_none_or(Reader::is_dry)
    }

    /// Bytes consumed of the file as it is stored.
    pub(crate) fn consumed(&self) -> u64 {
        match &self.state {
            State::Waiting => 0,
            State::Open(reader) => reader.consumed(),
            State::Done(consumed) => *consumed,
        }
    }

    /// Whether it is open and all but a last small part of it was delivered.
    pub(crate) fn is_ending(&self) -> bool {
        let size = self.item.size().unwrap_or(u64::MAX);
        self.reader().is_some_and(|reader| reader.delivered() >= size - size / LAST_PART)
    }
}
