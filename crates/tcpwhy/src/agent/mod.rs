//! `tcpwhy agent`: what holds a host's sockets back, as metrics for fleets.

#[cfg(target_os = "linux")]
mod connections;
#[cfg(target_os = "linux")]
mod container;
#[cfg(target_os = "linux")]
mod events;
#[cfg(target_os = "linux")]
mod export;
#[cfg(target_os = "linux")]
mod histogram;
#[cfg(target_os = "linux")]
mod metric;
#[cfg(target_os = "linux")]
mod metrics;
#[cfg(target_os = "linux")]
mod missed;
#[cfg(target_os = "linux")]
mod openmetrics;
#[cfg(target_os = "linux")]
mod otlp;
#[cfg(target_os = "linux")]
mod pace;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod sampler;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
mod service;
#[cfg(target_os = "linux")]
mod totals;

use crate::error::Error;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use tcpwhy_core::quantity;
use tcpwhy_core::units::Nanos;

pub(crate) const EXAMPLES: &str = "\
Examples:
  tcpwhy agent                           metrics at http://127.0.0.1:9914/metrics, the connections
                                         that lost most time on standard output, once a minute
  tcpwhy agent --listen 0.0.0.0:9914 --top 0
                                         for a Prometheus on another host; no connection is listed
  tcpwhy agent --netns self              only the network namespace that it runs in
  tcpwhy agent --otlp http://127.0.0.1:4318
                                         to an OpenTelemetry collector as well
  tcpwhy agent --events /var/log/tcpwhy.ndjson --events-interval 10s --top 20
  tcpwhy agent | jq 'select(.limit == \"send_buffer\") | [.service, .remote, .lost_ns]'

As root (CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH) it samples every network namespace
and container of the host, and knows other users' processes and who locked a buffer. Without
privileges it samples its own namespace, and tells services by their cgroup. docs/agent.md lists
the metrics; deploy/ has a systemd unit, a DaemonSet, a dashboard and alerts.

Exit status: 0 stopped by Ctrl-C or SIGTERM, 2 error.";

/// What the agent samples, and whom it tells.
#[derive(Debug, Clone, Args)]
pub(crate) struct Agent {
    /// Where to serve /metrics and /healthz, plain HTTP for whoever gets there; port 0: any free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:9914")]
    pub listen: SocketAddr,
    /// Length of a round, in which every socket is sampled at least once
    #[arg(long, value_name = "TIME", value_parser = interval, default_value = "1s")]
    pub interval: Nanos,
    /// Most of one core to use, percent: where sampling costs more, it is done less often
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "3")]
    pub cpu: f64,
    /// Only sockets of this network namespace: its name or inode, or self for ours; without, of all that may be entered
    #[arg(long, value_name = "NETNS")]
    pub netns: Option<String>,
    /// Most services that are told apart; later ones count as "other"
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000), default_value = "64")]
    pub services: u16,
    /// Send the metrics to this OpenTelemetry receiver, too (OTLP/HTTP, JSON): http://HOST:4318
    #[arg(long, value_name = "URL", help_heading = "OpenTelemetry")]
    pub otlp: Option<String>,
    /// How often to send them
    #[arg(long, value_name = "TIME", value_parser = interval, default_value = "60s", help_heading = "OpenTelemetry")]
    pub otlp_interval: Nanos,
    /// Where to append the connections that lost most time, a JSON object a line; - for standard output
    #[arg(long, value_name = "FILE", default_value = "-", help_heading = "Events")]
    pub events: PathBuf,
    /// How often, and over which time
    #[arg(long, value_name = "TIME", value_parser = interval, default_value = "60s", help_heading = "Events")]
    pub events_interval: Nanos,
    /// How many connections each time; 0 for none
    #[arg(long, value_name = "K", default_value = "5", help_heading = "Events")]
    pub top: u16,
}

/// 100 ms to an hour.
fn interval(text: &str) -> Result<Nanos, String> {
    let span = quantity::span(text).map_err(|e| e.to_string())?;
    if (Nanos::from_millis(100)..=Nanos::from_secs(3600)).contains(&span) {
        Ok(span)
    } else {
        Err("a time from 100ms to 3600s is needed".to_owned())
    }
}

/// A part of one core as a fraction.
fn percent(text: &str) -> Result<f64, String> {
    let percent = text.trim_end_matches('%').parse::<f64>().ok();
    let percent = percent.filter(|p| (0.1..=100.0).contains(p));
    percent.map(|p| p / 100.0).ok_or_else(|| "a number from 0.1 to 100 is needed".to_owned())
}

/// Samples until it is told to stop.
///
/// # Errors
/// The kernel has no `sock_diag`, the address cannot be listened at, or the file not be written.
#[cfg(target_os = "linux")]
pub(crate) fn run(agent: &Agent) -> Result<ExitCode, Error> {
    run::run(agent)
}

/// One sentence on standard error, if that can be written: a log on a full disk does not end the agent.
#[cfg(target_os = "linux")]
fn warn(text: &str) {
    use std::io::Write;
    let _ = writeln!(anstream::stderr(), "tcpwhy: {}", tcpwhy_report::printable(text));
}

/// Says that live sockets are Linux's.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: &Agent) -> Result<ExitCode, Error> {
    Err(Error::Live("the agent asks the Linux kernel for its sockets; run it on Linux".to_owned()))
}
