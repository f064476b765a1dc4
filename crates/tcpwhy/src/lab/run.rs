//! `tcpwhy lab run`: a scenario, or all of them.

use clap::Args;
use std::path::PathBuf;

/// For `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  tcpwhy lab run send-buffer-16k-20ms              a slow transfer in two seconds
  tcpwhy lab run send-buffer-16k-20ms -o case      keep the captures and everything else
  tcpwhy lab run send-buffer-16k-20ms --set link.rtt=40ms --set server.sndbuf=64K
  tcpwhy lab run my.toml                           a scenario of your own: tcpwhy lab list NAME
                                                   prints one to begin with
  tcpwhy lab run all                               every scenario: published, measured, predicted

Exit status: 0 the verdicts are right, 1 one is wrong, 2 error.";

/// What to run.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Names of scenarios, files that end in .toml, or `all`
    #[arg(value_name = "SCENARIO", required = true)]
    scenarios: Vec<String>,
    /// Keep the case in this folder (with several scenarios, in folders inside it)
    #[arg(short, long, value_name = "CASE")]
    output: Option<PathBuf>,
    /// Change a key of the scenario, as link.rtt=40ms; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The published sizes instead of those that run in seconds
    #[arg(long)]
    full: bool,
    /// Print the results as JSON, one a line
    #[arg(long)]
    json: bool,
}

#[cfg(target_os = "linux")]
pub(super) use linux::run;

#[cfg(target_os = "linux")]
mod linux {
    use super::Run;
    use crate::error::Error;
    use crate::lab::become_root;
    use crate::lab::summary::{Summary, judged, span};
    use crate::{interrupt, say};
    use anstyle::Style;
    use std::io::{self, Write};
    use std::path::Path;
    use std::process::ExitCode;
    use std::sync::atomic::Ordering;
    use tcpwhy_core::advice::quantity;
    use tcpwhy_lab::run::{self as lab, RunResult, Vantage};
    use tcpwhy_lab::scenario::{Assignment, Read, Source, builtins};
    use tcpwhy_lab::scratch::Scratch;
    use tcpwhy_lab::workload::{Ended, ProgramOutcome, SendingOutcome};

    /// Runs.
    ///
    /// # Errors
    /// A scenario is unknown or wrong, or the machine does not allow it.
    pub(crate) fn run(args: &Run) -> Result<ExitCode, Error> {
        let scenarios = read(args)?;
        become_root()?;
        let stop = interrupt::flag();
        let scratch = Scratch::new().map_err(Error::temporary)?;
        let mut out = anstream::stdout().lock();
        let mut summary = Summary::default();
        for read in &scenarios {
            let name = &read.scenario.name;
            let folder = match &args.output {
                Some(folder) if scenarios.len() == 1 => folder.clone(),
                Some(folder) => folder.join(name),
                None => scratch.path().join(name),
            };
            match lab::run(&read.scenario, Some(&read.text), &folder, &stop) {
                Ok(result) => {
                    show(&mut out, args, &result).map_err(Error::Write)?;
                    summary.add(result);
                }
                Err(e) if scenarios.len() == 1 => {
                    return Err(Error::Lab(format!("{}: {e}", read.place)));
                }
                // One of many that cannot run here must not cost the others.
                Err(e) => {
                    summary.miss(&e);
                    say(&format!("{}: {e}", read.place));
                }
            }
            if stop.load(Ordering::Relaxed) {
                let kept =
                    if args.output.is_some() { "; what was seen until then is kept" } else { "" };
                return Err(Error::Lab(format!("interrupted{kept}")));
            }
            if args.output.is_none() && folder.exists() {
                remove(&folder)?;
            }
        }
        if let Some(folder) = &args.output {
            say(&format!("kept in {}: tcpwhy {} explains it", folder.display(), folder.display()));
        }
        if scenarios.len() > 1 {
            if !args.json {
                summary.table(&mut out).map_err(Error::Write)?;
            }
            say(&summary.sentence());
        }
        Ok(ExitCode::from(summary.code()))
    }

