//! Files of a case folder with one JSON object a line.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::de::DeserializeOwned;

/// The file's lines. One that was cut off, when its writer was killed, is left out.
///
/// # Errors
/// The file cannot be opened, or read on.
pub(crate) fn lines<T: DeserializeOwned>(
    path: &Path,
) -> io::Result<impl Iterator<Item = io::Result<T>> + use<T>> {
    let lines = BufReader::with_capacity(1 << 16, File::open(path)?).lines();
    Ok(lines.filter_map(|text| text.map(|text| serde_json::from_str(&text).ok()).transpose()))
}

/// As [`lines`], of a file that need not be there.
///
/// # Errors
/// As [`lines`], but for a file that is not there.
pub(crate) fn lines_if_any<T: DeserializeOwned>(
    path: &Path,
) -> io::Result<Option<impl Iterator<Item = io::Result<T>> + use<T>>> {
    match lines(path) {
        Ok(lines) => Ok(Some(lines)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}
