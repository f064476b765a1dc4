//! `tcpwhy live unlock`: what a locked buffer costs, measured on the running connection.

pub(super) mod plan;

use super::Unlock;
use super::words::{self, Line, Words};
use crate::cli::Color;
use crate::error::Error;
use crate::interrupt;
use crate::output::Output;
use plan::{Plan, Step};
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_core::units::Nanos;
use tcpwhy_live::locks::{Borrowed, Locks, RECEIVE_LOCK, SEND_LOCK};

/// After a change the rate needs some round trips to rise.
const SETTLE: Duration = Duration::from_secs(1);
/// Longest time until Ctrl-C is noticed.
const TICK: Duration = Duration::from_millis(50);

/// Shows what would be done, and does it where that was asked for.
pub(super) fn run(args: &Unlock) -> Result<ExitCode, Error> {
    let socket = Borrowed::new(args.pid, args.fd).map_err(|e| refusal(args, &e))?;
    let locks = socket.locks().map_err(|e| refusal(args, &e))?;
    let info = socket.tcp_info().map_err(|e| refusal(args, &e))?;
    let settings = socket.settings();
    let words = words::of(args.lang.of_text());
    let plan = plan::plan(&locks, TcpInfo(&info), &settings);
    if plan.steps.is_empty() {
        let refused: Vec<_> = plan.refused.iter().map(|why| words.refused(why)).collect();
        return Err(Error::Live(refused.join("; ")));
    }
    let mut output = Output::new(Color::Never);
    let most = settings.tcp_wmem_most;
    describe(&mut output.to, args, &socket, &plan, words, most).map_err(Error::Write)?;
    if !args.yes {
        tell(&mut output.to, words.line(Line::Unchanged))?;
        return Ok(ExitCode::SUCCESS);
    }
    output.to.flush().map_err(Error::Write)?;
    let repair = Repair { args, socket: &socket, before: locks, stop: &interrupt::flag(), words };
    repair.run(&mut output.to, &plan)?;
    Ok(ExitCode::SUCCESS)
}

/// One line, at once: what is measured next takes seconds.
fn tell(to: &mut impl Write, text: &str) -> Result<(), Error> {
    writeln!(to, "{text}").and_then(|()| to.flush()).map_err(Error::Write)
}

fn describe(
    to: &mut impl Write,
    args: &Unlock,
    socket: &Borrowed,
    plan: &Plan,
    words: &dyn Words,
    most: u64,
) -> io::Result<()> {
    let ends = socket.ends().map(|(local, remote)| format!("{local} → {remote}")).ok();
    writeln!(to, "{}", words.descriptor(args.fd, args.pid, ends.as_deref()))?;
    for (number, step) in plan.steps.iter().enumerate() {
        writeln!(to, "  {}. {}", number + 1, words.step(*step, most))?;
    }
    for why in &plan.refused {
        writeln!(to, "  {}", words.not_possible(&words.refused(why)))?;
    }
    Ok(())
}

fn refusal(args: &Unlock, e: &io::Error) -> Error {
    let what = format!("descriptor {} of process {}", args.fd, args.pid);
    let (errno, denied) = (e.raw_os_error(), io::ErrorKind::PermissionDenied);
    Error::Live(match errno {
        _ if e.kind() == denied => {
            format!(
                "{what} may not be touched by this user: run it as root (CAP_SYS_PTRACE), or as that user unless kernel.yama.ptrace_scope forbids it"
            )
        }
        Some(libc_errno::EBADF) => format!("{what} is not open"),
        Some(libc_errno::ESRCH) => format!("there is no process {}", args.pid),
        Some(libc_errno::ENOTSOCK | libc_errno::EOPNOTSUPP | libc_errno::ENOPROTOOPT) => {
            format!("{what} is no TCP socket whose locks this kernel shows (Linux 5.14): {e}")
        }
        None if e.kind() == io::ErrorKind::NotFound => {
            format!("there is no process {} with a descriptor {}", args.pid, args.fd)
        }
        _ => format!("{what} cannot be read: {e}"),
    })
}

/// Linux's numbers, the same on all its architectures but MIPS, SPARC and the like.
mod libc_errno {
    pub(super) const ESRCH: i32 = 3;
    pub(super) const EBADF: i32 = 9;
    pub(super) const ENOTSOCK: i32 = 88;
    pub(super) const ENOPROTOOPT: i32 = 92;
    pub(super) const EOPNOTSUPP: i32 = 95;
}

