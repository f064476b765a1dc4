//! From what the user named to files to be read.

use crate::error::Error;
use crate::note::{Note, NoteKind};
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Something to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A capture file, a named pipe, or a directory whose capture files are all read.
    Path(PathBuf),
    /// The standard input.
    Stdin,
}

/// Where the bytes of one file are.
pub(crate) enum Place {
    /// A regular file of this size, which can be opened again.
    File(PathBuf, u64),
    /// A pipe or device, which can be read once.
    Stream(PathBuf),
    Stdin,
    /// A reader that the caller handed in, until it is taken.
    Handed(Option<crate::bytes::Source>),
}

/// One file to read.
pub(crate) struct Item {
    /// Display name.
    pub(crate) name: String,
    pub(crate) place: Place,
    /// The directory it was found in, if it was not named itself.
    pub(crate) directory: Option<String>,
}

impl Item {
    /// Size of the file as it is stored, where it is known.
    pub(crate) fn size(&self) -> Option<u64> {
        match self.place {
            Place::File(_, size) => Some(size),
            _ => None,
        }
    }

    /// Whether it can be closed and opened again.
    pub(crate) fn is_regular(&self) -> bool {
        matches!(self.place, Place::File(..))
    }
}

/// What the inputs come to.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) items: Vec<Item>,
    pub(crate) notes: Vec<Note>,
    pub(crate) errors: Vec<Error>,
    seen: HashSet<PathBuf>,
    stdin_seen: bool,
}

impl Listing {
    pub(crate) fn new(inputs: &[Input]) -> Self {
        let mut listing = Self::default();
        for input in inputs {
            match input {
                Input::Stdin => listing.add_stdin(),
                Input::Path(path) => {
                    if let Err(source) = listing.add_path(path) {
                        listing.errors.push(Error::Open { file: display(path), source });
                    }
                }
            }
        }
        listing
    }

    /// A single item.
    pub(crate) fn of(item: Item) -> Self {
        Self { items: vec![item], ..Self::default() }
    }

    fn add_stdin(&mut self) {
        let name = "standard input".to_owned();
        if std::mem::replace(&mut self.stdin_seen, true) {
            self.notes.push(Note::new(name, NoteKind::GivenTwice));
        } else {
            self.items.push(Item { name, place: Place::Stdin, directory: None });
        }
    }

    fn add_path(&mut self, path: &Path) -> io::Result<()> {
        if fs::metadata(path)?.is_dir() {
            return self.add_directory(path);
        }
        self.add_file(path, None)
    }

    /// The regular files of a directory, by name; not hidden ones (an editor's, one that is still being copied), nor those of its subdirectories.
    fn add_directory(&mut self, path: &Path) -> io::Result<()> {
        let entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
        let is_hidden = |path: &Path| {
            path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
        };
        // What cannot be looked at is opened all the same: then it is told why not.
        let is_file = |path: &Path| fs::metadata(path).map_or(true, |metadata| metadata.is_file());
        paths.retain(|path| !is_hidden(path) && is_file(path));
        paths.sort();
        if paths.is_empty() {
            self.errors.push(Error::NoCaptures { directory: display(path) });
        }
        for file in paths {
            self.add_found(&file, display(path));
        }
        Ok(())
    }

    /// A file that a directory has listed. It may have been rotated away since: that is its own error, and the others are read.
    fn add_found(&mut self, file: &Path, directory: String) {
        if let Err(source) = self.add_file(file, Some(directory)) {
            self.errors.push(Error::Open { file: display(file), source });
        }
    }

    fn add_file(&mut self, path: &Path, directory: Option<String>) -> io::Result<()> {
        let metadata = fs::metadata(path)?;
        let name = display(path);
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if !self.seen.insert(real) {
            self.notes.push(Note::new(name, NoteKind::GivenTwice));
            return Ok(());
        }
        let place = if metadata.is_file() {
            Place::File(path.to_owned(), metadata.len())
        } else {
            Place::Stream(path.to_owned())
        };
        self.items.push(Item { name, place, directory });
        Ok(())
    }
}

fn display(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_its_files_but_for_hidden_ones() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["b.pcap", "a.pcap", ".a.pcap.swp"] {
            fs::write(directory.path().join(name), "").unwrap();
        }
        fs::create_dir(directory.path().join("older")).unwrap();
        let listing = Listing::new(&[Input::Path(directory.path().to_owned())]);
        let names: Vec<_> = listing.items.iter().map(|item| Path::new(&item.name)).collect();
        assert_eq!(names, [directory.path().join("a.pcap"), directory.path().join("b.pcap")]);
    }

    #[cfg(unix)]
    #[test]
    fn what_a_directory_lists_and_nobody_can_look_at_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let dangling = directory.path().join("a.pcap");
        std::os::unix::fs::symlink("/nowhere/b.pcap", &dangling).unwrap();
        let listing = Listing::new(&[Input::Path(directory.path().to_owned())]);
        let errors: Vec<_> = listing.errors.iter().map(Error::file).collect();
        assert_eq!(errors, [display(&dangling)]);
    }

    #[test]
    fn a_file_that_is_gone_since_it_was_listed_is_an_error_of_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let [gone, there] = ["a.pcap", "b.pcap"].map(|name| directory.path().join(name));
        fs::write(&there, "").unwrap();
        let mut listing = Listing::default();
        for file in [&gone, &there] {
            listing.add_found(file, display(directory.path()));
        }
        let names: Vec<_> = listing.items.iter().map(|item| Path::new(&item.name)).collect();
        assert_eq!(names, [there]);
        let errors: Vec<_> = listing.errors.iter().map(Error::file).collect();
        assert_eq!(errors, [display(&gone)]);
    }
}
