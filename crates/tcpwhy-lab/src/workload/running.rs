//! One program while it runs.

use super::outcome::ProgramOutcome;
use super::{Clock, Error, Site, child};
use crate::spec::Program;
use crate::workload::sending::span;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// Bytes of output that are kept of each program and stream.
const KEPT: u64 = 1 << 20;
/// How often a stop from outside is looked for, and a port that should listen.
const LOOK: Duration = Duration::from_millis(20);

/// A started program.
pub(super) struct Running<'s> {
    command: Vec<String>,
    child: Child,
    pidfd: OwnedFd,
    clock: Clock,
    start_ns: i64,
    deadline: Instant,
    output: PathBuf,
    copied: Vec<ScopedJoinHandle<'s, u64>>,
    outside: &'s AtomicBool,
    prepare: bool,
    enter: Box<dyn Fn() -> Result<(), Error> + Send + Sync + 's>,
    /// Dropped when the process is gone: the thread that keeps it may end.
    keeper: Option<Sender<()>>,
}

impl<'s> Running<'s> {
    /// Starts a program in its host.
    pub(super) fn start(
        scope: &'s Scope<'s, '_>,
        site: &'s Site<'s>,
        program: &'s Program,
        command: &[String],
        folder: &Path,
        number: usize,
    ) -> Result<Self, Error> {
        let Some(name) = command.first() else {
            return Err(Error::Asked(format!("program {number} has no command")));
        };
        let refuse = |cause| Error::System { what: format!("run {name}"), cause };
        let enter = move || site.enter(program.on);
        let start_ns = site.log.clock().now_ns();
        let (mut child, keeper) = kept(scope, enter, ready_to_start(command, program), &refuse)?;
        let pidfd = pidfd_open(Pid::from_child(&child), PidfdFlags::empty());
        let pidfd = pidfd.map_err(|e| refuse(e.into()))?;
        let short = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
        let output = folder.join(format!("{number}-{short}.out"));
        let copied = copied(scope, program, &mut child, &output).map_err(refuse)?;
        Ok(Self {
            command: command.to_vec(),
            child,
            pidfd,
            clock: site.log.clock(),
            start_ns,
            deadline: Instant::now() + span(program.give_up),
            output,
            copied,
            outside: site.stop,
            prepare: program.prepare,
            enter: Box::new(enter),
            keeper: Some(keeper),
        })
    }

    /// Waits for its end; one that takes too long is killed.
    pub(super) fn until_its_end(mut self, program: &Program) -> Result<ProgramOutcome, Error> {
        let mut stopped = false;
        while !self.ended(LOOK) {
            if self.is_over() {
                stopped = true;
                break;
            }
        }
        let outcome = self.finish(stopped);
        match outcome.exit_code {
            Some(0) => Ok(outcome),
            _ if !program.prepare => Ok(outcome),
            Some(code) => Err(failed(&outcome, format!("ended with exit code {code}"))),
            None => Err(failed(&outcome, "was killed or took too long".to_owned())),
        }
    }

    /// Waits until it listens on its port. From then on its life is as long as the others need it.
    pub(super) fn ready(mut self, port: u16) -> Result<Self, Error> {
        loop {
            let listens = std::thread::scope(|scope| {
                let look = scope.spawn(|| (self.enter)().map(|()| listens(port)));
                look.join().unwrap_or(Ok(false))
            })?;
            if listens {
                return Ok(self);
            }
            let gone = self.ended(LOOK);
            if gone || self.is_over() {
                let outcome = self.finish(!gone);
                let what = if gone { "ended" } else { "took too long" };
                return Err(failed(&outcome, format!("{what} before it listened on port {port}")));
            }
        }
    }

    /// Kills it.
    pub(super) fn stop(mut self) -> ProgramOutcome {
        let ended = self.ended(Duration::ZERO);
        self.finish(!ended)
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline || self.outside.load(Ordering::Relaxed)
    }

    /// True as soon as the process has ended, false after this long.
    fn ended(&mut self, wait: Duration) -> bool {
        let limit = rustix::time::Timespec::try_from(wait).ok();
        let mut fds = [PollFd::new(&self.pidfd, PollFlags::IN)];
        matches!(poll(&mut fds, limit.as_ref()), Ok(n) if n > 0)
    }

