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

/// A command in the network namespace `namespace` that dies with the thread that starts it.
pub(super) fn command(program: &OsStr, namespace: &Namespace) -> io::Result<Command> {
    let namespace = namespace.try_clone()?;
    let parent = unistd::getpid();
    let mut command = Command::new(program);
    let before_exec = move || {
        namespace.enter()?;
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // Had the parent died before the line above, nobody would tell us. (In a new PID namespace it has no number.)
        let now = unistd::getppid();
        if now != parent && now.as_raw() != 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    };
    // SAFETY: between fork and exec only system calls are made; nothing allocates, locks or unwinds.
    unsafe { command.pre_exec(before_exec) };
    Ok(command)
}
