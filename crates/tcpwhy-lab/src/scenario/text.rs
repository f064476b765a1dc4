//! The files that a person names: scenarios, and traces of rates beside them.

use super::Error;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use tcpwhy_core::link::Rate;
use toml::{Table, Value};

/// Files beyond this are neither: the longest of mahimahi's own traces has 2 MB.
const MOST_BYTES: u64 = 8 << 20;

/// The text of the regular file `path`.
pub(super) fn text(path: &Path) -> Result<String, Error> {
    let failed = |e| Error::Read(path.to_owned(), e);
    // Nobody may ever write to a pipe of this name.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(failed(io::Error::other("it is no regular file")));
    }
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(|e| match e.kind() {
        io::ErrorKind::InvalidData => failed(io::Error::other("it is no text in UTF-8")),
        _ => failed(e),
    })?;
    if text.len() as u64 > MOST_BYTES {
        return Err(failed(io::Error::other("it has more than 8 MiB")));
    }
    Ok(text)
}

/// The rate that a file in mahimahi's format describes: one line a millisecond at which 1,504 bytes may leave.
///
/// # Errors
/// The file cannot be read or is no trace; what is in it is never repeated.
pub fn trace(path: &Path) -> Result<Rate, Error> {
    let key = path.display().to_string();
    Rate::from_mahimahi(&text(path)?).map_err(|e| Error::Impossible { key, why: e.to_string() })
}

/// Puts the lines of a trace where the scenario names its file, so that the case folder holds all of it; whether there was one. Names
/// are relative to `folder`.
pub(super) fn fill_in_traces(table: &mut Table, folder: &Path) -> Result<bool, Error> {
    let mut any = false;
    for way in ["up", "down"] {
        let link = table.get_mut("link").and_then(Value::as_table_mut);
        let keys = link.and_then(|link| link.get_mut(way)).and_then(Value::as_table_mut);
        let Some(value) = keys.and_then(|keys| keys.get_mut("trace")) else { continue };
        let Some(name) = value.as_str() else { continue };
        let wrong =
            |e: Error| Error::Impossible { key: format!("link.{way}.trace"), why: e.to_string() };
        if let Rate::Trace(lines) = trace(&folder.join(name)).map_err(wrong)? {
            *value = Value::Array(lines.into_iter().map(i64::from).map(Value::Integer).collect());
            any = true;
        }
    }
    Ok(any)
}
