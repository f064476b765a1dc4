//! The command line's grammar.

mod line;
mod refused;

use crate::agent::Agent;
use crate::check::args::Check;
use crate::lab::Lab;
use crate::lang::Lang;
use crate::live::Live;
use crate::predict::args::Predict;
use crate::record::Record;
use crate::when::When;
use anstream::ColorChoice;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use refused::Refused;
use std::ffi::OsString;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use tcpwhy_core::quantity;

const EXAMPLES: &str = "\
Examples:
  tcpwhy slow.pcapng                     why was it slow? the transfers that matter most
  tcpwhy slow.pcapng --conn 3 -v         one connection with all its intervals and frames
  tcpwhy ring/ --host 10.0.0.7 --all     a directory of rotated captures, one host, everything
  tcpwhy slow.pcap --since 12.5 --until 40s
                                         only the packets from 12.5 s to 40 s into the capture
  tcpdump -s 128 -w - port 443 | tcpwhy -
                                         read a capture from standard input (zcat works, too,
                                         but .gz and .zst are read as they are)
  tcpwhy slow.pcapng --json | jq '.connections[].directions[].verdict.text'
  tcpwhy slow.pcapng --csv > transfers.csv
  tcpwhy report slow.pcapng -o slow.html one page with charts, to be mailed
  tcpwhy serve captures/                 the same page for many captures, in the browser
  tcpwhy live                            what holds this machine's sockets now (Linux)
  tcpwhy agent                           the same as metrics, for fleets (Linux)
  sudo tcpwhy record -o case -- COMMAND  record packets and sockets while it runs (Linux)
  tcpwhy case                            and explain them, with the kernel's own evidence
  tcpwhy --lang zh slow.pcapng           用中文说明
  tcpwhy lab run send-buffer-16k-20ms    reproduce a slow transfer on this machine
  tcpwhy predict --size 22MB --rate 100mbit --rtt 20ms --sndbuf 256K
  tcpwhy check --rate 1gbit --rtt 40ms   what on this host would limit such a path

Exit status: 0 analysed, 1 nothing to analyse, 2 error or damaged input (what could be
read of it is analysed).";

const REPORT_EXAMPLES: &str = "\
Examples:
  tcpwhy report slow.pcapng -o slow.html      one file: works from disk, can be mailed
  tcpwhy report slow.pcapng --conn 3 -o 3.html
  tcpwhy report before.pcapng --compare after.pcapng -o both.html
  tcpwhy lab run send-buffer-16k-20ms -o case && tcpwhy report case -o case.html
                                              with the sockets' own account of their buffers
  tcpwhy slow.pcapng --json > slow.json && tcpwhy report slow.json -o slow.html
  tcpwhy report slow.pcapng --chart flight --svg flight.svg --png flight.png
  tcpwhy report slow.pcapng --conn 3 --chart band --svg - > band.svg
  tcpwhy report ring/ --since 40s --until 60s -o ring.html";

const SERVE_EXAMPLES: &str = "\
Examples:
  tcpwhy serve                                a page to drop captures on
  tcpwhy serve captures/                      the captures of a directory, and uploads to it
  tcpwhy serve captures/ --listen 0.0.0.0:7733
                                              for others, too: with the token that is printed
  tcpwhy serve --listen 127.0.0.1:0 --max-upload 100MB

It speaks plain HTTP: over a network that you do not trust, forward the port instead
(ssh -L 7733:127.0.0.1:7733 HOST).";

/// Says why a TCP transfer was slow: what held it back, for how long, which packets show it, and
/// what to change.
#[derive(Debug, Parser)]
#[command(
    name = "tcpwhy",
    version,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    override_usage = "tcpwhy [explain] [OPTIONS] FILE..."
)]
struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    explain: Explain,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Explain captures; may be left out
    #[command(after_help = EXAMPLES)]
    Explain(Explain),
    /// Run commands and transfers behind an emulated link (Linux)
    #[command(subcommand)]
    Lab(Lab),
    /// Show what holds the sockets of this machine now (Linux)
    #[command(after_help = crate::live::EXAMPLES)]
    Live(Box<Live>),
    /// Tell Prometheus and OpenTelemetry what holds this host's sockets (Linux)
    #[command(after_help = crate::agent::EXAMPLES)]
    Agent(Box<Agent>),
    /// Record packets, socket samples, kernel events and host facts into a case folder (Linux)
    #[command(after_help = crate::record::EXAMPLES)]
    Record(Record),
    /// Write one HTML file that shows captures: verdicts, timelines, charts
    #[command(after_help = REPORT_EXAMPLES)]
    Report(Report),
    /// Show captures in the browser: a list, uploads, and the page of report for each
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Serve),
    /// Predict a transfer: its limit and time from sizes, rates, round trips and buffers
    #[command(after_help = crate::predict::EXAMPLES)]
    Predict(Predict),
    /// Check this host, or a saved one: what would limit a transfer, and what changing it brings
    #[command(after_help = crate::check::EXAMPLES)]
    Check(Check),
}

