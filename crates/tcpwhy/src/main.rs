//! The command line: one file per verb, one sentence per error.
#![forbid(unsafe_code)]

mod agent;
mod case;
mod check;
mod cli;
mod conclude;
mod error;
mod explain;
mod filter;
mod interrupt;
mod lab;
mod lang;
mod live;
mod look;
mod open_files;
mod output;
mod pipeline;
mod predict;
mod progress;
mod record;
mod report;
mod serve;
mod target;
mod when;

use cli::Command;
use error::Error;
use lang::Lang;
use std::io::Write as _;
use std::process::ExitCode;
use tcpwhy_core::advice::Language;

/// Two threads make and drop the records of many short connections, one of them what the other has made.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut language = Lang::Auto.of_text();
    match run(&mut language) {
        Ok(code) => code,
        // Whoever read our output has seen enough.
        Err(Error::Write(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) => {
            say(&e.text(language));
            ExitCode::from(exit::ERROR)
        }
    }
}

/// One sentence on standard error; names in it cannot steer the terminal.
fn say(text: &str) {
    // Standard error may be a terminal that was closed: nobody is left to be told.
    let _ = writeln!(anstream::stderr(), "tcpwhy: {}", tcpwhy_report::printable(text));
}

/// What the exit code says.
mod exit {
    /// There was nothing to analyse.
    pub(crate) const NOTHING: u8 = 1;
    /// An error, or damaged input, of which the readable part was analysed.
    pub(crate) const ERROR: u8 = 2;
}

/// `language`: of the sentence that an error becomes.
fn run(language: &mut Language) -> Result<ExitCode, Error> {
    match cli::parse() {
        Ok(Some(Command::Explain(args))) => {
            *language = args.lang.of_text();
            explain::run(&args)
        }
        Ok(Some(Command::Lab(verb))) => lab::run(&verb),
        Ok(Some(Command::Agent(args))) => agent::run(&args),
        Ok(Some(Command::Live(args))) => live::run(&args),
        Ok(Some(Command::Record(args))) => record::run(&args),
        Ok(Some(Command::Report(args))) => {
            *language = args.lang.of_text();
            report::run(&args)
        }
        Ok(Some(Command::Serve(args))) => serve::run(&args),
        Ok(Some(Command::Predict(args))) => predict::run(&args),
        Ok(Some(Command::Check(args))) => check::run(&args),
        // Nothing was asked: show what can be.
        Ok(None) => {
            cli::short_help().map_err(Error::Write)?;
            Ok(ExitCode::from(exit::ERROR))
        }
        Err(refused) => refused.answer(),
    }
}
