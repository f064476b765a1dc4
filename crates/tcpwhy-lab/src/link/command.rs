//! Runs programs of iproute2, in the calling thread's network namespace or in another.

use std::io::ErrorKind;
use std::process::Command;

use super::Error;
use crate::namespace::Namespace;

/// Runs it to its end.
///
/// # Errors
/// When it is missing, or when it failed, with what it said.
pub(super) fn run(line: &[&str]) -> Result<(), Error> {
    let error = |said: String| Error::Command { command: line.join(" "), said };
    let [program, arguments @ ..] = line else { return Ok(()) };
    let output = Command::new(program).args(arguments).output().map_err(|e| match e.kind() {
        ErrorKind::NotFound => Error::NoProgram((*program).to_owned()),
        _ => error(e.to_string()),
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(error(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

/// Runs something in `namespace`, on a thread of its own.
///
/// # Errors
/// What it says, and when the namespace cannot be entered.
pub(super) fn inside<T: Send>(
    namespace: &Namespace,
    run: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    namespace.inside(run).map_err(|source| Error::Inside { source })?
}