    fn finish(mut self, stopped: bool) -> ProgramOutcome {
        let end_ns = self.clock.now_ns();
        self.kill();
        let status = self.child.wait().ok();
        self.keeper = None;
        let mut sizes = self.copied.drain(..).map(|copy| copy.join().unwrap_or(0));
        ProgramOutcome {
            command: std::mem::take(&mut self.command),
            prepare: self.prepare,
            start_ns: self.start_ns,
            end_ns,
            exit_code: status.and_then(|status| status.code()),
            stopped,
            output_bytes: sizes.next().unwrap_or(0),
            output: self.output.clone(),
        }
    }

    /// The process and all of its group; gone already is fine.
    fn kill(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if self.keeper.is_some() {
            self.kill();
            // Reaped here, so that nothing is left of it.
            let _ = self.child.wait();
        }
    }
}

fn ready_to_start(command: &[String], program: &Program) -> Command {
    let [name, arguments @ ..] = command else { return Command::new("") };
    let mut process = Command::new(name);
    process.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    process.stdin(if program.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
    process
}

/// Starts the process from a thread that lives as long as the sender given back.
fn kept<'s>(
    scope: &'s Scope<'s, '_>,
    enter: impl Fn() -> Result<(), Error> + Send + 's,
    mut process: Command,
    refuse: &dyn Fn(io::Error) -> Error,
) -> Result<(Child, Sender<()>), Error> {
    let (keeper, kept) = channel::<()>();
    let (started, start) = channel();
    scope.spawn(move || {
        let child = enter().map(|()| child::start(&mut process));
        // The caller waits for it.
        let _ = started.send(child);
        // Ends when the sender is dropped.
        let _ = kept.recv();
    });
    let broken = |_| refuse(io::Error::other("the thread that keeps it broke"));
    let child = start.recv().map_err(broken)??.map_err(refuse)?;
    Ok((child, keeper))
}

/// Feeds the process and keeps what it says, standard output first.
fn copied<'s>(
    scope: &'s Scope<'s, '_>,
    program: &'s Program,
    child: &mut Child,
    output: &Path,
) -> io::Result<Vec<ScopedJoinHandle<'s, u64>>> {
    let (out, err) = (File::create(output)?, File::create(output.with_extension("err"))?);
    if let (Some(mut pipe), Some(text)) = (child.stdin.take(), &program.stdin) {
        // A program that does not want its input is free to say so.
        scope.spawn(move || drop(pipe.write_all(text.as_bytes())));
    }
    let out = child.stdout.take().map(|pipe| scope.spawn(move || keep(pipe, out)));
    let err = child.stderr.take().map(|pipe| scope.spawn(move || keep(pipe, err)));
    Ok(out.into_iter().chain(err).collect())
}

fn failed(outcome: &ProgramOutcome, what: String) -> Error {
    let program = outcome.command.first().cloned().unwrap_or_default();
    let errors = outcome.output.with_extension("err");
    let said = std::fs::read_to_string(&errors).unwrap_or_default();
    let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("nothing");
    Error::Program { program, what, said: last.to_owned(), errors: errors.display().to_string() }
}

/// Keeps the first part of an output, and counts all of it: a full pipe would stop the program.
fn keep(mut pipe: impl Read, mut file: File) -> u64 {
    let kept = io::copy(&mut (&mut pipe).take(KEPT), &mut file).unwrap_or(0);
    kept + io::copy(&mut pipe, &mut io::sink()).unwrap_or(0)
}

/// Whether something listens on the port in the calling thread's namespace; asked of /proc, so that no packet is sent.
fn listens(port: u16) -> bool {
    let wanted = format!(":{port:04X}");
    ["/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"].iter().any(|path| {
        let table = std::fs::read_to_string(path).unwrap_or_default();
        table.lines().skip(1).any(|line| {
            let mut words = line.split_whitespace().skip(1);
            let local = words.next().is_some_and(|local| local.ends_with(&wanted));
            // 0A: TCP_LISTEN (include/net/tcp_states.h).
            local && words.nth(1) == Some("0A")
        })
    })
}
