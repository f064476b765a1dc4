//! Scenario files: TOML in, [`Scenario`] out.

mod builtin;
mod convert;
mod file;
mod quantity;
mod set;
mod text;

pub use builtin::{Builtin, builtin, builtins};
pub use set::{Assignment, combinations, expand};
pub use text::trace;

use crate::spec::Scenario;
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Why a scenario cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("cannot read {0} ({1})")]
    Read(PathBuf, io::Error),
    /// A name that is no folder's.
    #[error(
        "{0:?} is no name for a scenario: call the file by letters and digits, as slow-query.toml"
    )]
    Name(PathBuf),
    /// Neither a file nor a scenario that ships with the program.
    #[error(
        "there is no scenario {0:?}: `tcpwhy lab list` shows those that come with it, a file's name ends in .toml"
    )]
    Unknown(String),
    /// No TOML, or a key that is unknown, missing or of the wrong type.
    #[error("{place}{at}: {what}")]
    Toml {
        /// The scenario, as [`Source::place`].
        place: String,
        /// Where in it: a line or key, after a comma; empty: nowhere in particular.
        at: String,
        /// What is wrong.
        what: String,
    },
    /// A value that cannot be.
    #[error("{key}: {why}")]
    Impossible {
        /// The key's path.
        key: String,
        /// Why.
        why: String,
    },
    /// An assignment that is none.
    #[error("{0:?} sets nothing: write a key of the scenario and a value, as link.rtt=40ms")]
    Assignment(String),
    /// An assignment to a place that the file does not have.
    #[error("{0:?} leads nowhere in this scenario")]
    Nowhere(String),
    /// A range that is none.
    #[error("{0:?} is no range: write two sizes, rates or times, the smaller first, as 4K..1M")]
    Range(String),
}

/// A scenario as text, before changes are made to it.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its name: the file's, without `.toml`.
    pub name: String,
    /// What messages call it: the file's path as it was given, or the name of one that ships with the program.
    pub place: String,
    /// TOML.
    pub text: String,
    /// Where the files lie that it names; empty: in the working directory.
    pub folder: PathBuf,
}

impl Source {
    /// A scenario that is in no file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let name = name.into();
        Self { place: name.clone(), name, text: text.into(), folder: PathBuf::new() }
    }

    /// The built-in scenario of that name, or the file.
    ///
    /// # Errors
    /// There is neither, or the file cannot be read.
    pub fn find(name: &str) -> Result<Self, Error> {
        if let Some(found) = builtin(name) {
            return Ok(Self::new(found.name, found.text));
        }
        let (path, place) = (Path::new(name), name.to_owned());
        if path.extension().is_none_or(|e| e != "toml") {
            return Err(Error::Unknown(name.to_owned()));
        }
        let text = text::text(path)?;
        let name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        // The case of one of several runs is a folder of this name.
        if name.starts_with('.') || name.chars().any(char::is_control) {
            return Err(Error::Name(path.to_owned()));
        }
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        Ok(Self { name, place, text, folder })
    }

    /// Makes the changes and reads it. `full`: the published sizes instead of those that run in seconds.
    ///
    /// # Errors
    /// The first thing that is wrong, in one sentence.
    pub fn read(&self, full: bool, changes: &[Assignment]) -> Result<Read, Error> {
        let mut table: Table = toml::from_str(&self.text).map_err(|e| self.toml(&e, &self.text))?;
        if full && let Some(Value::Table(sizes)) = table.get("full").cloned() {
            for (path, value) in &sizes {
                let change = Assignment::parse(&format!("{path}={value}"));
                change.and_then(|c| c.apply(&mut table)).map_err(|e| self.within("full", e))?;
            }
        }
        for change in changes {
            change.apply(&mut table)?;
        }
        if !changes.is_empty() && !changes.iter().any(|c| c.path().starts_with("expect")) {
            forget_rates(&mut table);
        }
        // What was published is of the values as written.
        if !changes.is_empty() && !changes.iter().any(|c| c.path() == "published") {
            table.remove("published");
        }
        let filled_in =
            text::fill_in_traces(&mut table, &self.folder).map_err(|e| self.named(e))?;
        let text = toml::to_string(&table).unwrap_or_default();
        // Unchanged, its errors are told with the lines that people see.
        let changed = full || filled_in || !changes.is_empty();
        let seen = if changed { &text } else { &self.text };
        let file = toml::from_str(seen).map_err(|e| self.toml(&e, seen))?;
        let scenario = convert::scenario(&self.name, &file).map_err(|e| self.named(e))?;
        Ok(Read { scenario, place: self.place.clone(), text })
    }

    /// The file before what is wrong in it.
    fn named(&self, e: Error) -> Error {
        match e {
            Error::Impossible { key, why } => {
                Error::Impossible { key: format!("{}, {key}", self.place), why }
            }
            e => e,
        }
    }

    /// What is wrong in one of its tables.
    fn within(&self, table: &str, e: Error) -> Error {
        Error::Impossible { key: format!("{}, {table}", self.place), why: e.to_string() }
    }

    /// `read` is the text in which the error is: with changes its lines are not those that its author knows, so the key is told.
    fn toml(&self, e: &toml::de::Error, read: &str) -> Error {
        // What is missing from the whole file is at no place.
        let span = e.span().filter(|span| span.start > 0);
        let at = span.map_or(String::new(), |span| {
            let line = read.get(..span.start).unwrap_or(read).matches('\n').count();
            if read == self.text {
                return format!(", line {}", line + 1);
            }
            let text = read.lines().nth(line).unwrap_or_default();
            format!(", {}", text.split(" = ").next().unwrap_or_default())
        });
        let what = e.message().lines().collect::<Vec<_>>().join(" ");
        Error::Toml { place: self.place.clone(), at, what }
    }
}

/// The rates that are expected are those of the values as written, not of changed ones.
fn forget_rates(table: &mut Table) {
    let expected = table.get_mut("expect").and_then(Value::as_array_mut);
    for one in expected.into_iter().flatten().filter_map(Value::as_table_mut) {
        one.remove("rate");
    }
}

/// A scenario that can be run.
#[derive(Debug, Clone)]
pub struct Read {
    /// What it asks for.
    pub scenario: Scenario,
    /// As [`Source::place`].
    pub place: String,
    /// The file with all changes, for the case folder.
    pub text: String,
}

#[cfg(test)]
mod coverage;
#[cfg(test)]
mod tests;
