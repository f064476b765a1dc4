//! How a run over captures ends: what is said on standard error, and the exit code.

use crate::cli::Selection;
use crate::pipeline::Read;
use crate::{exit, say};
use std::process::ExitCode;
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::count;

/// There are connections, but none was asked for.
pub(crate) const NO_MATCH: &str = "nothing to analyse: no connection matches; `tcpwhy explain --csv` without --conn, --host and --port lists all";

/// Says that the input was damaged, or why nothing is `shown`. `warnings`: the language to say them in, where nothing else has a place for
/// them.
pub(crate) fn conclude(
    read: &Read,
    shown: usize,
    selection: &Selection,
    warnings: Option<Language>,
) -> ExitCode {
    if let Some(language) = warnings {
        read.source.warnings.iter().for_each(|warning| say(warning.text(language)));
    }
    if read.damaged {
        return damaged();
    }
    if shown == 0 {
        let part = selection.since.is_some() || selection.until.is_some();
        say(&nothing(read, part));
        return ExitCode::from(exit::NOTHING);
    }
    ExitCode::SUCCESS
}

/// Of input that is damaged, or of which a file is not there.
pub(crate) fn damaged() -> ExitCode {
    say("the input is damaged or not all there; what could be read of it was analysed");
    ExitCode::from(exit::ERROR)
}

/// Why there is nothing to show. `part`: only the packets of some time were asked for.
fn nothing(read: &Read, part: bool) -> String {
    match (read.source.packets, read.source.tcp_packets) {
        (0, _) if part => "nothing to analyse: no packet is of the time asked for, which counts from the first packet".to_owned(),
        (0, _) => "nothing to analyse: there are no packets".to_owned(),
        (n, 0) => format!("nothing to analyse: none of {} packets is readable TCP", count(n)),
        _ => NO_MATCH.to_owned(),
    }
}
