//! Files that are whole or not there: what an interrupted command leaves is what the next one goes on with.

use std::io;
use std::path::Path;

/// Writes a file beside its place and moves it there.
///
/// # Errors
/// The folder cannot be written to.
pub(crate) fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = path.with_extension("part");
    std::fs::write(&part, bytes)?;
    std::fs::rename(&part, path)
}
