//! `tcpwhy lab`: one file per verb.

mod exec;
mod list;
#[cfg(target_os = "linux")]
mod progress;
mod run;
#[cfg(target_os = "linux")]
mod score;
mod shell;
#[cfg(target_os = "linux")]
mod summary;
mod sweep;

use crate::error::Error;
use clap::Subcommand;
use std::process::ExitCode;

/// The lab's verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Lab {
    /// Run a command behind an emulated link
    #[command(after_help = exec::EXAMPLES)]
    Exec(exec::Exec),
    /// Start a shell behind an emulated link
    #[command(after_help = shell::EXAMPLES)]
    Shell(shell::Shell),
    /// List the scenarios that come with tcpwhy, or print one
    #[command(after_help = list::EXAMPLES)]
    List(list::List),
    /// Run a scenario, or all of them, and judge what was captured
    #[command(after_help = run::EXAMPLES)]
    Run(run::Run),
    /// Run a scenario over all combinations of some values
    #[command(after_help = sweep::EXAMPLES)]
    Sweep(sweep::Sweep),
    /// Score the verdicts against recorded truth, over a matrix of limits, paths and captures
    #[cfg(target_os = "linux")]
    #[command(after_help = score::EXAMPLES)]
    Score(score::Score),
    /// First process of a command behind the link
    #[command(hide = true)]
    Init(exec::Init),
}

/// Runs a verb.
///
/// # Errors
/// What the lab cannot do, in one sentence.
#[cfg(target_os = "linux")]
pub(crate) fn run(verb: &Lab) -> Result<ExitCode, Error> {
    match verb {
        Lab::Exec(exec) => exec::run(exec),
        Lab::Shell(shell) => shell::run(shell),
        Lab::List(list) => list::run(list),
        Lab::Run(run) => run::run(run),
        Lab::Sweep(sweep) => sweep::run(sweep),
        Lab::Score(score) => score::run(score, &|scenario, folder| {
            let stop = std::sync::atomic::AtomicBool::new(false);
            let ran = tcpwhy_lab::run::run(scenario, None, folder, &stop);
            ran.map(drop).map_err(|e| e.to_string())
        }),
        Lab::Init(init) => exec::init(init),
    }
}

/// Gets the rights that namespaces of the lab's own take; to be called before there is a second thread.
#[cfg(target_os = "linux")]
fn become_root() -> Result<(), Error> {
    let rights = tcpwhy_lab::host::become_root();
    rights.map(drop).map_err(|e| Error::Lab(tcpwhy_lab::host::Error::from(e).to_string()))
}

/// Says that there is no lab.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: &Lab) -> Result<ExitCode, Error> {
    Err(Error::Lab("the lab needs the Linux kernel; run it on Linux".to_owned()))
}
