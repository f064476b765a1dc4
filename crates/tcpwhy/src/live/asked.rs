//! What sockets were asked for by, and whether there can be any: a filter that matches nothing must not look like idle sockets.

use super::Live;
use super::words::{Line, Words};
use crate::error::Error;
use std::path::Path;
use tcpwhy_live::cgroup;

/// Refuses a process or container that there is not.
///
/// # Errors
/// There is none.
pub(super) fn exist(live: &Live) -> Result<(), Error> {
    if let Some(pid) = live.pid
        && !Path::new("/proc").join(pid.to_string()).exists()
    {
        return Err(Error::Usage(format!("there is no process {pid} that this user can see")));
    }
    if let Some(text) = live.container.as_ref()
        && !cgroup::is_any(|path| path.contains(text))
    {
        let name = tcpwhy_report::printable(text);
        return Err(Error::Usage(format!(
            "there is no container, unit or cgroup with {name:?} in its path"
        )));
    }
    Ok(())
}

/// Options that leave sockets out whatever they do, as they were given; empty for none.
pub(super) fn filters(live: &Live) -> String {
    let given = [
        live.netns.as_ref().map(|name| format!("--netns {name}")),
        live.container.as_ref().map(|text| format!("--container {text}")),
        live.host.map(|host| format!("--host {host}")),
        live.port.map(|port| format!("--port {port}")),
        live.pid.map(|pid| format!("--pid {pid}")),
    ];
    let text = given.into_iter().flatten().collect::<Vec<_>>().join(" ");
    tcpwhy_report::printable(&text).into_owned()
}

/// What is said where no socket is shown; `matched`: of how many that were asked for.
pub(super) fn nothing(live: &Live, matched: usize, words: &dyn Words) -> String {
    let filters = filters(live);
    let limit = live.limit.map(|limit| format!("--limit {}", limit.name()));
    match (matched, limit) {
        (0, _) if !filters.is_empty() => words.unmatched(&filters),
        (_, Some(limit)) => words.unmatched(format!("{filters} {limit}").trim_start()),
        (_, None) if live.all => words.line(Line::NoSocket).to_owned(),
        (_, None) => words.line(Line::Nothing).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::words;
    use clap::Parser;
    use tcpwhy_core::advice::Language;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        live: Live,
    }

    #[test]
    fn what_is_said_of_nothing_goes_by_what_was_asked_for() {
        let said = |options: &[&str], matched| {
            let line = [&["live"], options].concat();
            nothing(&Line::parse_from(line).live, matched, words::of(Language::En))
        };
        assert!(said(&[], 3).contains("--all shows the idle ones"));
        assert_eq!(said(&["--all"], 0), "No socket is connected.");
        assert_eq!(said(&["--port", "81", "--pid", "7"], 0), "No socket fits --port 81 --pid 7.");
        assert!(said(&["--port", "81"], 1).contains("--all shows"), "it is idle");
        let limited = ["--port", "81", "--limit", "handshake"];
        assert_eq!(said(&limited, 1), "No socket fits --port 81 --limit handshake.");
    }
}
