//! `tcpwhy live`: the limits of this machine's sockets, as they are now.

#[cfg(target_os = "linux")]
mod asked;
#[cfg(all(test, target_os = "linux"))]
mod fixture;
#[cfg(target_os = "linux")]
mod flame;
#[cfg(target_os = "linux")]
mod json;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
pub(crate) mod place;
#[cfg(target_os = "linux")]
mod rounds;
#[cfg(target_os = "linux")]
pub(crate) mod row;
#[cfg(target_os = "linux")]
mod text;
#[cfg(target_os = "linux")]
mod told;
#[cfg(target_os = "linux")]
mod ui;
#[cfg(target_os = "linux")]
mod unlock;
#[cfg(target_os = "linux")]
mod words;

use crate::cli::Color;
use crate::error::Error;
use crate::lang::Lang;
use clap::{Args, Subcommand};
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use tcpwhy_core::model::Limit;
use tcpwhy_core::quantity;
use tcpwhy_core::units::Nanos;

pub(crate) const EXAMPLES: &str = "\
Examples:
  tcpwhy live                            a top for TCP limits: what holds each socket now
  tcpwhy live --once                     one look, a second long
  tcpwhy live --once --port 3306 --interval 5s
  tcpwhy live --ndjson --limit send_buffer
                                         one JSON object a socket and round, until Ctrl-C
  tcpwhy live --json | jq '.sockets[] | select(.limit == \"receive_window\")'
  tcpwhy live --netns blue               the sockets of one network namespace (as root)
  tcpwhy live --once --interval 30s --flame blocked.svg
                                         where threads sleep in writes and reads (as root)
  tcpwhy live unlock 4711 12             what would be changed on descriptor 12 of process 4711
  tcpwhy live unlock 4711 12 --yes       change it, and measure the gain

No privileges are needed for your own processes and network namespace. As root it shows every
network namespace and container of the host, every process's locks and, by the kernel's events
(CAP_BPF, CAP_PERFMON), who set a buffer, for how long threads slept in writes and reads, and
retransmissions; what it needs no more of root's capabilities it drops when it has begun.

Exit status: 0 shown, 1 no socket to show (without the screen), 2 error; of the screen 128 + the
signal that ended it.";

const UNLOCK_EXAMPLES: &str = "\
Examples:
  tcpwhy live --once --verbose           shows process/descriptor, and which buffers are locked
  tcpwhy live unlock 4711 12             what would be done; nothing is changed
  tcpwhy live unlock 4711 12 --yes       do it, and measure the rate before and after
  tcpwhy live unlock 4711 12 --yes --for 30s
                                         measure for 30 s after the change, then put it back
  tcpwhy live unlock 4711 12 --yes --restore
                                         only measure the gain

