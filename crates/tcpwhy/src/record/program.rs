//! The command beside which is recorded, and the signals that end both.

use crate::error::Error;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A program at work.
pub(super) struct Program(Child);

impl Program {
    /// Starts it; `None` without a command.
    pub(super) fn start(command: &[OsString]) -> Result<Option<Self>, Error> {
        let Some((name, arguments)) = command.split_first() else { return Ok(None) };
        let started = Command::new(name).args(arguments).spawn();
        let failed = |e| Error::Record(format!("cannot start {}: {e}", name.to_string_lossy()));
        started.map(Self).map(Some).map_err(failed)
    }

    /// Its exit code as a shell has it, once it has ended.
    pub(super) fn ended(&mut self) -> io::Result<Option<u8>> {
        Ok(self.0.try_wait()?.map(code))
    }

    /// Asks it to end.
    pub(super) fn terminate(&self) {
        // It may have ended meanwhile; it was not waited for, so the number is still its own.
        if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

/// 128 and the signal for a killed process.
fn code(status: ExitStatus) -> u8 {
    let signalled = || status.signal().map(|signal| 128 + signal);
    let code = status.code().or_else(signalled).unwrap_or(1);
    u8::try_from(code & 0xff).unwrap_or(1)
}

/// Signals that ask to end, as they come.
pub(super) struct Signals {
    interrupted: Arc<AtomicBool>,
    terminated: Arc<AtomicBool>,
    before: bool,
}

/// Who is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// Nobody.
    Nothing,
    /// The recording; a command has got the signal from the terminal, too, and ends by itself.
    Recorder,
    /// The command, too.
    Both,
}

impl Signals {
    /// From now on they do not end this process.
    pub(super) fn catch() -> io::Result<Self> {
        let signals =
            Self { interrupted: Arc::default(), terminated: Arc::default(), before: false };
        signal_hook::flag::register(SIGINT, Arc::clone(&signals.interrupted))?;
        for signal in [SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&signals.terminated))?;
        }
        Ok(signals)
    }

    /// What was asked since this was last called. A second Ctrl-C means the command as well.
    pub(super) fn asked(&mut self) -> Ask {
        let interrupted = self.interrupted.swap(false, Ordering::Relaxed);
        let again = interrupted && std::mem::replace(&mut self.before, true);
        if self.terminated.swap(false, Ordering::Relaxed) || again {
            Ask::Both
        } else if interrupted {
            self.before = true;
            Ask::Recorder
        } else {
            Ask::Nothing
        }
    }
}
