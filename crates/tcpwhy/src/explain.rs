//! `tcpwhy explain`: captures in, answer out.

use crate::case::{self, Case, Evidence};
use crate::cli::Explain;
use crate::error::Error;
use crate::exit;
use crate::filter::{Choice, Span};
use crate::interrupt;
use crate::output::{self, Output};
use crate::pipeline::{self, Read, Reading};
use crate::say;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use tcpwhy_capture::Input;
use tcpwhy_core::advice::quantity::count;
use tcpwhy_core::model::Connection;
use tcpwhy_report::csv;
use tcpwhy_report::json::{self, Words};
use tcpwhy_report::terminal::{self, View};
use tcpwhy_report::{Source, Warning};

/// Analyses the captures and writes the answer.
///
/// # Errors
/// An input cannot be opened, nothing in it can be decoded, or the answer cannot be written.
pub(crate) fn run(args: &Explain) -> Result<ExitCode, Error> {
    let case = Case::of(&args.files)?;
    let inputs = match &case {
        Some(case) => case.captures(),
        None => args.files.iter().map(|path| input(path)).collect(),
    };
    if let Some(case) = case.as_ref().filter(|_| inputs.is_empty()) {
        return without_packets(args, case);
    }
    if inputs.contains(&Input::Stdin) {
        interrupt::leave_to_the_writer();
    }
    let reading = pipeline::start(&inputs, Span::of(&args.selection))?;
    let choice = Choice::of(&args.selection);
    let mut out = if args.json || args.ndjson { Output::raw() } else { Output::new(args.color) };
    let evidence = case.as_ref().map(case::evidence).transpose()?;
    let (read, shown) = if args.ndjson {
        stream(reading, &choice, evidence.as_ref(), args.lang.of_data(), &mut out)?
    } else {
        let (mut read, batches) = collect(reading, &choice, evidence.as_ref())?;
        read.source.warnings.extend(case.iter().flat_map(Case::remarks));
        let mut connections: Vec<&Connection> =
            Vec::with_capacity(batches.iter().map(|batch| batch.len()).sum());
        connections.extend(batches.iter().flatten());
        connections.sort_unstable_by_key(|c| c.id);
        if read.unsupported.is_none() {
            write(args, &mut out, &read, &connections)?;
        }
        let shown = connections.len();
        // The process ends here: giving every piece of them back takes as long as judging some of them.
        std::mem::forget(batches);
        (read, shown)
    };
    out.to.flush()?;
    conclude(args, read, shown)
}

/// A case that was recorded without the right to capture.
fn without_packets(args: &Explain, case: &Case) -> Result<ExitCode, Error> {
    let mut connections = case::evidence(case)?.connections();
    let choice = Choice::of(&args.selection);
    connections.retain(|c| choice.takes(c));
    let source = Source {
        files: vec![case.folder().display().to_string()],
        packets: 0,
        tcp_packets: 0,
        warnings: std::iter::once(Warning::new(case::no_packets)).chain(case.remarks()).collect(),
    };
    let read = Read { source, damaged: false, unsupported: None };
    let mut out = if args.json || args.ndjson { Output::raw() } else { Output::new(args.color) };
    if args.ndjson {
        for connection in &connections {
            json::write_line(&mut out.to, connection, args.lang.of_data())?;
        }
    } else {
        write(args, &mut out, &read, &connections.iter().collect::<Vec<_>>())?;
    }
    out.to.flush()?;
    if connections.is_empty() {
        say("nothing to analyse: no sampled socket sent anything");
        return Ok(ExitCode::from(exit::NOTHING));
    }
    Ok(ExitCode::SUCCESS)
}

fn input(path: &Path) -> Input {
    if path.as_os_str() == "-" { Input::Stdin } else { Input::Path(path.to_owned()) }
}

/// Writes each connection as it ends, and keeps none.
fn stream(
    reading: Reading,
    choice: &Choice,
    evidence: Option<&Evidence>,
    words: Words,
    out: &mut Output,
) -> Result<(Read, usize), Error> {
    let mut shown = 0;
    let read = reading.each(|mut connections| {
        for connection in connections.iter_mut().filter(|c| choice.takes(c)) {
            settle(connection, evidence);
            json::write_line(&mut out.to, connection, words)?;
            shown += 1;
        }
        // Whoever follows a live capture waits for these lines.
        if !connections.is_empty() {
            out.to.flush()?;
        }
        Ok(())
    })?;
    Ok((read, shown))
}

/// Connections that ended at about the same time.
type Batches = Vec<Box<[Connection]>>;

/// All connections, as they ended. They stay in the batches in which they came: one list would be
/// copied as it grows, and be there twice.
fn collect(
    reading: Reading,
    choice: &Choice,
    evidence: Option<&Evidence>,
) -> Result<(Read, Batches), Error> {
    let mut batches = Batches::new();
    let read = reading.each(|mut finished| {
        finished.retain(|c| choice.takes(c));
        finished.iter_mut().for_each(|c| settle(c, evidence));
        if !finished.is_empty() {
            batches.push(finished.into_boxed_slice());
        }
        Ok(())
    })?;
    Ok((read, batches))
}

/// With what the kernel knew of the sockets, where that was recorded.
fn settle(connection: &mut Connection, evidence: Option<&Evidence>) {
    if let Some(evidence) = evidence {
        evidence.settle(connection);
    }
}

fn write(
    args: &Explain,
    out: &mut Output,
    read: &Read,
    connections: &[&Connection],
) -> Result<(), Error> {
    if args.json {
        let connections = connections.iter().copied();
        json::write(&mut out.to, &read.source, connections, args.lang.of_data())?;
    } else if args.csv {
        csv::write(&mut out.to, connections.iter().copied())?;
    } else if !connections.is_empty() {
        let view = View {
            width: output::width(),
            color: out.color,
            // One connection that was asked for is shown whole.
            all: args.all || args.selection.conn.is_some(),
            verbose: args.verbose,
            language: args.lang.of_text(),
        };
        terminal::write(&mut out.to, &read.source, connections, &view)?;
    }
    Ok(())
}

/// Says on standard error what the answer itself has no place for, and chooses the exit code.
fn conclude(args: &Explain, read: Read, shown: usize) -> Result<ExitCode, Error> {
    read.decoded()?;
    if args.ndjson || args.csv || (shown == 0 && !args.json) {
        for warning in &read.source.warnings {
            say(warning.text(args.lang.of_text()));
        }
    }
    if read.damaged {
        say("the input is damaged; what could be read of it was analysed");
        return Ok(ExitCode::from(exit::ERROR));
    }
    if shown == 0 {
        let part = args.selection.since.is_some() || args.selection.until.is_some();
        say(&nothing(&read, part));
        return Ok(ExitCode::from(exit::NOTHING));
    }
    Ok(ExitCode::SUCCESS)
}

/// Why there is nothing to show. `part`: only the packets of some time were asked for.
fn nothing(read: &Read, part: bool) -> String {
    match (read.source.packets, read.source.tcp_packets) {
        (0, _) if part => "nothing to analyse: no packet is of the time asked for".to_owned(),
        (0, _) => "nothing to analyse: there are no packets".to_owned(),
        (n, 0) => format!("nothing to analyse: none of {} packets is readable TCP", count(n)),
        _ => "nothing to analyse: no connection matches".to_owned(),
    }
}
