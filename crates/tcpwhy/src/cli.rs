//! The command line's grammar.

mod color;
mod explain;
mod line;
mod refused;
mod report;
mod selection;
mod serve;

use crate::agent::Agent;
use crate::check::args::Check;
use crate::lab::Lab;
use crate::live::Live;
use crate::predict::args::Predict;
use crate::record::Record;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
pub(crate) use color::Color;
pub(crate) use explain::Explain;
use refused::Refused;
pub(crate) use report::{Chart, Report};
pub(crate) use selection::{Selection, live_port};
pub(crate) use serve::Serve;
use std::ffi::OsString;
use std::io;

const EXAMPLES: &str = "\
Examples:
  tcpwhy slow.pcapng                     why was it slow? the transfers that matter most
  tcpwhy slow.pcapng --conn 3 -v         one connection with all its intervals and frames
  tcpwhy ring/ --host 10.0.0.7 --all     a directory of rotated captures, one host, everything
  tcpwhy slow.pcap --since 12.5 --until 40s
                                         only the time from 12.5 s to 40 s into the capture
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
    command: Option<Command>,
    #[command(flatten)]
    explain: Explain,
}

/// What was asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
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
    #[command(after_help = report::EXAMPLES)]
    Report(Report),
    /// Show captures in the browser: a list, uploads, and the page of report for each
    #[command(after_help = serve::EXAMPLES)]
    Serve(Serve),
    /// Predict a transfer: its limit and time from sizes, rates, round trips and buffers
    #[command(after_help = crate::predict::EXAMPLES)]
    Predict(Predict),
    /// Check this host, or a saved one: what would limit a transfer, and what changing it brings
    #[command(after_help = crate::check::EXAMPLES)]
    Check(Check),
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
    let command = cli.command.unwrap_or(Command::Explain(cli.explain));
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
    if until != since && !until.is_before(since) {
        return Ok(());
    }
    let text = "--until is not after --since: no packet can be of that time";
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

    /// Of what can be run; `lab` is only a name for others.
    fn assert_tells(command: &clap::Command) {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let runs = !command.is_hide_set() && !command.is_subcommand_required_set();
        let tells = text.contains("Examples:\n") && text.contains("\nExit status: ");
        assert!(tells || !runs, "{}: {text}", command.get_name());
        command.get_subcommands().for_each(assert_tells);
    }

    #[test]
    fn every_verb_shows_examples_and_what_its_exit_status_means() {
        assert_tells(&Cli::command());
    }
}