struct Repair<'a> {
    args: &'a Unlock,
    socket: &'a Borrowed,
    before: Locks,
    stop: &'a AtomicBool,
    words: &'static dyn Words,
}

impl Repair<'_> {
    fn run(&self, to: &mut impl Write, plan: &Plan) -> Result<(), Error> {
        let measure = span(self.args.measure);
        let before = self.rate(measure)?;
        tell(to, &self.words.before(before))?;
        if self.stop.load(Ordering::Relaxed) {
            return tell(to, self.words.line(Line::Interrupted));
        }
        let after = self.apply(plan).and_then(|()| {
            self.wait(SETTLE);
            self.rate(self.args.hold.map_or(measure, span))
        });
        // What was begun is put back even where it failed, or was interrupted.
        let back = self.args.restore
            || self.args.hold.is_some()
            || after.is_err()
            || self.stop.load(Ordering::Relaxed);
        let restored = if back { self.restore() } else { Ok(()) };
        let after = after?;
        tell(to, &self.words.after(before, after))?;
        match (back, restored) {
            (false, _) => tell(to, self.words.line(Line::Stays)),
            (true, Ok(())) => tell(to, self.words.line(Line::PutBack)),
            (true, Err(e)) => Err(Error::Live(format!("the buffers could not be put back: {e}"))),
        }
    }

    fn apply(&self, plan: &Plan) -> Result<(), Error> {
        let done = plan.steps.iter().try_for_each(|step| match step {
            Step::UnlockSend => {
                let receive = if self.before.receive { RECEIVE_LOCK } else { 0 };
                self.socket.set_lock_bits(receive)
            }
            Step::GrowReceive { ask, .. } => {
                self.socket.set_receive_buffer(*ask)?;
                let grown = self.socket.locks()?.rcvbuf;
                self.socket.set_window_clamp(grown)
            }
        });
        done.map_err(|e| Error::Live(format!("the kernel refused the change: {e}")))
    }

    /// The sizes as they were, which locks them, and then the locks as they were.
    fn restore(&self) -> io::Result<()> {
        let Locks { send, receive, sndbuf, rcvbuf, window_clamp, .. } = self.before;
        if send {
            self.socket.set_send_buffer(sndbuf / 2)?;
        }
        if receive {
            self.socket.set_receive_buffer(rcvbuf / 2)?;
            self.socket.set_window_clamp(window_clamp)?;
        }
        let bits = |locked: bool, bit: u32| if locked { bit } else { 0 };
        self.socket.set_lock_bits(bits(send, SEND_LOCK) | bits(receive, RECEIVE_LOCK))?;
        // wmem_max and rmem_max may have become smaller than what the application once got.
        let now = self.socket.locks()?;
        if (send && now.sndbuf != sndbuf) || (receive && now.rcvbuf != rcvbuf) {
            let text = format!(
                "they are locked again, at {} and {} instead of {sndbuf} and {rcvbuf} bytes (net.core.wmem_max, rmem_max)",
                now.sndbuf, now.rcvbuf
            );
            return Err(io::Error::other(text));
        }
        Ok(())
    }

    /// Bits per second that cross in the locked direction; the larger one where both are.
    fn rate(&self, time: Duration) -> Result<u64, Error> {
        let (began, from) = (Instant::now(), self.carried()?);
        self.wait(time);
        let seconds = began.elapsed().as_secs_f64().max(1e-3);
        Ok((self.carried()?.saturating_sub(from) as f64 * 8.0 / seconds) as u64)
    }

    fn carried(&self) -> Result<u64, Error> {
        let raw = self.socket.tcp_info();
        let raw = raw.map_err(|e| Error::Live(format!("the socket cannot be read: {e}")))?;
        let info = TcpInfo(&raw);
        if info.state() == Some(7) {
            return Err(Error::Live("the connection ended while it was measured".to_owned()));
        }
        let sent = info.bytes_acked().filter(|_| self.before.send).unwrap_or(0);
        let received = info.bytes_received().filter(|_| self.before.receive).unwrap_or(0);
        Ok(sent.max(received))
    }

    fn wait(&self, time: Duration) {
        let end = Instant::now() + time;
        while !self.stop.load(Ordering::Relaxed) && Instant::now() < end {
            std::thread::sleep(TICK.min(end.saturating_duration_since(Instant::now())));
        }
    }
}

fn span(nanos: Nanos) -> Duration {
    Duration::from_nanos(nanos.0.try_into().unwrap_or(0))
}
