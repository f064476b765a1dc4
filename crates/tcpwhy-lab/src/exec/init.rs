//! The first process of a PID namespace: when it ends, for whatever reason, the kernel kills everything that the command
//! left behind.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use super::Error;

/// Runs the command and waits for it, as the first process of its PID namespace; gives back its exit code as a shell
/// would.
///
/// # Errors
/// The command does not start.
pub fn run(command: &[OsString]) -> Result<u8, Error> {
    fresh_proc();
    let Some((program, arguments)) = command.split_first() else { return Ok(0) };
    let started = Command::new(program).args(arguments).spawn();
    let child = started.map_err(|source| Error::Start {
        program: program.to_string_lossy().into_owned(),
        source,
    })?;
    let child = i32::try_from(child.id()).unwrap_or(i32::MAX);
    loop {
        // Orphans of the command are ours to bury, too.
        match waitpid(None::<Pid>, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid.as_raw() == child => {
                return Ok(u8::try_from(code & 0xff).unwrap_or(u8::MAX));
            }
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid.as_raw() == child => {
                return Ok(128_u8.saturating_add(u8::try_from(signal as i32).unwrap_or(127)));
            }
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(e) => {
                return Err(Error::System { what: "wait for the command", source: e.into() });
            }
        }
    }
}

/// Shows the namespace's own processes in `/proc`. Where that is not allowed (a container that hides parts of `/proc`), the
/// old one stays: `/proc/self` is right in it, only the numbers of processes are those outside.
fn fresh_proc() {
    let private = || -> nix::Result<()> {
        unshare(CloneFlags::CLONE_NEWNS)?;
        let none = None::<&str>;
        mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)?;
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        mount(Some("proc"), "/proc", Some("proc"), flags, none)
    };
    let _ = private();
}

/// The exit code of a shell for this status: 128 and the signal for a killed process.
pub(super) fn code(status: ExitStatus) -> u8 {
    let signalled = || status.signal().map(|s| 128 + s);
    let code = status.code().or_else(signalled).unwrap_or(1);
    u8::try_from(code & 0xff).unwrap_or(1)
}
