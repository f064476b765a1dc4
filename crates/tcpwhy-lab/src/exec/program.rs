//! A program in a host, with everything that it starts.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Error;
use crate::host::Host;
use crate::places::in_path;

/// A program at work. Its thread is its parent: the program dies with it.
pub(super) struct Running {
    pid: Pid,
    parent: JoinHandle<io::Result<ExitStatus>>,
}

/// Where input comes from and output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Streams {
    /// All three are ours.
    Ours,
    /// Nothing to read; everything that it says goes to standard error.
    Server,
}

/// Whether the command's program is there, by `execvp(3)`: one with a slash is a path. Its process would say so, too, but by then there
/// are captures of nothing.
pub(super) fn look_for(command: &[OsString]) -> Result<(), Error> {
    let Some(program) = command.first() else { return Ok(()) };
    let there = if program.as_bytes().contains(&b'/') {
        Path::new(program).exists()
    } else {
        in_path(program, &[]).is_some()
    };
    if there {
        return Ok(());
    }
    let program = program.to_string_lossy().into_owned();
    Err(Error::Start { program, source: Errno::ENOENT.into() })
}

/// Starts `command` in the host, through `init` (this program's own words that lead to [`super::init::run`]) as the first
/// process of a PID namespace.
pub(super) fn start(
    host: &Host,
    init: &[OsString],
    command: &[OsString],
    environment: &[(&str, String)],
    streams: Streams,
) -> Result<Running, Error> {
    let system = |what| move |source| Error::System { what, source };
    let mut process = host.command("/proc/self/exe").map_err(system("prepare a process"))?;
    process.args(init).args(command);
    if streams == Streams::Server {
        // What the command says stays alone on standard output.
        process.stdin(Stdio::null()).stdout(io::stderr());
    }
    for (name, value) in environment {
        process.env(name, value);
    }
    let (tell, told) = mpsc::channel();
    let parent = move || {
        // For the children of this thread only; a thread that did this can start no other thread.
        unshare(CloneFlags::CLONE_NEWPID)?;
        let mut child = process.spawn()?;
        let _ = tell.send(child.id());
        child.wait()
    };
    let parent = thread::Builder::new().name("lab-parent".to_owned()).spawn(parent);
    let parent = parent.map_err(system("start a thread"))?;
    match told.recv().ok().and_then(|pid| i32::try_from(pid).ok()) {
        Some(pid) => Ok(Running { pid: Pid::from_raw(pid), parent }),
        None => {
            let why = parent.join().map(|ended| ended.err()).ok().flatten();
            let why = why.unwrap_or_else(|| io::Error::other("no reason given"));
            Err(system("start a process in a namespace of its own")(why))
        }
    }
}

impl Running {
    /// Waits for its end.
    pub(super) fn wait(self) -> Result<ExitStatus, Error> {
        let what = "wait for the command";
        let ended = self.parent.join().unwrap_or_else(|_| Err(io::Error::other("no thread")));
        ended.map_err(|source| Error::System { what, source })
    }

    /// Ends it with everything that it started.
    pub(super) fn kill(self) {
        if !self.parent.is_finished() {
            let _ = kill(self.pid, Signal::SIGKILL);
        }
        let _ = self.parent.join();
    }

    /// Waits until something listens in the host.
    pub(super) fn listening(&self, host: &Host, command: &str) -> Result<(), Error> {
        let failed = |what| Error::Server { command: command.to_owned(), what };
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end {
            if self.parent.is_finished() {
                return Err(failed("ended before it listened"));
            }
            let inside = host.namespace().inside(someone_listens);
            if inside.map_err(crate::host::Error::from)? {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(failed("did not listen on a TCP port within 10 s"))
    }
}

/// State 0A of `/proc/net/tcp` is LISTEN (include/net/tcp_states.h).
fn someone_listens() -> bool {
    ["tcp", "tcp6"].iter().any(|table| {
        let text = std::fs::read_to_string(format!("/proc/thread-self/net/{table}"));
        text.unwrap_or_default()
            .lines()
            .skip(1)
            .any(|line| line.split_ascii_whitespace().nth(3) == Some("0A"))
    })
}
