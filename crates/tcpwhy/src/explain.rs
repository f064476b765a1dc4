//! `tcpwhy explain`: captures in, answer out.

use crate::case::{self, Case, Evidence};
use crate::cli::Explain;
use crate::conclude;
use crate::error::Error;
use crate::exit;
use crate::filter::{Choice, Span};
use crate::interrupt;
use crate::output::{self, Output};
use crate::pipeline::{self, Read, Reading};
use crate::say;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use tcpwhy_capture::Input;
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::count;
use tcpwhy_core::analysis::{Shared, Sharing};
use tcpwhy_core::model::{Connection, MAX_TRANSFERS};
use tcpwhy_core::whatif::Budget;
use tcpwhy_report::csv;
use tcpwhy_report::json::{self, Words};
use tcpwhy_report::terminal::{self, Shown, View};
use tcpwhy_report::{Source, Warning, refine_all};

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
    let mut out = output(args);
    let evidence = case.as_ref().map(case::evidence).transpose()?;
    let at_once = args.ndjson.then(Budget::default);
    let mut wanted = Wanted { choice, evidence, at_once };
    let (read, shown) = if args.ndjson {
        stream(reading, wanted, args.lang.of_data(), &mut out)?
    } else {
        let mut answer = Answer::new(args, out.color);
        let mut sharing = Sharing::new();
        let mut read = reading.each(|finished| {
            finished.iter().for_each(|connection| sharing.add(connection));
            answer.add(wanted.of(finished));
            Ok(())
        })?;
        answer.refine(&sharing.add_up());
        wanted.note(&mut read);
        if read.unsupported.is_none() {
            answer.write(args, &mut out, &read.source).map_err(Error::Write)?;
        }
        if args.csv {
            read.source.warnings.extend(answer.left_out());
        }
        let shown = answer.len();
        // The process ends here: giving every piece of it back takes as long as judging some of them.
        std::mem::forget(answer);
        (read, shown)
    };
    out.to.flush().map_err(Error::Write)?;
    conclude(args, &read, shown)
}

/// A case that was recorded without the right to capture.
fn without_packets(args: &Explain, case: &Case) -> Result<ExitCode, Error> {
    let choice = Choice::of(&args.selection);
    let evidence = case::evidence(case)?;
    let mut connections = evidence.connections();
    connections.retain(|c| choice.takes(c));
    let found = !connections.is_empty();
    let mut source = Source {
        files: vec![case.folder().display().to_string()],
        began: None,
        packets: 0,
        tcp_packets: 0,
        warnings: vec![Warning::new(case::no_packets)],
    };
    let damaged = evidence.note(&mut source.warnings);
    let mut out = output(args);
    if args.ndjson {
        for connection in &connections {
            json::write_line(&mut out.to, connection, args.lang.of_data()).map_err(Error::Write)?;
        }
    } else {
        let mut answer = Answer::new(args, out.color);
        answer.add(connections);
        answer.write(args, &mut out, &source).map_err(Error::Write)?;
    }
    out.to.flush().map_err(Error::Write)?;
    if damaged {
        return Ok(conclude::damaged());
    }
    if !found {
        say("nothing to analyse: no sampled socket sent anything");
        return Ok(ExitCode::from(exit::NOTHING));
    }
    Ok(ExitCode::SUCCESS)
}

fn input(path: &Path) -> Input {
    if path.as_os_str() == "-" { Input::Stdin } else { Input::Path(path.to_owned()) }
}

fn output(args: &Explain) -> Output {
    if args.json || args.ndjson { Output::raw() } else { Output::new(args.color) }
}

/// The connections that were asked for, with what the kernel knew of their sockets, where that was recorded.
struct Wanted {
    choice: Choice,
    evidence: Option<Evidence>,
    /// For the model, where it cannot wait until all is read: lines are written as connections end.
    at_once: Option<Budget>,
}

impl Wanted {
    fn of(&mut self, mut finished: Vec<Connection>) -> Vec<Connection> {
        finished.retain(|c| self.choice.takes(c));
        if let Some(evidence) = &self.evidence {
            finished.iter_mut().for_each(|c| evidence.settle(c));
        }
        if let Some(budget) = &mut self.at_once {
            finished.iter_mut().for_each(|c| budget.refine(c));
        }
        finished
    }

    /// What there is to say of a case beside its packets.
    fn note(&self, read: &mut Read) {
        if let Some(evidence) = &self.evidence {
            read.damaged |= evidence.note(&mut read.source.warnings);
        }
    }
}

