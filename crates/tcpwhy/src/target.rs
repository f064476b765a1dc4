//! Where a page or a picture goes: a file, which is replaced whole, or a device or a pipe, which is written as it is.

use crate::error::Error;
use crate::report::Refusal;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tcpwhy_capture::Input;

/// Links that lead to links, as many as Linux follows.
const LINKS: usize = 40;

/// Whether it is the standard output. The device of that name leads to the file that a shell has opened, which must not be replaced.
pub(crate) fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout"].iter().any(|name| path.as_os_str() == *name)
}

/// Looks before anything is read whether `outputs` may be written.
///
/// # Errors
/// One is an input, or the same as another, or a directory, or is there already and may not be replaced.
pub(crate) fn check(outputs: &[&Path], inputs: &[&Path], force: bool) -> Result<(), Error> {
    if let [one, other] = outputs
        && is_same(one, other)
    {
        return Err(Refusal::Twice(other.display().to_string()).into());
    }
    for path in outputs.iter().filter(|path| !is_stdout(path)) {
        let name = path.display().to_string();
        if inputs.iter().any(|input| is_read(path, input)) {
            return Err(Refusal::Input(name).into());
        }
        if path.is_dir() {
            return Err(Error::Page(name, ErrorKind::IsADirectory.into()));
        }
        if !force && path.is_file() {
            return Err(Error::Exists(name));
        }
    }
    Ok(())
}

/// Whether the file is read with `input`: it is that, or a capture or a record in that directory. A page that was written there is not.
fn is_read(path: &Path, input: &Path) -> bool {
    let Ok(entries) = fs::read_dir(input) else { return is_same(path, input) };
    let is_record = || path.extension().is_some_and(|e| e == "json" || e == "ndjson");
    let is_capture = || tcpwhy_capture::open(&[Input::Path(path.to_owned())]).is_ok();
    path.is_file()
        && entries.flatten().any(|entry| is_same(path, &entry.path()))
        && (is_record() || is_capture())
}

/// Whether two names lead to one file, be it there or not.
fn is_same(one: &Path, other: &Path) -> bool {
    if is_stdout(one) || is_stdout(other) {
        return is_stdout(one) && is_stdout(other);
    }
    match (identity(one), identity(other)) {
        (None, None) => place(one) == place(other),
        (one, other) => one == other,
    }
}

/// What a file is known by whatever its name, if it is there.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|m| (m.dev(), m.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Where a file will be that is not there yet.
fn place(path: &Path) -> Option<PathBuf> {
    let path = followed(path);
    Some(fs::canonicalize(folder(&path)).ok()?.join(path.file_name()?))
}

/// Writes what can be replaced beside it and renames, so that there is never half a page; a device or a pipe straight.
///
/// # Errors
/// The disk does not take it; what was there before stays.
pub(crate) fn save(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), Error> {
    let saved = match fs::metadata(path) {
        Ok(there) if !there.is_file() => straight(path, write),
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => whole(&followed(path), write),
    };
    saved.map_err(|e| Error::Page(path.display().to_string(), e))
}

fn straight(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path)?;
    let mut out = BufWriter::new(&file);
    write(&mut out)?;
    out.flush()
}

fn whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> io::Result<()> {
    // Nothing of this name is there, neither a file of the user's nor what a killed run left; it goes if this fails.
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let beside = tempfile::Builder::new()
        .prefix(name)
        .suffix(".part")
        .make_in(folder(path), |beside| File::create_new(beside))?;
    let mut out = BufWriter::new(beside.as_file());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    beside.persist(path).map(drop).map_err(|e| e.error)
}

/// What symbolic links lead to, be it there or not.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = folder(&path).join(target);
    }
    path
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
