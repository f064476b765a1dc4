//! Where programs are.

use std::ffi::OsStr;
use std::path::PathBuf;

/// Where `execvp(3)` looks without `PATH`.
const WITHOUT_PATH: &str = "/bin:/usr/bin";

/// The file of a program that is named without its folder: in a folder of `PATH`, or else in one of `more`.
pub(crate) fn in_path(program: &OsStr, more: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| WITHOUT_PATH.into());
    let places = std::env::split_paths(&path).chain(more.iter().map(PathBuf::from));
    places.map(|place| place.join(program)).find(|file| file.is_file())
}
