//! The case folder around a capture that is served: its files are reached through the folder's handle, so nothing leads out of it.

use super::{Files, SAMPLES, facts, parts};
use crate::error::Error;
use cap_std::fs::Dir;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A folder with samples of sockets in it.
#[derive(Debug)]
pub(crate) struct Within(Dir);

impl Within {
    /// `None` where there are no samples.
    pub(crate) fn of(dir: Dir) -> Option<Self> {
        let this = Self(dir);
        (!this.names(SAMPLES).is_empty()).then_some(this)
    }

    /// A file and its older parts. No links, pipes or devices.
    fn names(&self, name: &str) -> Vec<PathBuf> {
        let entries = self.0.entries().into_iter().flatten().flatten();
        let files = entries.filter(|e| e.file_type().is_ok_and(|kind| kind.is_file()));
        parts::ordered(Path::new(name), files.map(|e| PathBuf::from(e.file_name())))
    }

    fn open(&self, name: &Path) -> Result<File, Error> {
        let failed = |e| Error::Samples(name.display().to_string(), e);
        self.0.open(name).map(cap_std::fs::File::into_std).map_err(failed)
    }
}

impl Files for Within {
    fn parts(&self, name: &str) -> Result<Vec<File>, Error> {
        self.names(name).iter().map(|part| self.open(part)).collect()
    }

    fn facts(&self, name: &str) -> io::Result<Option<serde_json::Value>> {
        let newest = self.names(name).pop();
        newest.map(|name| facts(self.0.open(name)?.into_std())).transpose()
    }
}