    /// Captures are large: one case at a time is enough where nobody keeps them.
    fn remove(folder: &Path) -> Result<(), Error> {
        let removed = std::fs::remove_dir_all(folder);
        removed.map_err(|e| Error::Lab(format!("cannot remove {}: {e}", folder.display())))
    }

    /// All that was asked for is read before anything runs: a mistake in the last one must not cost the time of the first.
    fn read(args: &Run) -> Result<Vec<Read>, Error> {
        let changes =
            args.set.iter().map(|s| Assignment::parse(s)).collect::<Result<Vec<_>, _>>()?;
        let mut sources = Vec::new();
        for name in &args.scenarios {
            if name == "all" {
                let all = builtins().into_iter();
                sources.extend(all.map(|b| Source::new(b.name, b.text)));
            } else {
                sources.push(Source::find(name)?);
            }
        }
        sources.iter().map(|s| Ok(s.read(args.full, &changes)?)).collect()
    }

    fn show(out: &mut impl Write, args: &Run, result: &RunResult) -> io::Result<()> {
        if args.json {
            serde_json::to_writer(&mut *out, result)?;
            return writeln!(out);
        }
        let bold = Style::new().bold();
        writeln!(out, "{bold}{}{bold:#}  {}", result.scenario, result.title)?;
        let measured = format!("{} in {}", quantity::data(result.bytes), span(result.seconds));
        let rate = quantity::rate(result.goodput_bps);
        writeln!(out, "  measured   {measured}, {rate}")?;
        let cut_short = cut_short(result);
        if let Some(first) = cut_short.first() {
            let more = match cut_short.len() {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            writeln!(out, "  ended      {first}{more}")?;
        }
        let p = &result.predicted;
        if !p.bound.is_empty() {
            let rate = quantity::rate(p.mean_bps as u64);
            writeln!(out, "  predicted  {}, {rate}, held by {}", span(p.seconds), p.bound)?;
        }
        if let Some(published) = &result.published {
            writeln!(
                out,
                "  published  {published} (case {})",
                result.case.as_deref().unwrap_or("-")
            )?;
        }
        for j in &result.judgements {
            let place = match j.vantage {
                Vantage::Sender => "sender",
                Vantage::Middle => "middle",
                Vantage::Receiver => "receiver",
            };
            let cause = j.cause.map_or(String::new(), |c| format!(" ({c})"));
            let word = judged(j.right, "verdict");
            let share = quantity::percent(j.share);
            writeln!(out, "  {place:9}  {word}: {}{cause} {share} of the time", j.limit)?;
        }
        let verdicts = || result.judgements.iter().filter(|j| j.at_sender);
        if result.right == Some(false) && verdicts().all(|j| j.right == Some(true)) {
            writeln!(out, "  rate       outside of what the scenario expects")?;
        }
        let missed: u64 = result.taps.iter().map(|t| t.drops).sum();
        if missed > 0 {
            writeln!(out, "  captures   {missed} packets are missing: the machine was too busy")?;
        }
        for why in &result.link.why_not {
            writeln!(out, "  link       not faithful: {why}")?;
        }
        writeln!(out)?;
        out.flush()
    }

    /// What did not come to its end, and why; some scenarios are about that.
    fn cut_short(result: &RunResult) -> Vec<String> {
        let flows = result.outcome.flows.iter().filter(|f| !f.cross_traffic).filter_map(|flow| {
            let why = match &flow.ended {
                Ended::Complete => return None,
                Ended::GaveUp => "given up",
                Ended::Failed(why) => why,
            };
            let sum = |bytes: fn(&SendingOutcome) -> u64| flow.sendings.iter().map(bytes).sum();
            let (read, asked) = (quantity::data(sum(|s| s.read)), quantity::data(sum(|s| s.asked)));
            Some(format!("after {}, {read} of {asked} had arrived: {why}", span(flow.seconds)))
        });
        let programs =
            result.outcome.programs.iter().filter(|p| !p.stopped && p.exit_code != Some(0));
        let said = |p: &ProgramOutcome| {
            let how =
                p.exit_code.map_or("by a signal".to_owned(), |code| format!("with code {code}"));
            format!("`{}` {how}", p.command.join(" "))
        };
        flows.chain(programs.map(said)).collect()
    }
}