/// Writes each connection as it ends, and keeps none.
fn stream(
    reading: Reading,
    mut wanted: Wanted,
    words: Words,
    out: &mut Output,
) -> Result<(Read, usize), Error> {
    let mut shown = 0;
    let mut read = reading.each(|finished| {
        let connections = wanted.of(finished);
        for connection in &connections {
            json::write_line(&mut out.to, connection, words).map_err(Error::Write)?;
        }
        shown += connections.len();
        // Whoever follows a live capture waits for these lines.
        if !connections.is_empty() {
            out.to.flush().map_err(Error::Write)?;
        }
        Ok(())
    })?;
    wanted.note(&mut read);
    Ok((read, shown))
}

/// Connections in a list.
const LIST: usize = 256;

/// What is written once all is read.
enum Answer {
    /// Text, which shows few of many connections.
    Text(Shown),
    /// All connections, as they ended, in lists of one size: a single one would be copied as it grows, and be there twice.
    Table(Vec<Vec<Connection>>),
}

impl Answer {
    fn new(args: &Explain, color: bool) -> Self {
        if args.json || args.csv {
            return Self::Table(Vec::new());
        }
        let view = View {
            width: output::width(),
            color,
            // One connection that was asked for is shown whole.
            all: args.all || args.selection.conn.is_some(),
            verbose: args.verbose,
            language: args.lang.of_text(),
        };
        Self::Text(Shown::new(view))
    }

    fn add(&mut self, connections: Vec<Connection>) {
        match self {
            Self::Text(shown) => connections.into_iter().for_each(|c| shown.add(c)),
            Self::Table(lists) => {
                for connection in connections {
                    if lists.last().is_none_or(|last| last.len() == LIST) {
                        lists.push(Vec::with_capacity(LIST));
                    }
                    if let Some(last) = lists.last_mut() {
                        last.push(connection);
                    }
                }
            }
        }
    }

    /// There are no more: the model makes the predictions of those that will be looked at.
    fn refine(&mut self, shared: &Shared) {
        match self {
            Self::Text(shown) => shown.refine(shared),
            Self::Table(lists) => refine_all(lists, shared),
        }
    }

    /// How many connections there are.
    fn len(&self) -> usize {
        match self {
            Self::Text(shown) => shown.seen(),
            Self::Table(lists) => lists.iter().map(Vec::len).sum(),
        }
    }

    /// What a table has no rows for.
    fn left_out(&self) -> Option<Warning> {
        let Self::Table(lists) = self else { return None };
        let directions = lists.iter().flatten().flat_map(|c| &c.directions);
        let omitted: u64 = directions.map(|d| u64::from(d.transfers_omitted)).sum();
        let warning = || {
            let omitted = count(omitted);
            Warning::new(|language| match language {
                Language::En => format!(
                    "{omitted} transfers have no row of their own: of each direction the last row has all that came after the first {MAX_TRANSFERS}"
                ),
                Language::Zh => format!(
                    "{omitted} 次传输没有单独的一行：每个方向的最后一行包含前 {MAX_TRANSFERS} 次之后的全部传输"
                ),
            })
        };
        (omitted > 0).then(warning)
    }

    fn write(&self, args: &Explain, out: &mut Output, source: &Source) -> io::Result<()> {
        match self {
            Self::Text(shown) if shown.seen() == 0 => {}
            Self::Text(shown) => terminal::write(&mut out.to, source, shown)?,
            Self::Table(lists) => {
                let mut connections: Vec<&Connection> = Vec::with_capacity(self.len());
                connections.extend(lists.iter().flatten());
                connections.sort_unstable_by_key(|c| c.id);
                let connections = connections.iter().copied();
                if args.json {
                    json::write(&mut out.to, source, connections, args.lang.of_data())?;
                } else {
                    csv::write(&mut out.to, connections)?;
                }
            }
        }
        Ok(())
    }
}

/// Says on standard error what the answer itself has no place for, and chooses the exit code.
fn conclude(args: &Explain, read: &Read, shown: usize) -> Result<ExitCode, Error> {
    read.decoded()?;
    let silent = args.ndjson || args.csv || (shown == 0 && !args.json);
    let warnings = silent.then(|| args.lang.of_text());
    Ok(conclude::conclude(read, shown, &args.selection, warnings))
}