/// What was asked for.
#[derive(Debug)]
pub(crate) enum Command {
    /// Explain captures.
    Explain(Explain),
    /// Something in the lab.
    Lab(Lab),
    /// Look at live sockets.
    Live(Box<Live>),
    /// Sample for metrics.
    Agent(Box<Agent>),
    /// Record a case.
    Record(Record),
    /// Write a page.
    Report(Report),
    /// Show captures in the browser.
    Serve(Serve),
    /// Predict a transfer.
    Predict(Predict),
    /// Check a host.
    Check(Check),
}

/// What to show on a page.
#[derive(Debug, Clone, Args)]
pub(crate) struct Report {
    /// Captures (pcap or pcapng, also .gz or .zst) and directories of them; or the folder of a lab run; or an analysis
    /// that --json wrote (no charts: it has no packets)
    #[arg(value_name = "FILE|CASE|JSON", required = true)]
    pub files: Vec<PathBuf>,
    /// Show this one, too, on the same axes: before and after a fix, sender and receiver
    #[arg(long, value_name = "FILE|CASE|JSON")]
    pub compare: Option<PathBuf>,
    /// The page to write; - for standard output
    #[arg(short, long, value_name = "HTML", default_value = "tcpwhy.html")]
    pub output: PathBuf,
    /// Replace the page if it is there already
    #[arg(short, long)]
    pub force: bool,
    /// Connections with charts, those with most to save first; the others are listed with their verdicts
    #[arg(long, value_name = "N", default_value_t = crate::look::CHARTS)]
    pub charts: usize,
    /// Write one chart as SVG instead of a page; - for standard output
    #[arg(long, value_name = "SVG", conflicts_with_all = ["output", "compare", "charts"], help_heading = "One chart")]
    pub svg: Option<PathBuf>,
    /// Write one chart as PNG instead of a page; - for standard output
    #[arg(long, value_name = "PNG", conflicts_with_all = ["output", "compare", "charts"], help_heading = "One chart")]
    pub png: Option<PathBuf>,
    /// Which chart, of the connection with most to save or that of --conn; without, time-sequence
    #[arg(long, value_name = "NAME", help_heading = "One chart")]
    pub chart: Option<Chart>,
    /// Language that the page begins in, auto: that of the reader's browser; or of a chart, auto: that of the locale
    #[arg(long, value_name = "LANG", default_value = "auto")]
    pub lang: Lang,
    #[command(flatten)]
    pub selection: Selection,
}

/// A chart of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Chart {
    /// Segments, acknowledgments, window edge, SACK blocks and marks
    #[default]
    TimeSequence,
    /// Bytes in flight and the ceilings that they touch
    Flight,
    /// The advertised window
    Window,
    /// Round-trip times
    Rtt,
    /// Sent and acknowledged data over time
    Throughput,
    /// What limited the transfer, and when
    Band,
    /// Queues, buffers and congestion window of the sockets (of a case folder)
    Samples,
    /// Packets as arrows between the hosts, 80 at most (--since, --until)
    Ladder,
    /// Send buffer, road and receive buffer to one scale, filled as in the middle of the transfer (--since, --until)
    Warehouses,
}

/// What to serve, and to whom.
#[derive(Debug, Clone, Args)]
pub(crate) struct Serve {
    /// Directory of captures (its subdirectories, too), to which uploads are added; left out, uploads go to a
    /// temporary one that is removed in the end
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Where to listen; any address but a loopback one asks visitors for a token
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7733")]
    pub listen: SocketAddr,
    /// Largest upload
    #[arg(long, value_name = "SIZE", default_value = "1GB", value_parser = upload)]
    pub max_upload: u64,
}

fn upload(text: &str) -> Result<u64, String> {
    match quantity::bytes(text) {
        Ok(0) => Err("must be more than 0".to_owned()),
        bytes => bytes.map_err(|e| e.to_string()),
    }
}

/// What to explain, and how to show it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Explain {
    /// Captures (pcap or pcapng, also .gz or .zst), directories of them, or - for standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write one JSON object (schema/tcpwhy.analysis-1.schema.json)
    #[arg(long, group = "format", help_heading = "Output")]
    pub json: bool,
    /// Write one JSON object per connection and line, as each connection ends
    #[arg(long, group = "format", help_heading = "Output")]
    pub ndjson: bool,
    /// Write one row per transfer
    #[arg(long, group = "format", help_heading = "Output")]
    pub csv: bool,
    /// Show every direction, not only those that matter most
    #[arg(long, help_heading = "Output")]
    pub all: bool,
    /// List the intervals of each timeline with their frames; times count from the capture's first packet
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: Color,
    /// Language of the answer; auto: that of LC_ALL, LC_MESSAGES or LANG, in JSON always English
    #[arg(long, value_name = "LANG", default_value = "auto", help_heading = "Output")]
    pub lang: Lang,

    #[command(flatten)]
    pub selection: Selection,
}

