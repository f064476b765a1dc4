//! A file that was written as a ring: `samples.000001.ndjson` is older than `samples.000002.ndjson`, and `samples.ndjson` the newest.

use crate::error::Error;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest line that is read: a sample has a thousand bytes.
const LONGEST: u64 = 1 << 16;

/// The parts that there are, the oldest first.
pub(crate) fn of(newest: &Path) -> Vec<PathBuf> {
    let Some(folder) = newest.parent() else { return Vec::new() };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    // A pipe or a device in a folder of somebody else's would never end.
    ordered(newest, entries.map(|e| e.path()).filter(|path| path.is_file()))
}

/// Those of `paths` that are `newest` or its older parts, the oldest first.
pub(super) fn ordered(newest: &Path, paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let number = |path: &Path| -> Option<u64> {
        if path.file_name() == newest.file_name() {
            return Some(u64::MAX);
        }
        let inner = Path::new(path.file_stem()?);
        let is_part =
            path.extension() == newest.extension() && inner.file_stem() == newest.file_stem();
        inner.extension().filter(|_| is_part)?.to_str()?.parse().ok()
    };
    let mut parts: Vec<_> = paths.filter_map(|path| Some((number(&path)?, path))).collect();
    parts.sort();
    parts.into_iter().map(|(_, path)| path).collect()
}

/// The lines of all parts, those that no recorder writes in pieces.
///
/// # Errors
/// A part cannot be opened.
pub(crate) fn lines(parts: Vec<PathBuf>) -> Result<impl Iterator<Item = String>, Error> {
    Ok(lines_of(opened(parts)?))
}

/// The parts, open.
///
/// # Errors
/// One cannot be opened.
pub(super) fn opened(parts: Vec<PathBuf>) -> Result<Vec<File>, Error> {
    let open = |path: PathBuf| {
        File::open(&path).map_err(|e| Error::Samples(path.display().to_string(), e))
    };
    parts.into_iter().map(open).collect()
}

/// The lines of open parts.
pub(super) fn lines_of(files: Vec<File>) -> impl Iterator<Item = String> {
    let files = files.into_iter().map(BufReader::new);
    files.flat_map(|mut file| std::iter::from_fn(move || line(&mut file)))
}

fn line(file: &mut impl BufRead) -> Option<String> {
    let mut text = Vec::new();
    let read = file.by_ref().take(LONGEST).read_until(b'\n', &mut text).ok()?;
    (read > 0).then(|| String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_in_the_order_of_the_ring_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let newest = folder.path().join("host.pcapng");
        for name in [
            "host.pcapng",
            "host.000010.pcapng",
            "host.000009.pcapng",
            "host.x.pcapng",
            "hosts.000001.pcapng",
            "host.000001.ndjson",
        ] {
            fs::write(folder.path().join(name), "x\ny").unwrap();
        }
        let names: Vec<_> = of(&newest).iter().map(|p| p.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["host.000009.pcapng", "host.000010.pcapng", "host.pcapng"]);
        assert_eq!(lines(of(&newest)).unwrap().count(), 6);
        assert!(of(&folder.path().join("none.pcapng")).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_no_part() {
        let folder = tempfile::tempdir().unwrap();
        let newest = folder.path().join("samples.ndjson");
        for name in ["samples.ndjson", "samples.000001.ndjson"] {
            std::os::unix::fs::symlink("/dev/zero", folder.path().join(name)).unwrap();
        }
        assert!(of(&newest).is_empty());
    }

    #[test]
    fn what_is_no_text_is_a_line_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples.ndjson");
        fs::write(&path, b"one\n\xff\xfe\nthree\n").unwrap();
        let lines: Vec<_> = lines(vec![path]).unwrap().collect();
        assert_eq!((lines.len(), lines[2].as_str()), (3, "three\n"));
    }

    #[test]
    fn a_line_without_an_end_comes_in_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples.ndjson");
        fs::write(&path, "x".repeat(5 << 16)).unwrap();
        let longest = lines(vec![path]).unwrap().map(|l| l.len() as u64).max();
        assert_eq!(longest, Some(LONGEST));
    }
}
