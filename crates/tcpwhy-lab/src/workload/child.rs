//! A process that does not outlive the lab: killed with the thread that keeps it, and its own children with it.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use crate::host::die_with;

/// Starts `command` in the calling thread's network namespace, first in a process group and, where that is permitted, in a PID
/// namespace of its own, whose end is the end of everything in it.
///
/// The calling thread must live as long as the process (PR_SET_PDEATHSIG follows the thread) and can start no thread afterwards.
///
/// # Errors
/// The program cannot be started.
pub(super) fn start(command: &mut Command) -> io::Result<Child> {
    // Refused without CAP_SYS_ADMIN: then the process group has to do.
    let _ = nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWPID);
    command.process_group(0);
    let parent = nix::unistd::getpid();
    // SAFETY: between fork and exec only system calls are made; nothing allocates, locks or unwinds.
    unsafe { command.pre_exec(move || die_with(parent)) };
    command.spawn()
}