/// Which connections, and which part of the captures.
#[derive(Debug, Clone, Args)]
pub(crate) struct Selection {
    /// Only the connection with this number (as Wireshark's tcp.stream)
    #[arg(long, value_name = "ID", value_parser = connection, help_heading = "Selection")]
    pub conn: Option<u64>,
    /// Only connections of this address
    #[arg(long, value_name = "ADDR", value_parser = address, help_heading = "Selection")]
    pub host: Option<IpAddr>,
    /// Only connections of this port
    #[arg(long, value_name = "PORT", value_parser = port, help_heading = "Selection")]
    pub port: Option<u16>,
    /// Only what happened from this time on: seconds into the capture (12.5) or RFC 3339. Packets before it still tell how
    /// the connection was set up
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Selection")]
    pub since: Option<When>,
    /// Only what happened before this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Selection")]
    pub until: Option<When>,
}

fn connection(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "expected a number, as tcpwhy and Wireshark's tcp.stream give them")
}

fn address(text: &str) -> Result<IpAddr, &'static str> {
    text.parse().map_err(|_| "expected an IP address: a capture has no names")
}

fn port(text: &str) -> Result<u16, &'static str> {
    text.parse().map_err(|_| "expected a number from 0 to 65535")
}

/// The port of a live socket: of a capture 0 can be asked for, which no socket has.
pub(crate) fn live_port(text: &str) -> Result<u16, &'static str> {
    text.parse().ok().filter(|port| *port > 0).ok_or("expected a number from 1 to 65535")
}

/// When to use colours.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// Reads the command line; `None` where it is empty.
///
/// # Errors
/// It is wrong, or asks for help or the version.
pub(crate) fn parse() -> Result<Option<Command>, Refused> {
    let mut words: Vec<_> = std::env::args_os().collect();
    if words.len() < 2 {
        return Ok(None);
    }
    // `tcpwhy explain` alone can only mean a file of that name, if there is one.
    if let [_, only] = words.as_slice()
        && only == "explain"
        && std::path::Path::new(only).exists()
    {
        words.insert(1, "explain".into());
    }
    let grammar = line::prepared(Cli::command());
    let words = line::subcommand_first(words, &grammar);
    let refused = |why| Refused::new(why, &line::verbs(&words[1..], &grammar));
    read(&words, grammar.clone()).map(Some).map_err(refused)
}

/// The command of these words.
fn read(words: &[OsString], mut grammar: clap::Command) -> Result<Command, clap::Error> {
    if let Some((word, verb)) = line::mistyped(words, &grammar) {
        let text = format!("{word}: there is no such file; did you mean tcpwhy {verb}?");
        return Err(grammar.error(ErrorKind::InvalidSubcommand, text));
    }
    let matches = grammar.try_get_matches_from_mut(words)?;
    let cli = Cli::from_arg_matches(&matches).map_err(|e| e.format(&mut grammar))?;
    let command = match cli.verb {
        Some(Verb::Record(record)) => Command::Record(record),
        Some(Verb::Report(report)) => Command::Report(report),
        Some(Verb::Serve(serve)) => Command::Serve(serve),
        Some(Verb::Predict(predict)) => Command::Predict(predict),
        Some(Verb::Check(check)) => Command::Check(check),
        Some(Verb::Agent(agent)) => Command::Agent(agent),
        Some(Verb::Live(live)) => Command::Live(live),
        Some(Verb::Lab(lab)) => Command::Lab(lab),
        Some(Verb::Explain(explain)) => Command::Explain(explain),
        None => Command::Explain(cli.explain),
    };
    check(&command)?;
    Ok(command)
}

/// Refuses what no grammar can: no file, and a span of time that no packet can be in.
fn check(command: &Command) -> Result<(), clap::Error> {
    let selection = match command {
        Command::Explain(explain) if explain.files.is_empty() => {
            let text = "name a capture to explain, or - for standard input";
            return Err(Cli::command().error(ErrorKind::MissingRequiredArgument, text));
        }
        Command::Explain(explain) => &explain.selection,
        Command::Report(report) => &report.selection,
        _ => return Ok(()),
    };
    let span = (selection.since, selection.until);
    let (Some(since), Some(until)) = span else { return Ok(()) };
    if !until.is_before(since) {
        return Ok(());
    }
    let text = "--until is before --since: no packet can be of that time";
    Err(Cli::command().error(ErrorKind::ArgumentConflict, text))
}

/// Prints the short help to standard error.
///
/// # Errors
/// Whatever standard error returns.
pub(crate) fn short_help() -> io::Result<()> {
    let help = Cli::command().render_help();
    anstream::eprintln!("{}", help.ansi());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns that clap fills at most; what is longer is broken within its line.
    const COLUMNS: usize = 100;

    fn assert_fits(command: &clap::Command) {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in text.lines() {
            assert!(line.chars().count() <= COLUMNS, "{}: {line}", command.get_name());
        }
        command.get_subcommands().for_each(assert_fits);
    }

    #[test]
    fn the_lines_of_examples_fit() {
        assert_fits(&Cli::command());
    }
}
