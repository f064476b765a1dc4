//! What a child does between fork and exec.
#![allow(unsafe_code)]

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd;

use super::Namespace;

/// The calling child dies with the thread of `parent` that made it. Makes system calls only: it may be called between fork and exec.
pub(crate) fn die_with(parent: unistd::Pid) -> io::Result<()> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    // Had the parent died before the line above, nobody would tell us. (In a new PID namespace it has no number.)
    let now = unistd::getppid();
    if now != parent && now.as_raw() != 0 {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    Ok(())
}

/// A command in the network namespace `namespace` that dies with the thread that starts it.
pub(super) fn command(program: &OsStr, namespace: &Namespace) -> io::Result<Command> {
    let namespace = namespace.try_clone()?;
    let parent = unistd::getpid();
    let mut command = Command::new(program);
    let before_exec = move || {
        namespace.enter()?;
        die_with(parent)
    };
    // SAFETY: between fork and exec only system calls are made; nothing allocates, locks or unwinds.
    unsafe { command.pre_exec(before_exec) };
    Ok(command)
}
