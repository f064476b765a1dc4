//! `tcpwhy check`: what on a host would limit a transfer.

pub(crate) mod args;
mod path;
pub(crate) mod saved;

use std::io::{self, Write};
use std::process::ExitCode;

use crate::cli::Color;
use crate::error::Error;
use crate::output::{self, Output};
use args::Check;
use tcpwhy_core::check::{Host, Report, judge};

pub(crate) const EXAMPLES: &str = "\
Examples:
  tcpwhy check                                       this host, over the paths of its connections
  tcpwhy check --rate 1gbit --rtt 40ms               this host, over such a path
  tcpwhy check --peer db.example.org --rate 1gbit    the route to that host, and its round trip
  tcpwhy check --rate 1gbit --rtt 40ms --sysctl-conf > 90-tcpwhy.conf
  ssh HOST sysctl -a > saved; tcpwhy check --from saved --rate 1gbit --rtt 40ms
  tcpwhy check --from case/ --rate 1gbit --rtt 40ms  both hosts of a case folder

It reads, and changes nothing. Fixed buffers of other users' programs are seen as root only.

Exit status: 0 checked, 2 error.";

/// Judges and writes the answer.
///
/// # Errors
/// A path or a host that is none; the answer cannot be written.
pub(crate) fn run(args: &Check) -> Result<ExitCode, Error> {
    path::validate(args)?;
    let hosts = match &args.from {
        Some(from) => saved::hosts(from, args.kernel.as_deref())?,
        None => vec![this_host()?],
    };
    let mut reports = Vec::new();
    for host in hosts {
        let paths = path::paths(args, &host)?;
        reports.push(judge(host, paths));
    }
    path::carries(args, &reports)?;
    write(args, &reports).map_err(Error::Write)?;
    Ok(ExitCode::SUCCESS)
}

fn write(args: &Check, reports: &[Report]) -> io::Result<()> {
    let mut out = if args.json { Output::raw() } else { Output::new(Color::Auto) };
    if args.json {
        tcpwhy_report::check::json(&mut out.to, reports)?;
    }
    for (n, report) in reports.iter().enumerate().filter(|_| !args.json) {
        if n > 0 {
            writeln!(out.to)?;
        }
        if args.sysctl_conf {
            tcpwhy_report::check::sysctl_conf(&mut out.to, report, args.lang.of_text())?;
        } else {
            let (language, width) = (args.lang.of_text(), output::line_width());
            tcpwhy_report::check::text(&mut out.to, report, language, width)?;
        }
    }
    out.to.flush()
}

/// The host that this process runs on.
///
/// # Errors
/// It cannot be read, or is not Linux.
#[cfg(target_os = "linux")]
pub(crate) fn this_host() -> Result<Host, Error> {
    tcpwhy_live::host::read().map_err(|e| Error::Usage(format!("this host: {e}")))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn this_host() -> Result<Host, Error> {
    let text = "a host is read on Linux only; --from FILE reads a saved sysctl -a of another one";
    Err(Error::Usage(text.to_owned()))
}
