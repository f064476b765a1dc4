//! A file that is written for long: whole records only, in a bounded number of bytes, whatever ends the writer or fills the disk.
//!
//! The newest part has the file's own name (`samples.ndjson`), older ones a number (`samples.000001.ndjson`), the oldest the lowest.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Bytes that are written at a time.
const BUFFER: usize = 1 << 18;
/// Parts of a ring: when the oldest goes, this part of what was kept goes with it.
const PARTS: u64 = 8;

/// How much of a file is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Bytes of a part.
    part: u64,
    /// Bytes at which writing ends.
    most: u64,
}

impl Keep {
    /// All of it, up to `most` bytes.
    #[must_use]
    pub fn first(most: u64) -> Self {
        Self { part: u64::MAX, most }
    }

    /// The newest `bytes`, and nothing more after `most` bytes in all.
    #[must_use]
    pub fn newest(bytes: u64, most: u64) -> Self {
        Self { part: (bytes / PARTS).max(1), most }
    }
}

/// The file and its older parts.
#[derive(Debug)]
pub struct Parts {
    path: PathBuf,
    keep: Keep,
    file: File,
    /// What every part begins with.
    head: Vec<u8>,
    /// Whole records that are not written yet.
    buffer: Vec<u8>,
    /// Where in the buffer each of them ends.
    ends: Vec<usize>,
    /// Bytes of the newest part that are written; they end with a whole record.
    written: u64,
    /// Bytes of all records, those of parts that are gone included.
    total: u64,
    older: VecDeque<(PathBuf, u64)>,
    next: u32,
    discarded: u64,
    failed: bool,
}

impl Parts {
    /// Makes (or overwrites) the file.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(path: &Path, keep: Keep) -> io::Result<Self> {
        Ok(Self {
            file: File::create(path)?,
            path: path.to_owned(),
            keep,
            head: Vec::new(),
            buffer: Vec::with_capacity(BUFFER),
            ends: Vec::new(),
            written: 0,
            total: 0,
            older: VecDeque::new(),
            next: 1,
            discarded: 0,
            failed: false,
        })
    }

    /// Adds a record with which every later part begins, too.
    ///
    /// # Errors
    /// As [`Parts::flush`].
    pub fn push_head(&mut self, record: &[u8]) -> io::Result<()> {
        self.head.extend_from_slice(record);
        self.push(record)
    }

    /// Adds a whole record, to a new part where the newest has its size; it is written when there are enough of them, or by
    /// [`Parts::flush`].
    ///
    /// # Errors
    /// As [`Parts::flush`].
    pub fn push(&mut self, record: &[u8]) -> io::Result<()> {
        if self.failed {
            return Ok(());
        }
        if self.is_due() {
            self.rotate()?;
        }
        self.buffer.extend_from_slice(record);
        self.ends.push(self.buffer.len());
        self.total += record.len() as u64;
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Whether the newest part has its size.
    fn is_due(&self) -> bool {
        let size = self.written + self.buffer.len() as u64;
        size >= self.keep.part && size > self.head.len() as u64
    }

    /// Begins a new part, and lets the oldest go.
    fn rotate(&mut self) -> io::Result<()> {
        self.flush()?;
        let name = self.path.with_extension(format!(
            "{:06}.{}",
            self.next,
            self.path.extension().unwrap_or_default().to_string_lossy()
        ));
        fs::rename(&self.path, &name)?;
        self.next += 1;
        self.older.push_back((name, self.written));
        // The part that begins now is one of them.
        while self.older.len() as u64 >= PARTS {
            let Some((oldest, bytes)) = self.older.pop_front() else { break };
            fs::remove_file(oldest)?;
            self.discarded += bytes;
        }
        self.file = File::create(&self.path)?;
        self.written = 0;
        self.buffer.extend_from_slice(&self.head);
        self.ends.push(self.buffer.len());
        Ok(())
    }

    /// Hands everything to the system. Where the disk does not take it all the file ends with the last record that is whole, and later
    /// ones are dropped.
    ///
    /// # Errors
    /// What the system said, once.
    pub fn flush(&mut self) -> io::Result<()> {
        let done = self.file.write_all(&self.buffer);
        if done.is_ok() {
            self.written += self.buffer.len() as u64;
        } else {
            self.failed = true;
            let reached = self.file.metadata().map_or(self.written, |m| m.len());
            let whole = |end: &&usize| self.written + **end as u64 <= reached;
            let kept = self.ends.iter().rev().find(whole).copied().unwrap_or(0);
            self.written += kept as u64;
            // If that fails, too, the file ends in the middle of a record, which its readers can do with.
            let _ = self.file.set_len(self.written);
        }
        self.buffer.clear();
        self.ends.clear();
        done
    }

    /// Whether its bound is reached.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.total >= self.keep.most
    }

    /// Bytes of all records so far.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Bytes of the parts that were let go.
    #[must_use]
    pub fn discarded(&self) -> u64 {
        self.discarded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_ring_keeps_the_newest_records_and_every_part_begins_with_the_head() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.txt");
        let mut parts = Parts::create(&path, Keep::newest(80, u64::MAX)).unwrap();
        parts.push_head(b"head\n").unwrap();
        for n in 0..100 {
            parts.push(format!("{n:04}\n").as_bytes()).unwrap();
        }
        parts.flush().unwrap();
        let kept = names(folder.path());
        assert_eq!(kept.len(), 8, "{kept:?}");
        assert_eq!(kept.last().unwrap(), "x.txt");
        let read = |name: &String| fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(kept.iter().all(|name| read(name).starts_with("head\n")), "{kept:?}");
        let all: String = kept.iter().map(read).collect();
        let numbers: Vec<u32> = all.lines().filter_map(|line| line.parse().ok()).collect();
        assert!(numbers.is_sorted() && *numbers.last().unwrap() == 99, "{numbers:?}");
        assert!(parts.discarded() > 0);
    }

    #[test]
    fn a_bound_is_told_when_it_is_reached() {
        let folder = tempfile::tempdir().unwrap();
        let mut parts = Parts::create(&folder.path().join("x"), Keep::first(10)).unwrap();
        parts.push(b"12345").unwrap();
        assert!(!parts.is_full() && !parts.is_due());
        parts.push(b"12345").unwrap();
        assert!(parts.is_full());
    }

    #[test]
    fn what_a_full_disk_does_not_take_is_said_once() {
        let Ok(file) = File::options().write(true).open("/dev/full") else {
            return println!("skipped: no /dev/full");
        };
        let folder = tempfile::tempdir().unwrap();
        let mut parts = Parts::create(&folder.path().join("x"), Keep::first(1 << 20)).unwrap();
        parts.file = file;
        parts.push(b"12345").unwrap();
        assert!(parts.flush().is_err());
        parts.push(b"12345").unwrap();
        assert!(parts.flush().is_ok());
    }
}
