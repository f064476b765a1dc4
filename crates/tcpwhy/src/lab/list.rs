//! `tcpwhy lab list`: the scenarios that come with the program.

use clap::Args;

pub(super) const EXAMPLES: &str = "\
Examples:
  tcpwhy lab list
  tcpwhy lab list send-buffer-16k-20ms > mine.toml && tcpwhy lab run mine.toml -o case

Exit status: 0 listed, 2 error.";

/// What to list.
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Print this scenario's file instead: a start for one of your own
    #[arg(value_name = "SCENARIO")]
    name: Option<String>,
}

#[cfg(target_os = "linux")]
pub(super) use linux::run;

#[cfg(target_os = "linux")]
mod linux {
    use super::List;
    use crate::error::Error;
    use crate::output::line_width;
    use std::io::Write;
    use std::process::ExitCode;
    use tcpwhy_lab::scenario::{Source, builtins};
    use tcpwhy_report::paragraph;

    /// Lists.
    ///
    /// # Errors
    /// There is no such scenario, or the list cannot be written.
    pub(crate) fn run(args: &List) -> Result<ExitCode, Error> {
        let mut out = anstream::stdout().lock();
        if let Some(name) = &args.name {
            out.write_all(Source::find(name)?.text.as_bytes()).map_err(Error::Write)?;
            return Ok(ExitCode::SUCCESS);
        }
        let width = line_width();
        let wide = builtins().iter().map(|b| b.name.len()).max().unwrap_or(0);
        for b in builtins() {
            let source = Source::new(b.name, b.text);
            let scenario = source.read(false, &[])?.scenario;
            let case = scenario.case.as_deref().unwrap_or("");
            let lead = format!("{:wide$}  {case:3}  ", b.name);
            let line = paragraph(&lead, &scenario.title, width);
            out.write_all(line.as_bytes()).map_err(Error::Write)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
