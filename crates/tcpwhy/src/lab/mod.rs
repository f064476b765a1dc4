//! `tcpwhy lab`: slow transfers, reproduced on this machine. One file a verb.

mod list;
mod run;

use crate::error::Error;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// What the lab shall do.
#[derive(Debug, Args)]
pub(crate) struct Lab {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the scenarios that come with tcpwhy
    List(list::List),
    /// Run a scenario, or all of them, and judge what was captured
    #[command(after_help = run::EXAMPLES)]
    Run(run::Run),
}

/// Does it.
///
/// # Errors
/// What the verb says.
pub(crate) fn run(lab: &Lab) -> Result<ExitCode, Error> {
    match &lab.verb {
        Verb::List(list) => list::run(list),
        Verb::Run(run) => run::run(run),
    }
}