Works as root (CAP_SYS_PTRACE) on all processes, and without on those of the same user, unless
kernel.yama.ptrace_scope is 1 or more (Ubuntu's default is 1). What a running connection cannot
take any more (a window scale of 0, fixed by its SYN) is refused.

Exit status: 0 shown, or changed and measured, 2 refused or error.";

/// What to look at, and how to show it.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Live {
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Show one round as a table and end; without a terminal that is what is done anyway
    #[arg(long, help_heading = "Output")]
    pub once: bool,
    /// Write one round as one JSON object (tcpwhy.live/1)
    #[arg(long, group = "format", help_heading = "Output")]
    pub json: bool,
    /// Write one JSON object per socket, line and round until Ctrl-C; one round with --once
    #[arg(long, group = "format", help_heading = "Output")]
    pub ndjson: bool,
    /// Length of a round: verdicts rest on the samples of one
    #[arg(long, value_name = "TIME", value_parser = interval, default_value = "1s", help_heading = "Output")]
    pub interval: Nanos,
    /// Show sockets on which nothing happened, too
    #[arg(long, help_heading = "Output")]
    pub all: bool,
    /// Say of each socket who set its buffers, what its threads waited for, and why the kernel's own stopwatch differs
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: Color,
    /// Language of the answer; auto: that of LC_ALL, LC_MESSAGES or LANG, in JSON always English
    #[arg(long, value_name = "LANG", default_value = "auto", help_heading = "Output")]
    pub lang: Lang,
    /// Draw where threads slept in writes and reads as a flame graph (as root)
    #[arg(long, value_name = "SVG", help_heading = "Output")]
    pub flame: Option<PathBuf>,
    /// Write the same as folded stacks, with microseconds
    #[arg(long, value_name = "TXT", help_heading = "Output")]
    pub folded: Option<PathBuf>,
    /// Replace what --flame and --folded name if it is there already
    #[arg(short, long, help_heading = "Output")]
    pub force: bool,
    /// Do without the kernel's events: samples only
    #[arg(long, conflicts_with_all = ["flame", "folded"])]
    pub no_bpf: bool,
    /// Only sockets of this network namespace: its name or inode, or self for ours
    #[arg(long, value_name = "NETNS", help_heading = "Selection")]
    pub netns: Option<String>,
    /// Only sockets of containers, units and cgroups with this text in their path
    #[arg(long, value_name = "TEXT", help_heading = "Selection")]
    pub container: Option<String>,
    /// Only sockets with this address at either end
    #[arg(long, value_name = "ADDR", help_heading = "Selection")]
    pub host: Option<IpAddr>,
    /// Only sockets with this port at either end
    #[arg(long, value_name = "PORT", value_parser = crate::cli::live_port, help_heading = "Selection")]
    pub port: Option<u16>,
    /// Only sockets of this process
    #[arg(long, value_name = "PID", help_heading = "Selection")]
    pub pid: Option<u32>,
    /// Only sockets that this holds now (send_buffer, receive_window, ...)
    #[arg(long, value_name = "LIMIT", value_parser = limit, help_heading = "Selection")]
    pub limit: Option<Limit>,
}

/// What can be done to a live socket.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Verb {
    /// Take a locked buffer's lock off a running connection, and measure the gain
    #[command(after_help = UNLOCK_EXAMPLES)]
    Unlock(Unlock),
}

/// Which socket to unlock.
#[derive(Debug, Clone, Args)]
pub(crate) struct Unlock {
    /// Process that has the socket open
    pub pid: u32,
    /// Its descriptor of the socket
    pub fd: u32,
    /// Do it; without, only what would be done is shown
    #[arg(long)]
    pub yes: bool,
    /// Measure the rate for this long before, and as long after; between change and measurement it
    /// has a second to rise
    #[arg(long, value_name = "TIME", value_parser = interval, default_value = "3s")]
    pub measure: Nanos,
    /// Measure the rate after for this long instead, then put everything back, and end; the second
    /// to rise comes on top
    #[arg(long = "for", value_name = "TIME", value_parser = interval, conflicts_with = "restore")]
    pub hold: Option<Nanos>,
    /// Put everything back as soon as the gain is measured
    #[arg(long)]
    pub restore: bool,
    /// Language of the answer; auto: that of LC_ALL, LC_MESSAGES or LANG
    #[arg(long, value_name = "LANG", default_value = "auto")]
    pub lang: Lang,
}

/// 50 ms to an hour: shorter rounds have no samples, and a verdict of an hour ago is none of now.
fn interval(text: &str) -> Result<Nanos, String> {
    let span = quantity::span(text).map_err(|e| e.to_string())?;
    if (Nanos::from_millis(50)..=Nanos::from_secs(3600)).contains(&span) {
        Ok(span)
    } else {
        Err("a time from 50ms to 3600s is needed".to_owned())
    }
}

fn limit(text: &str) -> Result<Limit, String> {
    Limit::from_name(text).ok_or_else(|| {
        format!("no such limit; there are {}", Limit::ALL.map(Limit::name).join(", "))
    })
}

/// Looks at the sockets.
///
/// # Errors
/// The kernel refuses, or nothing can be written.
#[cfg(target_os = "linux")]
pub(crate) fn run(live: &Live) -> Result<ExitCode, Error> {
    match &live.verb {
        Some(Verb::Unlock(unlock)) => unlock::run(unlock),
        None => rounds::run(live),
    }
}

/// Says that live sockets are Linux's.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: &Live) -> Result<ExitCode, Error> {
    Err(Error::Live("live sockets are looked at through the Linux kernel; run it on Linux, or explain a capture".to_owned()))
}
