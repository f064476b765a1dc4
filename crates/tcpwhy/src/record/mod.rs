//! `tcpwhy record`: packets, socket samples, kernel events and host facts of a transfer into a case folder.

#[cfg(target_os = "linux")]
mod facts;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod progress;
#[cfg(target_os = "linux")]
mod recording;
#[cfg(target_os = "linux")]
mod run;

use clap::Args;
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use tcpwhy_core::quantity;
use tcpwhy_core::units::Nanos;

pub(crate) const EXAMPLES: &str = "\
Examples:
  sudo tcpwhy record -o case --port 3306          until Ctrl-C; then: tcpwhy case
  tcpwhy record -o case -- curl -so /dev/null http://db.example.org/dump
                                                  while the command runs; its exit code is passed on
  sudo tcpwhy record -o case --host 10.0.0.7 --for 30s
  sudo tcpwhy record -o case --ring-size 500MB    for days: the newest 500 MB are kept
  tcpwhy case                                     explains it
  tcpwhy report case -o case.html                 the page, with the sockets' own buffers
  tcpwhy check --from case --rate 1gbit --rtt 40ms

Packets take CAP_NET_RAW (root), kernel events CAP_BPF and CAP_PERFMON; without them samples of the
sockets are recorded, which anybody may take, and it is said what is missing.

Exit status: the command's own (128 + the signal for a killed one); without a command 0 recorded,
2 error or a full disk (what was recorded until then can be read).";

/// What to record, and for how long.
#[derive(Debug, Clone, Args)]
pub(crate) struct Record {
    /// The case folder: a new one, or an empty one
    #[arg(short, long, value_name = "CASE")]
    pub output: PathBuf,
    /// Only connections of this port (up to 8 times)
    #[arg(long, value_name = "PORT", value_parser = crate::cli::live_port, help_heading = "Selection")]
    pub port: Vec<u16>,
    /// Only connections of this address (up to 8 times)
    #[arg(long, value_name = "ADDR", help_heading = "Selection")]
    pub host: Vec<IpAddr>,
    /// Capture on this interface only; samples are taken of all sockets
    #[arg(long, value_name = "NAME", help_heading = "Selection")]
    pub interface: Option<String>,
    /// Keep the newest: half of it for packets, a quarter each for samples and events
    #[arg(long, value_name = "SIZE", value_parser = ring_size, default_value = "1GB", help_heading = "Length")]
    pub ring_size: u64,
    /// Keep the first, and end when so much was written
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes, conflicts_with = "ring_size", help_heading = "Length")]
    pub max_size: Option<u64>,
    /// End after this time; a command goes on
    #[arg(long = "for", value_name = "TIME", value_parser = duration, help_heading = "Length")]
    pub duration: Option<Nanos>,
    /// Say only what goes wrong
    #[arg(short, long)]
    pub quiet: bool,
    /// Command and arguments; recording ends with it
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// In no time nothing is seen.
fn duration(text: &str) -> Result<Nanos, String> {
    match quantity::span(text) {
        Ok(Nanos::ZERO) => Err("must be more than 0".to_owned()),
        span => span.map_err(|e| e.to_string()),
    }
}

/// A part of a ring must hold a round trip of a fast transfer.
fn ring_size(text: &str) -> Result<u64, String> {
    let bytes = quantity::bytes(text).map_err(|e| e.to_string())?;
    if bytes >= 1_000_000 { Ok(bytes) } else { Err("at least 1MB is needed".to_owned()) }
}

#[cfg(target_os = "linux")]
pub(crate) use run::run;

/// Says that recording is Linux's.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: &Record) -> Result<std::process::ExitCode, crate::error::Error> {
    let text = "recording takes a Linux kernel; here, capture with tcpdump -s 128 -w FILE, and explain that";
    Err(crate::error::Error::Record(text.to_owned()))
}
