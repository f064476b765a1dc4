//! The served directory. It is held open, and everything in it is reached through that handle (openat2, or its like by cap-std), so
//! that no name and no symbolic link, however it changes meanwhile, leads out of it. Visitors name files by a hash only.

use super::name;
use super::token::hex;
use crate::case::Within;
use crate::error::Error;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use tcpwhy_capture::Capture;

/// Captures that are listed at most.
const MOST_CAPTURES: usize = 10_000;
/// Files and directories that are looked at for it at most.
const MOST_ENTRIES: usize = 200_000;
/// Subdirectories of subdirectories.
const DEEPEST: usize = 8;
/// Numbers that are tried for a name that is taken.
const MOST_NAMES: u32 = 10_000;

/// The directory.
#[derive(Debug)]
pub(super) struct Folder {
    dir: Dir,
}

/// A capture in it.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// What visitors call it: half a SHA-256 of its path.
    pub id: String,
    /// Its path in the directory, for people.
    pub name: String,
    path: PathBuf,
    /// Bytes.
    pub size: u64,
    /// Since 1970, ms.
    pub modified_ms: u64,
}

/// What is in it.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The captures, in no order.
    pub captures: Vec<Entry>,
    /// There are more than were looked at.
    pub more: bool,
    looked_at: usize,
}

impl Folder {
    /// Holds a directory open.
    ///
    /// # Errors
    /// It is not there, is none, or may not be read.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let failed = |e| Error::Folder(path.display().to_string(), e);
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(failed)?;
        dir.entries().map_err(failed)?;
        Ok(Self { dir })
    }

    /// The captures in it and in its subdirectories. What cannot be read is left out, and so are symbolic links.
    pub(super) fn list(&self) -> Listing {
        let mut listing = Listing::default();
        if let Ok(dir) = self.dir.try_clone() {
            listing.add(&dir, Path::new(""), 0);
        }
        listing
    }

    /// The capture of that hash.
    pub(super) fn find(&self, id: &str) -> Option<Entry> {
        self.list().captures.into_iter().find(|entry| entry.id == id)
    }

    /// Opens a capture that was listed.
    ///
    /// # Errors
    /// It is not there any more, or is no capture.
    pub(super) fn capture(&self, entry: &Entry) -> Result<Capture, Error> {
        let failed = |source| tcpwhy_capture::Error::Open { file: entry.name.clone(), source };
        let file = self.dir.open(&entry.path).map_err(failed)?;
        Ok(Capture::from_reader(&entry.name, file.into_std())?)
    }

    /// What was recorded of the sockets beside a capture, if anything was.
    pub(super) fn case(&self, entry: &Entry) -> Option<Within> {
        let folder = entry.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Within::of(folder.map_or_else(|| self.dir.try_clone(), |f| self.dir.open_dir(f)).ok()?)
    }

    /// A new file for an upload that is not complete: its name is hidden, so it is not listed.
    ///
    /// # Errors
    /// The directory cannot be written to.
    pub(super) fn create(&self, name: &str) -> io::Result<std::fs::File> {
        let options = OpenOptions::new().read(true).write(true).create_new(true).clone();
        self.dir.open_with(name, &options).map(File::into_std)
    }

    /// Removes what [`Folder::create`] made.
    pub(super) fn remove(&self, name: &str) {
        // Whoever removed it before did what was to be done.
        let _ = self.dir.remove_file(name);
    }

    /// Gives a complete upload its name, or that name with a number where it is taken; never replaces a file.
    ///
    /// # Errors
    /// The directory cannot be written to, or has no name left.
    pub(super) fn keep(&self, part: &str, wanted: &str) -> io::Result<Entry> {
        let options = OpenOptions::new().write(true).create_new(true).clone();
        for number in 1..MOST_NAMES {
            let name = name::numbered(wanted, number);
            // An empty file of that name holds the place; the upload then takes it in one step.
            match self.dir.open_with(&name, &options) {
                Ok(place) => drop(place),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(e),
            }
            if let Err(e) = self.dir.rename(part, &self.dir, &name) {
                self.remove(&name);
                return Err(e);
            }
            let size = self.dir.metadata(&name)?.len();
            return Ok(Entry::new(PathBuf::from(name), size, 0));
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Listing {
    fn add(&mut self, dir: &Dir, path: &Path, depth: usize) {
        let Ok(entries) = dir.entries() else { return };
        for entry in entries.flatten() {
            self.looked_at += 1;
            if self.looked_at > MOST_ENTRIES || self.captures.len() >= MOST_CAPTURES {
                self.more = true;
                return;
            }
            // Of the entry itself, not of what a link points to.
            let (Ok(kind), file) = (entry.file_type(), entry.file_name()) else { continue };
            let text = file.to_string_lossy();
            if kind.is_dir() && !text.starts_with('.') {
                match entry.open_dir() {
                    Ok(inside) if depth < DEEPEST => {
                        self.add(&inside, &path.join(&file), depth + 1)
                    }
                    Ok(_) => self.more = true,
                    Err(_) => {}
                }
            } else if kind.is_file() && name::is_capture(&text) {
                let Ok(metadata) = entry.metadata() else { continue };
                let since = metadata.modified().ok().map(|m| m.into_std());
                let since = since.and_then(|m| m.duration_since(UNIX_EPOCH).ok());
                let modified = since.map_or(0, |d| d.as_millis() as u64);
                self.captures.push(Entry::new(path.join(&file), metadata.len(), modified));
            }
        }
    }
}

impl Entry {
    fn new(path: PathBuf, size: u64, modified_ms: u64) -> Self {
        let hash = Sha256::digest(path.as_os_str().as_encoded_bytes());
        let id = hex(hash.get(..16).unwrap_or_default());
        Self { id, name: path.display().to_string(), path, size, modified_ms }
    }
}
