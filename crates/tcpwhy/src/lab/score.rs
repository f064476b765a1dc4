//! `tcpwhy lab score`: runs whose truth is recorded, what the analysis says of them, and the tables.

use super::progress::Progress;
use crate::error::Error;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use tcpwhy_lab::score::matrix::{Cell, full, quick};
use tcpwhy_lab::score::report::page;
use tcpwhy_lab::score::{CellResult, Judgement, Nature, Outcome, Run, Runner};

pub(super) const EXAMPLES: &str = "\
Examples:
  tcpwhy lab score                       a run or two of each limit, and the tables
  tcpwhy lab score --list                the names of those runs
  tcpwhy lab score --only send-buffer    those of one limit
  tcpwhy lab score --full --keep -o all --page score.md
                                         the whole matrix; captures and results are kept in all/
  tcpwhy lab score --full --again -o all score these captures again, after a change of the rules

Exit status: 0 scored, 1 nothing was scored, 2 error, or most verdicts are wrong (--check).";

/// Which runs, and where to.
#[derive(Debug, Clone, Args)]
pub(crate) struct Score {
    /// The whole matrix (about half an hour) instead of a run or two of each limit (minutes)
    #[arg(long)]
    full: bool,
    /// The part of the matrix that is held out, too: look at it last
    #[arg(long, requires = "full")]
    held_out: bool,
    /// Each run so many times, with other seeds
    #[arg(long, value_name = "N", default_value_t = 1, requires = "full")]
    repeats: u64,
    /// Only runs whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Name the runs, and run none
    #[arg(long)]
    list: bool,
    /// Results are kept here, and not run again
    #[arg(short, long, value_name = "DIR", default_value = "score-results")]
    output: PathBuf,
    /// Write the tables to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Runs at once: most of a run is waiting
    #[arg(short, long, value_name = "N", default_value_t = 4)]
    jobs: usize,
    /// Keep the captures and samples of each run
    #[arg(long)]
    keep: bool,
    /// Score all of it again, from captures that were kept: after a change of the analysis
    #[arg(long)]
    again: bool,
    /// Fail where most verdicts are another limit than the one that held longest
    #[arg(long)]
    check: bool,
    /// Do not run again with the limit lifted
    #[arg(long)]
    no_lift: bool,
}

/// Runs what was asked, `run` being the lab, and writes the tables.
///
/// # Errors
/// When results or tables cannot be written. A run that fails is part of the tables.
pub(crate) fn run(args: &Score, run: &Run<'_>) -> Result<ExitCode, Error> {
    let cells = cells(args);
    if cells.is_empty() {
        let text = "no run has such a name: `tcpwhy lab score --list` names those of minutes, with --full all";
        return Err(Error::Lab(text.to_owned()));
    }
    if args.list {
        let mut out = anstream::stdout().lock();
        for cell in &cells {
            let held = if cell.held_out() { "  (held out)" } else { "" };
            writeln!(out, "{}{held}", cell.id()).map_err(Error::Write)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if !args.again {
        super::become_root()?;
    }
    // Runs under way end, and their results are kept.
    let stop = crate::interrupt::flag();
    // Of the whole matrix three, for equal runs differ; of the quick one, which runs beside other tests, one.
    let lifts = if args.full { 3 } else { 1 };
    let runner = Runner {
        run,
        folder: args.output.clone(),
        parallel: args.jobs,
        keep: args.keep || args.again,
        again: args.again,
        lifts: if args.no_lift { 0 } else { lifts },
        stop: &stop,
    };
    let mut progress = Progress::new(cells.len());
    let results = runner.cells(&cells, |result, nature| match nature {
        Nature::Kept => progress.kept(),
        Nature::Run => progress.ran(&line(result)),
    });
    progress.clear();
    let results = results.map_err(|e| Error::Lab(e.to_string()))?;
    write_page(args, &results, cells.len())?;
    let judged: Vec<bool> =
        results.iter().filter_map(|r| r.judgement()).filter_map(is_right).collect();
    conclude(args.check, judged.iter().filter(|right| **right).count(), judged.len())
}

/// Nothing was judged, or most of it is wrong: then the analysis is, whatever a busy machine does to a few runs.
fn conclude(check: bool, right: usize, judged: usize) -> Result<ExitCode, Error> {
    match judged {
        0 => Ok(ExitCode::from(crate::exit::NOTHING)),
        _ if check && 2 * right <= judged => Err(Error::Lab(format!(
            "{right} of {judged} verdicts are the limit that held longest: most are wrong"
        ))),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn cells(args: &Score) -> Vec<Cell> {
    let all = if args.full { full(args.repeats) } else { quick() };
    let named = |c: &Cell| args.only.as_ref().is_none_or(|text| c.id().contains(text));
    all.into_iter().filter(|c| args.held_out || !c.held_out()).filter(named).collect()
}

/// The tables; of the held-out part by itself, below the other. Those of an interrupted score replace no page.
fn write_page(args: &Score, results: &[CellResult], cells: usize) -> Result<(), Error> {
    if let Some(path) = &args.page
        && results.len() < cells
    {
        let (done, path) = (results.len(), path.display());
        crate::say(&format!(
            "interrupted after {done} of {cells} runs: {path} is left as it is; the same command goes on"
        ));
        return Ok(());
    }
    let command = if args.full { "make score-full" } else { "tcpwhy lab score" };
    let mut text = page(results, command, false);
    if args.held_out {
        text.push_str("\n---\n\n");
        text.push_str(&page(results, "tcpwhy lab score --full --held-out", true));
    }
    match &args.page {
        Some(path) => std::fs::write(path, text)
            .map_err(|e| Error::Lab(format!("cannot write {}: {e}", path.display()))),
        None => anstream::stdout().lock().write_all(text.as_bytes()).map_err(Error::Write),
    }
}

/// One run's line.
fn line(result: &CellResult) -> String {
    let said = match &result.outcome {
        Outcome::Failed(why) => format!("failed: {why}"),
        Outcome::Scored(judgement) => verdict(judgement),
    };
    format!("{}: {said}", result.id)
}

/// Truth and verdict at the sender.
fn verdict(judgement: &Judgement) -> String {
    let Some((truth, said)) = limits(judgement) else { return "nothing to judge".to_owned() };
    match truth == said {
        true => format!("{said}, right"),
        false => format!("{truth} taken for {said}"),
    }
}

fn is_right(judgement: &Judgement) -> Option<bool> {
    limits(judgement).map(|(truth, said)| truth == said)
}

/// The limit that held longest, and that of the verdict at the sender.
fn limits(judgement: &Judgement) -> Option<(&str, &str)> {
    let said = judgement.scored.views.first()?.verdict.as_ref()?;
    Some((&judgement.scored.truth.as_ref()?.limit, &said.limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn a_score_of_which_most_is_wrong_fails() {
        assert_eq!(conclude(true, 0, 0).unwrap(), ExitCode::from(crate::exit::NOTHING));
        assert!(conclude(true, 5, 10).unwrap_err().to_string().contains("5 of 10"));
        assert_eq!(conclude(true, 6, 10).unwrap(), ExitCode::SUCCESS);
        assert_eq!(conclude(false, 0, 10).unwrap(), ExitCode::SUCCESS);
    }

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        score: Score,
    }

    #[test]
    fn an_interrupted_score_replaces_no_page() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("score.md");
        std::fs::write(&path, "before").unwrap();
        let score = Line::parse_from(["score", "--page", path.to_str().unwrap()]).score;
        write_page(&score, &[], 3).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
        write_page(&score, &[], 0).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("# Score"));
    }
}
